"""The badge's own game, and the host that folds its journal: the same state, paused or not."""

from __future__ import annotations

import gc
import importlib
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.support.interpreter import CORE_DATA, FIRMWARE, ON_CPYTHON, PARTS

from redband import rules
from redband.store.projection import Projector
from redband.store.records import Record
from redband_core import journal, numbers
from redband_core.ruleset import Ruleset

CAUSES = (*[numbers.CAUSE_POWER_ON] * 2, *range(1, 6), numbers.CAUSE_UNKNOWN)
PAUSE, RESUME, EVENT = 1, 2, 3


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield the module of the badge's game, which runs on this Python, too."""
    for folder in (ON_CPYTHON, PARTS, FIRMWARE):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("REDBAND_RULES_DATA", str(CORE_DATA))
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)  # the badge looks whether somebody is at USB
        module = importlib.import_module("game_bench")
        gc.freeze()  # the badge collects at each command: its own objects, not all of this Python
        yield module
        gc.unfreeze()


def records_of(store) -> list[Record]:
    """Return a store's records as the host's store gives them."""
    boot_id = 0
    found = []
    for seq, (kind, game_ms, payload) in enumerate(store.records):
        if kind == journal.BOOT:
            boot_id = journal.parse_boot(payload)[0]
        found.append(Record(5, 1, 7, boot_id, seq, kind, game_ms, payload))
    return found


def gestures_of(ruleset: Ruleset) -> list[int]:
    return [code for code in range(64) if ruleset.gesture_event(code) is not None]


class Told:
    """What should be seen on the host."""

    def __init__(self) -> None:
        self.causes = dict.fromkeys(range(6), 0)
        self.in_timer = 0


def play(bench: ModuleType, ruleset: Ruleset, rng: random.Random, deeds: int) -> tuple:
    """Play at random; return the badge and what the host should say of its restarts."""
    badge = bench.GameBench(ruleset, bench.MemoryStore(25), ticks_ms=rng.randrange(1 << 30))
    told = Told()
    events = range(len(ruleset.event_args))
    for number in range(deeds):
        badge.run(rng.choice((0, 10, 700, 5000, 45_000, 130_000)))
        deed = rng.random()
        if deed < 0.35 and gestures_of(ruleset):
            badge.play(rng.choice(gestures_of(ruleset)), rng.choice((0, 5, 300)))
        elif deed < 0.5:
            badge.command(PAUSE, number)
        elif deed < 0.65:
            badge.command(RESUME, number)
        elif deed < 0.9:
            event = rng.choice(events)
            ranges = ruleset.arg_ranges[event]
            args = tuple(rng.randint(low, min(high, low + 8)) for low, high in ranges)
            badge.command(EVENT, number, (event, args, rng.randrange(5)))
        else:
            cause = rng.choice(CAUSES)
            told.causes[cause] += 1
            has_timer = badge.game_journal.engine.next_deadline_ms() >= 0
            told.in_timer += (
                has_timer and cause == numbers.CAUSE_POWER_ON and not badge.state.is_paused
            )
            badge = badge.again(cause)
    return badge, told


@pytest.mark.parametrize("ruleset_id", [*rules.shipped(), "contact_time", "heal_limit"])
@pytest.mark.parametrize("seed", range(3))
def test_pause_and_restarts_fold_to_the_badges_own_bytes(
    bench: ModuleType, ruleset_id: str, seed: int
) -> None:
    ruleset = rules.load(ruleset_id).ruleset
    badge, told = play(bench, ruleset, random.Random(seed), 150)
    projector = Projector(5, lambda _identity: ruleset)
    in_timer = sum(projector.apply(record) for record in records_of(badge.store))
    state = projector.state()
    assert state.problem is None
    assert (state.mismatched, state.lost_records) == (0, 0)
    assert state.verified > 1
    assert state.is_paused == badge.state.is_paused
    if not state.is_paused:
        state = projector.state(badge.game_journal.engine.now_ms)
    assert state.snapshot == bench.folded(badge) == badge.game_journal.engine.snapshot()
    counts = state.restarts
    assert counts.power == told.causes[numbers.CAUSE_POWER_ON]
    assert counts.reset == told.causes[numbers.CAUSE_RESET] + told.causes[numbers.CAUSE_SOFT_RESET]
    assert (counts.watchdog, counts.sleep) == (
        told.causes[numbers.CAUSE_WATCHDOG],
        told.causes[numbers.CAUSE_DEEP_SLEEP],
    )
    assert counts.other == told.causes[0]
    assert counts.in_timer == told.in_timer == in_timer


def test_R11_the_same_journal_with_each_reset_cause_gives_the_same_state(
    bench: ModuleType,
) -> None:
    ruleset = rules.load("hits").ruleset
    shown = set()
    told = set()
    for cause in range(6):
        badge = bench.GameBench(ruleset, bench.MemoryStore())
        badge.run(1000)
        for _hit in range(3):
            badge.play(1)
        badge.run(47_000)
        badge = badge.again(cause)
        shown.add(repr(badge.shown()))
        projector = Projector(5, lambda _identity: ruleset)
        for record in records_of(badge.store):
            projector.apply(record)
        told.add(projector.state().restarts.told("en"))
    assert len(shown) == 1
    assert told == {
        "unknown cause 1",
        "battery out or brownout 1",
        "reset 1",
        "watchdog 1",
        "woken from sleep 1",
    }


def test_a_pause_that_came_before_a_gap_is_known_from_the_next_segment(bench: ModuleType) -> None:
    ruleset = rules.load("hits").ruleset
    badge = bench.GameBench(ruleset, bench.MemoryStore(20))
    for number in range(3):
        badge.command(PAUSE if number % 2 == 0 else RESUME, number)
    for _press in range(40):
        badge.play(1)
    records = records_of(badge.store)
    snapshots = [record.seq for record in records if record.kind == journal.SNAPSHOT]
    projector = Projector(5, lambda _identity: ruleset)
    for record in records[snapshots[-1] :]:
        projector.apply(record)
    state = projector.state(badge.game_journal.engine.now_ms + 99_000)
    assert state.is_paused
    assert state.snapshot == badge.game_journal.engine.snapshot()


def test_a_paused_badge_does_not_count_on_in_the_view(bench: ModuleType) -> None:
    ruleset = rules.load("hits").ruleset
    badge = bench.GameBench(ruleset)
    for _hit in range(3):
        badge.play(1)
    badge.run(10_000)
    badge.command(PAUSE, 1)
    projector = Projector(5, lambda _identity: ruleset)
    for record in records_of(badge.store):
        projector.apply(record)
    assert projector.state(999_000).timer_left_ms == 890_000
