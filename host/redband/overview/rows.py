"""One badge as a viewer sees it: the row of every table, on the terminal and on the page.

Problem: what is known of a badge comes from two sources, its advert (fresh, unacknowledged, may
be missed) and its journal as synced (complete up to a record, but late). A viewer wants one row.
Guarantee: `BadgeRow` is a plain immutable value; nothing in it has to be looked up elsewhere, and
both languages are in it. It does not decide anything: `redband.gateway.merge` fills it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from redband.rules.model import Text
from redband.store.restarts import Restarts
from redband_core import advert, led

FLAG_NAMES = (
    (advert.FLAG_SAFE_MODE, "safe mode"),
    (advert.FLAG_INPUT_STUCK, "input stuck"),
    (advert.FLAG_JOURNAL_FULL, "journal full"),
    (advert.FLAG_LOW_BATTERY, "low battery"),
    (advert.FLAG_FAULT, "fault"),
)
"""Bits of the advert's `flags` with the words shown for them."""


@dataclass(frozen=True, slots=True)
class LedView:
    """What one output of the badge shows: `color` "red", "green" or "vibration", and its pattern.

    `pattern` is a code of `redband_core.led`, `pattern_name` its name there.
    """

    color: str
    pattern: int
    pattern_name: str

    @property
    def is_lit(self) -> bool:
        """Return True when the pattern is anything but off."""
        return self.pattern != 0


def led_views(patterns: tuple[int, int, int]) -> tuple[LedView, ...]:
    """Return what the three outputs show for a signal's (red, green, vibration) patterns."""
    colors = ("red", "green", "vibration")
    return tuple(
        LedView(color, pattern, led.PATTERN_NAMES[pattern])
        for color, pattern in zip(colors, patterns, strict=True)
    )


@dataclass(frozen=True, slots=True)
class BadgeRow:
    """All a viewer shows of one badge at one moment. None stands for "not known".

    badge_id: 0..65535. signal: index into the ruleset's signals. state: that signal's title.
    leds: red, green, vibration, in this order. hits, hits_max: the first shown counter and its
    greatest value. timer_left_s: whole seconds of the running timer, timer: what it counts
    towards. last_event: title of the newest event. last_seen_age_s: real seconds since the
    last advert (None: never heard by this gateway). unsynced: journal records the host has not
    yet. battery_pct: 0..100. flags: the advert's bits, see FLAG_NAMES. is_paused: the game is,
    on this badge. is_emergency: a real one, which outranks the game. restarts: as far as its
    journal is here. lost_records: that the badge no longer had when it was asked. is_powered:
    known of virtual badges only.
    """

    badge_id: int
    player: str
    role: str = "player"
    signal: int | None = None
    state: Text = field(default_factory=lambda: Text("", ""))
    leds: tuple[LedView, ...] = ()
    hits: int | None = None
    hits_max: int | None = None
    timer_left_s: int | None = None
    timer: Text | None = None
    last_event: Text | None = None
    event_count: int = 0
    last_seen_age_s: float | None = None
    is_fresh: bool = False
    unsynced: int | None = None
    battery_pct: int | None = None
    flags: int = 0
    is_emergency: bool = False
    problem: str | None = None
    is_paused: bool = False
    restarts: Restarts = Restarts()
    lost_records: int = 0
    is_powered: bool | None = None

    @property
    def flag_names(self) -> tuple[str, ...]:
        """Return the words for the advert's flags that are set."""
        return tuple(name for bit, name in FLAG_NAMES if self.flags & bit)
