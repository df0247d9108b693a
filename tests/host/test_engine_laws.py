"""Laws of the engine that hold for any events in any ruleset (property tests)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redband.rules import CompiledRuleset, load, shipped
from redband_core.engine import Engine

LAB = Path(__file__).resolve().parents[1] / "core" / "data" / "lab.toml"
RULESETS = [load(name) for name in (*shipped(), LAB)]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
GAPS_MS = st.sampled_from((0, 1, 40, 999, 3000, 9_999, 10_001, 60_000, 450_000, 900_000))
EXAMPLES = 35  # for each law and ruleset; all laws together take half a minute of one core
Script = list[tuple[int, int, tuple[int, ...]]]
VOIDABLE = [each for each in RULESETS if any(event.is_voidable for event in each.events)]


def scripts(ruleset: CompiledRuleset) -> st.SearchStrategy[Script]:
    """Return scripts of (gap in ms, event, args); some events and args are not valid."""
    events = []
    for event in ruleset.events:
        args = [st.integers(arg.low, min(arg.high, arg.low + 60)) for arg in event.args]
        events.append(st.tuples(GAPS_MS, st.just(event.id), st.tuples(*args)))
    # Retracting is the hardest to keep right, so it comes often.
    void = st.tuples(GAPS_MS, st.just(0), st.tuples(st.integers(1, 3)))
    broken = st.tuples(
        GAPS_MS,
        st.integers(-1, len(ruleset.events)),
        st.lists(st.integers(-5, 99), max_size=3).map(tuple),
    )
    return st.lists(st.one_of(*events, void, void, broken), max_size=25)


def params(ruleset: CompiledRuleset) -> st.SearchStrategy[list[int]]:
    """Return any params a player may have."""
    return st.tuples(*[st.integers(p.low, p.high) for p in ruleset.params]).map(list)


def play(engine: Engine, script: Script) -> list[int]:
    """Apply the script; return the outcomes."""
    return [engine.step(engine.now_ms + gap, event, args) for gap, event, args in script]


def view(engine: Engine) -> tuple:
    """Return all of the state that can be seen."""
    tracks = range(len(engine.ruleset.state_counts))
    return (
        [engine.track_state(track) for track in tracks],
        [engine.counter(i) for i in range(engine.ruleset.counter_count)],
        [engine.timer_left_ms(track) for track in tracks],
        engine.signal(),
        engine.next_deadline_ms(),
        engine.now_ms,
    )


@each_ruleset
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_total_deterministic_and_bounded(ruleset: CompiledRuleset, data: st.DataObject) -> None:
    script, values = data.draw(scripts(ruleset)), data.draw(params(ruleset))
    one, two = Engine(ruleset.ruleset, values), Engine(ruleset.ruleset, values)
    outcomes = play(one, script)
    assert outcomes == play(two, script)
    assert one.snapshot() == two.snapshot()
    assert all(0 <= outcome < len(ruleset.refusals) for outcome in outcomes)
    for i in range(len(ruleset.counters)):
        low, high = one.counter_range(i)
        assert low <= one.counter(i) <= high
    for number, track in enumerate(ruleset.tracks):
        assert 0 <= one.track_state(number) < len(track.states)
        assert one.timer_left_ms(number) != 0, "a due timer has fired, whatever the event"
    assert one.next_deadline_ms() == -1 or one.next_deadline_ms() > one.now_ms


@each_ruleset
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_snapshot_at_any_point_continues_equal(
    ruleset: CompiledRuleset, data: st.DataObject
) -> None:
    before, after = data.draw(scripts(ruleset)), data.draw(scripts(ruleset))
    one, two = Engine(ruleset.ruleset, data.draw(params(ruleset))), Engine(ruleset.ruleset)
    play(one, before)
    two.restore(one.snapshot())
    assert view(two) == view(one)
    assert two.snapshot() == one.snapshot()
    assert play(two, after) == play(one, after)
    assert view(two) == view(one)
    assert two.snapshot() == one.snapshot()


@each_ruleset
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_refusal_changes_nothing(ruleset: CompiledRuleset, data: st.DataObject) -> None:
    script = data.draw(scripts(ruleset))
    engine = Engine(ruleset.ruleset)
    for gap, event, args in script:
        engine.advance(engine.now_ms + gap)
        before = view(engine)
        if engine.step(engine.now_ms, event, args):
            assert view(engine) == before


@each_ruleset
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_time_cut_into_any_steps_gives_the_same(
    ruleset: CompiledRuleset, data: st.DataObject
) -> None:
    script = data.draw(scripts(ruleset))
    cuts = data.draw(st.lists(st.integers(1, 60_000), min_size=1, max_size=6))
    whole, cut = Engine(ruleset.ruleset), Engine(ruleset.ruleset)
    turn = 0
    for gap, event, args in script:
        now_ms = whole.now_ms + gap
        for _ in range(5):
            turn += 1
            at_ms = min(cut.now_ms + cuts[turn % len(cuts)], now_ms)
            cut.advance(at_ms) if turn % 2 else cut.advance_one(at_ms)
        assert cut.step(now_ms, event, args) == whole.step(now_ms, event, args)
        assert cut.snapshot() == whole.snapshot()


@each_ruleset
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_no_timer_fires_late_or_twice(ruleset: CompiledRuleset, data: st.DataObject) -> None:
    script = data.draw(scripts(ruleset))
    engine = Engine(ruleset.ruleset)
    play(engine, script)
    for _ in range(20):
        deadline = engine.next_deadline_ms()
        if deadline < 0:
            break
        assert engine.advance(deadline - 1) == 0
        track = engine.advance_one(deadline)
        assert track >= 0
        assert engine.now_ms == deadline
        assert engine.timer_left_ms(track) != 0


@pytest.mark.parametrize("ruleset", VOIDABLE, ids=lambda ruleset: ruleset.id)
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_voided_events_have_never_happened(ruleset: CompiledRuleset, data: st.DataObject) -> None:
    """Playing on after a void equals playing the script without the voided events."""
    voidable = [event for event in ruleset.events if event.is_voidable]
    event = data.draw(st.sampled_from(voidable))
    args = data.draw(st.tuples(*[st.integers(arg.low, arg.high) for arg in event.args]))
    before = data.draw(scripts(ruleset))
    between = [
        (min(gap, 3000), number, given_args)
        for gap, number, given_args in data.draw(scripts(ruleset))[:3]
        if number > 0 and number not in [other.id for other in voidable]
    ]
    after = data.draw(scripts(ruleset))
    with_hit, without = Engine(ruleset.ruleset), Engine(ruleset.ruleset)
    play(with_hit, before)
    play(without, before)
    if with_hit.step(with_hit.now_ms, event.id, args):
        return  # refused: the law above
    for gap, number, given_args in between:
        now_ms = with_hit.now_ms + gap
        with_hit.step(now_ms, number, given_args)
        without.step(now_ms, number, given_args)
    assert with_hit.step(with_hit.now_ms, 0, (1,)) == 0
    assert view(with_hit) == view(without)
    assert play(with_hit, after) == play(without, after)
    assert view(with_hit) == view(without)
