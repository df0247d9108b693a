"""A badge's USB serial port: a pseudo-terminal that mpremote and pyserial open as a real one.

Guarantee: it can be opened and closed any number of times; with nobody there, output is dropped
and never holds the badge up; a reader that stops reading holds it up for a moment only, as the
chip's driver does. A closed port looks in real time for somebody who opened it (what they sent
meanwhile is kept), and while it is open the field's clock goes at real pace. Does not interpret
what goes through.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import select
import termios
import tty
from collections.abc import Callable
from pathlib import Path

from redband.virtual.channel import Channel
from redband.virtual.clock import field_loop

FULL_BYTES = 16384
LOOK_AT_DRAIN_S = 0.02
STUCK_S = 0.5
"""A client that reads nothing for so long is taken for absent."""


class UsbPort:
    """on_input(data): what the other side sent; on_full(bool): output should pause, may go on;
    on_host(bool): somebody has the port open.
    """

    def __init__(
        self,
        link: Path,
        on_input: Callable[[bytes], None],
        on_full: Callable[[bool], None],
        on_host: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """Make the port and the symbolic link to it."""
        self._loop = field_loop()
        self._pace = contextlib.ExitStack()
        self._on_input = on_input
        self._on_full = on_full
        self._on_host = on_host
        self._client: Channel | None = None
        self._is_full = False
        self._is_given_up = False
        self._drain_timer: asyncio.TimerHandle | None = None
        self._last_pending = 0
        self._progress_s = 0.0
        self.link = link
        self._open_line()
        self._loop.add_looker(self._look)

    def _open_line(self) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        self._device = os.ttyname(slave)
        os.close(slave)
        self._poll = select.poll()
        self._poll.register(self._master, select.POLLHUP)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(self._device)

    def _close_line(self) -> None:
        os.close(self._master)
        self.link.unlink(missing_ok=True)

    @property
    def is_open(self) -> bool:
        """Somebody on the host has the port open."""
        return not any(events & select.POLLHUP for _, events in self._poll.poll(0))

    def write(self, data: bytes) -> None:
        """Send the badge's output to whoever has the port open."""
        if self._client is None and self.is_open:
            self._attach()
        if self._client is None or not self.is_open:
            return
        self._client.write(data)
        if self._is_given_up:
            # It did not read for a while: what does not fit is dropped until it reads again.
            self._is_given_up = self._client.pending_bytes > 0
            if self._is_given_up:
                self._client.drop_pending()
        if self._client.pending_bytes > FULL_BYTES and not self._is_full:
            self._set_full(True)

    def close(self) -> None:
        """Take the port away, as when the cable is pulled."""
        self._loop.remove_looker(self._look)
        if self._drain_timer is not None:
            self._drain_timer.cancel()
        self._pace.close()
        if self._client is not None:
            self._client.detach()
        self._close_line()

    def _look(self) -> None:
        if self._client is None and self.is_open:
            self._attach()

    def _attach(self) -> None:
        self._loop.remove_looker(self._look)
        self._pace.enter_context(self._loop.real_pace())
        self._client = Channel(self._master, self._on_input, self._client_left)
        self._on_host(True)

    def _client_left(self) -> None:
        if self._client is not None:
            self._client.detach()
        self._client = None
        self._pace.close()
        self._is_given_up = False
        self._on_host(False)
        self._forget_client()
        if self._is_full:
            self._set_full(False)
        self._loop.add_looker(self._look)

    def _forget_client(self) -> None:
        # The line outlives its client here, and so would what the client left: output it did not
        # read, and exclusive use (TIOCEXCL), which only a new line removes for an ordinary user.
        termios.tcflush(self._master, termios.TCIOFLUSH)
        try:
            descriptor = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            self._close_line()
            self._open_line()
            return
        fcntl.ioctl(descriptor, termios.TIOCNXCL)
        os.close(descriptor)

    def _set_full(self, is_full: bool) -> None:
        self._is_full = is_full
        self._on_full(is_full)
        if is_full:
            self._last_pending = self._pending()
            self._progress_s = self._loop.time()
            self._watch_drain()

    def _pending(self) -> int:
        return self._client.pending_bytes if self._client is not None else 0

    def _watch_drain(self) -> None:
        pending = self._pending()
        if pending < self._last_pending:
            self._progress_s = self._loop.time()
        elif self._client is not None and self._loop.time() - self._progress_s > STUCK_S:
            self._client.drop_pending()
            self._is_given_up = True
            pending = 0
        self._last_pending = pending
        if not self._is_full:
            return
        if pending <= FULL_BYTES // 2:
            self._set_full(False)
        else:
            self._drain_timer = self._loop.call_later(LOOK_AT_DRAIN_S, self._watch_drain)
