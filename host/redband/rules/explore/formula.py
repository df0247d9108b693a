"""A formula as the explorer needs it: what it reads, its value, and the bounds of its value.

Problem: to leave out what cannot matter, the explorer must know which numbers a formula looks at,
and whether a duration can ever be 0.
Guarantee: `value` is the badge's own evaluator; `bounds` always contains every value that the
formula can have for inputs within the given bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redband.rules.formula import Code, Constant
from redband_core import expression as core
from redband_core.expression_reader import prepare

Bounds = tuple[int, int]
ANY_NUMBER: Bounds = (-(1 << 60), 1 << 60)
TRUTH: Bounds = (0, 1)


class Formula:
    """One compiled formula. slots: what it reads. left_tracks: tracks in left(). constants."""

    def __init__(self, code: Code) -> None:
        """Number the operands of the formula; constants become operands too."""
        self._operands: list[int | Constant] = []
        packed = bytearray()
        left_tracks = []
        for item, following in zip(code, (*code[1:], None), strict=True):
            if not isinstance(item, Constant) and item >= core.FIRST_OPERATOR:
                packed.append(item)
                continue
            if following == core.LEFT and isinstance(item, Constant):
                left_tracks.append(item.value)
            if item not in self._operands:
                self._operands.append(item)
            packed.append(self._operands.index(item))
        self._code = bytes(packed)
        self._prepared = prepare(self._code)
        self.slots = frozenset(i for i in self._operands if not isinstance(i, Constant))
        self.left_tracks = frozenset(left_tracks)
        self.constants = [i.value for i in self._operands if isinstance(i, Constant)]

    def value(self, slots: Sequence[int], left: Callable[[int], int]) -> int:
        """Return the value. slots: numbers of the ruleset; left: ms left of a track's timer."""
        values = [i.value if isinstance(i, Constant) else slots[i] for i in self._operands]
        return core.evaluate(self._prepared, 0, values, left)

    def bounds(self, slots: Sequence[Bounds], left: Sequence[Bounds]) -> Bounds:
        """Return bounds of the value when each input lies within its bounds."""
        stack: list[Bounds] = []
        for byte in self._code:
            if byte < core.FIRST_OPERATOR:
                item = self._operands[byte]
                is_number = isinstance(item, Constant)
                stack.append((item.value, item.value) if is_number else slots[item])
            elif byte <= core.MAX:
                right = stack.pop()
                stack[-1] = _binary(byte, stack[-1], right)
            elif byte == core.SELECT:
                otherwise, value = stack.pop(), stack.pop()
                stack[-1] = _select(stack[-1], value, otherwise)
            elif byte == core.NOT:
                truth = _truth(stack[-1])
                stack[-1] = (1 - truth[1], 1 - truth[0])
            elif byte == core.NEG:
                stack[-1] = (-stack[-1][1], -stack[-1][0])
            elif byte == core.ABS:
                low, high = stack[-1]
                stack[-1] = (max(low, -high, 0), max(abs(low), abs(high)))
            else:
                stack[-1] = left[stack[-1][0]]
        return stack[0]


def _truth(value: Bounds) -> Bounds:
    if value == (0, 0):
        return (0, 0)
    return TRUTH if value[0] <= 0 <= value[1] else (1, 1)


def _select(condition: Bounds, value: Bounds, otherwise: Bounds) -> Bounds:
    truth = _truth(condition)
    if truth == TRUTH:
        return (min(value[0], otherwise[0]), max(value[1], otherwise[1]))
    return value if truth[0] else otherwise


def _binary(operator: int, left: Bounds, right: Bounds) -> Bounds:
    if operator in (core.AND, core.OR):
        a, b = _truth(left), _truth(right)
        return (min(a[0], b[0]), min(a[1], b[1])) if operator == core.AND else (
            max(a[0], b[0]), max(a[1], b[1])
        )  # fmt: skip
    if operator in (core.MIN, core.MAX):
        pick = min if operator == core.MIN else max
        return (pick(left[0], right[0]), pick(left[1], right[1]))
    if operator in (core.ADD, core.SUB, core.MUL):
        return _corners(operator, left, right)
    if operator == core.DIV:
        return _corners(operator, left, right) if right[0] > 0 else ANY_NUMBER
    if operator == core.MOD:
        return (0, right[1] - 1) if right[0] > 0 else ANY_NUMBER
    return _compare(operator, left, right)


def _corners(operator: int, left: Bounds, right: Bounds) -> Bounds:
    """Return the bounds of an operation whose extremes lie where its operands are extreme."""
    prepared = prepare(bytes((0, 1, operator)))
    found = [core.evaluate(prepared, 0, [a, b], lambda _track: 0) for a in left for b in right]
    return (min(found), max(found))


def _compare(operator: int, left: Bounds, right: Bounds) -> Bounds:
    if operator in (core.GT, core.GE):
        operator = core.LT if operator == core.GT else core.LE
        left, right = right, left
    if operator in (core.EQ, core.NE):
        is_never = left[1] < right[0] or right[1] < left[0]
        is_always = left[0] == left[1] == right[0] == right[1]
        if operator == core.NE:
            is_never, is_always = is_always, is_never
    elif operator == core.LT:
        is_never, is_always = left[0] >= right[1], left[1] < right[0]
    else:
        is_never, is_always = left[0] > right[1], left[1] <= right[0]
    return (0, 0) if is_never else (1, 1) if is_always else TRUTH
