"""A non-blocking file descriptor on the event loop: read by callback, written through a buffer.

Guarantee: nothing blocks; `on_closed` is called once, from the loop, when the other end is gone;
after `close` no callback comes. The caller bounds what it writes by looking at `pending_bytes`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

READ_BYTES = 65536


class Channel:
    """Owns `descriptor` and closes it."""

    def __init__(
        self,
        descriptor: int,
        on_data: Callable[[bytes], None],
        on_closed: Callable[[], None],
    ) -> None:
        """Start reading. Must be made with a running event loop."""
        self.descriptor = descriptor
        self._on_data = on_data
        self._on_closed = on_closed
        self._loop = asyncio.get_running_loop()
        self._unsent = bytearray()
        self._is_open = True
        self._is_paused = False
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._readable)

    @property
    def pending_bytes(self) -> int:
        """Bytes written and not yet taken by the kernel."""
        return len(self._unsent)

    def write(self, data: bytes) -> None:
        """Send `data` now or as soon as the other end takes it; dropped after the end."""
        if not self._is_open:
            return
        was_empty = not self._unsent
        self._unsent += data
        if was_empty:
            self._send()

    def drop_pending(self) -> None:
        """Forget what the kernel has not taken."""
        self._unsent.clear()
        if self._is_open:
            self._loop.remove_writer(self.descriptor)

    def pause(self) -> None:
        """Stop reading; the other end is slowed down by its full buffer."""
        if self._is_open and not self._is_paused:
            self._is_paused = True
            self._loop.remove_reader(self.descriptor)

    def resume(self) -> None:
        """Read again."""
        if self._is_open and self._is_paused:
            self._is_paused = False
            self._loop.add_reader(self.descriptor, self._readable)

    def read_rest(self) -> None:
        """Take what is in the kernel's buffer now, before `close`."""
        while self._is_open and self._read_once():
            pass

    def detach(self) -> int:
        """Stop using the descriptor and return it, open."""
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self.descriptor)
            self._loop.remove_writer(self.descriptor)
        return self.descriptor

    def close(self) -> None:
        """Stop and close the descriptor. May be called again."""
        if self._is_open:
            os.close(self.detach())

    def _readable(self) -> None:
        self._read_once()

    def _read_once(self) -> bool:
        try:
            data = os.read(self.descriptor, READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""  # EIO: the other end of a pseudo-terminal is closed; ECONNRESET: a socket's
        if data:
            self._on_data(data)
            return True
        if self._is_open:
            self._loop.remove_reader(self.descriptor)
            self._on_closed()
        return False

    def _send(self) -> None:
        try:
            while self._unsent:
                count = os.write(self.descriptor, self._unsent)
                del self._unsent[:count]
        except BlockingIOError:
            self._loop.add_writer(self.descriptor, self._send)
            return
        except OSError:
            self._unsent.clear()  # the reader notices the end
        self._loop.remove_writer(self.descriptor)
