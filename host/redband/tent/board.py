"""The page's one component: tells a browser what changed, and gives clicks to the field.

Guarantee: nothing that a browser sends reaches the field unchecked, and an error that the user
can act on appears as a notification in that browser only. The component's drawing is in
static/board.js; this file never waits for a browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import events, ui

from redband.errors import RedbandUserError
from redband.overview.chronicle import Entry
from redband.overview.rows import BadgeRow
from redband.tent.changes import Changes
from redband.tent.view import ACTIONS, FieldView
from redband.tent.words import LANGUAGES, words

LOG_LINES = 100
"""Newest events shown; static/board.js keeps as many (LOG_MAX)."""

POLL_S = 0.2
"""How often the view is asked. A hit is seen within this time and the way to the browser."""

REFUSAL_MS = 8000
"""How long a refusal stays: long enough to read a sentence and look up from the page once."""

Snapshot = tuple[list[BadgeRow], list[Entry]]


def shared_snapshot(view: FieldView, lifetime_s: float = POLL_S * 0.9) -> Callable[[], Snapshot]:
    """Return a function that gives rows and log, asking the view once for all browsers.

    lifetime_s: how long an answer is given again; shorter than a poll, so nobody lags by two.
    """
    taken_s = -lifetime_s
    snapshot: Snapshot = ([], [])

    def take() -> Snapshot:
        nonlocal taken_s, snapshot
        now_s = asyncio.get_running_loop().time()
        if now_s - taken_s >= lifetime_s:
            snapshot = (view.rows(), view.log(LOG_LINES))
            taken_s = now_s
        return snapshot

    return take


class Board(ui.element, component="static/board.js"):
    """The board of one browser.

    view: gets the actions. snapshot: where rows and log come from. language: "en" or "ru".
    """

    def __init__(
        self, view: FieldView, snapshot: Callable[[], Snapshot], language: str, game_name: str
    ) -> None:
        super().__init__()
        self._view = view
        self._snapshot = snapshot
        self._changes = Changes()
        self._props["words"] = words(language)
        self._props["language"] = language
        self._props["languages"] = list(LANGUAGES)
        self._props["game_name"] = game_name
        self._props["has_controls"] = view.has_controls
        self._props["broadcasts"] = list(view.broadcasts)
        self.on("act", self._act)
        self.on("say", self._say)

    def start_over(self) -> None:
        """Send everything at the next refresh: the browser may have missed changes."""
        self._changes = Changes()

    def refresh(self) -> None:
        """Send the browser what changed since the last call."""
        rows, log = self._snapshot()
        changes = self._changes.update(rows, log, asyncio.get_running_loop().time())
        if changes is not None:
            self.run_method("update", changes)

    async def _act(self, event: events.GenericEventArguments) -> None:
        asked = event.args if isinstance(event.args, dict) else {}
        action, badge_id = asked.get("action"), asked.get("badge_id")
        if not (self._view.has_controls and action in ACTIONS and isinstance(badge_id, int)):
            return  # not sent by our page: it offers no such thing
        await self._try(self._view.do(action, badge_id))

    async def _say(self, event: events.GenericEventArguments) -> None:
        word = event.args if isinstance(event.args, str) else ""
        if word in self._view.broadcasts:
            await self._try(self._view.say(word))

    async def _try(self, wish: Awaitable[None]) -> None:
        try:
            await wish
        except RedbandUserError as error:
            ui.notify(str(error), classes="refusal", position="bottom", timeout=REFUSAL_MS)
        self.refresh()
