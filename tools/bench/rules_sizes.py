"""Sizes of the engine's byte code and of each compiled ruleset, with their budgets."""

from tools.bench.table import Table
from tools.size_budget import sizes


def measure() -> Table:
    """Run the bench and return its table."""
    table = Table("Sizes", "Byte code as mpy-cross makes it for the badge.")
    for name, size, budget in sizes():
        table.add(name, f"{size:,} bytes", f"of {budget:,}")
    return table
