"""Broadcasts and commands on the host: numbers, who is told what, words for people."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest
from tests.support.gateway_radio import out_of_range
from tests.support.gateways import Rig
from tests.support.journals import PlayingBadge

from redband import number_texts, rules
from redband.cli import command as cli_command
from redband.cli import say as cli_say
from redband.demo.view import DemoView
from redband.errors import RedbandUserError
from redband.gateway import command
from redband.gateway.broadcasts import (
    COMMANDS,
    Broadcast,
    known_broadcasts,
    make_broadcast,
    missed,
)
from redband.gateway.gateway import Gateway
from redband.keys import GameKeys
from redband.overview.answers import told
from redband.overview.chronicle import describe
from redband.overview.names import RuleNames
from redband.overview.rows import BadgeRow, Text
from redband.overview.table import plain_line, table
from redband.radio.reader import AdvertReader, Verdict
from redband.rules.spoken import read_event
from redband.store.projection import Projector
from redband.store.records import Record
from redband.store.store import Store
from redband.tent.view import BROADCASTS
from redband.virtual.field import Field
from redband_core import advert, command_frames, journal, numbers

HITS = rules.load("hits")
WOUNDS = rules.load("wounds")
KEYS = GameKeys(bytes(range(32)))
NAMES = RuleNames(HITS.ruleset, HITS)
WAIT_S = 10


# Words.


def test_numbers_grow_also_when_the_clock_goes_back(store: Store):
    numbers = []
    for now_ms in (1_000_000, 1_000_500, 900_000, 5_000_900):
        store.wall_ms = partial(int, now_ms)
        numbers.append(make_broadcast(store, KEYS, COMMANDS["stop"]).number)
    assert numbers == [1000, 1001, 1002, 5000]
    assert [word.number for word in known_broadcasts(store, KEYS)] == numbers


def test_words_of_two_games_do_not_mix(store: Store):
    make_broadcast(store, KEYS, COMMANDS["stop"])
    assert known_broadcasts(store, GameKeys.new()) == []
    assert known_broadcasts(store, None) == []


def test_a_broadcast_is_an_advert_of_the_game(store: Store):
    word = make_broadcast(store, KEYS, COMMANDS["stop"])
    assert word.payload[:2] == bytes((advert.MAGIC, advert.form(advert.KIND_BROADCAST)))
    assert AdvertReader(KEYS).read(word.payload, 0.0)[0] is Verdict.CALL
    assert (word.pauses, make_broadcast(store, KEYS, COMMANDS["resume"]).pauses) == (True, False)
    assert make_broadcast(store, KEYS, COMMANDS["game-over"]).pauses is None


def test_end_of_a_fight_needs_a_ruleset_that_has_one(store: Store):
    fight_over = COMMANDS["fight-over"]
    with pytest.raises(RedbandUserError, match="hits has no end of a fight"):
        make_broadcast(store, KEYS, fight_over, HITS)
    with pytest.raises(RedbandUserError, match="--ruleset"):
        make_broadcast(store, KEYS, fight_over)
    assert known_broadcasts(store, KEYS) == []
    assert make_broadcast(store, KEYS, fight_over, WOUNDS).command == numbers.BROADCAST_FIGHT_OVER


@pytest.mark.parametrize(("role", "may"), [(1, False), (2, True), (3, True), (4, False)])
def test_only_marshal_and_master_broadcast(store: Store, role: int, may: bool):
    keys = KEYS.for_role(role)
    if may:
        assert make_broadcast(store, keys, COMMANDS["stop"]).number
    else:
        with pytest.raises(RedbandUserError, match="does not speak to all badges"):
            make_broadcast(store, keys, COMMANDS["stop"])


def test_a_badge_is_told_what_it_missed_in_order_and_not_more_than_it_can_use():
    words = [Broadcast(number, 1, b"") for number in range(1, 41)]
    assert [word.number for word in missed(words, 38)] == [39, 40]
    assert [word.number for word in missed(words, 0)] == list(range(25, 41))
    assert missed(words, 40) == []


def test_every_word_has_a_title_in_both_languages():
    assert number_texts.BROADCASTS.keys() == set(COMMANDS.values())
    assert all(english and russian for english, russian in number_texts.BROADCASTS.values())


# The gateway.


@asynccontextmanager
async def two_badges(store: Store) -> AsyncIterator[Rig]:
    """A gateway that runs beside two badges."""
    rig = Rig(store, KEYS, asyncio.get_running_loop().time)
    for badge_id in (1, 2):
        rig.radio.badges[badge_id] = PlayingBadge(badge_id, 1000 + badge_id, HITS.ruleset)
        rig.radio.badges[badge_id].start(1)
    await rig.gateway.load()
    async with rig.running():
        yield rig


async def test_all_badges_in_range_are_told_and_one_that_shows_it_is_not(store: Store):
    async with two_badges(store) as rig:
        for badge_id in (1, 2):
            await rig.radio.advertise(badge_id)
        word = make_broadcast(store, KEYS, COMMANDS["stop"])
        rig.radio.newest_word = word.number
        await rig.radio.advertise(2, is_paused=True)
        rig.gateway.say(word)
        await rig.settled(lambda: 1 in rig.radio.told)
        assert rig.radio.told == {1: [word.payload]}
        live = rig.gateway.live(2)  # as loud as badge 1, which is taken first
        assert live is not None
        assert live.has_heard(word)


async def test_one_badge_is_told_although_all_show_it_so_that_it_passes_it_on(store: Store):
    async with two_badges(store) as rig:
        for badge_id in (1, 2):
            await rig.radio.advertise(badge_id)
        word = make_broadcast(store, KEYS, COMMANDS["resume"])
        rig.radio.newest_word = word.number
        rig.gateway.say(word)
        await rig.settled(lambda: bool(rig.radio.told))
        (told,) = rig.radio.told.values()
        assert told == [word.payload]


async def test_a_badge_that_was_away_is_told_all_it_missed_when_it_is_heard(store: Store):
    said = [make_broadcast(store, KEYS, COMMANDS[name]) for name in ("stop", "resume")]
    async with two_badges(store) as rig:
        rig.radio.newest_word = said[-1].number
        await rig.radio.advertise(1, is_paused=True)
        await rig.settled(lambda: 1 in rig.radio.told)
        assert rig.radio.told[1] == [word.payload for word in said]
        await rig.radio.advertise(1)
        await rig.gateway.drained({1})
        assert rig.radio.told[1] == [word.payload for word in said]


async def test_a_badge_that_was_told_a_word_is_told_the_next(store: Store):
    async with two_badges(store) as rig:
        await rig.radio.advertise(1)
        await rig.gateway.drained({1})
        said = []
        for name in ("stop", "resume"):
            said.append(make_broadcast(store, KEYS, COMMANDS[name]))
            rig.radio.newest_word = said[-1].number
            rig.gateway.say(said[-1])
            await rig.settled(lambda: len(rig.radio.told.get(1, ())) == len(said))
        assert rig.radio.told[1] == [word.payload for word in said]
        live = rig.gateway.live(1)
        assert live is not None
        assert live.broadcast_number == said[-1].number


async def test_a_badge_that_comes_back_into_range_with_nothing_new_is_told(store: Store):
    async with two_badges(store) as rig:
        await rig.radio.advertise(1)
        await rig.gateway.drained({1})
        word = make_broadcast(store, KEYS, COMMANDS["stop"])  # by another program
        rig.radio.newest_word = word.number
        await rig.gateway.heard(1)
        async with asyncio.timeout(WAIT_S):
            while 1 not in rig.radio.told:
                await rig.radio.advertise(1)
                await asyncio.sleep(0.1)
        assert rig.radio.told == {1: [word.payload]}


async def test_a_badge_whose_journal_lacks_a_word_is_told_it_although_it_shows_it(store: Store):
    """Else somebody could send it a recording later."""
    word = make_broadcast(store, KEYS, COMMANDS["stop"])
    async with two_badges(store) as rig:
        rig.radio.newest_word = word.number
        await rig.radio.advertise(1, is_paused=True)
        await rig.settled(lambda: 1 in rig.radio.told)
        assert rig.radio.order[0] == 1  # its journal first: it may have heard it
        assert rig.radio.told[1] == [word.payload]


async def test_telling_that_fails_is_tried_again_and_says_so(store: Store):
    async with two_badges(store) as rig:
        await rig.radio.advertise(1)
        await rig.gateway.drained({1})
        word = make_broadcast(store, KEYS, COMMANDS["game-over"])
        rig.radio.newest_word = word.number
        rig.radio.faults[1] = out_of_range
        rig.gateway.say(word)
        await rig.settled(lambda: bool(rig.gateway.rows()[0].problem))
        rig.radio.faults.clear()
        await rig.settled(lambda: 1 in rig.radio.told)
        assert rig.gateway.rows()[0].problem is None


async def test_the_pages_buttons_say_words_that_the_rules_have(store: Store):
    for ruleset_id, words in (("hits", ("stop", "resume")), ("wounds", BROADCASTS)):
        badge = SimpleNamespace(spec=SimpleNamespace(ruleset_id=ruleset_id))
        field = SimpleNamespace(badges={1: badge})
        said: list[Broadcast] = []
        gateway = SimpleNamespace(keys=KEYS, store=store, say=said.append)
        view = DemoView(cast("Gateway", gateway), cast("Field", field))
        assert view.broadcasts == words
        for word in words:
            await view.say(word)
        assert [word.command for word in said] == [1, 2, 3][: len(words)]
        assert [word.number for word in said] == sorted({word.number for word in said})


# What the journal says of it.


def record(seq: int, kind: int, payload: bytes) -> Record:
    return Record(1, 1, 7, 1, seq, kind, 1000 * seq, payload, 0)


def note(seq: int, code: int, value: int) -> Record:
    return record(seq, journal.NOTE, journal.note_payload(code, value))


def test_a_word_counts_together_with_the_record_that_it_made():
    projector = Projector(1, lambda _identity: None)
    projector.apply(note(0, numbers.NOTE_BROADCAST, 5 << 1))
    assert projector.broadcast_number == 5
    projector.apply(note(1, numbers.NOTE_BROADCAST, 6 << 1 | 1))
    assert projector.broadcast_number == 5
    projector.apply(record(2, journal.PAUSE, b""))  # a new segment says it again
    assert projector.broadcast_number == 5
    projector.apply(record(3, journal.RESUME, b"\x06"))
    assert projector.broadcast_number == 6
    projector.apply(note(4, numbers.NOTE_BROADCAST, 7 << 1 | 1))
    projector.apply(note(5, numbers.NOTE_GAME_ENDED, 0))
    assert projector.state().broadcast_number == 7


@pytest.mark.parametrize(
    ("code", "value", "words"),
    [
        (numbers.NOTE_EMERGENCY, 1, "REAL EMERGENCY"),
        (numbers.NOTE_EMERGENCY, 0, "is over"),
        (numbers.NOTE_SENT_BY, 2, "by the marshal"),
        (numbers.NOTE_SENT_BY, 3, "by the game master"),
        (numbers.NOTE_BROADCAST, 5 << 1, "broadcast 5"),
    ],
)
def test_log_line(code: int, value: int, words: str):
    text = describe(note(0, code, value), NAMES)
    assert text is not None
    assert words in text.en
    assert text.ru != text.en


def test_an_emergency_stands_on_top_of_the_table_and_in_every_line():
    rows = [
        BadgeRow(1, "Anna"),
        BadgeRow(2, "Boris", is_emergency=True, state=Text("well", "цел")),
    ]
    made = table(rows, 0)
    assert [str(cell) for cell in made.columns[0].cells] == ["2", "1"]
    assert made.rows[0].style
    assert "EMERGENCY" in plain_line(rows[1])
    assert "ЧП" in plain_line(rows[1], "ru")


# Events as people type them.


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["hit", "2", "staff"], (1, (2, 2))),
        (["hit", "source=button", "3"], (1, (3, 0))),
        (["hit", "2", "2"], (1, (2, 2))),
        (["void", "1"], (0, (1,))),
        (["void", "1", "sensor"], (0, (1, 1))),
        (["stun"], (2, ())),
    ],
)
def test_event_as_typed(words: list[str], numbers: tuple):
    assert read_event(HITS, words[0], words[1:]) == numbers


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["hti"], 'The ruleset hits has no event "hti"; did you mean "hit"?'),
        (["hit"], '"hit" needs a value for n: 1 to 9.'),
        (["hit", "2"], '"hit" needs a value for source: button, sensor or staff.'),
        (["hit", "77", "staff"], 'n of "hit" is 1 to 9, not 77.'),
        (["hit", "2", "me"], 'source of "hit" is button, sensor or staff, not me.'),
        (
            ["hit", "2", "staff", "3"],
            '"hit" takes n (1 to 9), source (button, sensor or staff); "3" is over.',
        ),
        (["stun", "3"], '"stun" takes no arguments; "3" is over.'),
        (
            ["hit", "x=2"],
            'x is no argument of "hit"; it takes n (1 to 9), source (button, sensor or staff).',
        ),
        (
            ["hit", "2", "n=2"],
            'n was given already of "hit"; it takes n (1 to 9), source (button, sensor or staff).',
        ),
    ],
)
def test_what_is_wrong_with_an_event_is_one_sentence(words: list[str], sentence: str):
    with pytest.raises(RedbandUserError) as caught:
        read_event(HITS, words[0], words[1:])
    assert str(caught.value) == sentence


def test_every_outcome_has_words_in_both_languages():
    ours = [value for name, value in vars(numbers).items() if name.startswith("ANSWER_")]
    assert len(ours) == 14
    for outcome in (*ours, *range(1, len(HITS.refusals))):
        text = told(outcome, NAMES)
        assert text.en
        assert text.ru != text.en


def test_commands_are_those_of_the_badge():
    assert sorted(command.COMMANDS.values()) == list(range(1, len(command_frames.COMMAND_ROLES)))


def test_help_names_every_command_and_every_broadcast():
    assert ", ".join(command.COMMANDS) == cli_command.NAMES
    assert ", ".join(COMMANDS) == cli_say.NAMES
