"""Tables of a ruleset file, read key by key, with every mistake told by file and line.

Problem: a misspelt key or a number out of range must be named where it stands, not be ignored.
Guarantee: what a section returns has the asked type and range; what nobody asked for is an error
(`done`). Each error is one RulesFileError.
"""

from __future__ import annotations

from typing import Any, NoReturn

from redband.errors import RedbandUserError
from redband.rules.formula import FormulaError, Scope, compile_formula, nearest
from redband.rules.locate import Path, Places
from redband.rules.model import Text


class RulesFileError(RedbandUserError):
    """A mistake in a ruleset file. The message is `file:line: what; hint`."""

    def __init__(self, file: str, line: int, what: str, hint: str = "") -> None:
        super().__init__(f"{file}:{line}: {what}" + (f"; {hint}" if hint else ""))
        self.file = file
        self.line = line
        self.what = what
        self.hint = hint


class Source:
    """A ruleset file: its name for messages, where its keys are."""

    def __init__(self, name: str, places: Places) -> None:
        self.name = name
        self.places = places

    def where(self, path: Path, part: str = "") -> tuple[str, int]:
        """Return file name and line of the key at `path`, or of its nearest parent.

        part: text of the value; the line inside a long value that holds it is preferred.
        """
        return self.name, self.places.line(path, part)

    def fail(self, path: Path, what: str, hint: str = "", part: str = "") -> NoReturn:
        """Raise RulesFileError for the key at `path`; `part`: the text at fault in its value."""
        name, line = self.where(path, part)
        raise RulesFileError(name, line, what, hint)

    def fail_formula(self, path: Path, error: FormulaError) -> NoReturn:
        """Raise RulesFileError for a formula's mistake."""
        self.fail(path, error.what, error.hint, error.word)


class Section:
    """One table of the file."""

    def __init__(self, source: Source, path: Path, data: Any) -> None:
        """Wrap the table `data` that stands at `path`. Raises RulesFileError when it is none."""
        self.source = source
        self.path = path
        self._asked: set[str] = set()
        if not isinstance(data, dict):
            source.fail(path, f'"{path[-1]}" must be a table', f"write [{_dotted(path)}]")
        self._data: dict[str, Any] = data

    def fail(self, key: str, what: str, hint: str = "", part: str = "") -> NoReturn:
        """Raise RulesFileError at this key."""
        self.source.fail((*self.path, key), what, hint, part)

    def has(self, key: str) -> bool:
        """Return True when the key is there."""
        return key in self._data

    def _get(self, key: str, kinds: tuple[type, ...], wanted: str, default: Any) -> Any:
        self._asked.add(key)
        if key not in self._data:
            if default is None:
                self.source.fail(
                    self.path, f'{self._name()} lacks "{key}"', f"add {key} = {wanted}"
                )
            return default
        value = self._data[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            self.fail(key, f'"{key}" has the wrong kind of value', f"write {key} = {wanted}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; required when `default` is None."""
        return self._get(key, (str,), '"..."', default)

    def flag(self, key: str) -> bool:
        """Return true or false; false when absent."""
        return self._get(key, (bool,), "true or false", False)

    def texts(self, key: str) -> list[str]:
        """Return a list of strings; one string stands for a list of one; empty when absent."""
        value = self._get(key, (str, list), '["..."]', [])
        items = [value] if isinstance(value, str) else value
        if not all(isinstance(item, str) for item in items):
            self.fail(key, f'"{key}" must hold texts only', f'write {key} = ["..."]')
        return items

    def title(self, key: str, default: str | None = None) -> Text:
        """Return a text in both languages: `{ en = "...", ru = "..." }`, or one for both."""
        value = self._get(key, (str, dict), '{ en = "...", ru = "..." }', default)
        if isinstance(value, str):
            return Text(value, value)
        if set(value) != {"en", "ru"} or not all(isinstance(text, str) for text in value.values()):
            hint = f'write {key} = {{ en = "...", ru = "..." }}'
            self.fail(key, f'"{key}" needs a text in English and one in Russian', hint)
        return Text(value["en"], value["ru"])

    def formula_text(self, key: str, default: str | None = None) -> str:
        """Return a formula as written; a plain number is one too."""
        return str(self._get(key, (str, int), '"a formula"', default))

    def number(self, key: str, default: str | None = None) -> int:
        """Return a whole number or a time such as "15 min" in ms."""
        text = self.formula_text(key, default)
        try:
            code = compile_formula(text, Scope())
        except FormulaError as error:
            self.source.fail_formula((*self.path, key), error)
        if len(code) != 1:
            self.fail(
                key, f'"{text}" is not a number', 'write a number or a time such as "15 min"'
            )
        value = code[0]
        return value if isinstance(value, int) else value.value

    def section(self, key: str) -> Section:
        """Return the table under the key; an empty one when absent."""
        self._asked.add(key)
        return Section(self.source, (*self.path, key), self._data.get(key, {}))

    def sections(self) -> list[tuple[str, Section]]:
        """Return every key with its table, in the file's order."""
        self._asked.update(self._data)
        found = []
        for name, data in self._data.items():
            section = Section(self.source, (*self.path, name), data)
            if not name.isidentifier():
                hint = "use letters, digits and _"
                self.source.fail((*self.path, name), f'"{name}" can\'t be a name', hint)
            found.append((name, section))
        return found

    def rows(self, key: str) -> list[Section]:
        """Return the tables of an array of tables ([[key]]); empty when absent."""
        value = self._get(key, (list,), f"[[{key}]]", [])
        return [Section(self.source, (*self.path, key, i), row) for i, row in enumerate(value)]

    def pairs(self) -> dict[str, Any]:
        """Return all keys with their raw values."""
        self._asked.update(self._data)
        return self._data

    def done(self) -> None:
        """Raise RulesFileError when the table has a key that nobody asked for."""
        for key in self._data:
            if key not in self._asked:
                self.fail(key, f'{self._name()} can\'t have "{key}"', nearest(key, self._asked))

    def _name(self) -> str:
        if not self.path:
            return "the file"
        return f"[{_dotted(self.path)}]"


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path if isinstance(part, str))
