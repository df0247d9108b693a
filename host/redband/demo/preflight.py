"""Everything that can be found out before a badge starts, each obstacle in one sentence.

Guarantee: after `prepare` the data folder exists, is ours alone, can be written and has room; the
page's port is bound; the interpreter and the virtual radio are there. What was taken is given back
by the exit stack. Cheap: nothing heavy is imported.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from redband.demo.settings import DEMO_DATA, DemoSettings
from redband.errors import RedbandUserError
from redband.virtual.runtime import require_runtime

PAGE_HOST = "127.0.0.1"
"""The page has no log-in yet, so it is served to this machine only."""

IMAGE_BYTES = 2 * 1024 * 1024
"""One badge's file system, as on the ESP32 (DESIGN: 512 blocks of 4096 bytes)."""

SPARE_BYTES = 8 * 1024 * 1024
"""Room for the store, its write-ahead log and logs of an evening."""

LOW_BYTES = 1024 * 1024
"""With less room than this a running demo ends while it can still write everything down."""


@dataclass(slots=True)
class Ground:
    """What a demo stands on: its data folder and, with a page, a bound socket."""

    directory: Path
    page_socket: socket.socket | None

    @property
    def page_address(self) -> str | None:
        """Return the page's address for a browser on this machine."""
        if self.page_socket is None:
            return None
        return f"http://{PAGE_HOST}:{self.page_socket.getsockname()[1]}/"


def prepare(settings: DemoSettings, undo: ExitStack) -> Ground:
    """Check and take what the demo needs; `undo` gives it back.

    Raises RedbandUserError with one sentence that says what to do.
    """
    require_runtime()
    base = settings.data or DEMO_DATA
    _make(base)
    lock = _Lock(base / ".lock")
    undo.callback(lock.release)
    lock.take()
    _require_room(base, settings.badges)
    page_socket = None
    if settings.has_page:
        page_socket = _bind(settings.port)
        undo.callback(page_socket.close)
    directory = settings.data or _new_folder(base)
    ground = Ground(directory, page_socket)
    lock.describe(ground)
    return ground


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise no_folder(directory, error) from error


def no_folder(directory: Path, error: OSError) -> RedbandUserError:
    """Return the sentence for an operating system's refusal to write in `directory`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full_disk(directory)
    reason = os.strerror(error.errno) if error.errno else str(error)
    return RedbandUserError(
        f"The data folder {directory} cannot be written ({reason}); choose another one with"
        " --data DIR."
    )


def full_disk(directory: Path) -> RedbandUserError:
    """Return the sentence for a disk that has filled up while the demo ran."""
    return RedbandUserError(
        f"The disk that holds {directory} is full; free some space or choose a folder on another"
        " disk with --data DIR (what was stored so far is kept)."
    )


def _require_room(directory: Path, badges: int) -> None:
    need = badges * IMAGE_BYTES + SPARE_BYTES
    free = shutil.disk_usage(directory).free
    if free < need:
        raise RedbandUserError(
            f"The disk that holds {directory} has {free // 2**20} MB free and a demo with"
            f" {badges} badges needs {need // 2**20} MB; free some space or choose a folder on"
            " another disk with --data DIR."
        )


def _bind(port: int) -> socket.socket:
    page_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A demo that has just ended leaves connections in TIME_WAIT: they must not block the next.
    page_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        page_socket.bind((PAGE_HOST, port))
        page_socket.listen(64)
    except OSError as error:
        page_socket.close()
        if error.errno == errno.EADDRINUSE:
            raise RedbandUserError(
                f"Port {port} of this machine is in use by another program; end that program or"
                " choose another port for the page with --port N (0 takes any free one)."
            ) from error
        raise RedbandUserError(
            f"The page cannot be served on port {port} ({os.strerror(error.errno or 0)}); choose"
            " another port with --port N."
        ) from error
    return page_socket


def _new_folder(base: Path) -> Path:
    started = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    directory = base / started
    _make(directory)
    return directory


class _Lock:
    """A lock on a file, which the system lets go of however the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> None:
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise no_folder(self._path.parent, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._file, 300).decode("utf-8", "replace").strip()
            raise RedbandUserError(
                f"A demo is running in {self._path.parent} already"
                f" ({holder or 'just starting'}); end it with Ctrl-C in its window, or give this"
                " one a folder and a port of its own with --data DIR --port 0."
            ) from error

    def describe(self, ground: Ground) -> None:
        """Write down who holds the lock, for the sentence of a second demo."""
        page = f", page {ground.page_address}" if ground.page_address else ""
        text = f"process {os.getpid()}, data {ground.directory}{page}"
        try:
            if self._file is not None:
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, text.encode(), 0)
        except OSError as error:
            raise no_folder(self._path.parent, error) from error

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
