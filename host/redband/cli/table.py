"""The live table on the terminal: one line per badge, the LED as one sees it on the arm.

Guarantee: pure rendering of rows. Colour never carries meaning alone: a lamp has its letter, and
the name of its rhythm stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text as Line

from redband.gateway.rows import BadgeRow, LedView
from redband_core import led

WORDS = {
    "badge": ("Badge", "Повязка"),
    "player": ("Player", "Игрок"),
    "led": ("LED", "Огни"),
    "state": ("State", "Состояние"),
    "hits": ("Hits", "Хиты"),
    "timer": ("Timer", "Таймер"),
    "event": ("Last event", "Последнее событие"),
    "seen": ("Seen", "Слышно"),
    "unsynced": ("To sync", "Не получено"),
    "battery": ("Battery", "Батарея"),
    "never": ("never", "никогда"),
    "ago": ("{} s ago", "{} с назад"),
}
STYLES = {"red": "bold red", "green": "bold green", "vibration": "bold yellow"}
LETTERS = {"red": "R", "green": "G", "vibration": "V"}


def word(key: str, language: str) -> str:
    """Return a word of the table in `language` ("ru", else English)."""
    return WORDS[key][language == "ru"]


def _lamp(lamp: LedView, phase_ms: int) -> Line:
    if not lamp.is_lit:
        return Line("")
    is_on = led.level(lamp.pattern, phase_ms)
    rhythm = lamp.pattern_name.replace("_", " ")
    text = f"{'●' if is_on else '○'}{LETTERS[lamp.color]} {rhythm} "
    return Line(text, style=STYLES[lamp.color] if is_on else "dim " + STYLES[lamp.color])


def lamps(row: BadgeRow, phase_ms: int) -> Line:
    """Return the LEDs and the vibration of a row at `phase_ms` of their rhythm."""
    if not any(lamp.is_lit for lamp in row.leds):
        return Line("·", style="dim")
    return Line("").join(_lamp(lamp, phase_ms) for lamp in row.leds)


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


def _remarks(row: BadgeRow) -> str:
    return ", ".join([*row.flag_names, *([row.problem] if row.problem else [])])


def table(
    rows: Iterable[BadgeRow], phase_ms: int, language: str = "en", title: str | None = None
) -> Table:
    """Return the table of `rows`. phase_ms: ms of a free-running clock, for the blinking."""
    out = Table(title=title, title_justify="left", expand=False)
    out.add_column(word("badge", language), justify="right")
    out.add_column(word("player", language))
    out.add_column(word("led", language), min_width=14)
    out.add_column(word("state", language))
    out.add_column(word("hits", language), justify="right")
    out.add_column(word("timer", language), justify="right")
    out.add_column(word("event", language))
    out.add_column(word("seen", language), justify="right")
    out.add_column(word("unsynced", language), justify="right")
    out.add_column(word("battery", language), justify="right")
    for row in rows:
        event = row.last_event.get(language) if row.last_event else ""
        remarks = _remarks(row)
        battery = "" if row.battery_pct is None else f"{row.battery_pct} %"
        out.add_row(
            str(row.badge_id),
            row.player,
            lamps(row, phase_ms),
            row.state.get(language) + (f" ({remarks})" if remarks else ""),
            _hits(row),
            clock(row.timer_left_s),
            event,
            seen(row, language),
            "" if row.unsynced is None else str(row.unsynced),
            battery,
        )
    return out


def plain_line(row: BadgeRow, language: str = "en") -> str:
    """Return a row as one line of text, for output that is not a terminal."""
    lit = " ".join(f"{lamp.color} {lamp.pattern_name}" for lamp in row.leds if lamp.is_lit)
    parts = [f"{row.badge_id:>5}", f"{row.player:<10}", row.state.get(language)]
    parts += [f"hits {_hits(row)}", lit or "dark"]
    if row.timer_left_s is not None:
        parts.append(f"timer {clock(row.timer_left_s)}")
    if row.last_event is not None:
        parts.append(row.last_event.get(language))
    return "  ".join(parts)
