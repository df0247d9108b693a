"""Decides whether the chip may sleep lightly now, and for how long; names the reason when not.

Problem: light sleep stops the radio, the USB port, PWM, and the interrupts that latch a short
pulse (PITFALLS B10). Guarantee: it is allowed only while none of them is needed, and never past
the next thing to do. Pure: facts in, a number out; redband_badge.light_sleep acts on it. A badge
whose radio is always on does not load this: state.sleep_refusal says ADVERTISING from the start.
"""

from redband_badge import limits

# Reasons, in the order in which they are told; docs/power.md has a sentence for each.
ALLOWED = 0
USB = 1  # a host is at the USB port, which light sleep cuts off
CONNECTED = 2
ADVERTISING = 3
SENSOR = 4  # a blow is shorter than the sleep and would not be felt
RECENT_ACTION = 5  # an input a moment ago: somebody is at the badge
USB_LOOK = 6  # looking whether a host is there, which needs the port awake
INPUT_BUSY = 7
LED_ON = 8
TIMER_DUE = 9  # something is to be done too soon for a sleep to be worth it
NO_SLEEPER = 10  # safe mode: nobody asks


def refusal(state, needs_radio: bool, feels_blows: bool, is_usb: bool, ages: tuple) -> int:
    """Return ALLOWED, or the reason against sleeping now.

    `state`: a BadgeState. `feels_blows`: by a sensor, which needs interrupts. `is_usb`: a host is
    at the port. `ages`: (ms since the start, ms since the last input).
    """
    up_ms, input_ms = ages
    if is_usb:
        return USB
    if state.is_connected:
        return CONNECTED
    if needs_radio:
        return ADVERTISING
    if feels_blows:
        return SENSOR
    if input_ms < limits.AWAKE_AFTER_INPUT_MS:
        return RECENT_ACTION
    if up_ms % limits.USB_LOOK_PERIOD_MS < limits.USB_LOOK_MS:
        return USB_LOOK
    if state.is_input_busy:
        return INPUT_BUSY
    return LED_ON if state.is_lit else ALLOWED


def sleep_ms(idle_ms: int) -> int:
    """Return for how long to sleep when it is allowed, 0 when it is not worth it (TIMER_DUE).

    `idle_ms`: until the first task has something to do; the game's task waits for its next
    deadline, so a wound's timer ends the sleep.
    """
    return idle_ms if idle_ms >= limits.LIGHT_SLEEP_SHORTEST_MS else 0
