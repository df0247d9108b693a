"""What a reader of the source can see to be wrong about time (R1, R18)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LIB = Path(__file__).resolve().parents[2] / "firmware" / "lib"
KEEPERS = {"redband_core/clock.py", "redband_hal/system.py"}
"""The clock itself, and the one place that knows the port's own functions."""
ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_ticks(node: ast.expr) -> bool:
    """Return whether an expression is a reading of the wrapping counter, by its name."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "ticks_ms"
    name = node.id if isinstance(node, ast.Name) else ""
    name = node.attr if isinstance(node, ast.Attribute) else name
    return name == "ticks_ms" or name.endswith("_ticks_ms")


def faults(source: str) -> Iterator[int]:
    """Yield the lines that compare, add or subtract readings other than on their ring."""
    tree = ast.parse(source)
    on_the_ring = {
        id(node.left)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and isinstance(node.right, ast.Name)
        and node.right.id == "TICKS_PERIOD"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            has_order = any(isinstance(op, ORDERING) for op in node.ops)
            # "never" is a negative number, which no reading is
            with_zero = any(isinstance(side, ast.Constant) and side.value == 0 for side in sides)
            if has_order and not with_zero and any(map(is_ticks, sides)):
                yield node.lineno
        elif isinstance(node, ast.BinOp) and id(node) not in on_the_ring:
            if is_ticks(node.left) or is_ticks(node.right):
                yield node.lineno
        elif isinstance(node, ast.AugAssign) and is_ticks(node.target):
            yield node.lineno


def test_R1_nobody_but_the_clock_does_arithmetic_on_ticks() -> None:
    found = []
    for path in sorted(LIB.rglob("*.py")):
        name = str(path.relative_to(LIB))
        if name not in KEEPERS:
            found += [f"{name}:{line}" for line in faults(path.read_text(encoding="utf-8"))]
    assert found == []


def test_R1_the_rule_sees_what_it_is_for() -> None:
    wrong = (
        "x = system.ticks_ms() - last_ticks_ms",
        "if ticks_ms > self._until_ticks_ms: pass",
        "self._ticks_ms += 5",
        "late = self.start_ticks_ms + 5",
    )
    right = (
        "x = system.ticks_diff(system.ticks_ms(), last_ticks_ms)",
        "if self._ticks_ms < 0: pass",
        "x = (ticks_ms - age_ms) % TICKS_PERIOD",
        "if state.motor_ticks_ms == self._motor_ticks_ms: pass",
    )
    assert [len(list(faults(line))) for line in wrong] == [1] * len(wrong)
    assert [len(list(faults(line))) for line in right] == [0] * len(right)


def test_R18_no_module_of_the_badge_asks_for_wall_time() -> None:
    names = {"time", "time_ns", "localtime", "gmtime", "mktime", "RTC"}
    found = []
    for path in sorted(LIB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in names
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "time"
            ):
                found.append(f"{path.name}:{node.lineno}")
    assert found == []
