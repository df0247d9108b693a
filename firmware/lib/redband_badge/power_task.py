"""Watches the battery.

Guarantee: jitter around the low mark gives one warning, not fifty (hysteresis over a median).
"""

import asyncio

from redband_badge import limits, notes
from redband_core import journal
from redband_core.advert import FLAG_LOW_BATTERY
from redband_hal import system
from redband_hal.battery import Battery


def charge_pct(battery_mv: int) -> int:
    """Return the charge in per cent, 0 to 100, by a straight line between empty and full.

    A lithium cell's curve is flatter in the middle; for "charge it tonight" the line is enough.
    """
    span_mv = limits.BATTERY_FULL_MV - limits.BATTERY_EMPTY_MV
    return max(0, min(100, (battery_mv - limits.BATTERY_EMPTY_MV) * 100 // span_mv))


class PowerTask:
    """Owns the battery's converter."""

    def __init__(self, battery, state, note_queue) -> None:
        self._battery = battery
        self._state = state
        self._note_queue = note_queue
        self._is_low = False

    async def run(self, beat) -> None:
        """Measure for ever."""
        last_ticks_ms = None
        while True:
            beat.report()
            ticks_ms = system.ticks_ms()
            if (
                last_ticks_ms is None
                or system.ticks_diff(ticks_ms, last_ticks_ms) >= limits.BATTERY_PERIOD_MS
            ):
                last_ticks_ms = ticks_ms
                self.take(self._battery.read_mv())
            await asyncio.sleep_ms(1000)

    def take(self, battery_mv: int) -> None:
        """Judge one measurement, in mV."""
        state = self._state
        state.battery_mv = battery_mv
        state.battery_pct = charge_pct(battery_mv)
        if not self._is_low and battery_mv < limits.BATTERY_LOW_MV:
            self._is_low = True
            self._note_queue.put((journal.NOTE_LOW_BATTERY, battery_mv))
        elif self._is_low and battery_mv > limits.BATTERY_FINE_MV:
            self._is_low = False
        state.set_flag(FLAG_LOW_BATTERY, self._is_low)


def add_power(badge, supervisor) -> None:
    """Add the power task of `badge` (a Badge) to its supervisor."""
    task = PowerTask(Battery(), badge.state, badge.note_queue)
    supervisor.add(notes.TASK_POWER, task.run)
