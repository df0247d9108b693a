"""What the game master's page needs of a game: one row per badge, the log, five actions.

Problem: the page must not know whether badges are virtual or real, nor where rows come from.
Guarantee: the page uses nothing of a game but what stands here, and never changes a row.
Texts come in both languages, because two people look at one game in two languages.
"""

from __future__ import annotations

from typing import Protocol

from redband.overview.chronicle import Entry
from redband.overview.rows import BadgeRow

ACTIONS = ("press", "shake", "hold", "pull", "restore")
"""What the page can do to a virtual badge: press the button, shake the sensor, hold the button,
pull the battery, put it back."""

BROADCASTS: tuple[str, ...] = ("stop", "resume", "fight_over")
"""What the page can say to all badges at once: real ones and virtual ones."""


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

    def log(self, limit: int) -> list[Entry]:
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
