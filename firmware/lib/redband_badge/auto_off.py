"""Switches a badge off that is in no game and that nobody has needed for long.

Guarantee: ten seconds before, the lights say so, and any input keeps it awake. Loaded when a game
has ended; a badge in a game has no such thing.
"""

from redband_badge import limits
from redband_core import numbers

_MINUTE_MS = 60_000


class AutoOff:
    """What has happened to the badge since it was last needed."""

    def __init__(self, state, game_journal, after_min: int, up_ms: int) -> None:
        """`after_min`: it is switched off so many minutes later. `up_ms`: uptime now."""
        self._state = state
        self._game_journal = game_journal
        self._after_ms = after_min * _MINUTE_MS
        self._needed_ms = up_ms
        self._inputs = None

    def look(self, up_ms: int) -> int:
        """Return numbers.SLEEP_AUTO_OFF when it is time, else 0. Call each second."""
        state = self._state
        inputs = (state.acknowledged, state.refused)
        # Without rules there are no timers; and a journal restored anew has another engine.
        engine = getattr(self._game_journal, "engine", None)
        is_needed = (
            inputs != self._inputs
            or state.is_input_busy
            or state.is_connected
            or state.is_emergency
            or (engine is not None and engine.next_deadline_ms() >= 0)
        )
        self._inputs = inputs
        if is_needed:
            self._needed_ms = up_ms
        left_ms = self._needed_ms + self._after_ms - up_ms
        is_warned = left_ms <= limits.OFF_WARNING_MS
        if is_warned != state.is_off_warned:
            state.is_off_warned = is_warned
            state.led_wakeup.set()
        return numbers.SLEEP_AUTO_OFF if left_ms <= 0 else 0
