"""Growing time from wrapping ticks.

`time.ticks_ms()` of MicroPython wraps at 2**30 (12.4 days), and a difference is right only within
half of that; badges with raw tick arithmetic stop or jump after days (PITFALLS R1, G1). Guarantee:
`now_ms` only grows, by exactly the time that passed, as long as `update` is called at least every
6.2 days. Nobody else compares ticks. Knows nothing of wall time.
"""

from redband_core import numbers
from redband_core.errors import UsageError

TICKS_PERIOD = 1 << 30
"""Ticks at which `time.ticks_ms()` begins again at 0, in ms."""

_HALF = TICKS_PERIOD >> 1


class GameClock:
    """Turns ticks into a growing int of ms. `now_ms`: the time at the last update.

    It never stops: inputs must rest and holds end in a pause of the game too. What a pause
    takes from game time is redband_badge.game_task's to count.
    """

    def __init__(self, now_ms: int = 0) -> None:
        """Begin at `now_ms` (>= 0; after a restart: the last known game time)."""
        if now_ms < 0:
            raise UsageError(numbers.ERROR_GAME_TIME)
        self.now_ms = now_ms
        self._ticks_ms = -1
        self._floor_ms = now_ms

    def start(self, ticks_ms: int) -> None:
        """Take the first tick reading; no time passes. `ticks_ms`: 0..2**30 - 1."""
        self._ticks_ms = ticks_ms % TICKS_PERIOD
        self._floor_ms = self.now_ms

    def _passed_ms(self, ticks_ms: int) -> int:
        if self._ticks_ms < 0:
            raise UsageError(numbers.ERROR_CLOCK_STOPPED)
        passed_ms = (ticks_ms - self._ticks_ms) % TICKS_PERIOD
        return passed_ms if passed_ms < _HALF else passed_ms - TICKS_PERIOD

    def update(self, ticks_ms: int) -> int:
        """Let the time up to `ticks_ms` pass and return the time in ms.

        A reading older than the last one (an interrupt's stamp) changes nothing. Raises
        UsageError before `start`.
        """
        passed_ms = self._passed_ms(ticks_ms)
        if passed_ms > 0:
            self._ticks_ms = ticks_ms % TICKS_PERIOD
            self.now_ms += passed_ms
        return self.now_ms

    def at(self, ticks_ms: int) -> int:
        """Return the time of a stamp taken within 6.2 days of the last update, in ms.

        Changes nothing. Never before the start. Raises UsageError before `start`.
        """
        return max(self._floor_ms, self.now_ms + self._passed_ms(ticks_ms))
