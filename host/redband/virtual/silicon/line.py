"""The line to an owner in another process: a socket, and the rests of the badge's clock on it."""

import select
import struct

import opcodes

_WRITE_STEP_MS = 1000
_REST_BYTES = 14


class SocketLine:
    """Uses the non-blocking socket `descriptor`, inherited from the owner."""

    def __init__(self, descriptor: int) -> None:
        self._file = open(descriptor, "r+b", 0)
        self._readable = select.poll()
        self._readable.register(self._file, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._file, select.POLLOUT)

    def write(self, frame: bytes) -> None:
        """Send a frame. Raises OSError(EPIPE) if the owner is gone."""
        while frame:
            count = self._file.write(frame)
            if count is None:  # the socket is full: the owner is busy
                self._writable.poll(_WRITE_STEP_MS)
            else:
                frame = frame[count:]

    def readinto(self, view) -> "int | None":
        """Take what has come, None when nothing has."""
        count = self._file.readinto(view)
        if count == 0:
            raise SystemExit  # the owner is gone, and the badge with it
        return count

    def wait(self) -> None:
        """Block until there is something to read."""
        self._readable.poll(-1)

    def rest(self, until_us: int, taken: int, pending: int, poller=None) -> None:
        """Tell the owner that nothing happens here before `until_us`, and block.

        taken: frames taken from the owner so far, pending: of them not handled. poller: wake up
        for its streams, too.
        """
        self.write(struct.pack("<HBQIH", _REST_BYTES, opcodes.REST, until_us, taken, pending))
        if poller is None:
            self._readable.poll(-1)
            return
        poller.register(self._file, select.POLLIN)
        try:
            poller.poll(-1)
        finally:
            poller.unregister(self._file)
