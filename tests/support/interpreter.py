"""Programs on the real MicroPython: where their files lie, and the one way to run one."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from redband.rules.replay import find_micropython

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware" / "lib"
HOST = ROOT / "host"
"""Whose ends of the protocol run on both Pythons."""
SILICON = ROOT / "host" / "redband" / "virtual" / "silicon"
CORE_DATA = ROOT / "tests" / "core" / "data"
PARTS = ROOT / "tests" / "parts"
ON_CPYTHON = ROOT / "tests" / "support" / "cpython"
"""What CPython has not, for parts of the badge that run on it, too."""
PROGRAMS = ROOT / "tests" / "proof" / "programs"
UNITTEST = ROOT / "tests" / "support" / "micropython"
ALONE = "import alone\nalone.start()\n"
"""Lines before a program that runs on SILICON in one process with its test."""
_RUN_MODULE = """
{before}import unittest
passed, failed = unittest.run_module(__import__({name!r}))
print('RESULT %d %d' % (passed, failed))
"""


def run_micropython(
    program: str, folders: Iterable[Path], *, heap: str, timeout_s: float, cwd: Path, **env: str
) -> str:
    """Run a program that imports from `folders`; return what it printed, errors at the end."""
    path = ["", ".frozen", *map(str, folders)]
    done = subprocess.run(
        [find_micropython(), "-X", f"heapsize={heap}", "-c"]
        + [f"import sys\nsys.path[:] = {path!r}\n{program}"],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        cwd=cwd,
        env=os.environ | {"MICROPYPATH": "", **env},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout + done.stderr


def run_unittests(
    name: str,
    folders: Iterable[Path],
    *,
    heap: str,
    timeout_s: float,
    cwd: Path,
    before: str = "",
    **env: str,
) -> tuple[int, int, str]:
    """Run the unittests of a module in an interpreter of its own.

    before: lines of a program that run first. Returns how many passed and failed, and what was
    printed; one failed when it did not end well.
    """
    program = _RUN_MODULE.format(name=name, before=before)
    folders = [UNITTEST, *folders]
    try:
        output = run_micropython(program, folders, heap=heap, timeout_s=timeout_s, cwd=cwd, **env)
    except subprocess.TimeoutExpired:
        return 0, 1, f"{name}: no end after {timeout_s} s\n"
    result = re.search(r"^RESULT (\d+) (\d+)$", output, re.MULTILINE)
    if not result:
        return 0, 1, output
    return int(result[1]), int(result[2]), output.replace(result[0], "")
