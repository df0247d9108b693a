"""Watches the accelerometer: sets it up, says what is wrong with it, tries again.

Guarantee: whatever is wrong with the chip, the badge plays on with its button; a fault is a note,
the FAULT flag, and a new try each half minute. Imported only by a badge whose setting wants it.
"""

import asyncio

from redband_badge import limits
from redband_core import numbers
from redband_hal import accelerometer


class ImpactSensor:
    """Owns the I2C bus."""

    def __init__(self, threshold_mg: int, state, note_queue) -> None:
        """See redband_hal.accelerometer; `note_queue`: for (note code, value)."""
        self._driver = accelerometer.Accelerometer(threshold_mg)
        self._state = state
        self._note_queue = note_queue
        self._fault = numbers.SENSOR_GOOD
        self._is_set_up = False  # once at least

    async def run(self, beat) -> None:
        """Look after it for ever."""
        waited_ms = 0
        while True:
            beat.report()
            await asyncio.sleep_ms(limits.SENSOR_STEP_MS)
            waited_ms += limits.SENSOR_STEP_MS
            if waited_ms >= (limits.SENSOR_RETRY_MS if self._fault else limits.SENSOR_CHECK_MS):
                waited_ms = 0
                self.look()

    def look(self) -> None:
        """Check the chip, or set it up."""
        if self._is_set_up and not self._fault:
            fault = self._driver.check()
            self._tell(fault)
            if fault != numbers.SENSOR_RESET:
                return
        fault = self._driver.start()
        self._is_set_up = self._is_set_up or not fault
        self._tell(fault)

    def take(self) -> bool:
        """Free the interrupt pin; return whether a blow had closed it.

        The pin of a chip that is not set up means nothing.
        """
        if not self._is_set_up:
            return False
        is_blow = self._driver.take()
        if not is_blow:
            self.look()
        return is_blow

    def _tell(self, fault: int) -> None:
        if fault != self._fault:
            self._fault = fault
            self._note_queue.put((numbers.NOTE_SENSOR, fault))
            self._state.set_fault(numbers.FAULT_SENSOR, bool(fault))


class BlowContact:
    """The interrupt pin as a contact that only a blow closes; for InputTask, like inputs.Contact.

    The chip holds the pin until it is asked, so edges without a blow are spikes.
    """

    def __init__(self, contact, sensor: ImpactSensor) -> None:
        """`contact`: the pin. `sensor`: its chip."""
        self.is_quiet = contact.is_quiet
        self._contact = contact
        self._sensor = sensor
        self._is_active = False

    def take_edges(self) -> "tuple[int, int, int, int]":
        """Return the edges of blows since the last call, as inputs.Contact.take_edges()."""
        edges = self._contact.take_edges()
        was_active = self._is_active
        self._is_active = self._contact.is_active() and self._sensor.take()
        return edges if was_active or self._is_active else (0, 0, 0, 0)

    def is_active(self) -> bool:
        """Return whether the last take_edges() found a blow."""
        return self._is_active
