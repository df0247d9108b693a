"""What is wrong with the battery of a virtual badge, or with the measuring of it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from redband.errors import RedbandUserError

_FAULTS = struct.Struct("<HHH")
_SAG_MAX_MV = 2000


@dataclass(frozen=True)
class BatteryFaults:
    """Of the next start, or from the moment the badge is told.

    sag_mv: how much the cell's voltage falls while the motor runs. noise_times: how many times
    the usual 5 mV of the converter's noise. spike_each: every n-th sample is one end of the range
    or the other, as in a burst of the radio; 0: none.
    """

    sag_mv: int = 0
    noise_times: int = 1
    spike_each: int = 0

    def __post_init__(self) -> None:
        """Raise RedbandUserError for numbers that no battery has."""
        if not 0 <= self.sag_mv <= _SAG_MAX_MV:
            raise RedbandUserError(f"A cell sags by 0 to {_SAG_MAX_MV} mV, not {self.sag_mv}.")
        for count in (self.noise_times, self.spike_each):
            if not 0 <= count <= 1000:
                raise RedbandUserError(f"Noise and spikes are 0 to 1000, not {count}.")

    def packed(self, divider: int) -> bytes:
        """Return it as silicon/analog.py reads it; divider: between cell and converter."""
        return _FAULTS.pack(self.sag_mv // divider, self.noise_times, self.spike_each)
