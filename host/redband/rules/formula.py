"""Formulas of a ruleset file: `hits > n and not health.dying` to the engine's stack code.

Problem: organisers write formulas, the badge runs bytes (`redband_core.expression`).
Guarantee: what compiles is accepted by the badge's reader (`expression_reader.check`); whatever is
wrong raises FormulaError with the word at fault and, where one is near, the word probably meant.
Formulas are read by Python's `ast` and never executed.

Written: whole numbers, times (`15 min`, `90 s`, `7.5 min`), names of params, counters, formulas
and event arguments, `track.state` and `argument.choice` (true or false), + - * // %, comparisons,
and, or, not, `a if condition else b`, min, max, abs, and left(track): ms left of its timer.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from redband_core import expression as core
from redband_core.expression_reader import prepare

UNITS_MS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
_TIME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(ms|s|min|h)\b(?!\s*\()")
_COMMA_TIME = re.compile(r"^\s*\d+,\d+\s*(?:ms|s|min|h)\s*$")  # max(1,5 s) is two values
_BINARY: dict[type, int] = {
    ast.Add: core.ADD,
    ast.Sub: core.SUB,
    ast.Mult: core.MUL,
    ast.FloorDiv: core.DIV,
    ast.Mod: core.MOD,
}
_COMPARE: dict[type, int] = {
    ast.Eq: core.EQ,
    ast.NotEq: core.NE,
    ast.Lt: core.LT,
    ast.LtE: core.LE,
    ast.Gt: core.GT,
    ast.GtE: core.GE,
}
NUMBER_LIMIT = 1 << 40


class FormulaError(Exception):
    """A formula that can't be compiled. `word`: the text at fault; `hint`: what to do."""

    def __init__(self, what: str, hint: str = "", word: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.word = word


def nearest(word: str, known: Iterable[str], fallback: str = "") -> str:
    """Return a hint: the known word probably meant, else the list of known words."""
    words = sorted(set(known))
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f'did you mean "{close[0]}"?'
    if fallback or not words:
        return fallback
    return "known are: " + ", ".join(words)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number inside a code; the compiler gives it a slot."""

    value: int


Code = tuple[int | Constant, ...]


@dataclass(slots=True)
class Scope:
    """The names a formula may use.

    slots: params and counters to slot. tracks: name to (slot, state names). args: name to
    (slot, choice names). formulas: name to text. may_read_time: whether left() is allowed.
    """

    slots: dict[str, int] = field(default_factory=dict)
    tracks: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    args: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    formulas: dict[str, str] = field(default_factory=dict)
    may_read_time: bool = True
    open_formulas: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return every name that may stand in a formula."""
        return [*self.slots, *self.tracks, *self.args, *self.formulas]


def parse_time(text: str) -> str:
    """Return the formula with each time replaced by its milliseconds. Raises FormulaError."""
    comma = _COMMA_TIME.search(text)
    if comma:
        hint = f'write "{comma[0].replace(",", ".")}"'
        raise FormulaError(f'"{comma[0]}" has a comma', hint, comma[0])

    def milliseconds(match: re.Match[str]) -> str:
        value = Decimal(match[1]) * UNITS_MS[match[2]]
        if value != int(value):
            raise FormulaError(
                f'"{match[0]}" is not a whole number of milliseconds', word=match[0]
            )
        return str(int(value))

    return _TIME.sub(milliseconds, text)


def compile_formula(formula: str | int, scope: Scope) -> Code:
    """Return the stack code of a formula. Raises FormulaError."""
    text = str(formula)
    try:
        tree = ast.parse(parse_time(text).strip(), mode="eval")
    except SyntaxError as error:
        hint = 'write "==" to compare' if re.search(r"[^=!<>]=[^=]", text) else ""
        if "&&" in text or "||" in text or "!" in text.replace("!=", ""):
            hint = "write and, or, not"
        hint = hint or 'write for example "hits > 0" or "15 min"'
        raise FormulaError(f'"{text}" is not a formula', hint, text) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f'"{text[:40]}" is not a formula', "make it simpler", text) from error
    code = _node(tree.body, scope)
    _check_depth(code, text)
    return code


def _check_depth(code: Code, text: str) -> None:
    depth = deepest = 0
    for item in code:
        if isinstance(item, Constant) or item < core.FIRST_OPERATOR:
            depth += 1
        else:
            depth -= 2 if item == core.SELECT else 1 if item <= core.MAX else 0
        deepest = max(deepest, depth)
    if deepest > core.STACK_LIMIT:
        raise FormulaError(f'"{text}" is nested too deep', "split it with [formula]", text)


