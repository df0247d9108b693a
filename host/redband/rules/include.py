"""A ruleset file and the files that it includes, read and in order.

Problem: files include files, and two of them may include the same third one.
Guarantee: each file is read once; files that include each other, can't be read or are not TOML are
one RulesFileError at the line of the `include`. What is in the tables is not looked at.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redband.errors import RedbandUserError
from redband.rules import library
from redband.rules.locate import Places
from redband.rules.section import RulesFileError, Section, Source


@dataclass(eq=False, slots=True)
class File:
    """A ruleset file. `includes`: all files that it includes, also those that these include."""

    path: Path
    source: Source
    data: dict[str, Any]
    includes: set[File] = field(default_factory=set)

    def head(self) -> Section:
        """Return the table [ruleset]."""
        return Section(self.source, ("ruleset",), self.data.get("ruleset", {}))


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"^(.*?) \(at line (\d+), column \d+\)$", str(error))
        line = int(match[2]) if match else len(text.splitlines()) or 1
        what = match[1] if match else re.sub(r" \(at end of document\)$", "", str(error))
        twice = re.match(r"Cannot declare \('(rule|signal)',\) twice", what)
        if twice:
            what = f"[{twice[1]}] has single brackets"
            raise RulesFileError(path.name, line, what, f"write [[{twice[1]}]]") from error
        what = f"this is not TOML: {what[:1].lower()}{what[1:]}"
        raise RulesFileError(path.name, line, what, "see docs/rules.md for the format") from error
    except RecursionError as error:
        raise RulesFileError(path.name, 1, "the file is nested too deep") from error


class Reader:
    """Reads a file and what it includes, each once.

    outer_first: all files, each before what it includes. inner_first: each after it.
    """

    def __init__(self) -> None:
        self.outer_first: list[File] = []
        self.inner_first: list[File] = []

    def read(self, text: str, path: Path, trail: tuple[Path, ...]) -> File:
        """Return the file. trail: the files that led to it."""
        file = File(path, Source(path.name, Places(text)), _parse(text, path))
        self.outer_first.append(file)
        if "ruleset" in file.data:
            head = file.head()
            for name in head.texts("include"):
                inner = self._included(name, head, (*trail, path))
                file.includes |= {inner, *inner.includes}
        self.inner_first.append(file)
        return file

    def _included(self, name: str, head: Section, trail: tuple[Path, ...]) -> File:
        try:
            path = library.find(name, trail[-1].parent)
            known = next((f for f in self.outer_first if _is_same(f.path, path)), None)
            text = library.read_text(path) if known is None else ""
        except RulesFileError:
            raise
        except RedbandUserError as error:
            head.fail("include", str(error), part=name)
        if any(_is_same(path, outer) for outer in trail):
            names = " -> ".join(outer.name for outer in (*trail, path))
            hint = "take one include out"
            head.fail("include", f"the files include each other: {names}", hint, name)
        return known or self.read(text, path, trail)


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
