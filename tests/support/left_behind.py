"""What a run of tests has left behind: processes, pseudo-terminals, open files, temporary files.

A badge, a server or a browser that outlives its test takes a core and a port from all that follow.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE_S = 10.0
"""A process that was told to end may take so long on a busy machine."""


def _told(pid: int) -> tuple[int, str, str]:
    """Return parent, command line and environment of a process; those of a zombie are empty."""
    folder = Path(f"/proc/{pid}")
    parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    texts = [
        (folder / name).read_bytes().decode(errors="replace") for name in ("cmdline", "environ")
    ]
    return parent, texts[0].replace("\0", " "), texts[1]


def processes(folder: Path) -> dict[int, str]:
    """Return who runs below this process, or with a place in `folder`: id to command line."""
    told: dict[int, tuple[int, str, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                told[int(entry.name)] = _told(int(entry.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
    ours, newest = set(), {os.getpid()}
    while newest:
        newest = {pid for pid, one in told.items() if one[0] in newest} - ours
        ours |= newest
    ours |= {pid for pid, one in told.items() if str(folder) in one[1] + one[2]}
    return {pid: told[pid][1].strip() for pid in ours - {os.getpid()} if told[pid][1]}


def open_files() -> set[str]:
    """Return what this process has open of terminals, flash images and stores."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            # A terminal that the run was given may be closed at its other end meanwhile.
            target = str(entry.readlink()).removesuffix(" (deleted)")
        except FileNotFoundError:
            continue
        if "/ptmx" in target or "/pts/" in target or target.endswith((".img", ".sqlite")):
            found.add(target)
    return found


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail the run when anything that it began is still there at its end."""
    base = tmp_path_factory.getbasetemp()
    own = Path(tempfile.mkdtemp(prefix="rb-"))
    own.chmod(0o1777)  # as /tmp is: some programs of the tests run as nobody
    before_dir, before_env = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = str(own)
    running, opened = set(processes(base)), open_files()
    yield
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        left = [f"{pid}: {what}" for pid, what in processes(base).items() if pid not in running]
        left += [f"open: {what}" for what in open_files() - opened]
        if not left or time.monotonic() > deadline_s:
            break
        time.sleep(0.1)
    left += [f"file: {path.name}" for path in own.iterdir()]
    shutil.rmtree(own)
    tempfile.tempdir = before_dir
    if before_env is None:
        del os.environ["TMPDIR"]
    else:
        os.environ["TMPDIR"] = before_env
    assert left == []
