"""Switches a badge off that is in no game and that nobody has needed for long.

Guarantee: ten seconds before, the lights say so, and any input keeps it awake. Loaded when a game
has ended; a badge in a game has no such thing.
"""

from redband_badge import limits
from redband_core import numbers

_MINUTE_MS = 60_000


class AutoOff:
    """What has happened to the badge since it was last needed."""

    def __init__(self, badge, up_ms: int) -> None:
        """`up_ms`: uptime now."""
        self._badge = badge
        self._needed_ms = up_ms
        self._inputs = None

    def look(self, up_ms: int) -> int:
        """Return numbers.SLEEP_AUTO_OFF when it is time, else 0. Call each second."""
        badge, state = self._badge, self._badge.state
        inputs = (state.acknowledged, state.refused)
        engine = getattr(badge.game_journal, "engine", None)  # without rules there are no timers
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
        left_ms = self._needed_ms + badge.options.auto_off_min * _MINUTE_MS - up_ms
        is_warned = left_ms <= limits.OFF_WARNING_MS
        if is_warned != state.is_off_warned:
            state.is_off_warned = is_warned
            state.led_wakeup.set()
        return numbers.SLEEP_AUTO_OFF if left_ms <= 0 else 0
