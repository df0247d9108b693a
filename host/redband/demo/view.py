"""What the page shows of a demo: the gateway's rows, and actions on the field."""

from __future__ import annotations

from dataclasses import replace

from redband import rules
from redband.demo.actions import Actions
from redband.gateway.gateway import Gateway
from redband.gateway.say import say
from redband.overview.chronicle import Entry
from redband.overview.rows import BadgeRow
from redband.tent import view as page
from redband.virtual.field import Field


class DemoView:
    """The page's `FieldView` of one demo."""

    has_controls = True

    def __init__(self, gateway: Gateway, field: Field) -> None:
        self._gateway = gateway
        self._field = field
        self._actions = Actions(field)
        self._ruleset = rules.load(next(iter(field.badges.values())).spec.ruleset_id)
        has_fights = any(event.name == "fight_over" for event in self._ruleset.events)
        self.broadcasts = page.BROADCASTS if has_fights else page.BROADCASTS[:-1]

    def rows(self) -> list[BadgeRow]:
        """Return all badges by id, with the power, which only the field knows."""
        badges = self._field.badges
        return [
            replace(row, is_powered=badges[row.badge_id].is_powered)
            if row.badge_id in badges
            else row
            for row in self._gateway.rows()
        ]

    def log(self, limit: int) -> list[Entry]:
        """Return up to `limit` newest events, newest first."""
        return self._gateway.recent(limit)

    async def do(self, action: str, badge_id: int) -> None:
        """Do `action` to a badge. Raises RedbandUserError for what cannot be done."""
        await self._actions.do(action, badge_id)

    async def say(self, word: str) -> None:
        """Say a broadcast to all badges. Raises RedbandUserError for what cannot be said."""
        await say(self._gateway, word.replace("_", "-"), self._ruleset)
