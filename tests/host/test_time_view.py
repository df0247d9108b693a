"""Restarts, pauses and times as a game master sees them: events, table and page, two languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.journals import PlayingBadge
from tests.support.live_table import DYING, shown

from redband.cli import app as cli
from redband.number_texts import CAUSES
from redband.overview.rows import BadgeRow, Text
from redband.overview.table import plain_line
from redband.rules.loader import load
from redband.store.restarts import Restarts
from redband.store.store import STORE_FILE, Store
from redband.tent.changes import row_data
from redband_core import journal, numbers

HITS = load("hits")
WOUNDS = load("wounds")
HIT = HITS.event("hit").id
NOON_MS = 1_785_600_000_000
HOUR_MS = 3_600_000
POWER, WATCHDOG = 1, 3
WALL = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


class Field:
    """A store with a clock that the test turns, and one badge."""

    def __init__(self, folder: Path, ruleset=HITS) -> None:
        self.folder = folder
        self.now_ms = NOON_MS
        self.store = Store(folder / STORE_FILE, wall_ms=lambda: self.now_ms)
        self.store.keep_ruleset(ruleset.identity, ruleset.id, ruleset.data)
        self.badge = PlayingBadge(3, 9, ruleset.ruleset)
        self.held = 0

    def sync(self, boot_id: int) -> None:
        self.store.ingest_page(self.badge.page(self.held))
        self.held = self.badge.next_seq
        self.store.note_contact(3, 9, boot_id, "tent", self.badge.now_ms)

    def lines(self, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
        self.store.close()
        assert cli.run(["events", "--data", str(self.folder), *options]) == 0
        return capsys.readouterr().out.splitlines()


@pytest.fixture
def field(tmp_path: Path) -> Field:
    return Field(tmp_path)


def test_G3_a_boot_that_was_not_met_is_before_the_next_in_order_and_never_1970(
    field: Field, capsys: pytest.CaptureFixture[str]
) -> None:
    field.badge.start(boot_id=0xA)
    for _hit in range(2):
        field.badge.happen(HIT, 1, 0)
    field.badge.boot(0xB)
    field.badge.happen(HIT, 1, 1)
    field.sync(0xB)
    lines = field.lines(capsys)
    assert [line.split()[3] for line in lines] == ["2", "3", "4", "5", "6"]
    for line in lines[:3]:
        assert "  ?  " in line
        assert line.endswith("(before boot 0000000b, time unknown)")
    for line in lines[3:]:
        assert re.search(WALL, line)
        assert "unknown" not in line
    assert not re.search(r"19[67]\d-|20[03]\d-", "\n".join(lines))


def test_G3_in_russian(field: Field, capsys: pytest.CaptureFixture[str]) -> None:
    field.badge.start(boot_id=0xA)
    field.badge.boot(0xB)
    field.sync(0xB)
    lines = field.lines(capsys, "--lang", "ru")
    assert lines[0].endswith("включена (до запуска 0000000b, время неизвестно)")


def test_R17_the_date_2035_is_corrected_by_the_next_sync(
    field: Field, capsys: pytest.CaptureFixture[str]
) -> None:
    field.badge.start(boot_id=0xA)
    field.badge.happen(HIT, 1, 0)
    field.now_ms = NOON_MS + 9 * 365 * 24 * HOUR_MS
    field.sync(0xA)
    field.now_ms = NOON_MS + HOUR_MS
    field.badge.happen(HIT, 1, 0, after_ms=HOUR_MS)
    field.sync(0xA)
    lines = field.lines(capsys)
    assert all("2026-" in line for line in lines)


def test_R11_a_restart_is_told_as_a_fact_with_its_cause(
    field: Field, capsys: pytest.CaptureFixture[str]
) -> None:
    field.badge.start(boot_id=1)
    field.badge.boot(2, POWER)
    for _hit in range(3):
        field.badge.happen(HIT, 1, 0)
    field.badge.boot(3, POWER)  # dying: a timer runs
    field.badge.boot(4, WATCHDOG)
    field.sync(4)
    told = [line.split("  ")[-1].split(" (before")[0] for line in field.lines(capsys)]
    assert [line for line in told if "started" in line or "switched" in line] == [
        "switched on",
        "started again: battery out or brownout",
        "started again: battery out or brownout, while a timer ran",
        "started again: watchdog",
    ]


def test_restarts_are_counted_by_cause_for_each_badge(
    field: Field, capsys: pytest.CaptureFixture[str]
) -> None:
    field.badge.start(boot_id=1)
    for _hit in range(3):
        field.badge.happen(HIT, 1, 0)
    for number, cause in enumerate((POWER, WATCHDOG, POWER)):
        field.badge.boot(2 + number, cause)
    field.sync(4)
    assert field.lines(capsys, "--restarts") == [
        "    3  restarts: 3 (battery out or brownout 2, watchdog 1), during a timer: 2"
    ]
    assert field.lines(capsys, "--restarts", "--lang", "ru") == [
        "    3  перезапусков: 3 (без питания: батарея или просадка 2, сторожевой таймер 1),"
        " во время таймера: 2"
    ]


def test_a_pause_and_what_was_refused_in_it_are_told_once(
    field: Field, capsys: pytest.CaptureFixture[str]
) -> None:
    badge = field.badge
    badge.start(boot_id=1)
    badge.add(journal.PAUSE, b"\x05", 1000)
    badge.add(journal.REFUSED, journal.refused_payload(numbers.REFUSED_PAUSED, HIT, (1, 0)), 0)
    badge.begin_segment(1)
    badge.add(journal.PAUSE, b"", 0)  # the segment says it again
    badge.add(journal.RESUME, b"\x06", 0)
    field.sync(1)
    english = field.lines(capsys)
    assert [line.split("  ")[-1] for line in english[1:]] == [
        "the game is paused",
        "hit (1, button): refused, the game is paused",
        "the game goes on",
    ]
    russian = field.lines(capsys, "--lang", "ru")
    assert russian[1].endswith("игра на паузе")
    assert russian[2].endswith("отказ, игра на паузе")


def test_W10_what_the_rules_noted_is_told_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    field = Field(tmp_path, WOUNDS)
    field.badge.start(boot_id=1)
    note = journal.note_payload(numbers.NOTE_OF_RULES, 1_800_000)
    field.badge.add(journal.NOTE, note, 1000)
    field.sync(1)
    assert field.lines(capsys)[-1].endswith("noted: amnesia 1800000")


# The live table and the page.

OFTEN = Restarts(power=4, watchdog=1, sleep=7, in_timer=2)


def test_the_table_counts_restarts_and_marks_those_in_a_timer() -> None:
    row = BadgeRow(7, "Fox", state=Text("dying", "при смерти"), restarts=OFTEN, is_paused=True)
    english = " ".join(" ".join(shown(180, "en", DYING, row)).split())
    assert "paused" in english
    assert "restarts: 5" in english
    assert "during a timer: 2" in english
    russian = " ".join(" ".join(shown(180, "ru", row)).split())
    assert "пауза" in russian
    assert "перезапусков: 5" in russian
    assert "restarts: 5  during a timer: 2" in plain_line(row)
    assert "restart" not in " ".join(shown(140, "en", DYING))


def test_causes_are_named_in_both_languages_without_a_verdict() -> None:
    assert OFTEN.told("en") == "battery out or brownout 4, watchdog 1, woken from sleep 7"
    assert (
        OFTEN.told("ru")
        == "без питания: батарея или просадка 4, сторожевой таймер 1, проснулась 7"
    )
    assert OFTEN.total == 5
    assert Restarts().told("en") == ""
    for english, russian in CAUSES.values():
        assert english != russian
        assert not re.search(r"cheat|pulled|жульн|обман", english + russian)


def test_the_page_gets_pause_and_restarts() -> None:
    row = BadgeRow(7, "Fox", state=Text("dying", "при смерти"), restarts=OFTEN, is_paused=True)
    data = row_data(row)
    assert (data["restarts"], data["timer_restarts"], data["is_paused"]) == (5, 2, True)
    assert data["causes"] == [OFTEN.told("en"), OFTEN.told("ru")]


def test_a_timer_of_a_paused_badge_does_not_run_on_the_page() -> None:
    row = BadgeRow(7, "Fox", state=Text("dying", "при смерти"), timer_left_s=90, is_fresh=True)
    assert row_data(row)["is_running"]
    paused = BadgeRow(7, "Fox", state=row.state, timer_left_s=90, is_fresh=True, is_paused=True)
    assert not row_data(paused)["is_running"]
