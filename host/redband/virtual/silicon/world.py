"""The world around the chip: what moves by itself while the program runs, on the badge's clock.

Problem: an owner's timers and a busy host stretch and merge pulses that a hand or a blow made
apart, and a test then fails for no fault of the firmware.
Guarantee: edges and samples come at their game time, in order, whenever the program reads a pin,
polls, awaits or sleeps, and no wait sleeps past the next one. The clock is game time less the
spans in which the host gave this process no processor, or the owner did not answer a call: a chip
has no such spans. A program that computes, or blocks in its flash, gets no such gift.
Does not play anything to a program that never looks.
"""

import time

import bus

# Of the real clock, whatever replaces these modules for the firmware.
_ticks_us = time.ticks_us
_ticks_diff = time.ticks_diff
_sleep_us = time.sleep_us
_clock = time.clock

_TOLERANCE_US = 2000  # the processor clock counts milliseconds
FAR_US = 1 << 62


class World:
    """One per interpreter. A source has next_us() (or None) and advance(now_us)."""

    def __init__(self) -> None:
        self.is_active = False
        self.factor_milli = 1000
        self._sources = []
        self._ticks_us = _ticks_us()
        self._real_us = 0
        self._processor_us = 0
        self._rested_us = 0
        self._unexplained_us = 0
        self._asked_us = 0
        self._asked_at_us = 0
        self._remainder_us = 0
        self._is_advancing = False

    def add(self, source) -> None:
        """Ask `source` from now on."""
        self._sources.append(source)

    def now_us(self) -> int:
        """Return game microseconds of the world; never wraps."""
        ticks_us = _ticks_us()
        passed_us = _ticks_diff(ticks_us, self._ticks_us)
        self._ticks_us = ticks_us
        if self.is_active:
            processor_us = int(_clock() * 1000 + 0.5) * 1000
            unexplained_us = self._unexplained_us + passed_us - self._rested_us
            unexplained_us -= processor_us - self._processor_us
            self._processor_us = processor_us
            self._rested_us = 0
            starved_us = max(unexplained_us - _TOLERANCE_US, 0)
            self._unexplained_us = max(unexplained_us - starved_us, 0)
            passed_us -= starved_us
        self._real_us += passed_us
        return self._real_us * self.factor_milli // 1000

    def changed(self) -> None:
        """A source has something to do, or no longer has."""
        is_active = self._next_us() < FAR_US
        if is_active and not self.is_active:
            self.now_us()
            self._processor_us = int(_clock() * 1000 + 0.5) * 1000
            self._rested_us = self._unexplained_us = 0
        self.is_active = is_active

    def _next_us(self) -> int:
        first_us = FAR_US
        for source in self._sources:
            next_us = source.next_us()
            if next_us is not None and next_us < first_us:
                first_us = next_us
        return first_us

    def advance(self) -> None:
        """Let everything happen that is due. A source may use the bus, but not wait on it."""
        if self._is_advancing:
            return
        self._is_advancing = True
        now_us = self.now_us()
        for source in self._sources:
            source.advance(now_us)
        self._is_advancing = False
        self.changed()

    def limit_ms(self, timeout_ms: int) -> int:
        """Return how many wall milliseconds a poll may take at most (-1: for ever).

        To be followed by the poll and by `rested`.
        """
        if not self.is_active:
            return timeout_ms
        wait_us = self._next_us() - self.now_us()
        wait_us = max(-(-wait_us * 1000 // self.factor_milli), 0)
        self._remainder_us = 0
        if timeout_ms < 0 or timeout_ms * 1000 > wait_us:
            timeout_ms = wait_us // 1000
            self._remainder_us = wait_us % 1000
        self._asked_us = timeout_ms * 1000 + self._remainder_us
        self._asked_at_us = _ticks_us()
        return timeout_ms

    def spent(self, real_us: int) -> None:
        """Say that the chip was busy for that long without the processor."""
        if self.is_active:
            self._rested_us += real_us

    def rested(self) -> None:
        """Say that the poll is over; waits for what a poll in milliseconds cannot."""
        if not self.is_active:
            return
        passed_us = _ticks_diff(_ticks_us(), self._asked_at_us)
        if passed_us >= self._asked_us - self._remainder_us and passed_us < self._asked_us:
            _sleep_us(self._asked_us - passed_us)
            passed_us = self._asked_us
        self._rested_us += min(passed_us, self._asked_us)


the_world = World()
bus.the_bus.world = the_world
