"""The `machine` module of MicroPython for ESP32 (1.26 and later), for a virtual badge.

Guarantee: what the firmware may call behaves as documented for the chip: the watchdog really ends
this process, a reset really starts it again. Never kinder than silicon. Does not offer what no
badge has (I2C, SPI, UART): importing those names fails here as a missing feature.
"""

import time

import bus
import opcodes
import umachine
from analog import ADC, PWM  # noqa: F401 (names of this module)
from pins import Pin

PWRON_RESET = opcodes.PWRON_RESET
HARD_RESET = opcodes.HARD_RESET
WDT_RESET = opcodes.WDT_RESET
DEEPSLEEP_RESET = opcodes.DEEPSLEEP_RESET
SOFT_RESET = opcodes.SOFT_RESET
TIMER_WAKE = opcodes.TIMER_WAKE
PIN_WAKE = opcodes.PIN_WAKE

Signal = umachine.Signal
_FREQUENCIES_HZ = (20000000, 40000000, 80000000, 160000000)

_facts = {"reset_cause": PWRON_RESET, "wake_reason": 0, "unique_id": b"\0" * 6, "freq": 160000000}
wake_pins = []  # (pin, level); filled by the esp32 module


def set_facts(reset_cause: int, wake_reason: int, unique_id: bytes) -> None:
    """What the runner knows about this start."""
    _facts.update({"reset_cause": reset_cause, "wake_reason": wake_reason, "unique_id": unique_id})


def reset_cause():
    return _facts["reset_cause"]


def wake_reason():
    return _facts["wake_reason"]


def unique_id():
    return _facts["unique_id"]


def freq(hz=None):
    if hz is None:
        return _facts["freq"]
    if hz not in _FREQUENCIES_HZ:
        raise ValueError("frequency must be 20MHz, 40MHz, 80Mhz or 160MHz")
    _facts["freq"] = hz
    return None


def idle():
    bus.dispatch()


def disable_irq():
    return 0


def enable_irq(state):
    """Nothing to do: handlers run only where the program awaits or sleeps."""


def _wait_for_the_end():
    while True:
        bus.the_bus.wait(1000)  # the owner ends this process


def reset():
    bus.send(opcodes.RESET)
    _wait_for_the_end()


def soft_reset():
    raise SystemExit


def deepsleep(time_ms=0):
    payload = bytes((time_ms >> shift) & 0xFF for shift in (0, 8, 16, 24))
    wakes = bytes(value for pair in wake_pins for value in pair)
    bus.send(opcodes.DEEP_SLEEP, payload, wakes)
    _wait_for_the_end()


def lightsleep(time_ms=None):
    """Wait for the time, or for a wake pin; other interrupts do not end it."""
    started_ms = time.ticks_ms()
    while time_ms is None or time.ticks_diff(time.ticks_ms(), started_ms) < time_ms:
        for number, level in wake_pins:
            if Pin(number).value() == level:
                return
        time.sleep_ms(1)


class WDT:
    """The task watchdog: cannot be stopped, survives a soft reset, may be given more time."""

    def __init__(self, id=0, timeout=5000):
        if id != 0:
            raise ValueError
        if timeout <= 0:
            raise ValueError("WDT timeout too short")
        payload = bytes((timeout >> shift) & 0xFF for shift in (0, 8, 16, 24))
        bus.send(opcodes.WATCHDOG, payload)

    def feed(self):
        bus.send(opcodes.WATCHDOG_FEED)
