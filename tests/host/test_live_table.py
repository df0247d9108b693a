"""The live table on the terminal: what fits, what is said without colour, in which language."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.live_table import DYING, shown

from redband.overview.rows import BadgeRow, Text
from redband.overview.table import RHYTHMS, WORDS, plain_line
from redband.tent.changes import row_data
from redband_core import led

SILENT = BadgeRow(badge_id=13, player="Fox", state=Text("healthy", "здоров"), last_seen_age_s=25.0)


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


def test_lost_records_are_shown_in_the_table_in_lines_and_on_the_page() -> None:
    row = replace(SILENT, lost_records=15)
    assert "records lost: 15" in " ".join(shown(140, "en", row))
    assert "записей потеряно: 15" in plain_line(row, "ru")
    assert row_data(row)["lost_records"] == 15
    assert "lost" not in plain_line(SILENT)
