"""Sleeps lightly whenever the event loop has nothing to do: for a badge whose radio is off.

Guarantee: no press is lost. The chip sleeps for 10 ms at a time and looks at the contacts, never
with a light on, and stays awake while a contact moves. Why no pin wakes it: light sleep makes a
wake pin's interrupt one of the level, and MicroPython runs a pin's handler for ever then while
the button is down (docs/power.md). So the sleep is short, and interrupts are not needed.
"""

from redband_badge import limits, power_manager
from redband_core import numbers
from redband_core.clock import GameClock
from redband_core.limits import INPUT_POLL_MS
from redband_hal import power, system


class Sleeper:
    """What the power manager has to know, and what the event loop calls when it is idle."""

    def __init__(self, state, inputs, has_radio: bool, feels_blows: bool, wait) -> None:
        """`inputs`: the InputTask. `feels_blows`: there is a sensor, which needs interrupts.
        `wait(idle_ms)`: the event loop's own way to let time pass.

        `needs_radio`: may be cleared while the radio is off between two of its windows. `is_usb`:
        a host was at the USB port when it last looked.
        """
        self.needs_radio = has_radio
        self.is_usb = False
        self._state = state
        self._inputs = inputs
        self._feels_blows = feels_blows
        self._wait = wait
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self._inputs_seen = None
        self._input_ms = 0
        self._frame = power.usb_frame()
        self._frame_ms = -limits.USB_GONE_MS  # when the USB host's frames last went on

    def refusal(self, ticks_ms: int) -> int:
        """Look around, and return why the badge may not sleep now: a power_manager number."""
        state = self._state
        up_ms = self._uptime.update(ticks_ms)
        frame = power.usb_frame()
        if frame != self._frame:
            self._frame = frame
            self._frame_ms = up_ms
        seen = (state.acknowledged, state.refused)
        if seen != self._inputs_seen or state.is_input_busy:
            self._inputs_seen = seen
            self._input_ms = up_ms
        self.is_usb = up_ms - self._frame_ms < limits.USB_GONE_MS
        ages = (up_ms, up_ms - self._input_ms)
        return power_manager.refusal(state, self.needs_radio, self._feels_blows, self.is_usb, ages)

    def wait_or_sleep(self, idle_ms: int) -> None:
        """Let time pass, up to `idle_ms`, until the event loop has something to do."""
        if idle_ms > 0:
            refusal = self.refusal(system.ticks_ms())
            if not refusal:
                sleep_ms = power_manager.sleep_ms(idle_ms)
                if sleep_ms:
                    self._sleep(sleep_ms)
                    idle_ms = 0
                else:
                    refusal = numbers.AWAKE_TIMER_DUE
            self._state.sleep_refusal = refusal
        self._wait(idle_ms)

    def _sleep(self, left_ms: int) -> None:
        """Sleep in steps, until a contact has moved: no interrupt says so in a light sleep."""
        inputs = self._inputs
        while left_ms > 0:
            step_ms = min(left_ms, INPUT_POLL_MS)
            power.light_sleep(step_ms)
            left_ms -= step_ms
            if not inputs.is_quiet():
                inputs.wakeup.set()
                return


def install(state, inputs, has_radio: bool, feels_blows: bool) -> Sleeper:
    """Let the event loop sleep instead of waiting. See Sleeper."""
    from asyncio import core  # pyright: ignore

    queue = core._io_queue
    sleeper = Sleeper(state, inputs, has_radio, feels_blows, queue.wait_io_event)
    queue.wait_io_event = sleeper.wait_or_sleep
    return sleeper
