"""Fail when an import goes against tools/imports.toml, or modules import each other in a circle.

Every import counts against the table: relative ones, those inside functions, and those for types.
In circles those for types alone do not count, as Python never runs them.

    python tools/check_imports.py            check the tree, and the table in docs/architecture.md
    python tools/check_imports.py --write    put the table there
"""

import ast
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = "tools/imports.toml"
PAGE = "docs/architecture.md"
BEGIN, END = "<!-- rooms: made by tools/check_imports.py -->\n", "<!-- end of rooms -->\n"
DEVICE_MODULES = {"machine", "bluetooth", "esp32", "flashbdev", "micropython"}
# Where absolute imports of ours begin.
SOURCES = ("firmware/lib", "host", "firmware", ".")


@dataclass(frozen=True)
class Room:
    """One entry of the table; "*" in imports: whatever there is."""

    name: str
    path: str
    sentence: str
    imports: tuple[str, ...]
    device: bool = False
    library: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Import:
    """One imported module or name. target: its file, None when it is not ours.

    is_run: False for one that stands under TYPE_CHECKING.
    """

    line: int
    module: str
    target: Path | None
    is_run: bool


def rooms(root: Path = ROOT) -> list[Room]:
    """Return the table's rooms, in its order."""
    table = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))
    return [
        Room(
            name,
            entry["path"],
            entry["sentence"],
            tuple(entry["imports"]),
            entry.get("device", False),
            tuple(entry["library"]) if "library" in entry else None,
        )
        for name, entry in table.items()
    ]


def room_of(path: Path, every: list[Room], root: Path = ROOT) -> Room | None:
    """Return the room of a file, None for one that is in none (a test)."""
    relative = path.relative_to(root)
    homes = [room for room in every if relative.is_relative_to(room.path)]
    return max(homes, key=lambda room: len(room.path), default=None)


def find(module: str, root: Path) -> Path | None:
    """Return the file of a module of ours."""
    for source in SOURCES:
        stem = root / source / module.replace(".", "/")
        for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
            if path.is_file():
                return path
    return None


def imports_of(path: Path, root: Path = ROOT) -> list[Import]:
    """Return all imports of a file; of `from package import name`, the module if name is one."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for_types = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in test.body
    }
    found = []
    for node in ast.walk(tree):
        is_run = id(node) not in for_types
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found += [Import(node.lineno, name, find(name, root), is_run) for name in names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*_package(path, node.level, root), *filter(None, [node.module])])
            for alias in node.names:
                target = find(f"{base}.{alias.name}", root)
                found.append(Import(node.lineno, base, target or find(base, root), is_run))
    return found


def _package(path: Path, level: int, root: Path) -> list[str]:
    """Return the parts of the package that a relative import begins at, none for level 0."""
    if not level:
        return []
    sources = [root / source for source in SOURCES]
    home = next(source for source in sources if path.is_relative_to(source))
    parts = path.parent.relative_to(home).parts
    return list(parts[: len(parts) - level + 1])


def faults_in(path: Path, every: list[Room], root: Path = ROOT) -> list[str]:
    """Return one sentence for each import that the table forbids."""
    room = room_of(path, every, root)
    relative = path.relative_to(root).as_posix()
    if room is None:
        return [f"{relative}: is in no room of {TABLE}"]
    faults = []
    for one in imports_of(path, root):
        theirs = room_of(one.target, every, root) if one.target is not None else None
        top = one.module.split(".")[0]
        if theirs is not None:
            is_wrong = theirs != room and not {"*", theirs.name} & set(room.imports)
        elif top in DEVICE_MODULES:
            is_wrong = not room.device and relative.startswith(("firmware", "host"))
            is_wrong = is_wrong and room.name not in ("silicon", "badge") or room.name == "core"
            is_wrong = is_wrong or (room.name == "badge" and top != "micropython")
        else:
            is_wrong = room.library is not None and top not in room.library
        if is_wrong:
            whom = one.module + (f", of {theirs.name}" if theirs else "")
            faults.append(f"{relative}:{one.line}: {room.name} may not import {whom}")
    return faults


def circles(files: list[Path], root: Path = ROOT) -> list[list[str]]:
    """Return the groups of modules that import each other, by path."""
    graph = {
        path: {one.target for one in imports_of(path, root) if one.is_run} - {path}
        for path in files
    }
    reach = {path: _reached(path, graph) for path in files}
    groups = {
        frozenset(other for other in reach[path] if path in reach.get(other, ()))
        for path in files
        if path in reach[path]
    }
    return sorted(sorted(path.relative_to(root).as_posix() for path in one) for one in groups)


def _reached(path: Path, graph: dict) -> set:
    """Return all modules that `path` needs; itself, too, when it stands in a circle."""
    found: set = set()
    waiting = [path]
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target in graph and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def table_text(every: list[Room]) -> str:
    """Return the table as the page prints it."""
    lines = ["| room | what it is | may import |", "| --- | --- | --- |"]
    for room in every:
        names = ", ".join("everything" if name == "*" else name for name in room.imports)
        lines.append(f"| `{room.path}` ({room.name}) | {room.sentence} | {names or 'nothing'} |")
    return "\n".join(lines) + "\n"


def page_with(table: str, page: str) -> str:
    """Return the page with the table in its place."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END)[1]


def main(arguments: list[str]) -> int:
    """Check the tree; print the faults; return the exit code."""
    every = rooms()
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    right = page_with(table_text(every), page)
    if "--write" in arguments:
        (ROOT / PAGE).write_text(right, encoding="utf-8")
        page = right
    folders = {room.path.split("/")[0] for room in every if room.name != "support"}
    folders.add("tests/support")
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    faults = [fault for path in files for fault in faults_in(path, every)]
    faults += [f"circle: {', '.join(group)}" for group in circles(files)]
    if page != right:
        faults.append(f"{PAGE}: is not as {TABLE} says; run tools/check_imports.py --write")
    for fault in faults:
        print(fault)
    print(f"import rules: {len(files)} files, {len(every)} rooms, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
