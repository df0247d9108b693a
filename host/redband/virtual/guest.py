"""One badge's process as its owner's clock sees it: at rest until some time, or busy.

Guarantee: what it says is acted on at the barrier, when nobody is busy; what is said to it goes
out in one piece, headed by the time (GO), and never while it works: so it cannot matter how fast
the processes are. Frames are those of silicon/bus.py.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from redband.virtual.silicon import opcodes

if TYPE_CHECKING:
    from redband.virtual.clock import FieldLoop

NEVER_US = (1 << 62) - 1
PENDING_MAX = 200
"""Frames that a guest may have taken and not handled; more wait here, as there they would drop."""
MAIL_MIN = 8
"""Frames that go out nevertheless: a call waits for its reply among them."""
OUTBOX_FRAMES = 4096
"""Frames that wait for a guest which does not come to rest; more are lost, as on the air."""
_REST = struct.Struct("<QIH")
_GO = struct.Struct("<HBQH")
_HEADER = struct.Struct("<HB")
_GO_BYTES = 10


class Guest:
    """One process. write(data): to its bus; act(opcode, payload): on a frame of it; end(): it is
    gone; show(text): what it has printed; kill(): end it.
    """

    def __init__(
        self,
        loop: FieldLoop,
        name: str,
        write: Callable[[bytes], None],
        act: Callable[[int, bytes], None],
        end: Callable[[], None],
        show: Callable[[bytes], None],
        kill: Callable[[], None],
    ) -> None:
        """Take part in the field's time from now on, busy. `name`: unique among the living."""
        self.name = name
        self.until_us: int | None = None
        """At rest until then; None: busy, it may still say something at this instant."""
        self.is_newborn = True
        self.busy_since_s = time.monotonic()
        self.dropped_frames = 0
        self._loop = loop
        self._write = write
        self._act = act
        self._end = end
        self._show = show
        self.kill = kill
        self._printed = bytearray()
        self._inbox: list[Callable[[], None]] = []
        self._outbox: list[bytes] = []
        self.mail_us = NEVER_US
        """When what waits to be sent to it goes out, at the latest."""
        self._is_at_prompt = False
        self._sent = 0
        self._pending = 0
        loop.guests[name] = self

    # To the guest.

    def send(self, opcode: int, payload: bytes, within_us: int = 0) -> None:
        """Send a frame at the next barrier, or before its first instruction.

        within_us: the frame may wait so long for the guest to be awake, or for another frame.
        """
        if len(self._outbox) >= OUTBOX_FRAMES:
            self.dropped_frames += 1
            return
        self._outbox.append(_HEADER.pack(len(payload), opcode) + payload)
        self.mail_us = min(self.mail_us, self._loop.now_us + within_us)
        if self.is_newborn:
            self.go()

    @property
    def next_us(self) -> int:
        """When it is to go on: its rest is over, or what waits for it may wait no longer."""
        return self.mail_us if self.until_us is None else min(self.mail_us, self.until_us)

    def go(self) -> None:
        """Let it go on, now, with all that waits for it."""
        count = max(PENDING_MAX - self._pending, MAIL_MIN)
        frames, self._outbox = self._outbox[:count], self._outbox[count:]
        self.mail_us = self._loop.now_us if self._outbox else NEVER_US
        self._sent += 1 + len(frames)
        if not self._is_at_prompt:  # that reads no bus, and goes on waiting for keys
            if self.until_us is not None:
                self.busy_since_s = time.monotonic()
            self.until_us = None
        head = _GO.pack(_GO_BYTES, opcodes.GO, self._loop.now_us, len(frames))
        self._write(head + b"".join(frames))

    # From the guest.

    def came(self, opcode: int, payload: bytes) -> None:
        """Take a frame: a rest counts now, anything else at the barrier."""
        if opcode != opcodes.REST:
            self._inbox.append(partial(self._act, opcode, payload))
            return
        self._is_at_prompt = False
        until_us, taken, self._pending = _REST.unpack(payload)
        # One that has not taken everything yet is about to go on.
        self.until_us = until_us if taken == self._sent else None

    def printed(self, text: bytes) -> None:
        """Take what it has printed."""
        self._printed += text

    def rest(self) -> str:
        """Return until when it rests, for people."""
        lost = f", {self.dropped_frames} frames to it lost" if self.dropped_frames else ""
        if self.until_us is None:
            return f"busy{lost}"
        until = "" if self.until_us == NEVER_US else f" until {self.until_us} us"
        return f"at rest{until}{lost}"

    def at_prompt(self) -> None:
        """It waits for keys."""
        self._is_at_prompt = True
        self.until_us = NEVER_US

    def keys_come(self) -> None:
        """Somebody types: what it does about that, it does now."""
        if self.until_us is not None:
            self._is_at_prompt = False
            self.go()

    def ended(self) -> None:
        """Its process is gone."""
        self._inbox.append(self._end)
        self.until_us = NEVER_US

    @property
    def has_news(self) -> bool:
        """It has said something that nobody has acted on."""
        return bool(self._inbox or self._printed)

    def deliver(self) -> None:
        """Act on what it has said."""
        self._show_printed()
        while self._inbox:
            self._inbox.pop(0)()

    def _show_printed(self) -> None:
        text = bytes(self._printed)
        self._printed.clear()
        if text:
            self._show(text)

    def leave(self) -> None:
        """Take part no more. What it has printed is shown; what else it said is dropped."""
        if self._loop.guests.get(self.name) is self:
            del self._loop.guests[self.name]
        self._show_printed()
        self._inbox.clear()
        self._outbox.clear()
        self.mail_us = NEVER_US
