"""Fail when something outgrows its budget: byte code, rulesets, modules, functions.

Byte code is measured as it ships: made small, then compiled for the badge. The engine's and
rulesets' budgets are promises of docs/rules.md; the others keep the firmware and an update of it
inside a 2 MB flash, and the source readable. The heap has its own gate (test_chip_heap.py).
"""

import ast
import sys
from pathlib import Path

from redband.build.firmware import firmware_files, module_sizes

ROOT = Path(__file__).resolve().parents[1]
ENGINE_MODULES = (
    *("engine", "expression", "expression_reader", "ruleset"),
    "ruleset_reader",
    *("snapshot", "state"),
)
ENGINE_BYTES = 11 * 1024  # a third of it, the reader, leaves a badge's heap after the start
RULESET_BYTES = 2 * 1024
FIRMWARE_BYTES = 104 * 1024
# "About" 300 and 40 in the house rules: the margin is for a table or a long docstring.
MODULE_LINES = 330
FUNCTION_LINES = 48
# One file on purpose: the peer of a measurement, rules as a person writes them by hand.
ONE_FILE = "hits_by_hand.py"


def sizes() -> list[tuple[str, int, int]]:
    """Return (name, bytes, budget in bytes) for byte code and shipped rulesets."""
    from redband.rules import load, presets, shipped

    modules = module_sizes()
    engine = sum(modules[f"redband_core.{name}"] for name in ENGINE_MODULES)
    files = firmware_files()
    firmware = sum(len(content) for name, content in files.items() if name.endswith(".mpy"))
    rows = [
        ("engine byte code", engine, ENGINE_BYTES),
        ("firmware byte code", firmware, FIRMWARE_BYTES),
    ]
    names = shipped() + presets()
    rows += [(f"ruleset {name}", len(load(name).data), RULESET_BYTES) for name in names]
    return rows


def long_code(path: Path) -> list[str]:
    """Return a sentence for the module and for each function over its lines."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    lines = text.count("\n")
    found = []
    if lines > MODULE_LINES and path.name != ONE_FILE:
        found.append(f"{name}: {lines} lines, more than {MODULE_LINES}: split it")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            if length > FUNCTION_LINES:
                place = f"{name}:{node.lineno}"
                found.append(f"{place}: {node.name} has {length} lines: split it")
    return found


def main() -> int:
    """Print the sizes and what is over; return the exit code."""
    failed = False
    for name, size, budget in sizes():
        mark = "" if size <= budget else "  OVER"
        failed = failed or size > budget
        print(f"{name:24} {size:7,} of {budget:7,} bytes{mark}")
    folders = [ROOT / name for name in ("firmware", "host", "tools")]
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    for sentence in [line for path in files for line in long_code(path)]:
        failed = True
        print(sentence)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
