"""The fold of a journal: the badge's own state, whatever way the records came."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.support.journals import JournalMaker, PlayingBadge, records_of

from redband.rules.loader import load
from redband.store.projection import BadgeState, Projector, fold
from redband.store.records import Record
from redband.store.store import Store
from redband_core import journal, numbers
from redband_core.engine import Engine

HITS = load("hits")
HIT = HITS.event("hit").id
STUN = HITS.event("stun").id
TREAT = HITS.event("treat").id
VOID = 0


def lookup(identity: bytes):
    return HITS.ruleset if identity == HITS.identity else None


def playing(params: dict[str, int] | None = None) -> PlayingBadge:
    badge = PlayingBadge(3, 9, HITS.ruleset, tuple(HITS.param_values(params)))
    badge.start(boot_id=77)
    return badge


def a_game(seed: int = 1) -> PlayingBadge:
    """A badge that has seen hits, refusals, voids, timers, two boots and a new segment."""
    rng = random.Random(seed)
    badge = playing({"max_hits": 4})
    for number in range(120):
        after_ms = rng.choice((1, 40, 900, 5000, 60_000))
        deed = rng.randrange(6)
        if deed < 2:
            badge.happen(HIT, 1, rng.randrange(2), after_ms=after_ms)
        elif deed == 2:
            badge.happen(VOID, 1, after_ms=after_ms)
        elif deed == 3:
            badge.happen(TREAT, after_ms=after_ms)
        elif deed == 4:
            badge.happen(STUN, after_ms=after_ms)
        else:
            badge.pass_time(after_ms, is_written=rng.random() < 0.5)
        if number % 40 == 39:
            badge.begin_segment(77)
    return badge


def host_state(badge: JournalMaker) -> BadgeState:
    return fold(badge.badge_id, records_of(badge), lookup)


@pytest.mark.parametrize("seed", range(8))
def test_the_host_folds_to_the_badges_own_bytes(seed: int) -> None:
    badge = a_game(seed)
    state = host_state(badge)
    badge.engine.advance(badge.now_ms)
    projector = Projector(3, lookup)
    for record in records_of(badge):
        projector.apply(record)
    assert projector.state(badge.now_ms).snapshot == badge.engine.snapshot()
    assert (state.verified, state.mismatched, state.lost_records) == (3, 0, 0)
    assert state.problem is None


def test_G5_rebuilding_twice_and_bit_by_bit_gives_equal_states(tmp_path: Path) -> None:
    """PITFALLS G5: the state must not depend on the order of arrival."""
    badge = a_game()
    store = Store(tmp_path / "s.sqlite", wall_ms=lambda: 0)
    cuts = [0, 1, 2, 50, 51, badge.next_seq]
    bit_by_bit = Projector(3, lookup)
    for start, end in zip(cuts, cuts[1:], strict=False):
        store.ingest_page(badge.page(start, end))
        store.ingest_page(badge.page(start, end))
        for record in store.records(3, after=bit_by_bit.position):
            bit_by_bit.apply(record)
    once = fold(3, store.records(3), lookup)
    assert once == fold(3, store.records(3), lookup) == bit_by_bit.state()
    store.close()


def test_asking_for_a_later_time_does_not_change_the_fold() -> None:
    badge = playing({"max_hits": 1})
    badge.happen(HIT, 1, 0)
    projector = Projector(3, lookup)
    for record in records_of(badge):
        projector.apply(record)
    before = projector.state()
    dead = projector.state(badge.now_ms + 901_000)
    names = {signal.id: signal.name for signal in HITS.signals}
    assert before.signal is not None
    assert dead.signal is not None
    assert (names[before.signal], names[dead.signal]) == ("dying", "dead")
    assert projector.state() == before


def test_the_players_own_params_come_from_the_journal() -> None:
    badge = playing({"max_hits": 5})
    badge.happen(HIT, 2, 0)
    state = host_state(badge)
    assert state.counters[0] == 3
    assert state.counter_ranges[0] == (0, 5)


def test_a_restart_that_improves_a_player_is_seen() -> None:
    """PITFALLS G10: power switch as a medic. The badge's word stands, and is reported."""
    badge = playing()
    badge.happen(HIT, 1, 0)
    badge.engine = Engine(HITS.ruleset)  # a badge that forgot
    badge.start(boot_id=78)
    state = host_state(badge)
    assert state.mismatched == 1
    assert state.problem is not None
    assert "differs from its journal" in state.problem
    assert state.counters[0] == 3
    assert state.boots == 2


