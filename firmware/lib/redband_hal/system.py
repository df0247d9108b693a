"""Ticks, reset, watchdog, chance and room on the flash.

Guarantee: one place knows how the port spells these. Does not keep game time (redband_core.clock
does) and never asks for wall time, which a badge does not have.
"""

import os
import time

import machine

# Our own numbers, because they go into the journal and a port may change its own.
RESET_UNKNOWN = 0
RESET_POWER_ON = 1  # the ESP32 reports brownout and the EN pin as this too
RESET_HARD = 2  # machine.reset(), a panic and the external pin look alike
RESET_WATCHDOG = 3
RESET_DEEP_SLEEP = 4
RESET_SOFT = 5


def ticks_ms() -> int:
    """Return the wrapping tick counter, 0 to 2**30 - 1 ms; for redband_core.clock only."""
    return time.ticks_ms()  # pyright: ignore[reportReturnType] (an int; the stubs brand it)


def ticks_diff(later_ms: int, earlier_ms: int) -> int:
    """Return the ms from one reading to another, right within 6.2 days."""
    return time.ticks_diff(later_ms, earlier_ms)  # pyright: ignore[reportArgumentType]


def reset_cause() -> int:
    """Return why the chip started, as one of the RESET_ numbers. A fact, never an accusation."""
    cause = machine.reset_cause()
    if cause == machine.PWRON_RESET:
        return RESET_POWER_ON
    if cause == machine.HARD_RESET:
        return RESET_HARD
    if cause == machine.WDT_RESET:
        return RESET_WATCHDOG
    if cause == machine.DEEPSLEEP_RESET:
        return RESET_DEEP_SLEEP
    if cause == machine.SOFT_RESET:
        return RESET_SOFT
    return RESET_UNKNOWN


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
