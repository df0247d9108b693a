"""A game in memory, as the page sees it: for tests of the page and for its pictures."""

from __future__ import annotations

import dataclasses
import time

from redband.errors import RedbandUserError
from redband.overview.chronicle import Entry
from redband.overview.rows import BadgeRow, Text, led_views
from redband.tent.view import BROADCASTS
from redband_core import led

STATES = {
    "healthy": ("healthy", "здоров", 0, led.SHORT_FLASH, 0),
    "wounded": ("wounded", "ранен", led.DOUBLE_FLASH, 0, 0),
    "dying": ("dying", "при смерти", led.FAST_BLINK, 0, led.DOUBLE_FLASH),
    "resting": ("resting", "отдыхает", 0, led.HEARTBEAT, 0),
    "knockdown": ("knockdown", "нокдаун", led.TRIPLE_FLASH, 0, 0),
    "recovering": (
        "resting after an operation",
        "отдых после операции",
        led.SHORT_FLASH,
        led.SLOW_BLINK,
        0,
    ),
    "dead": ("dead", "мёртв", led.STEADY, 0, 0),
}
HIT = ("hit (1 from button)", "попадание (1, кнопка)")
BLOW = ("hit (1 from sensor)", "попадание (1, датчик)")
HEALED = ("first aid begun", "начата первая помощь")
BOOTED = ("switched on", "включена")


def row(badge_id: int, player: str, state: str, hits: int | None, **others: object) -> BadgeRow:
    """Return a row in one of STATES, heard just now, with `others` on top."""
    english, russian, red, green, vibration = STATES[state]
    fields: dict = {
        "state": Text(english, russian),
        "leds": led_views((red, green, vibration)),
        "hits": hits,
        "hits_max": 3,
        **seen(0.2),
        "battery_pct": 84,
        "event_count": 12,
        "is_powered": True,
        **others,
    }
    return BadgeRow(badge_id, player, **fields)


def timer(seconds: int, english: str, russian: str) -> dict[str, object]:
    """Return the fields of a running timer."""
    return {"timer_left_s": seconds, "timer": Text(english, russian)}


def event(texts: tuple[str, str]) -> dict[str, object]:
    """Return the fields of a last event."""
    return {"last_event": Text(*texts)}


def seen(age_s: float | None) -> dict[str, object]:
    """Return the fields of a badge that was last heard so long ago."""
    return {"last_seen_age_s": age_s, "is_fresh": age_s is not None and age_s < 16}


def skirmish() -> list[BadgeRow]:
    """Return nine badges in nine different situations."""
    death = ("until death", "до смерти")
    return [
        row(1, "Marfa", "healthy", 3, **event(BOOTED), event_count=4),
        row(2, "Ratibor", "wounded", 1, **event(BLOW), battery_pct=71, unsynced=2),
        row(3, "Wolf", "dying", 0, **timer(754, *death), **event(HIT), battery_pct=66),
        row(4, "Yarina", "resting", 1, **timer(431, "of rest", "отдыха"), **event(HEALED)),
        row(5, "Gleb", "knockdown", 2, **timer(9, "until standing up", "до подъёма")),
        row(6, "Zlata", "wounded", 2, **event(HIT), **seen(25.0), battery_pct=58, unsynced=1),
        row(7, "Old Trifon", "recovering", 0, **timer(1322, "of rest", "отдыха"), battery_pct=12),
        row(8, "Nadezhda", "dead", 0, **event(("died", "смерть")), battery_pct=90),
        row(9, "Scout", "wounded", 2, **event(HIT), **seen(48.0), is_powered=False),
    ]


class ExampleField:
    """A `FieldView` whose rows a test sets, and which remembers what was done."""

    def __init__(self) -> None:
        self.reset()

    def reset(self, now_s: float = 0.0) -> None:
        """Return to the skirmish. now_s: Unix time of the newest event (0: now)."""
        self.has_controls = True
        self.broadcasts: tuple[str, ...] = BROADCASTS
        self.said: list[str] = []
        self._rows = {row.badge_id: row for row in skirmish()}
        self.done: list[tuple[str, int]] = []
        self.refusal: str | None = None

        start_s = now_s or time.time()
        past = [(9, HIT), (8, ("died", "смерть")), (3, HIT), (4, HEALED), (2, BLOW), (6, HIT)]
        past += [(3, BLOW), (2, HIT), (5, ("stunned", "оглушение")), (7, HEALED), (1, BOOTED)]
        self.lines = [
            self._entry(start_s - 7 * age, badge_id, text)
            for age, (badge_id, text) in enumerate(past)
        ]

    def _entry(self, time_s: float, badge_id: int, text: tuple[str, str]) -> Entry:
        return Entry(time_s, badge_id, Text(*text), player=self._rows[badge_id].player)

    def change(self, badge_id: int, **fields: object) -> None:
        """Replace fields of a row."""
        self._rows[badge_id] = dataclasses.replace(self._rows[badge_id], **fields)  # type: ignore[arg-type]

    def put(self, rows: list[BadgeRow]) -> None:
        """Replace all rows."""
        self._rows = {row.badge_id: row for row in rows}

    def rows(self) -> list[BadgeRow]:
        """See FieldView."""

        return list(self._rows.values())

    def log(self, limit: int) -> list[Entry]:
        """See FieldView."""
        return self.lines[:limit]

    async def do(self, action: str, badge_id: int) -> None:
        """See FieldView. A press takes a hit; the battery goes out and comes back."""
        self.done.append((action, badge_id))
        if self.refusal is not None:
            raise RedbandUserError(self.refusal)
        if action in ("press", "shake"):
            text = HIT if action == "press" else BLOW
            hits = max(0, (self._rows[badge_id].hits or 0) - 1)
            self.change(badge_id, hits=hits, **event(text))
            self.lines.insert(0, self._entry(time.time(), badge_id, text))
        elif action in ("pull", "restore"):
            self.change(badge_id, is_powered=action == "restore")

    async def say(self, word: str) -> None:
        """See FieldView."""
        self.said.append(word)
        for badge_id in self._rows:
            self.change(badge_id, is_paused=word == "stop")