def test_an_answer_that_differs_is_reported() -> None:
    badge = playing({"max_hits": 1})
    badge.add(journal.REFUSED, journal.refused_payload(1, HIT, (1, 0)), 1000)
    state = host_state(badge)
    assert (state.refused, state.mismatched) == (1, 1)
    assert state.problem is not None
    assert "the badge answered event 1 with 1, the host with 0" in state.problem


def test_behind_a_gap_the_next_snapshot_is_believed_and_not_compared() -> None:
    badge = playing()
    for _ in range(3):
        badge.happen(HIT, 1, 0)
    badge.begin_segment(77)
    badge.happen(STUN)
    records = records_of(badge)
    state = fold(3, records[:4] + records[6:], lookup)
    assert (state.lost_records, state.mismatched, state.verified) == (2, 0, 0)
    assert state.snapshot == badge.engine.snapshot()


def test_a_host_that_joins_late_starts_from_a_snapshot() -> None:
    badge = playing()
    badge.happen(HIT, 1, 0)
    badge.begin_segment(77)
    badge.happen(HIT, 1, 0)
    state = fold(3, records_of(badge)[4:], lookup)
    assert state.identity == HITS.identity
    assert state.snapshot == badge.engine.snapshot()


def test_a_wiped_badge_begins_a_new_life() -> None:
    """PITFALLS G4: the second life starts afresh, it does not add to the first."""
    first, second = playing(), playing()
    first.happen(HIT, 1, 0)
    state = fold(3, records_of(first) + records_of(second, install_order=2), lookup)
    assert (state.install_order, state.events, state.counters[0]) == (2, 0, 3)


def test_a_new_game_gives_up_the_old_state() -> None:
    badge = playing()
    badge.happen(HIT, 1, 0)
    badge.add(journal.NOTE, journal.note_payload(numbers.NOTE_NEW_GAME, 0))
    badge.engine = Engine(HITS.ruleset)
    badge.engine.advance(badge.now_ms)
    badge.begin_segment(77)
    state = host_state(badge)
    assert (state.mismatched, state.counters[0]) == (0, 3)


def test_an_unknown_ruleset_leaves_counts_and_a_problem() -> None:
    maker = JournalMaker(3, 9)
    maker.boot(1)
    maker.event(1, 1, 0)
    state = fold(3, records_of(maker), lookup)
    assert (state.signal, state.events) == (None, 1)
    assert state.problem is not None
    assert "ruleset 0102030405060708 of this badge is not known" in state.problem


def test_a_record_of_another_version_does_not_hide_the_badge() -> None:
    badge = playing()
    badge.happen(HIT, 1, 0)
    badge.add(journal.BOOT, b"\x01")
    badge.add(200, b"whatever")
    badge.happen(HIT, 1, 0)
    state = host_state(badge)
    assert state.counters[0] == 1
    assert state.problem is not None
    assert "cannot be read" in state.problem


def test_records_out_of_order_are_a_bug_of_the_caller() -> None:
    records = records_of(playing())
    projector = Projector(3, lookup)
    projector.apply(records[1])
    with pytest.raises(ValueError, match="record 0 after 1"):
        projector.apply(records[0])
    with pytest.raises(ValueError, match="record of badge 4 given to 3"):
        projector.apply(Record(4, 1, 9, 1, 9, journal.NOTE, 0, b""))
