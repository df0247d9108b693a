"""One contact (button or impact sensor): its level, and the edges the interrupt latched.

Guarantee: a pulse shorter than the sampling period is seen, because the interrupt counts edges,
stamps the first and the last one, and notes when it first found the contact closed. The first edge
after a look wakes whoever looks. Does not judge bounce or spikes: redband_core.hit_filter does.
"""

import time

from machine import Pin

from redband_core.limits import HANDLER_LATE_MS
from redband_hal import event_loop


class Contact:
    """A pin with two levels and an edge latch. `wakeup`: a Wakeup that edges set, or None."""

    def __init__(self, pin_number: int, is_active_low: bool) -> None:
        """Claim the pin with the pull that makes an open contact inactive."""
        pull = Pin.PULL_UP if is_active_low else Pin.PULL_DOWN
        self._pin = Pin(pin_number, Pin.IN, pull)
        self._active_level = 0 if is_active_low else 1
        self._level = -1  # that is_active() last saw
        self._edge_count = 0
        self._taken_count = 0
        self._first_edge_ticks_ms = 0
        self._last_edge_ticks_ms = 0
        self._has_closed = False  # since the last take_edges(), as the handler saw it
        self._is_closed = False
        self._closed_ticks_ms = 0
        self._is_late = False
        self.wakeup = None
        self._pin.irq(self._on_edge, Pin.IRQ_RISING | Pin.IRQ_FALLING)

    def _on_edge(self, pin: Pin) -> None:
        # Only counts, flags and stamps. The ESP32 runs this between bytecodes, from a queue 8
        # deep, so edges of a burst can be missing: take_edges() says "at least this many". It
        # runs within 0.1 ms or so, and later while the flash is written: then the level is not
        # that of the edge any more.
        ticks_ms = time.ticks_ms()
        if event_loop.busy_ms(ticks_ms) >= HANDLER_LATE_MS:  # pyright: ignore
            self._is_late = True
        self._is_closed = pin.value() == self._active_level
        if self._edge_count == self._taken_count:
            self._first_edge_ticks_ms = ticks_ms
            self._has_closed = False
            if self.wakeup is not None:
                self.wakeup.set()
        if self._is_closed and not self._has_closed:
            self._has_closed = True
            self._closed_ticks_ms = ticks_ms
        self._last_edge_ticks_ms = ticks_ms
        self._edge_count += 1

    def latch(self) -> None:
        """Count an edge that no interrupt could: that of the press which woke the chip."""
        self._first_edge_ticks_ms = self._last_edge_ticks_ms = time.ticks_ms()
        self._edge_count += 1
        self._is_late = True

    def is_active(self) -> bool:
        """Return whether the contact is closed (pressed, shaken) now."""
        self._level = self._pin.value()
        return self._level == self._active_level

    def is_quiet(self) -> bool:
        """Return whether nothing happened since is_active(): the cheapest question."""
        return self._edge_count == self._taken_count and self._pin.value() == self._level

    def take_edges(self) -> "tuple[int, int, int, int]":
        """Return what the latch holds, and clear it.

        (edges since the last call, ticks_ms of the first and of the last, ms from the first time
        that the handler saw the contact closed to the last edge, 1 or more: 0 when it never did,
        -1 when it ran too late to tell; to now when it saw no end). An edge that falls between
        the two reads here is kept for the next call, with the older stamps: at most one sampling
        period early, never lost.
        """
        edge_count = self._edge_count
        first_edge_ticks_ms = self._first_edge_ticks_ms
        seen_ms = 0
        if self._has_closed:
            end_ticks_ms = time.ticks_ms() if self._is_closed else self._last_edge_ticks_ms
            seen_ms = max(1, time.ticks_diff(end_ticks_ms, self._closed_ticks_ms))
        if self._is_late:
            seen_ms = -1
            self._is_late = False
        taken = edge_count - self._taken_count
        self._taken_count = edge_count
        last_edge_ticks_ms = self._last_edge_ticks_ms
        return taken, first_edge_ticks_ms, last_edge_ticks_ms, seen_ms  # pyright: ignore[reportReturnType]
