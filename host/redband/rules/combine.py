"""Several files to one ruleset: `include = ["wounds", "hospital"]`.

Problem: a weekend game plays two systems with small changes, and copied text goes out of step.
Guarantee: the result is one table as `tomllib` would give it, with the file and line of each key.
Files that contradict each other, or include each other, are one RulesFileError.

What has the same name is the same thing: a file that includes another changes it key by key. Each
file counts once, however often it is included. Rules and signals of included files stand before
the file's own; tables of names stand after them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redband.rules.formula import nearest
from redband.rules.include import File, Reader
from redband.rules.locate import Path as Keys
from redband.rules.section import RulesFileError, Source

ROWS = ("rule", "signal")
TABLES = ("param", "counter", "track", "event", "refusal", "formula", "gesture", "ruleset")
FLAT = ("formula", "gesture", "ruleset")  # hold values, not tables
OWN_KEYS = ("id", "title", "include", "remove", "signal_order")  # of [ruleset], for one file only


def combine(text: str, path: Path) -> tuple[dict[str, Any], Source]:
    """Return the table of the file with everything it includes, and where its keys stand.

    text: what `path` holds. Raises RulesFileError.
    """
    reader = Reader()
    root = reader.read(text, path, ())
    if not root.includes:
        return root.data, root.source
    fold = _Fold(root, reader.outer_first)
    for file in reader.inner_first:
        fold.add(file)
    return fold.result()


@dataclass(eq=False, slots=True)
class _Value:
    """A value, where it was written, and by which other file it is contradicted."""

    file: File
    keys: Keys
    value: Any
    against: _Value | None = None

    def place(self) -> str:
        """Return file and line."""
        name, line = self.file.source.where(self.keys)
        return f"{name}:{line}"

    def title(self) -> str:
        """Return what the value is, such as `"default" of param "max_lives"`."""
        kind, name, *rest = self.keys
        if kind in ROWS:
            name = self.file.data[str(kind)][name]["name"]
        if not rest:
            return f'{kind} "{name}"'
        return f'"{".".join(map(str, rest))}" of {kind} "{name}"'


Node = dict[str, Any]  # name to Node or _Value


class _Fold:
    """Puts file upon file. A table is a dict; every key ends in a _Value."""

    def __init__(self, root: File, outer_first: list[File]) -> None:
        self.root = root
        self.outer_first = outer_first
        self.tree: Node = {}
        self.rows: dict[str, list[Node]] = {kind: [] for kind in ROWS}

    def add(self, file: File) -> None:
        """Add a file whose includes have been added."""
        if file.includes:
            self._remove(file)
        for kind, value in file.data.items():
            if kind in ROWS and isinstance(value, list):
                self._add_rows(file, kind, value)
            else:
                self._merge(file, self.tree, (kind,), value)
        if "ruleset" in file.data and file.head().has("signal_order"):
            self._order_signals(file)

    def _merge(self, file: File, node: Node, keys: Keys, value: Any) -> None:
        name = str(keys[-1])
        if _is_open(keys) and isinstance(value, dict):
            if not isinstance(node.get(name), dict):
                node[name] = {}
            for key, inner in value.items():
                if keys != ("ruleset",) or file is self.root or key not in OWN_KEYS:
                    self._merge(file, node[name], (*keys, key), inner)
            node[name].setdefault("", _Value(file, keys, None))
            return
        old = node.get(name)
        new = _Value(file, keys, value)
        if isinstance(old, _Value) and old.value != value:
            if old.file not in file.includes:
                new.against = old
            elif old.against is not None and old.against.file not in file.includes:
                new.against = old.against
        node[name] = new

    def _add_rows(self, file: File, kind: str, rows: list[Any]) -> None:
        seen = []
        for number, row in enumerate(rows):
            keys = (kind, number)
            name = row.get("name") if isinstance(row, dict) else None
            node = self._named(kind, name) if name is not None and name not in seen else None
            if node is None:  # also for a name used twice in one file: told by the reader
                node = {"": _Value(file, keys, row)}
                self.rows[kind].append(node)
            if isinstance(row, dict):
                seen.append(name)
                for key, value in row.items():
                    self._merge(file, node, (*keys, key), value)

    def _named(self, kind: str, name: Any) -> Node | None:
        for node in self.rows[kind]:
            if "name" in node and node["name"].value == name:
                return node
        return None

    def _remove(self, file: File) -> None:
        head = file.head()
        for text in head.texts("remove"):
            kind, _, name = text.partition(".")
            if kind in ROWS:
                node = self._named(kind, name)
                known = [n["name"].value for n in self.rows[kind] if "name" in n]
                if node is not None:
                    self.rows[kind].remove(node)
                    continue
            else:
                table = self.tree.get(kind, {}) if kind in TABLES else {}
                known = [n for n in table if n] if isinstance(table, dict) else []
                if name in known:
                    del table[name]
                    continue
            hint = nearest(text, [f"{kind}.{n}" for n in known], 'write for example "signal.NAME"')
            head.fail("remove", f'no included file has "{text}"', hint, text)

    def _order_signals(self, file: File) -> None:
        head = file.head()
        wanted = head.texts("signal_order")
        rows = self.rows["signal"]
        mine = {n["name"].value: n for n in rows if "name" in n and self._is_of(n, file)}
        for name in wanted:
            if name not in mine:
                head.fail("signal_order", f'unknown signal "{name}"', nearest(name, mine), name)
        for name in mine:
            if wanted.count(name) != 1:
                what = "lacks" if name not in wanted else "has more than once"
                hint = "name each signal once, the most important one first"
                head.fail("signal_order", f'signal_order {what} "{name}"', hint)
        places = [i for i, node in enumerate(rows) if node in list(mine.values())]
        for place, name in zip(places, wanted, strict=True):
            rows[place] = mine[name]

    @staticmethod
    def _is_of(node: Node, file: File) -> bool:
        return node[""].file is file or node[""].file in file.includes

    def result(self) -> tuple[dict[str, Any], Source]:
        """Return the table and its places. Raises RulesFileError for what contradicts."""
        signals = self.rows["signal"]
        plain = [node for node in signals if "in" not in node and "if" not in node]
        if len(plain) > 1:
            what = f'signal "{_name(plain[1])}" has no condition, like "{_name(plain[0])}" in '
            hint = 'keep one: give them one name, or write remove = ["signal.NAME"]'
            name, line = plain[1][""].file.source.where(plain[1][""].keys)
            raise RulesFileError(name, line, what + plain[0][""].place(), hint)
        signals.sort(key=lambda node: node in plain)
        origins: dict[Keys, _Value] = {(): _Value(self.root, (), None)}
        data: dict[str, Any] = {}
        for kind, node in self.tree.items():
            data[kind] = self._plain(node, (kind,), origins)
        for kind, rows in self.rows.items():
            if rows:
                data[kind] = [self._row(n, (kind, i), origins) for i, n in enumerate(rows)]
        return data, _Origins(self.root.source, origins)

    def _row(self, node: Node, keys: Keys, origins: dict[Keys, _Value]) -> Any:
        if not isinstance(node[""].value, dict):
            origins[keys] = node[""]
            return node[""].value
        return self._plain(node, keys, origins)

    def _plain(self, node: Node | _Value, keys: Keys, origins: dict[Keys, _Value]) -> Any:
        if isinstance(node, _Value):
            origins[keys] = node
            if node.against is not None:
                name, line = node.file.source.where(node.keys)
                what = f"{node.title()} differs from {node.against.place()}"
                hint = f"write it in {self.root.path.name} to say what counts"
                raise RulesFileError(name, line, what, hint)
            return node.value
        origins[keys] = node[""]
        rank = self.outer_first.index
        named = [(name, inner) for name, inner in node.items() if name]
        if keys[0] in TABLES and len(keys) == 1:
            named.sort(key=lambda item: rank(_file(item[1])))
        return {name: self._plain(inner, (*keys, name), origins) for name, inner in named}


def _file(node: Node | _Value) -> File:
    return node.file if isinstance(node, _Value) else node[""].file


def _name(node: Node) -> str:
    return str(node["name"].value) if "name" in node else ""


def _is_open(keys: Keys) -> bool:
    """Return True when the table at `keys` is merged key by key; otherwise it is one value."""
    kind, depth = keys[0], len(keys)
    if kind not in TABLES:
        return False
    if kind == "track" and depth > 2:
        return keys[2] == "state" and depth <= 4
    return depth == 1 if kind in FLAT else depth <= 2


class _Origins(Source):
    """Where the keys of a combined table stand."""

    def __init__(self, root: Source, origins: dict[Keys, _Value]) -> None:
        super().__init__(root.name, root.places)
        self._origins = origins

    def where(self, path: Keys, part: str = "") -> tuple[str, int]:
        """Return file and line of the key, or of its nearest parent."""
        length = len(path)
        while path[:length] not in self._origins:
            length -= 1
        origin = self._origins[path[:length]]
        return origin.file.source.where((*origin.keys, *path[length:]), part)
