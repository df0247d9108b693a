"""`make bench`: measure, print the tables and keep them in docs/performance.md.

With names as arguments only these benches run, and their tables alone are replaced in the page.
"""

import datetime
import importlib
import logging
import re
import sys
from pathlib import Path

from tools.bench import machine
from tools.bench.table import Table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
BENCHES = (
    *("hit_to_led", "burst", "sync", "air", "idle", "field", "start", "boot", "memory"),
    *("rules_speed", "rules_micropython", "rules_sizes", "wear"),
)
HEAD = """# Performance

Made by `make bench`; nothing here is typed by hand. Virtual badges run the shipped firmware on the
MicroPython unix port of the machine named, so these figures say nothing about an ESP32's speed,
only about the code and the tools.
"""


def keep(name: str, table: Table) -> None:
    """Replace the bench's section of the page, or append it."""
    stamp = f"Measured {datetime.date.today().isoformat()} on {machine.describe()}."
    section = f"<!-- {name} -->\n{table.markdown()}\n{stamp}\n<!-- /{name} -->\n"
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else HEAD
    pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- /{name} -->\n", re.DOTALL)
    if pattern.search(page):
        page = pattern.sub(lambda _: section, page)
    else:
        page = page.rstrip("\n") + "\n\n" + section
    PAGE.write_text(page, encoding="utf-8")


def main(names: list[str]) -> int:
    """Run the named benches, or all; return the exit code."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"There is no bench {unknown[0]}; there are: {', '.join(BENCHES)}.")
        return 2
    # Libraries talk when a bench takes its field down; what fails shows as a missing table.
    logging.disable(logging.ERROR)
    for name in names or BENCHES:
        table = importlib.import_module(f"tools.bench.{name}").measure()
        print(table.text(), end="\n\n", flush=True)
        keep(name, table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
