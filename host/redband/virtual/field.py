"""A field of virtual badges in one process: their ether, clock, hands and chance.

Guarantee: after `stop` no process, pseudo-terminal or socket of the field is left; the flash
images stay in the directory. One field per directory. It runs in a FieldLoop only (see
redband.virtual.clock), which gives it its time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import tempfile
from pathlib import Path
from typing import TextIO

from redband.errors import RedbandUserError
from redband.keys import KEY_FILE, GameKeys, find_keys
from redband.virtual.badge import VirtualBadge
from redband.virtual.control import ControlServer
from redband.virtual.entropy import Entropy
from redband.virtual.radio import Ether
from redband.virtual.radio.hci_server import open_hci
from redband.virtual.spec import BadgeSpec

__all__ = ["BadgeSpec", "Field"]

CONTROL_NAME = "control"
HCI_NAME = "hci"
SOCKET_PATH_MAX_BYTES = 100
"""A unix socket's path may have 107 bytes on Linux."""


class Field:
    """directory: where images, ports and sockets are; seed: of all its chance."""

    def __init__(self, directory: Path | str, seed: int = 1) -> None:
        self.directory = Path(directory).absolute()
        self.entropy = Entropy(seed)
        self.badges: dict[int, VirtualBadge] = {}
        self.ether = Ether(self.entropy.number("ether"))
        self._keys: GameKeys | None = None
        self._control = ControlServer(self)
        self._lock: TextIO | None = None
        self._short: tempfile.TemporaryDirectory[str] | None = None
        self._sockets = self.directory

    @property
    def control_path(self) -> Path:
        """The control socket (JSON lines, see docs/virtual.md)."""
        return self._sockets / CONTROL_NAME

    @property
    def key_path(self) -> Path:
        """The key file of the field's game, made at its first start."""
        return self.directory / KEY_FILE

    @property
    def keys(self) -> GameKeys:
        """The keys of the field's game. Raises RedbandUserError before `start`."""
        if self._keys is None:
            raise RedbandUserError(f"The virtual field in {self.directory} has not started.")
        return self._keys

    @property
    def hci_path(self) -> str:
        """The socket at which a host's radio joins the ether."""
        return str(self._sockets / HCI_NAME)

    async def start(self) -> None:
        """Open the ether and the control socket. Raises RedbandUserError."""
        self._take_directory()
        self._keys = find_keys(self.key_path, self.entropy)
        if len(str(self.directory / CONTROL_NAME).encode()) > SOCKET_PATH_MAX_BYTES:
            self._short = tempfile.TemporaryDirectory(prefix="redband-")
            self._sockets = Path(self._short.name)
            pointer = self.directory / CONTROL_NAME  # clients resolve it
            pointer.unlink(missing_ok=True)
            pointer.symlink_to(self.control_path)
        for path in (self.control_path, Path(self.hci_path)):
            path.unlink(missing_ok=True)  # left by a process that was killed
        await open_hci(self.ether, self.hci_path)
        await self._control.start(self.control_path)

    def _take_directory(self) -> None:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = (self.directory / "lock").open("w")
        except OSError as error:
            raise RedbandUserError(
                f"The directory {self.directory} cannot be used ({error.strerror}); name another."
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise RedbandUserError(
                f"Another virtual field runs in {self.directory}; stop it, or name another "
                "directory."
            ) from error
        self._lock = lock

    async def add_badge(self, spec: BadgeSpec, with_power: bool = True) -> VirtualBadge:
        """Make a badge (or take up its image of an earlier run) and put its battery in.

        Raises RedbandUserError when its id is taken, or the disk is full.
        """
        if spec.badge_id in self.badges:
            raise RedbandUserError(f"There is a badge {spec.badge_id} already.")
        if spec.with_firmware:
            # Of what the caller names himself, his own comes later and counts.
            keys = tuple(spec.key_files(self.keys).items())
            spec = dataclasses.replace(spec, files=keys + spec.files)
        badge = VirtualBadge(
            spec,
            self.directory / f"badge-{spec.badge_id}",
            self.ether,
            self.entropy,
        )
        self.badges[spec.badge_id] = badge
        try:
            await badge.insert()
        except OSError as error:
            del self.badges[spec.badge_id]
            raise RedbandUserError(
                f"Badge {spec.badge_id} cannot be made in {self.directory} ({error.strerror}); "
                "make room there, or name another directory."
            ) from error
        if with_power:
            await badge.power_on()
        return badge

    async def stop(self) -> None:
        """End everything; may be called again."""
        async with contextlib.AsyncExitStack() as undo:
            if self._short is not None:
                undo.callback(self._short.cleanup)
            if self._lock is not None:
                # Only then are the sockets ours, and not those of the field that runs here.
                undo.callback(self._lock.close)
                undo.callback(Path(self.hci_path).unlink, missing_ok=True)
            undo.push_async_callback(self.ether.close)
            for badge in self.badges.values():
                undo.push_async_callback(badge.remove)
            undo.push_async_callback(self._control.stop)
        self.badges.clear()
