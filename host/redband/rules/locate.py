"""Where in a TOML file a key stands: `tomllib` reads values but keeps no line numbers.

Problem: an organiser must be told the line of a mistake, also of the third rule's second effect.
Guarantee: for a file that `tomllib` accepts, every table header and key of the file has its line.
Keys inside inline tables have the line of the key that holds them. It checks nothing itself.
"""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_STRING = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*$|[\[\]{}]')


class Places:
    """Lines of the keys of one TOML text."""

    def __init__(self, text: str) -> None:
        """Find all keys. text: the TOML source."""
        self._lines = text.splitlines()
        self._spans: dict[Path, tuple[int, int]] = {(): (1, len(self._lines))}
        self._counts: dict[Path, int] = {}
        self._scan()

    def line(self, path: Path, part: str = "") -> int:
        """Return the line (1 is the first) of the key at `path`, or of its nearest parent.

        part: text of the value; the line inside a long value that holds it is preferred.
        """
        while path not in self._spans:
            path = path[:-1]
        first, last = self._spans[path]
        if part:
            for number in range(first, last + 1):
                if part in self._lines[number - 1]:
                    return number
        return first

    def _scan(self) -> None:
        table: Path = ()
        number = 0
        while number < len(self._lines):
            line = self._lines[number]
            number += 1
            header = _HEADER.match(line)
            key = _KEY.match(line)
            if header:
                table = self._table(_parts(header[2]), is_array=header[1] == "[[")
                self._spans[table] = (number, number)
            elif key:
                path = (*table, *_parts(key[1]))
                last = self._value_end(number, line[key.end() :])
                for length in range(len(table) + 1, len(path) + 1):
                    self._spans.setdefault(path[:length], (number, last))
                number = last

    def _table(self, parts: Path, *, is_array: bool) -> Path:
        """Return the path of a header, with the index of each array of tables on the way."""
        path: Path = ()
        for position, part in enumerate(parts):
            path = (*path, part)
            if position == len(parts) - 1 and is_array:
                self._counts[path] = self._counts.get(path, -1) + 1
                self._spans.setdefault(path, (1, 1))
            if path in self._counts:
                path = (*path, self._counts[path])
        return path

    def _value_end(self, number: int, rest: str) -> int:
        """Return the last line of the value that begins with `rest` in line `number`."""
        depth, quote = _scan_line(rest, 0, "")
        while (depth or quote) and number < len(self._lines):
            depth, quote = _scan_line(self._lines[number], depth, quote)
            number += 1
        return number


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _scan_line(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Return bracket depth and open long quote after the line."""
    position = 0
    while position < len(line):
        if quote:
            end = line.find(quote, position)
            if end < 0:
                return depth, quote
            position, quote = end + 3, ""
            continue
        match = _STRING.search(line, position)
        if not match:
            break
        position = match.end()
        token = match[0]
        if token in ('"""', "'''"):
            quote = token
        elif token in "[{":
            depth += 1
        elif token in "]}":
            depth -= 1
    return depth, quote
