"""What the page shows of a demo: the gateway's rows in its own words, and hands on the field."""

from __future__ import annotations

import asyncio

from redband import rules
from redband.demo.hands import Hands
from redband.errors import RedbandUserError
from redband.gateway.broadcasts import COMMANDS, make_broadcast
from redband.gateway.gateway import Gateway
from redband.overview.rows import BadgeRow, Text
from redband.tent import view as page
from redband.virtual.field import Field

NOTHING = Text("", "")


def page_row(row: BadgeRow, is_powered: bool | None) -> page.BadgeRow:
    """Return a gateway's row as the page takes it. is_powered: None for a real badge."""
    timer = row.timer or NOTHING
    event = row.last_event or NOTHING
    patterns = [lamp.pattern for lamp in row.leds] or [0, 0, 0]
    return page.BadgeRow(
        badge_id=row.badge_id,
        player=row.player,
        state_en=row.state.en,
        state_ru=row.state.ru,
        red_pattern=patterns[0],
        green_pattern=patterns[1],
        vibration_pattern=patterns[2],
        hits=row.hits,
        max_hits=row.hits_max or 0,
        timer_s=row.timer_left_s,
        timer_en=timer.en,
        timer_ru=timer.ru,
        last_event_en=event.en,
        last_event_ru=event.ru,
        last_seen_s=row.last_seen_age_s,
        battery_pct=row.battery_pct,
        unsynced=row.unsynced or 0,
        synced_events=row.event_count,
        flags=row.flags,
        is_powered=is_powered,
        problem=row.problem or "",
        is_paused=row.is_paused,
        is_emergency=row.is_emergency,
        restarts=row.restarts.total,
        restarts_en=row.restarts.told("en"),
        restarts_ru=row.restarts.told("ru"),
        timer_restarts=row.restarts.in_timer,
    )


class DemoView:
    """The page's `FieldView` of one demo."""

    has_controls = True

    def __init__(self, gateway: Gateway, field: Field) -> None:
        self._gateway = gateway
        self._field = field
        self._hands = Hands(field)
        self._ruleset = rules.load(next(iter(field.badges.values())).spec.ruleset_id)
        has_fights = any(event.name == "fight_over" for event in self._ruleset.events)
        self.broadcasts = page.BROADCASTS if has_fights else page.BROADCASTS[:-1]

    def rows(self) -> list[page.BadgeRow]:
        """Return all badges by id, with the power, which only the field knows."""
        badges = self._field.badges
        return [
            page_row(row, badges[row.badge_id].is_powered if row.badge_id in badges else None)
            for row in self._gateway.rows()
        ]

    def log(self, limit: int) -> list[page.LogEntry]:
        """Return up to `limit` newest events, newest first."""
        return [
            page.LogEntry(
                time_s=one.time_s,
                badge_id=one.badge_id,
                player=self._gateway.player(one.badge_id),
                text_en=one.text.en,
                text_ru=one.text.ru,
                is_time_known=one.is_time_known,
            )
            for one in self._gateway.recent(limit)
        ]

    async def do(self, action: str, badge_id: int) -> None:
        """Do `action` to a badge. Raises RedbandUserError for what cannot be done."""
        await self._hands.do(action, badge_id)

    async def say(self, word: str) -> None:
        """Say a word to all badges. Raises RedbandUserError for what cannot be said."""
        gateway = self._gateway
        if gateway.keys is None:
            raise RedbandUserError("Without the game's key no badge listens.")
        command = COMMANDS[word.replace("_", "-")]
        said = await asyncio.to_thread(
            make_broadcast, gateway.store, gateway.keys, command, self._ruleset
        )
        gateway.say(said)