def _node(node: ast.expr, scope: Scope) -> Code:
    match node:
        case ast.Constant():
            return (_constant(node.value),)
        case ast.Name():
            return _name(node.id, scope)
        case ast.Attribute(value=ast.Name(id=owner), attr=choice):
            return _choice(owner, choice, scope)
        case ast.BinOp(op=ast.Div()):
            raise FormulaError('"/" gives fractions', 'write "//" (rounds down)', "/")
        case ast.BinOp() if type(node.op) in _BINARY:
            parts = (_node(node.left, scope), _node(node.right, scope))
            return _fold((*parts[0], *parts[1], _BINARY[type(node.op)]))
        case ast.UnaryOp(op=ast.USub()):
            return _fold((*_node(node.operand, scope), core.NEG))
        case ast.UnaryOp(op=ast.Not()):
            return (*_node(node.operand, scope), core.NOT)
        case ast.BoolOp():
            return _chain(
                node.values, core.AND if isinstance(node.op, ast.And) else core.OR, scope
            )
        case ast.Compare():
            return _compare(node, scope)
        case ast.IfExp():
            parts = [_node(part, scope) for part in (node.test, node.body, node.orelse)]
            return (*parts[0], *parts[1], *parts[2], core.SELECT)
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            return _call(function, arguments, scope)
    text = ast.unparse(node)
    raise FormulaError(f'"{text}" can\'t be used in a formula', word=text)


def _constant(value: object) -> Constant:
    if isinstance(value, int):
        return _number(int(value))
    hint = "rules count in whole numbers" if isinstance(value, float) else ""
    raise FormulaError(f"{value!r} is not a whole number", hint, str(value))


def _number(value: int) -> Constant:
    if abs(value) > NUMBER_LIMIT:
        raise FormulaError(f"the number {value} is too large", word=str(value))
    return Constant(value)


def _name(name: str, scope: Scope) -> Code:
    if name in scope.args:
        return (scope.args[name][0],)
    if name in scope.slots:
        return (scope.slots[name],)
    if name in scope.formulas:
        if name in scope.open_formulas:
            raise FormulaError(f'formula "{name}" uses itself', word=name)
        inner = Scope(
            scope.slots,
            scope.tracks,
            {},
            scope.formulas,
            scope.may_read_time,
            (*scope.open_formulas, name),
        )
        return compile_formula(scope.formulas[name], inner)
    if name in scope.tracks:
        state = scope.tracks[name][1][0]
        hint = f'ask for a state, such as "{name}.{state}"'
        raise FormulaError(f'"{name}" is a track and has no value', hint, name)
    raise FormulaError(f'unknown name "{name}"', nearest(name, scope.names()), name)


def _choice(owner: str, choice: str, scope: Scope) -> Code:
    known = {**scope.tracks, **{n: found for n, found in scope.args.items() if found[1]}}
    word = f"{owner}.{choice}"
    if owner not in known:
        raise FormulaError(f'"{owner}" in "{word}" is no track', nearest(owner, known), word)
    slot, choices = known[owner]
    if choice not in choices:
        raise FormulaError(f'"{owner}" has no "{choice}"', nearest(choice, choices), word)
    return (slot, Constant(choices.index(choice)), core.EQ)


def _chain(nodes: list[ast.expr], operator: int, scope: Scope) -> Code:
    code = _node(nodes[0], scope)
    for node in nodes[1:]:
        code = (*code, *_node(node, scope), operator)
    return code


def _compare(node: ast.Compare, scope: Scope) -> Code:
    code: Code = ()
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if type(operator) not in _COMPARE:
            text = ast.unparse(node)
            raise FormulaError(f'"{text}" can\'t be used in a formula', "compare with ==", text)
        part = (*_node(left, scope), *_node(right, scope), _COMPARE[type(operator)])
        code = (*code, *part, core.AND) if code else part
        left = right
    return code


def _call(function: str, arguments: list[ast.expr], scope: Scope) -> Code:
    if function == "left":
        name = (
            arguments[0].id if len(arguments) == 1 and isinstance(arguments[0], ast.Name) else ""
        )
        if name not in scope.tracks:
            hint = nearest(name, scope.tracks)
            raise FormulaError("left() takes the name of one track", hint, f"left({name}")
        if not scope.may_read_time:
            hint = "use a state with a timer instead"
            raise FormulaError("left() can't be used here: nothing asks again", hint, "left(")
        return (Constant(scope.tracks[name][0]), core.LEFT)
    if function == "abs" and len(arguments) == 1:
        return (*_node(arguments[0], scope), core.ABS)
    if function in ("min", "max") and len(arguments) >= 2:
        return _chain(arguments, core.MIN if function == "min" else core.MAX, scope)
    if function in ("min", "max", "abs"):
        count = "one value" if function == "abs" else "two values or more"
        raise FormulaError(f"{function}() takes {count}", word=function)
    hint = nearest(function, ("min", "max", "abs", "left"))
    raise FormulaError(f'unknown function "{function}"', hint, function)


def _fold(code: Code) -> Code:
    """Return the code with an operation on two plain numbers already done."""
    *operands, operator = code
    numbers = [item.value for item in operands if isinstance(item, Constant)]
    if len(numbers) != len(operands) or len(numbers) > 2 or isinstance(operator, Constant):
        return code
    run = bytes((*range(len(numbers)), operator))
    return (_number(core.evaluate(prepare(run), 0, numbers, lambda _track: -1)),)
