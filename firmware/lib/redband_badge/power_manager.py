"""Decides whether the chip may sleep lightly now, and for how long; names the reason when not.

Problem: light sleep stops the radio, the USB port, PWM, and the interrupts that latch a short
pulse (PITFALLS B10). Guarantee: it is allowed only while none of them is needed, and never past
the next thing to do. Pure: facts in, a number out; redband_badge.light_sleep acts on it. A badge
whose radio is always on does not load this: state.sleep_refusal is AWAKE_ADVERTISING from the
start.
"""

from redband_badge import limits
from redband_core import numbers


def refusal(state, needs_radio: bool, feels_blows: bool, is_usb: bool, ages: tuple) -> int:
    """Return MAY_SLEEP, or the AWAKE_ number of the first reason against it (docs/power.md).

    `state`: a BadgeState. `feels_blows`: by a sensor, which needs interrupts. `is_usb`: a host is
    at the port. `ages`: (ms since the start, ms since the last input).
    """
    up_ms, input_ms = ages
    if is_usb:
        return numbers.AWAKE_USB
    if state.is_connected:
        return numbers.AWAKE_CONNECTED
    if needs_radio:
        return numbers.AWAKE_ADVERTISING
    if feels_blows:
        return numbers.AWAKE_SENSOR
    if input_ms < limits.AWAKE_AFTER_INPUT_MS:
        return numbers.AWAKE_RECENT_ACTION
    if up_ms % limits.USB_LOOK_PERIOD_MS < limits.USB_LOOK_MS:
        return numbers.AWAKE_USB_LOOK
    if state.is_input_busy:
        return numbers.AWAKE_INPUT_BUSY
    return numbers.AWAKE_LED_ON if state.is_lit else numbers.MAY_SLEEP


def sleep_ms(idle_ms: int) -> int:
    """Return for how long to sleep when it is allowed, 0 when it is not worth it (TIMER_DUE).

    `idle_ms`: until the first task has something to do; the game's task waits for its next
    deadline, so a wound's timer ends the sleep.
    """
    return idle_ms if idle_ms >= limits.LIGHT_SLEEP_SHORTEST_MS else 0
