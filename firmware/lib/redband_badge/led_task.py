"""Shows the state on the LEDs and the motor.

Guarantee: only what the journal holds is shown (the game task sets it there first); all outputs
are set again each second, so that a glitch heals itself. On a low battery the motor rests. What
lies over what: redband_core.light_show.
"""

from redband_core import light_show
from redband_core.clock import GameClock
from redband_hal import system


class LedTask:
    """Owns the lights."""

    def __init__(self, lights, state, signals: tuple) -> None:
        """`signals`: see light_show.LightShow."""
        self._lights = lights
        self._state = state
        self._show = light_show.LightShow(signals)
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())

    async def run(self, beat) -> None:
        """Show for ever."""
        state = self._state
        while True:
            beat.report()
            stays_ms = self.show(system.ticks_ms())
            await state.led_wakeup.wait(stays_ms)

    def show(self, ticks_ms: int) -> int:
        """Set all outputs for this moment; return the ms until they change or are set again."""
        state = self._state
        now_ms = self._uptime.update(ticks_ms)
        self._show.follow(state, now_ms)
        levels, stays_ms = self._show.frame(now_ms)
        motor = 0 if state.is_saving else levels >> 2
        pct = light_show.brightness_pct(state)
        self._lights.show(levels & 1, levels >> 1 & 1, motor, pct)
        state.set_motor(bool(motor), ticks_ms)
        state.is_lit = bool(levels & 3 or motor)
        return stays_ms
