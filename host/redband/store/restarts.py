"""How often a badge was started again, by the cause that its chip gave.

Problem: a player can switch a badge off and on, and a game master wants to see it; but the chip
calls a flat battery, a brownout in the radio's peak and a pulled battery by one name (PITFALLS
R11). Guarantee: counts of facts, no verdict. A restart wins a player nothing (docs/time.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

POWER, RESET, WATCHDOG, SLEEP, SOFT = 1, 2, 3, 4, 5
"""Causes in a BOOT record, as `redband_hal.system` numbers them (RESET_POWER_ON and so on)."""

_FIELDS = {POWER: "power", RESET: "reset", WATCHDOG: "watchdog", SLEEP: "sleep", SOFT: "reset"}

CAUSE_NAMES: dict[str, tuple[str, str]] = {
    "power": ("battery out or brownout", "без питания: батарея или просадка"),
    "reset": ("reset", "сброс"),
    "watchdog": ("watchdog", "сторожевой таймер"),
    "sleep": ("woken from sleep", "проснулась"),
    "other": ("unknown cause", "причина неизвестна"),
}
"""What people are told of a cause, English and Russian."""


def cause_field(cause: int) -> str:
    """Return the name of the count that a BOOT record's `cause` belongs to."""
    return _FIELDS.get(cause, "other")


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
            f"{words[place]} {getattr(self, name)}"
            for name, words in CAUSE_NAMES.items()
            if getattr(self, name)
        )
