"""What the tasks show each other: the badge's present state, for LED and radio to display.

Guarantee: only the game task sets the game's values, and only after the journal holds them. Every
change wakes those who watch. Nothing here is saved; the journal is.
"""

from redband_badge import notes
from redband_badge.wakeup import Wakeup
from redband_core.advert import FLAG_FAULT

# Causes of the FAULT flag, as bits.
FAULT_RADIO = 1
FAULT_JOURNAL = 2
FAULT_TASK = 4


class BadgeState:
    """Values shown on LEDs and in adverts."""

    def __init__(self) -> None:
        self.signal = 0
        self.counters = (0, 0)
        self.shown = ()  # what the game task last compared
        self.timer_left_ms = -1  # of the shown timer at the game task's last tick, -1 for none
        self.last_seq = -1
        self.revision = 0  # grows with each change, mod 2**16
        self.battery_mv = 0
        self.battery_pct = 100
        self.flags = 0  # FLAG_ bits of redband_core.advert
        self.faults = 0  # FAULT_ bits
        self.acknowledged = 0  # grows with each input that counted
        self.refused = 0  # grows with each input that the rules refused
        self.led_wakeup = Wakeup()
        self.safe_mode_reason = 0  # a REASON_ number, 0 in normal mode
        self.release_before_seq = 0  # what the host has: the radio task asks, the game task acts

    @property
    def code(self) -> int:
        """LED code to show beside the state: a REASON_ or CODE_ number, 0 for none."""
        if self.safe_mode_reason:
            return self.safe_mode_reason
        return notes.CODE_RADIO if self.faults & FAULT_RADIO else 0

    def set_flag(self, flag: int, is_set: bool) -> None:
        """Set or clear one bit of `flags`."""
        flags = self.flags | flag if is_set else self.flags & ~flag
        if flags != self.flags:
            self.flags = flags
            self.touch()

    def set_fault(self, fault: int, is_set: bool) -> None:
        """Set or clear one FAULT_ bit; the FAULT flag shows whether any is set."""
        self.faults = self.faults | fault if is_set else self.faults & ~fault
        self.set_flag(FLAG_FAULT, bool(self.faults))

    def touch(self) -> None:
        """Something shown has changed."""
        self.revision = (self.revision + 1) & 0xFFFF
        self.led_wakeup.set()
