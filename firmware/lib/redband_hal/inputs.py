"""One contact (button or impact switch): its level, and the edges the interrupt latched.

Guarantee: a pulse shorter than the sampling period is seen, because the interrupt counts edges
and stamps the first and the last one. Does not judge bounce: redband_core.hit_filter does.
"""

import time

from machine import Pin


class Contact:
    """A pin with two levels and an edge latch."""

    def __init__(self, pin_number: int, is_active_low: bool) -> None:
        """Claim the pin with the pull that makes an open contact inactive."""
        pull = Pin.PULL_UP if is_active_low else Pin.PULL_DOWN
        self._pin = Pin(pin_number, Pin.IN, pull)
        self._active_level = 0 if is_active_low else 1
        self._edge_count = 0
        self._taken_count = 0
        self._first_edge_ticks_ms = 0
        self._last_edge_ticks_ms = 0
        self._pin.irq(self._on_edge, Pin.IRQ_RISING | Pin.IRQ_FALLING)

    def _on_edge(self, _pin: Pin) -> None:
        # Only counts and stamps. The ESP32 runs this between bytecodes, from a queue 8 deep, so
        # edges of a burst can be missing: take_edges() says "at least this many".
        self._last_edge_ticks_ms = time.ticks_ms()
        if self._edge_count == self._taken_count:
            self._first_edge_ticks_ms = self._last_edge_ticks_ms
        self._edge_count += 1

    def is_active(self) -> bool:
        """Return whether the contact is closed (pressed, shaken) now."""
        return self._pin.value() == self._active_level

    def is_quiet(self) -> bool:
        """Return whether the contact is open and no edge is latched: the cheapest question."""
        return self._edge_count == self._taken_count and self._pin.value() != self._active_level

    def take_edges(self) -> "tuple[int, int, int]":
        """Return (edges since the last call, ticks_ms of the first and last) and clear the latch.

        An edge that falls between the two reads here is kept for the next call, with the older
        stamp: at most one sampling period early, never lost.
        """
        edge_count = self._edge_count
        first_edge_ticks_ms = self._first_edge_ticks_ms
        taken = edge_count - self._taken_count
        self._taken_count = edge_count
        last_edge_ticks_ms = self._last_edge_ticks_ms
        return taken, first_edge_ticks_ms, last_edge_ticks_ms  # pyright: ignore[reportReturnType] (an int)
