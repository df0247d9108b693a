"""Small wrong changes to a source, one at a time: what a slip of the hand, or of thought, makes.

Guarantee: the same source gives the same changes in the same order. Pure: text in, changes out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

ROLES = ("player", "medic", "marshal", "game_master")
_PROSE = re.compile(r"\s*(#|\[|en\b|ru\b|title|name|cites|id|timer_title|notice|summary)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_MEMBER = re.compile(r'"[^"]*"(, )?')
_LIST = re.compile(r"\[([^\[\]]*)\]")
_OTHER = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}


@dataclass(frozen=True)
class Change:
    """`before` at `start` of a text becomes `after`."""

    start: int
    before: str
    after: str

    def applied(self, text: str) -> str:
        """Return the changed text. Raises ValueError when `before` does not stand there."""
        end = self.start + len(self.before)
        if text[self.start : end] != self.before:
            raise ValueError(f"no {self.before!r} at {self.start}")
        return text[: self.start] + self.after + text[end:]


def of(name: str, text: str) -> list[Change]:
    """Return the changes of a file's text. Raises SyntaxError for Python that is none."""
    found = _of_python(text) if name.endswith(".py") else _of_rules(text)
    return sorted(set(found), key=lambda one: (one.start, one.after))


def _of_rules(text: str) -> Iterator[Change]:
    start = 0
    for line in text.splitlines(keepends=True):
        code = line.split("  #")[0].split("\t#")[0].rstrip()
        if not _PROSE.match(line) and "=" in code:
            yield from (_moved(change, start) for change in _of_line(code))
        start += len(line)


def _of_line(code: str) -> Iterator[Change]:
    key = code.split("=")[0].strip()
    value_at = code.index("=") + 1
    for match in _NUMBER.finditer(code, value_at):
        yield from _numbers(match.start(), match[0])
    if key in ("if", "in"):  # the guard goes
        yield Change(0, code, "")
    for match in _LIST.finditer(code, value_at):
        members = list(_MEMBER.finditer(match[1]))
        for member in members if len(members) > 1 else ():
            comma = ", " if member is members[-1] else ""
            yield Change(match.start(1) + member.start() - len(comma), comma + member[0], "")
        if key == "roles":
            for role in ROLES:
                if f'"{role}"' not in match[1]:
                    yield Change(match.end(1), "", f', "{role}"')


def _numbers(start: int, digits: str) -> Iterator[Change]:
    yield Change(start, digits, str(int(digits) + 1))
    if int(digits):
        yield Change(start, digits, str(int(digits) - 1))


def _moved(change: Change, by: int) -> Change:
    return Change(change.start + by, change.before, change.after)


def _of_python(text: str) -> Iterator[Change]:
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, str]:
        row = text[lines[node.lineno - 1] :].encode()
        start = lines[node.lineno - 1] + len(row[: node.col_offset].decode())
        return start, ast.get_source_segment(text, node) or ""

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            start, source = span(node)
            if source.isdigit():
                yield from _numbers(start, source)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _comparison(node, span)
        elif isinstance(node, ast.BoolOp):
            start, source = span(node)
            for operand in node.values:
                yield Change(start, source, span(operand)[1])
        elif isinstance(node, ast.If) and _is_guard(node):
            start, source = span(node.test)
            yield Change(start, source, "False")


def _comparison(node: ast.Compare, span) -> Iterator[Change]:
    words = _OTHER.get(type(node.ops[0]))
    start, source = span(node)
    left = len(span(node.left)[1])
    if words and (at := source.find(words[0], left)) >= 0:
        yield Change(start + at, words[0], words[1])


def _is_guard(node: ast.If) -> bool:
    """Return whether the body only leaves: by an error, a return, or on to the next turn."""
    return not node.orelse and isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue)
