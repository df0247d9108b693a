"""Ticks, reset, watchdog, RTC memory, chance, the USB port, and room on flash and heap.

Guarantee: one place knows how the port spells these. Does not keep game time (redband_core.clock
does) and never asks for wall time, which a badge does not have.
"""

import gc
import os
import select
import sys
import time

import esp32
import machine

from redband_core import numbers

HEAP_LEFT_BYTES = 12 * 1024  # what comes together as garbage, and what is lost in pieces

_rtc = machine.RTC()
_usb = select.poll()
_usb.register(sys.stdin, select.POLLIN)


def ticks_ms() -> int:
    """Return the wrapping tick counter, 0 to 2**30 - 1 ms; for redband_core.clock only."""
    return time.ticks_ms()  # pyright: ignore[reportReturnType] (an int; the stubs brand it)


def ticks_diff(later_ms: int, earlier_ms: int) -> int:
    """Return the ms from one reading to another, right within 6.2 days."""
    return time.ticks_diff(later_ms, earlier_ms)  # pyright: ignore[reportArgumentType]


def reset_cause() -> int:
    """Return why the chip started, as one of the CAUSE_ numbers. A fact, never an accusation."""
    cause = machine.reset_cause()
    if cause == machine.PWRON_RESET:
        return numbers.CAUSE_POWER_ON
    if cause == machine.HARD_RESET:
        return numbers.CAUSE_RESET
    if cause == machine.WDT_RESET:
        return numbers.CAUSE_WATCHDOG
    if cause == machine.DEEPSLEEP_RESET:
        return numbers.CAUSE_DEEP_SLEEP
    if cause == machine.SOFT_RESET:
        return numbers.CAUSE_SOFT_RESET
    return numbers.CAUSE_UNKNOWN


def was_woken_by_pin() -> bool:
    """Return whether a pin ended a deep sleep: the badge's button, that may be open again by now.

    The ESP32-C3 reports its pins by a number for which MicroPython has no name; a timer it has.
    """
    if machine.reset_cause() != machine.DEEPSLEEP_RESET:
        return False
    return machine.wake_reason() != machine.TIMER_WAKE


def keep(data: "bytes | bytearray") -> None:
    """Put up to 2048 bytes into the RTC memory, which most resets leave alone."""
    _rtc.memory(data)


def kept() -> bytes:
    """Return the RTC memory: what was kept, or nothing, or anything. Check it."""
    return _rtc.memory()


def usb_asked() -> bool:
    """Return whether a `?` came over USB since the last call, at most 32 bytes ago; never waits.

    Read as bytes: as text, half a character of a program that probes the port would be waited for.
    """
    is_asked = False
    for _ in range(32):
        byte = _usb.poll(0) and sys.stdin.buffer.read(1)
        if not byte:
            break
        is_asked = byte == b"?" or is_asked
    return is_asked


def forget(module_name: str) -> None:
    """Let a module leave the memory whose work is done. `module_name`: with its package."""
    if sys.modules.pop(module_name, None) is not None:
        package, _dot, name = module_name.rpartition(".")
        delattr(sys.modules[package], name)


def reset() -> None:
    """Start the chip again. Does not return."""
    machine.reset()


def random_u32() -> int:
    """Return 32 random bits from the chip's generator, for a boot or install id."""
    return int.from_bytes(os.urandom(4), "little")


def free_bytes(path: str) -> int:
    """Return the free bytes of the file system that holds `path`. Raises OSError."""
    facts = os.statvfs(path)
    return facts[0] * facts[3]


def heap_bytes() -> tuple:
    """Return bytes free for Python in the areas it has, free for the system, in one piece there.

    On a chip gc.mem_free() counts the system's largest piece, into which Python may grow.
    """
    regions = esp32.idf_heap_info(esp32.HEAP_DATA)
    largest = max([region[2] for region in regions])
    free = gc.mem_free()
    if sys.platform == "esp32":
        free -= largest
    return free, sum([region[1] for region in regions]), largest


def is_heap_short(left_bytes: int = HEAP_LEFT_BYTES) -> bool:
    """Return whether less is free in Python's areas, even after a collection."""
    if heap_bytes()[0] < left_bytes:
        gc.collect()
        return heap_bytes()[0] < left_bytes
    return False


class Watchdog:
    """The hardware watchdog. Once made it cannot be stopped, only given more time."""

    def __init__(self, timeout_ms: int) -> None:
        """Start it. `timeout_ms`: 1000 or more, until the chip is reset if nobody feeds."""
        self._watchdog = machine.WDT(timeout=timeout_ms)

    def feed(self) -> None:
        """Start the time again."""
        self._watchdog.feed()

    def relax(self, timeout_ms: int) -> None:
        """Give a long time, for a technician at the prompt: nobody feeds there."""
        self._watchdog = machine.WDT(timeout=timeout_ms)
