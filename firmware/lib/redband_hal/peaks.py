"""How strong movements and blows are, as the accelerometer's interrupt judges them.

For `redband badge calibrate`, at the prompt; no badge in a game imports it. Guarantee: a peak is
the highest threshold at which the interrupt would have come: that many mg on one axis, in as many
samples in a row as the chip wants. Needs the bus to itself.
"""

import time

from redband_hal.accelerometer import Accelerometer

SAMPLES = 3  # INT1_DURATION of the table, and one
BLOW_MS = 300  # a blow and its ringing
_ANY_MG = 16_000  # the interrupt is of no interest here
_NEW_DATA = 0x08  # ZYXDA of the status


class Peaks:
    """One chip, read sample by sample."""

    def __init__(self) -> None:
        self._driver = Accelerometer(_ANY_MG)
        self._register, self._step_mg = self._driver.part[4]
        self._last_mg = [[0] * SAMPLES for _axis in range(3)]
        self._position = 0

    def start(self) -> int:
        """Set the chip up; return OK or a FAULT_ number of redband_hal.accelerometer."""
        return self._driver.start()

    def level_mg(self) -> int:
        """Return what the newest samples reach, 0 when there is none. Raises OSError."""
        data = self._driver.read(self._register, 7)
        if not data[0] & _NEW_DATA:
            return 0
        self._position = (self._position + 1) % SAMPLES
        reached_mg = 0
        for axis in range(3):
            word = data[2 * axis + 1] | data[2 * axis + 2] << 8
            word -= (word & 0x8000) << 1
            last_mg = self._last_mg[axis]
            last_mg[self._position] = abs(word >> 4) * self._step_mg
            reached_mg = max(reached_mg, min(last_mg))
        return reached_mg

    def strongest_mg(self, duration_ms: int) -> int:
        """Return the peak of all that happens within `duration_ms`. Raises OSError."""
        peak_mg = 0
        started_ms = time.ticks_ms()
        while time.ticks_diff(time.ticks_ms(), started_ms) < duration_ms:
            peak_mg = max(peak_mg, self.level_mg())
        return peak_mg

    def blow_mg(self, above_mg: int, timeout_ms: int) -> int:
        """Return the peak of the next blow above `above_mg`, 0 for none in time. Raises OSError.

        Waits until it has rung out.
        """
        started_ms = time.ticks_ms()
        while time.ticks_diff(time.ticks_ms(), started_ms) < timeout_ms:
            peak_mg = self.level_mg()
            if peak_mg > above_mg:
                peak_mg = max(peak_mg, self.strongest_mg(BLOW_MS))
                while self.strongest_mg(BLOW_MS) > above_mg:
                    pass
                return peak_mg
        return 0
