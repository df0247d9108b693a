"""Checks the code of a formula once, so that `expression` can run it without a look.

Guarantee: what `check` accepts reads no slot that is not there and leaves exactly one value. A
badge needs this only while it reads its ruleset.
"""

from redband_core import numbers
from redband_core.errors import RulesError
from redband_core.expression import (
    ADD,
    END,
    EQ,
    FIRST_OPERATOR,
    GE,
    GT,
    LE,
    LEFT,
    LONG,
    LT,
    MAX,
    NE,
    NEG,
    SELECT,
    STACK_LIMIT,
    SUB,
)

# Two slots and one of these need no stack. Most guards are one comparison of two slots.
_FAST = (ADD, SUB, EQ, NE, LT, LE, GT, GE)


def check(code, slot_count: int) -> None:
    """Raise RulesError unless `code` gives one value from slots below `slot_count`."""
    depth = 0
    for byte in code:
        if byte < FIRST_OPERATOR:
            if byte >= slot_count:
                raise RulesError(numbers.ERROR_EXPRESSION_SLOT)
            depth += 1
            if depth > STACK_LIMIT:
                raise RulesError(numbers.ERROR_EXPRESSION_DEEP)
            continue
        if byte <= MAX:
            needed = 2
        elif NEG <= byte <= LEFT:
            needed = 1
        elif byte == SELECT:
            needed = 3
        else:
            raise RulesError(numbers.ERROR_EXPRESSION_OPERATOR)
        if depth < needed:
            raise RulesError(numbers.ERROR_EXPRESSION_OPERAND)
        depth -= needed - 1
    if depth != 1:
        raise RulesError(numbers.ERROR_EXPRESSION_VALUES)


def put(program, code):
    """Return checked `code` as a place's three bytes; one that they can't hold goes to the end of
    `program`, a bytearray of less than 64 kB.
    """
    if len(code) == 1:
        return bytes((code[0], 0, 0))
    if len(code) == 3 and code[2] in _FAST:
        return bytes(code)
    at = len(program)
    program.extend(code)
    program.append(END)
    return bytes((at & 0xFF, at >> 8, LONG))


def prepare(code):
    """Return a program with checked `code` at offset 0, as `evaluate` takes it."""
    program = bytearray(3)
    program[:3] = put(program, code)
    return bytes(program)
