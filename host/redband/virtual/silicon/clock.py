"""The badge's clock: it moves when its owner says so, and by what the processor does between.

Problem: on real time every test waits, a busy machine changes results, and no two runs are equal.
Guarantee: between two grants the clock moves only by the charges below, so a program that polls
comes to an end after the same number of turns each time, and a busy machine changes nothing. Who
has run ahead of the owner by SLACK_US waits for it, in which no handler runs: as if the
instructions had taken that long. Does not charge for plain computing.
"""

import struct

TICKS_PERIOD = 1 << 30
NEVER_US = (1 << 62) - 1

# Charges, in microseconds: one place for all of them.
READ_US = 2  # a reading of the clock
LOOK_US = 2  # a look at pins, converter or bus
PROGRAM_US = 300  # a flash write of some hundred bytes
ERASE_US = 20000  # a sector of the flash
START_US = 50000  # from reset to the program; a chip takes no less
SLACK_US = 2000


class Clock:
    """One per interpreter. `wait_for_owner`: as `Bus` has it."""

    def __init__(self, granted_us: int, start_ticks_ms: int, wait_for_owner) -> None:
        """Begin at the owner's time; `start_ticks_ms`: what ticks_ms() shows now."""
        self._granted_us = granted_us
        self._now_us = granted_us
        self._offset_us = start_ticks_ms * 1000 - granted_us
        self._wait_for_owner = wait_for_owner

    def peek_us(self) -> int:
        """Return the owner's time and charge nothing; never wraps."""
        return self._now_us

    def ticks_us(self) -> int:
        """Return what the chip's counter shows, before it wraps; the reading takes its time."""
        self.spend(READ_US)
        return self._now_us + self._offset_us

    def due_us(self, dt_ms: int) -> int:
        """Return the owner's time at which ticks_ms() has grown by `dt_ms`."""
        return ((self._now_us + self._offset_us) // 1000 + dt_ms) * 1000 - self._offset_us

    def spend(self, span_us: int) -> None:
        """Say that the processor was busy for so long."""
        self._now_us += span_us
        if self._now_us - self._granted_us > SLACK_US:
            target_us = self._now_us
            while self._granted_us < target_us:
                self._wait_for_owner(target_us)

    def granted(self, payload: bytes, limit_us: int) -> None:
        """Take the owner's time out of a GO; go no further than `limit_us`, the world's next step.

        At the real pace time goes on without a process that gets no processor. It comes after in
        steps, so that edges which a hand made apart stay apart.
        """
        self._granted_us = struct.unpack_from("<Q", payload)[0]
        self._now_us = max(self._now_us, min(self._granted_us, limit_us))
