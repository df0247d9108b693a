"""The live table on the terminal: one line per badge, the LED as one sees it on the arm.

Guarantee: pure rendering of rows; every row is one line from 80 columns on, unless its badge has
remarks. Colour never carries meaning alone: a lamp has its letter, and the name of its rhythm
stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text as Line

from redband.overview.rows import BadgeRow, LedView
from redband_core import led

WORDS = {
    "badge": ("Badge", "№"),
    "player": ("Player", "Игрок"),
    "led": ("LED", "Огни"),
    "state": ("State", "Состояние"),
    "hits": ("Hits", "Хиты"),
    "timer": ("Timer", "Таймер"),
    "event": ("Last event", "Событие"),
    "seen": ("Seen", "Слышно"),
    "unsynced": ("To sync", "Ждёт"),
    "battery": ("Battery", "Батарея"),
    "never": ("never", "никогда"),
    "ago": ("{} s ago", "{} с назад"),
    "paused": ("paused", "пауза"),
    "emergency": ("EMERGENCY", "ЧП"),
    "restarts": ("restarts: {}", "перезапусков: {}"),
    "in_timer": ("during a timer: {}", "во время таймера: {}"),
    "lost": ("records lost: {}", "записей потеряно: {}"),
}
RHYTHMS = {
    "off": ("off", "выкл."),
    "steady": ("steady", "горит"),
    "slow_blink": ("slow blink", "медленно"),
    "fast_blink": ("fast blink", "часто"),
    "double_flash": ("double flash", "2 вспышки"),
    "short_flash": ("short flash", "1 вспышка"),
    "heartbeat": ("heartbeat", "пульс"),
    "triple_flash": ("triple flash", "3 вспышки"),
}
"""Short names of the LED patterns: the page has room for longer ones."""

WIDE_COLUMNS = 100
"""With less room, what is no news is left out: who was heard just now, and full batteries."""

EMERGENCY_STYLE = "bold white on red"

STATE_COLUMNS = 9
"""The state stays readable however narrow the terminal is."""

STYLES = {"red": "bold red", "green": "bold green", "vibration": "bold yellow"}
LETTERS = {"red": "R", "green": "G", "vibration": "V"}


def word(key: str, language: str) -> str:
    """Return a word of the table in `language` ("ru", else English)."""
    return WORDS[key][language == "ru"]


def _lamp(lamp: LedView, phase_ms: int, language: str) -> Line:
    is_on = led.level(lamp.pattern, phase_ms)
    text = f"{'●' if is_on else '○'}{LETTERS[lamp.color]}"
    if lamp.color != "vibration":  # nobody sees its rhythm from afar
        text += f" {RHYTHMS[lamp.pattern_name][language == 'ru']}"
    return Line(text, style=STYLES[lamp.color] if is_on else "dim " + STYLES[lamp.color])


def lamps(row: BadgeRow, phase_ms: int, language: str = "en") -> Line:
    """Return the LEDs and the vibration of a row at `phase_ms` of their rhythm."""
    lit = [lamp for lamp in row.leds if lamp.is_lit]
    if not lit:
        return Line("·", style="dim")
    return Line(" ").join(_lamp(lamp, phase_ms, language) for lamp in lit)


def clock(seconds: int | None) -> str:
    """Return seconds as m:ss, nothing for None."""
    return "" if seconds is None else f"{seconds // 60}:{seconds % 60:02d}"


def seen(row: BadgeRow, language: str) -> Line:
    """Return since when the badge has been silent, loudly when that is long."""
    if row.last_seen_age_s is None:
        return Line(word("never", language), style="dim")
    text = word("ago", language).format(round(row.last_seen_age_s))
    return Line(text, style="" if row.is_fresh else "bold magenta")


def _hits(row: BadgeRow) -> str:
    if row.hits is None:
        return "?"
    return f"{row.hits}/{row.hits_max}" if row.hits_max is not None else str(row.hits)


def _remarks(row: BadgeRow, language: str, is_narrow: bool) -> str:
    remarks = [word("emergency", language)] if row.is_emergency else []
    remarks += [word("paused", language)] if row.is_paused else []
    remarks += [*row.flag_names, *([row.problem] if row.problem else []), *counts(row, language)]
    if is_narrow and not row.is_fresh:
        remarks.append(seen(row, language).plain)
    gap = "\n" if is_narrow else " "
    return f"{gap}({', '.join(remarks)})" if remarks else ""


def counts(row: BadgeRow, language: str) -> list[str]:
    """Return how often the badge was started again, how often while a timer ran, what is lost."""
    found = (
        ("restarts", row.restarts.total),
        ("in_timer", row.restarts.in_timer),
        ("lost", row.lost_records),
    )
    return [word(key, language).format(count) for key, count in found if count]


def table(
    rows: Iterable[BadgeRow], phase_ms: int, language: str = "en", width: int = 140
) -> Table:
    """Return the table of `rows` for a terminal of `width` columns.

    phase_ms: ms of a free-running clock, for the blinking.
    """
    is_narrow = width < WIDE_COLUMNS
    # One space beside the box's own: two between columns, where a frame would take three.
    out = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for key in ("badge", "player", "led", "state", "hits", "timer", "event", "unsynced"):
        is_number = key in ("badge", "hits", "timer", "unsynced")
        out.add_column(
            word(key, language),
            justify="right" if is_number else "left",
            no_wrap=key not in ("state", "event"),
            min_width=STATE_COLUMNS if key == "state" else None,
        )
    if not is_narrow:
        out.add_column(word("seen", language), justify="right", no_wrap=True)
        out.add_column(word("battery", language), justify="right", no_wrap=True)
    # Who is really hurt stands on top.
    for row in sorted(rows, key=lambda row: not row.is_emergency):
        cells = _cells(row, phase_ms, language, is_narrow)
        style = EMERGENCY_STYLE if row.is_emergency else None
        out.add_row(*cells[: len(out.columns)], style=style)
    return out


def _cells(row: BadgeRow, phase_ms: int, language: str, is_narrow: bool) -> tuple[Line, ...]:
    event = row.last_event.get(language) if row.last_event else ""
    return (
        Line(str(row.badge_id)),
        Line(row.player),
        lamps(row, phase_ms, language),
        Line(row.state.get(language) + _remarks(row, language, is_narrow)),
        Line(_hits(row)),
        Line(clock(row.timer_left_s)),
        Line(event, no_wrap=True, overflow="ellipsis"),
        Line("" if row.unsynced is None else str(row.unsynced)),
        seen(row, language),
        Line("" if row.battery_pct is None else f"{row.battery_pct} %"),
    )


def plain_line(row: BadgeRow, language: str = "en") -> str:
    """Return a row as one line of text, for output that is not a terminal."""
    lit = " ".join(f"{lamp.color} {lamp.pattern_name}" for lamp in row.leds if lamp.is_lit)
    parts = [f"{row.badge_id:>5}", f"{row.player:<10}", row.state.get(language)]
    parts += [f"hits {_hits(row)}", lit or "dark"]
    if row.timer_left_s is not None:
        parts.append(f"timer {clock(row.timer_left_s)}")
    if row.last_event is not None:
        parts.append(row.last_event.get(language))
    if row.is_emergency:
        parts.append(word("emergency", language))
    if row.is_paused:
        parts.append(word("paused", language))
    parts += counts(row, language)
    return "  ".join(parts)
