"""The accelerometer of a virtual badge, from the owner's side.

Guarantee: it is powered beside the chip, so its registers live through every reset and are lost
with the battery; while the chip sleeps it goes on here, as the same model that runs beside the
firmware, so that a blow can wake the badge. Does not know pins: board_pins.py does.
"""

from __future__ import annotations

import errno

from redband.errors import RedbandUserError
from redband.virtual.silicon import lis3dh, motion

DEFAULT_ADDRESS = 0x19
MOTOR_MG = 3000
"""What a vibration motor of 10 mm shakes its board by, at 190 turns a second."""
SENSOR_HEAP_KIB = 12
"""Of the badge's interpreter, for the model beside the firmware (measured)."""
BLOW_MAX_MG = 32000
LISTEN_US = 50_000
Profile = list[tuple[int, int, int, int]]
AXES = ("x", "y", "z")


def blow_profile(peak_mg: int, duration_ms: float, axis: str) -> Profile:
    """Return the profile of one blow. Raises RedbandUserError for what no blow is."""
    if axis not in AXES:
        raise RedbandUserError(f"An axis is x, y or z, not {axis!r}.")
    if not -BLOW_MAX_MG <= peak_mg <= BLOW_MAX_MG:
        raise RedbandUserError(f"A blow has up to {BLOW_MAX_MG} mg, not {peak_mg}.")
    return motion.blow_profile(peak_mg, round(duration_ms * 1000), AXES.index(axis))


class Accelerometer:
    """One LIS3DH. `motor_mg`: of starts from now on; 0: the motor does not shake it."""

    def __init__(self, address: int = DEFAULT_ADDRESS) -> None:
        self.address = address
        self.motor_mg = MOTOR_MG
        self.fault: str | None = None
        """Name of the errno that every transfer fails with, such as "ENODEV"."""
        self.registers = b""

    @property
    def fault_number(self) -> int:
        """The errno, 0 for none."""
        return int(getattr(errno, self.fault)) if self.fault else 0

    def facts(self) -> dict[str, object]:
        """Return what silicon/fitted.py reads of it."""
        return {
            "address": self.address,
            "motor_mg": self.motor_mg,
            "fault": self.fault,
            "registers": self.registers.hex(),
        }

    def lose_power(self) -> None:
        """Forget the registers."""
        self.registers = b""

    def levels_of(self, profile: Profile) -> list[int]:
        """Return the levels that INT1 takes one after the other, with nobody reading the chip."""
        now_us = 0
        levels: list[int] = []
        sensor = lis3dh.Lis3dh(motion.Motion(0), lambda: now_us, levels.append)
        if self.registers:
            sensor.restore(self.registers)
        end_us = 0
        if profile:
            now_us = 10_000_000  # settled long ago
            end_us = sensor.feed(profile) + LISTEN_US
        while (next_us := sensor.next_us()) is not None and next_us <= end_us:
            now_us = max(next_us, now_us)
            sensor.advance(now_us)
        self.registers = sensor.registers()
        return levels or [sensor.int1]
