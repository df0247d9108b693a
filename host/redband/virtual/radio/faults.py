"""What goes wrong at one virtual badge's radio, as it does on chips.

A test sets the numbers: each is how often the thing fails from now on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RadioFaults:
    """starts: active(True) raises. adverts: gap_advertise raises ENOMEM (PITFALLS B6).

    connects: a connect fails half-way: advertising is over, and the badge hears of a disconnect
    without a connect before it. is_scan_refused: gap_scan raises EIO while the badge advertises
    (PITFALLS B11).
    """

    starts: int = 0
    adverts: int = 0
    connects: int = 0
    is_scan_refused: bool = False

    def take(self, name: str) -> bool:
        """Return whether this one fails, and count it."""
        left = getattr(self, name)
        if left:
            setattr(self, name, left - 1)
        return left > 0
