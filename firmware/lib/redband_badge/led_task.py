"""Shows the state on the LEDs and the motor.

Guarantee: only what the journal holds is shown (the game task sets it there first); all outputs
are set again each second, so that a glitch heals itself. Over the state's pattern come a short
blink of both LEDs for each input that counted, and each eight seconds the LED code of a fault:
red and green in turn, as many times as the code's number.
"""

from redband_badge import limits, notes
from redband_core import led
from redband_core.clock import GameClock
from redband_hal import system
from redband_hal.lights import Lights

_OFF = (0, 0, 0)
_ACKNOWLEDGED = (1, 1, 1)


class LedShow:
    """What to show at a time; pure."""

    def __init__(self, signals: tuple) -> None:
        """`signals`: (red, green, vibration) patterns for each signal of the ruleset."""
        self._signals = signals
        self._signal = -1
        self._signal_since_ms = 0
        self._acknowledged = 0
        self._acknowledge_until_ms = 0
        self._code_since_ms = 0
        self._code = 0

    def follow(self, state, now_ms: int) -> None:
        """Take over what the badge's state says. `now_ms`: uptime, never decreasing."""
        if state.signal != self._signal:
            self._signal = state.signal
            self._signal_since_ms = now_ms
        if state.acknowledged != self._acknowledged:
            self._acknowledged = state.acknowledged
            self._acknowledge_until_ms = now_ms + limits.ACKNOWLEDGE_MS
        if state.code != self._code:
            self._code = state.code
            self._code_since_ms = now_ms

    def frame(self, now_ms: int) -> tuple:
        """Return ((red, green, vibration), ms for which it stays so, at most LED_REFRESH_MS)."""
        left_ms = self._acknowledge_until_ms - now_ms
        if left_ms > 0:
            return _ACKNOWLEDGED, left_ms
        if self._code:
            phase_ms = (now_ms - self._code_since_ms) % limits.CODE_PERIOD_MS
            step, into_step_ms = divmod(phase_ms, limits.CODE_FLASH_MS)
            # One dark step before and one after, so that the code can be told from the state.
            if step < 2 * self._code + 2:
                is_dark = step in (0, 2 * self._code + 1)
                levels = _OFF if is_dark else (step & 1, 1 - (step & 1), 0)
                return levels, limits.CODE_FLASH_MS - into_step_ms
        return self._state_frame(now_ms)

    def _state_frame(self, now_ms: int) -> tuple:
        if not 0 <= self._signal < len(self._signals):
            return _OFF, limits.LED_REFRESH_MS
        phase_ms = now_ms - self._signal_since_ms
        levels = []
        stays_ms = limits.LED_REFRESH_MS
        if self._code:
            code_phase_ms = (now_ms - self._code_since_ms) % limits.CODE_PERIOD_MS
            stays_ms = min(stays_ms, limits.CODE_PERIOD_MS - code_phase_ms)
        for pattern in self._signals[self._signal]:
            levels.append(led.level(pattern, phase_ms))
            change_ms = led.next_change_ms(pattern, phase_ms)
            if change_ms >= 0:
                stays_ms = min(stays_ms, change_ms)
        return tuple(levels), max(1, stays_ms)


class LedTask:
    """Owns the lights."""

    def __init__(self, lights, state, signals: tuple) -> None:
        self._lights = lights
        self._state = state
        self._show = LedShow(signals)
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())

    async def run(self, beat) -> None:
        """Show for ever."""
        while True:
            beat.report()
            now_ms = self._uptime.update(system.ticks_ms())
            self._show.follow(self._state, now_ms)
            levels, stays_ms = self._show.frame(now_ms)
            self._lights.show(*levels)
            await self._state.led_wakeup.wait(stays_ms)


def add_lights(badge, supervisor, signals: tuple) -> None:
    """Add the LED task of `badge` (a Badge) to its supervisor. `signals`: see LedShow."""
    supervisor.add(notes.TASK_LED, LedTask(Lights(), badge.state, signals).run)
