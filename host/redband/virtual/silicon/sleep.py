"""Ends and sleeps of the chip: reset, deep sleep, light sleep, and what wakes it.

Guarantee: as ports/esp32/modmachine.c says for an ESP32-C3: GPIO wakes it, there is no ext0 or
ext1; only GPIO0-5 end a deep sleep. In light sleep the processor stops: no handler runs,
edges are lost, and a radio that is on is dead afterwards until it is switched off and on.
Does not model: the interrupt that a wake pin's level raises for ever, PWM and USB in light sleep.
"""

import bluetooth
import bus
import opcodes
import pins

_WAKE_PINS = (0, 1, 2, 3, 4, 5)  # powered in deep sleep

_wake = [(), False]  # pin numbers, level
before_the_end = []  # called before the chip ends or sleeps deeply: what outlives it is told


def wait_for_the_end() -> None:
    """The owner ends this process."""
    while True:
        bus.the_bus.rest(None)


def reset() -> None:
    """Start anew. Does not return."""
    _tell_what_stays()
    bus.send(opcodes.RESET)
    wait_for_the_end()


def _tell_what_stays() -> None:
    for tell in before_the_end:
        tell()


def wake_on_gpio(pins_=None, level=None) -> None:
    """Set which pins, at which level, end a sleep; what is not given stays."""
    if pins_ is not None:
        _wake[0] = tuple([pins.number_of(pin) for pin in pins_])
    if level is not None:
        _wake[1] = bool(level)


def deepsleep(*time_ms) -> None:
    """Sleep for a time or until a wake pin; the program starts anew. Does not return."""
    for number in _wake[0]:
        if number not in _WAKE_PINS:
            raise ValueError("wake-up pin not supported")
    span_ms = max(time_ms[0], 1) if time_ms else 0  # 0 ms wakes at once
    payload = bytes([span_ms >> shift & 0xFF for shift in (0, 8, 16, 24)])
    level = 1 if _wake[1] else 0
    _tell_what_stays()
    bus.send(opcodes.DEEP_SLEEP, payload, bytes([v for pin in _wake[0] for v in (pin, level)]))
    wait_for_the_end()


def lightsleep(*time_ms) -> None:
    """Stop for a time or until a wake pin has its level."""
    bus.receive()  # edges before the sleep are none of it
    if bluetooth.BLE().active():
        bus.send(opcodes.LIGHT_SLEEP)
    clock = bus.the_bus.clock
    end_us = clock.peek_us() + time_ms[0] * 1000 if time_ms else None
    level = 1 if _wake[1] else 0
    pins.sleeping[0] = True
    try:
        while True:
            bus.receive()
            for number in _wake[0]:
                if pins.Pin(number).value() == level:
                    return
            if end_us is not None and clock.peek_us() >= end_us:
                return
            bus.the_bus.rest(end_us)
    finally:
        pins.sleeping[0] = False
