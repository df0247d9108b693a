"""Which file a badge takes for each module: an old one that hides a new one is found, not run.

Problem: MicroPython looks in / and in /lib, at .py before .mpy, and prefers what it finds there
even to its own json or asyncio; a forgotten file turns an update into nothing. Guarantee: such a
file is named before anything is written, and after an installation the badge itself tells which
files it has loaded, by path and hash.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from redband.build.firmware import content_hash, firmware_directory
from redband.desk import board_scripts
from redband.desk.mpremote import Mpremote, PortError, PortTrouble
from redband.errors import RedbandUserError

LIBRARY = "/lib/"
LOAD_TIMEOUT_S = 60.0
OURS = ("redband_core", "redband_hal", "redband_badge")
"""Packages whose stale files the installer removes itself."""


def foreign_imports(directory: Path | None = None) -> set[str]:
    """Return the modules of MicroPython that the firmware imports."""
    found = set()
    root = directory or firmware_directory()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found - set(OURS) - {path.stem for path in root.glob("*.py")}


def refuse_hidden(names: Iterable[str], port: str) -> None:
    """Raise RedbandUserError if a file on the badge hides a module of MicroPython.

    names: of what lies in / and /lib.
    """
    hiding = sorted({name for name in names if name.split(".")[0] in foreign_imports()})
    if hiding:
        raise RedbandUserError(
            f"{', '.join(hiding)} on the badge at {port} would be taken for MicroPython's own "
            f"module; remove it (mpremote connect {port} rm :{hiding[0]}), then install again."
        )


def module_files(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return module name -> path for the modules among a badge's files."""
    found = {}
    for path in files:
        pure = PurePosixPath(path)
        if path.startswith(LIBRARY) and pure.suffix in (".py", ".mpy"):
            parts = pure.relative_to(LIBRARY).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def check_loaded(remote: Mpremote, files: Mapping[str, bytes]) -> None:
    """Let the badge import every module of its new version, and compare what it took.

    Raises PortError when one does not load, or not from the file that was installed.
    """
    wanted = module_files(files)
    taken: dict[str, tuple[str, str]] = {}
    names = sorted(wanted)
    while names:
        names = _load(remote, names, taken)
    for name, path in wanted.items():
        found, digest = taken.get(name, ("nothing", ""))
        if found.lstrip("/") != path.lstrip("/") or digest != content_hash(files[path]):
            raise _not_loaded(
                f"The badge at {remote.port} takes {found} for {name} and not the {path} just "
                "installed; remove it"
            )


def _load(remote: Mpremote, names: list[str], taken: dict[str, tuple[str, str]]) -> list[str]:
    """Let the badge import `names` in an empty heap, until it is full; return what is left.

    taken: gets name -> path and hash of the file that the badge took. Raises PortError.
    """
    program = f"NAMES = {names!r}\n{board_scripts.LOADED}"
    said = remote.run("exec", program, timeout_s=LOAD_TIMEOUT_S, is_resumed=False)
    for line in said.splitlines():
        word, _, rest = line.partition(" ")
        if word == "LOADED" and len(rest.split()) == 3:
            name, path, digest = rest.split()
            taken[name] = (path, digest)
        elif word == "BROKEN" or (word == "FULL" and rest == names[0]):
            problem = rest if word == "BROKEN" else f"{rest} into its empty memory"
            raise _not_loaded(
                f"The badge at {remote.port} does not load {problem}; flash MicroPython"
            )
        elif word == "FULL" and rest in names:
            return names[names.index(rest) :]
    return []


def _not_loaded(what: str) -> PortError:
    return PortError(PortTrouble.NOT_LOADED, f"{what}, then install again.")
