"""How often a badge was started again, by the cause that its chip gave.

Problem: a player can switch a badge off and on, and a game master wants to see it; but the chip
calls a flat battery, a brownout in the radio's peak and a pulled battery by one name (PITFALLS
R11). Guarantee: counts of facts, no verdict. A restart wins a player nothing (docs/time.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from redband import number_texts
from redband_core import numbers

_FIELDS = {
    numbers.CAUSE_POWER_ON: "power",
    numbers.CAUSE_RESET: "reset",
    numbers.CAUSE_WATCHDOG: "watchdog",
    numbers.CAUSE_DEEP_SLEEP: "sleep",
    numbers.CAUSE_UNKNOWN: "other",
}
"""Names of the counts; a soft reset counts as a reset."""


def cause_field(cause: int) -> str:
    """Return the name of the count that a BOOT record's `cause` belongs to."""
    known = numbers.CAUSE_RESET if cause == numbers.CAUSE_SOFT_RESET else cause
    return _FIELDS.get(known, "other")


@dataclass(frozen=True, slots=True)
class Restarts:
    """Counts of one badge; the first start of all is none. in_timer: those for want of power
    while a timer ran and the game was not paused.
    """

    power: int = 0
    reset: int = 0
    watchdog: int = 0
    sleep: int = 0
    other: int = 0
    in_timer: int = 0

    @property
    def total(self) -> int:
        """Return all restarts but wake-ups, which are everyday."""
        return self.power + self.reset + self.watchdog + self.other

    def with_one(self, cause: int, is_in_timer: bool) -> Restarts:
        """Return the counts with one restart more."""
        name = cause_field(cause)
        counts = {name: getattr(self, name) + 1, "in_timer": self.in_timer + is_in_timer}
        return replace(self, **counts)

    def told(self, language: str) -> str:
        """Return the causes with their numbers, such as "battery out or brownout 2"."""
        place = int(language == "ru")
        return ", ".join(
            f"{number_texts.CAUSES[cause][place]} {getattr(self, name)}"
            for cause, name in _FIELDS.items()
            if getattr(self, name)
        )
