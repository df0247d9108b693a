"""`redband treatments`: what one badge alone knows is named, with what explains it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.journals import PlayingBadge

from redband.cli import app as cli
from redband.overview.names import RuleNames
from redband.overview.treatments import describe_tap
from redband.rules.loader import load
from redband.store.projection import fold
from redband.store.store import STORE_FILE, Store
from redband_core import journal, numbers, tap

WOUNDS = load("wounds")
NAMES = RuleNames(WOUNDS.ruleset, WOUNDS)
TREAT = WOUNDS.event("treat").id
HIT = WOUNDS.event("hit").id
NOTHING = next(one.id for one in WOUNDS.refusals if one.name == "nothing_to_treat")
PATIENT, MEDIC = 1, 2
NONCE = 0xCAFE
NOON_MS = 1_785_600_000_000
MINUTE_MS = 60_000
WALL = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


class Game:
    """A patient, a medic, and a store with a clock that the test turns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now_ms = NOON_MS
        self.store = Store(folder / STORE_FILE, wall_ms=lambda: self.now_ms)
        self.store.keep_ruleset(WOUNDS.identity, WOUNDS.id, WOUNDS.data)
        self.badges = {one: PlayingBadge(one, one, WOUNDS.ruleset) for one in (PATIENT, MEDIC)}
        self.held = dict.fromkeys(self.badges, 0)
        for badge in self.badges.values():
            badge.start(badge.badge_id)
            self.sync(badge.badge_id)
        self.store.set_player(PATIENT, "Anna")
        self.wait()

    def wait(self) -> None:
        self.now_ms += MINUTE_MS
        for badge in self.badges.values():
            badge.now_ms += MINUTE_MS

    def sync(self, badge_id: int) -> None:
        badge = self.badges[badge_id]
        if badge.next_seq > self.held[badge_id]:
            self.store.ingest_page(badge.page(self.held[badge_id]))
            self.held[badge_id] = badge.next_seq
        self.store.note_contact(badge_id, badge_id, badge_id, "tent", badge.now_ms)

    def tapped(self, side: int, outcome: int, nonce: int = NONCE) -> None:
        badge_id, other = (PATIENT, MEDIC) if side == tap.PATIENT else (MEDIC, PATIENT)
        payload = tap.payload((side, 1), other, nonce, outcome, (TREAT, ()))
        self.badges[badge_id].add(journal.TAP, payload)

    def treated(self, nonce: int = NONCE) -> None:
        """The patient's half: a treatment that counts when there is a wound."""
        self.tapped(tap.PATIENT, numbers.ANSWER_FOLLOWS, nonce)
        self.badges[PATIENT].happen(TREAT, after_ms=0)

    def lines(self, capsys: pytest.CaptureFixture[str], *options: str, code: int = 0):
        self.store.close()
        assert cli.run(["treatments", "--data", str(self.folder), *options]) == code
        return capsys.readouterr().out.splitlines()


@pytest.fixture
def game(tmp_path: Path) -> Game:
    game = Game(tmp_path)
    game.badges[PATIENT].happen(HIT, 0, 0)
    return game


def both(game: Game) -> None:
    game.treated()
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED)
    game.tapped(tap.MEDIC, numbers.ANSWER_DONE)


def synced_later(game: Game) -> None:
    game.wait()
    for badge_id in game.badges:
        game.sync(badge_id)


def test_treatment_in_both_books_is_only_counted(game: Game, capsys) -> None:
    both(game)
    synced_later(game)
    assert game.lines(capsys) == [
        "1 treatments by badge: 1 in both journals, 0 in one only or told differently."
    ]


def test_all_of_them_with_who_whom_what_when_and_result(game: Game, capsys) -> None:
    both(game)
    synced_later(game)
    line = game.lines(capsys, "--all")[0]
    assert re.fullmatch(
        WALL + r"  badge 2 treats badge 1 \(Anna\): treated by a medic: done\. "
        r"Both badges say so\.",
        line,
    )


@pytest.mark.parametrize("language", ["en", "ru"])
def test_only_the_patient_knows_and_the_medic_has_not_been_synced_since(
    game: Game, capsys, language: str
) -> None:
    game.treated()
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED)  # on the medic's badge, which nobody has met
    game.wait()
    game.sync(PATIENT)
    line = game.lines(capsys, "--lang", language)[0]
    told = {
        "en": "Only badge 1 knows; badge 2 has not been synced since.",
        "ru": "Знает только повязка 1; повязку 2 с тех пор не читали.",
    }
    assert line.endswith(told[language])


