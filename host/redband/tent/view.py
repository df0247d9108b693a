"""What the game master's page needs of a game: one row per badge, the log, five actions.

Problem: the page must not know whether badges are virtual or real, nor where rows come from.
Guarantee: the page uses nothing of a game but what stands here, and never changes a row.
Texts come in both languages, because two people look at one game in two languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

ACTIONS = ("press", "shake", "hold", "pull", "restore")
"""What the page can do to a virtual badge: press the button, shake the sensor, hold the button,
pull the battery, put it back."""

BROADCASTS: tuple[str, ...] = ("stop", "resume", "fight_over")
"""What the page can say to all badges at once: real ones and virtual ones."""

FRESH_S = 16.0
"""Up to this age an advert counts as present: a badge whose radio is on in windows is heard each
five seconds, so three of them were missed. The page then shows the age, never "gone"."""


@dataclass(frozen=True, slots=True)
class BadgeRow:
    """All the page shows of one badge at one moment. None stands for "not known".

    red_pattern, green_pattern, vibration_pattern: codes of `redband_core.led`.
    hits: hits left, 0..max_hits; max_hits 0 when not known. timer_s: seconds left, >= 0; timer_en
    and timer_ru say what ends then. last_seen_s: seconds since the last advert. battery_pct:
    0..100. unsynced: journal records that the host has not fetched yet. synced_events: those it
    has. flags: bits of the advert (SAFE_MODE 1, INPUT_STUCK 2, JOURNAL_FULL 4, LOW_BATTERY 8,
    FAULT 16). is_powered: known only for virtual badges. problem: what the host cannot reconcile
    about this badge, as one sentence, "" when all is well. is_paused: the game stands still on it.
    restarts: how often it was started again, restarts_en and restarts_ru: by which causes;
    timer_restarts: how often for want of power while a timer ran. is_emergency: a real one.
    """

    badge_id: int
    player: str
    state_en: str
    state_ru: str
    red_pattern: int = 0
    green_pattern: int = 0
    vibration_pattern: int = 0
    hits: int | None = None
    max_hits: int = 0
    timer_s: int | None = None
    timer_en: str = ""
    timer_ru: str = ""
    last_event_en: str = ""
    last_event_ru: str = ""
    last_seen_s: float | None = None
    battery_pct: int | None = None
    unsynced: int = 0
    synced_events: int = 0
    flags: int = 0
    is_powered: bool | None = None
    problem: str = ""
    is_paused: bool = False
    is_emergency: bool = False
    restarts: int = 0
    restarts_en: str = ""
    restarts_ru: str = ""
    timer_restarts: int = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the event log. time_s: Unix time in seconds, as the host placed the event.

    is_time_known: False when nobody can know it; the text says so, and time_s only gives a place.
    """

    time_s: float
    badge_id: int
    player: str
    text_en: str
    text_ru: str
    is_time_known: bool = True


class FieldView(Protocol):
    """A game as the page sees it. All methods are called in the event loop that serves the page.

    has_controls: True when `do` works, which takes a virtual field. broadcasts: those of
    BROADCASTS that `say` can say.
    """

    has_controls: bool
    broadcasts: tuple[str, ...]

    def rows(self) -> list[BadgeRow]:
        """Return all badges, in the order in which the page shall show them. Must be quick."""
        ...

    def log(self, limit: int) -> list[LogEntry]:
        """Return up to `limit` newest events, newest first. Must be quick."""
        ...

    async def do(self, action: str, badge_id: int) -> None:
        """Do one of ACTIONS to a badge.

        Raises RedbandUserError with one sentence, which the page shows, when it cannot be done.
        """
        ...

    async def say(self, word: str) -> None:
        """Say one of BROADCASTS to all badges. Raises RedbandUserError as `do` does."""
        ...
