"""The live table on the terminal: what fits, what is said without colour, in which language."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from redband.overview.merge import led_views
from redband.overview.rows import BadgeRow, Text
from redband.overview.table import RHYTHMS, WORDS, table
from redband_core import led

DYING = BadgeRow(
    badge_id=12,
    player="Badger",
    state=Text("wounded", "при смерти"),
    leds=led_views((led.FAST_BLINK, led.OFF, led.DOUBLE_FLASH)),
    hits=0,
    hits_max=3,
    timer_left_s=897,
    last_event=Text("hit (1, impact sensor)", "попадание (1, датчик удара)"),
    last_seen_age_s=0.2,
    is_fresh=True,
    unsynced=4,
    battery_pct=82,
)
SILENT = BadgeRow(badge_id=13, player="Fox", state=Text("healthy", "здоров"), last_seen_age_s=25.0)


def shown(width: int, language: str, *rows: BadgeRow) -> list[str]:
    """Return the table's lines below its head, as a terminal of `width` columns has them."""
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as capture:
        console.print(table(rows, 1, language, width))
    lines = capture.get().splitlines()
    assert all(len(line) <= width for line in lines)
    return lines[2:]


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    ("language", "state", "rhythm"),
    [("en", "wounded", "●R fast blink ●V"), ("ru", "при смерти", "●R часто ●V")],
)
def test_a_badge_is_one_line_with_its_state_unbroken(
    width: int, language: str, state: str, rhythm: str
) -> None:
    (line,) = shown(width, language, DYING)
    for part in ("12", "Badger", state, rhythm, "0/3", "14:57"):
        assert part in line


def test_the_state_is_readable_on_the_narrowest_terminal() -> None:
    assert any("wounded" in line for line in shown(60, "en", DYING))


def test_a_silent_badge_says_so_on_a_narrow_terminal_too() -> None:
    assert "25 s ago" in " ".join(shown(140, "en", DYING, SILENT))
    assert "(25 s ago)" in " ".join(shown(80, "en", DYING, SILENT))


def test_every_word_has_both_languages() -> None:
    assert set(RHYTHMS) == set(led.PATTERN_NAMES)
    assert all(len(pair) == 2 and all(pair) for pair in (*RHYTHMS.values(), *WORDS.values()))