@pytest.mark.parametrize("side", [tap.PATIENT, tap.MEDIC])
def test_only_one_knows_although_the_other_has_been_synced_since(
    game: Game, capsys, side: int
) -> None:
    if side == tap.PATIENT:
        game.treated()
    else:
        game.tapped(tap.MEDIC, numbers.ANSWER_DONE)
    synced_later(game)
    knows, lacks = (1, 2) if side == tap.PATIENT else (2, 1)
    lines = game.lines(capsys, code=1)
    assert lines[0].endswith(f"Only badge {knows} knows; badge {lacks} has been synced since.")
    assert len(lines) == 2


def test_offer_that_nobody_heard_is_named_and_no_wonder(game: Game, capsys) -> None:
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED)
    synced_later(game)
    line = game.lines(capsys)[0]
    assert ": no answer was heard. Only badge 2 knows; badge 1 has been synced since." in line


def test_medic_who_did_not_hear_the_answer(game: Game, capsys) -> None:
    game.treated()
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED)
    synced_later(game)
    assert game.lines(capsys)[0].endswith(": done. Badge 2 did not hear the answer.")


def test_refused_treatment_agrees_by_its_reason(game: Game, capsys) -> None:
    both(game)
    game.treated(NONCE + 1)
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED, NONCE + 1)
    game.tapped(tap.MEDIC, NOTHING, NONCE + 1)
    synced_later(game)
    lines = game.lines(capsys, "--all")
    assert len(lines) == 3
    assert "nothing to treat. Both badges say so." in lines[1]


def test_medic_who_tells_another_result_is_named(game: Game, capsys) -> None:
    both(game)
    game.treated(NONCE + 1)  # refused: nothing to treat
    game.tapped(tap.MEDIC, numbers.ANSWER_DONE, NONCE + 1)
    synced_later(game)
    line = game.lines(capsys, code=1)[0]
    assert line.endswith("nothing to treat. Badge 2 says: done.")


def test_treatment_cut_off_before_its_decision_was_none(game: Game, capsys) -> None:
    game.tapped(tap.PATIENT, numbers.ANSWER_FOLLOWS)
    game.tapped(tap.MEDIC, numbers.ANSWER_ASKED)
    game.badges[PATIENT].boot(9)
    game.badges[PATIENT].happen(TREAT)  # by staff, later: not that treatment's end
    synced_later(game)
    assert "cut off before it was decided. Badge 2 did not hear" in game.lines(capsys)[0]


def test_second_medic_is_told_so_and_the_patients_book_need_not_know(game: Game, capsys) -> None:
    both(game)
    game.tapped(tap.MEDIC, numbers.ANSWER_ALREADY, NONCE + 1)
    synced_later(game)
    assert len(game.lines(capsys)) == 1


def test_no_store_is_said_in_a_sentence(tmp_path: Path, capsys) -> None:
    assert cli.run(["treatments", "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("redband: There is no store in")


def test_tap_records_leave_the_state_as_it_is(game: Game) -> None:
    game.sync(PATIENT)
    before = fold(PATIENT, game.store.records(PATIENT), {WOUNDS.identity: WOUNDS.ruleset}.get)
    game.tapped(tap.PATIENT, numbers.ANSWER_FOLLOWS)
    game.sync(PATIENT)
    after = fold(PATIENT, game.store.records(PATIENT), {WOUNDS.identity: WOUNDS.ruleset}.get)
    assert after.last_seq == before.last_seq + 1
    assert (after.snapshot, after.events, after.problem) == (before.snapshot, before.events, None)


@pytest.mark.parametrize(
    ("value", "english", "russian"),
    [
        (((0, 1), 2, 5, numbers.ANSWER_FOLLOWS), "by the medic of badge 2:", "медик, повязка 2:"),
        (
            ((0, 0), 1, 0, numbers.ANSWER_SELF),
            "treated by a medic: refused, one's own button is no medic",
            "помощь медика: отказ, своя кнопка не медик",
        ),
        (
            ((1, 1), 1, 5, numbers.ANSWER_ASKED),
            "offers to badge 1: treated by a medic",
            "для повязки 1: помощь медика",
        ),
        (
            ((1, 1), 1, 5, numbers.ANSWER_ALREADY),
            "badge 1, treated by a medic: another medic was first",
            "повязка 1, помощь медика: другой медик был первым",
        ),
    ],
)
def test_tap_record_in_the_events_in_two_languages(value, english: str, russian: str) -> None:
    text = describe_tap(tap.payload(*value, (TREAT, ())), NAMES)
    assert (text.en, text.ru) == (english, russian)
