"""Events per second of the engine and of three state machine libraries, on the same hits game."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from redband.rules import CompiledRuleset, load
from redband_core.engine import Engine
from tools.bench.hits_in_libraries import WithSismic, WithStateMachine, WithTransitions
from tools.bench.hits_trace import LIFE_EVENTS, Life, lives
from tools.bench.table import Table

ROUNDS = 5
LIVES = 250
SLOW_LIVES = 25  # for what needs more than 0.1 ms an event
LIBRARIES = (
    ("transitions", WithTransitions, LIVES),
    ("python-statemachine", WithStateMachine, SLOW_LIVES),
    ("sismic", WithSismic, SLOW_LIVES),
)


def engine_view(engine: Engine) -> tuple[int, ...]:
    """Return states, counters and ms left of the engine, as `Player.view` does."""
    tracks = range(len(engine.ruleset.state_counts))
    counters = range(engine.ruleset.counter_count)
    return (
        *[engine.track_state(track) for track in tracks],
        *[engine.counter(i) for i in counters],
        *[engine.timer_left_ms(track) for track in tracks],
    )


def check_equal(ruleset: CompiledRuleset, make: Callable[[], Any], trace: list[Life]) -> int:
    """Play the trace on both; return how many events were applied. Raises on a difference."""
    applied = 0
    for life in trace:
        engine, other = Engine(ruleset.ruleset), make()
        for now_ms, event, args in life:
            outcome = engine.step(now_ms, event, args)
            found = (other.step(now_ms, event, args), other.view())
            if found != (outcome, engine_view(engine)):
                raise RuntimeError(f"{make} differs from the engine at {now_ms} ms")
            applied += outcome == 0
    return applied


def events_per_s(make: Callable[[], Any], trace: list[Life], with_signal: bool = False) -> float:
    """Return how many events of the trace a core does in a second; making players is free."""
    spent_s = 0.0
    for life in trace:
        player = make()
        step = player.step
        started_s = time.process_time()
        if with_signal:
            for now_ms, event, args in life:
                step(now_ms, event, args)
                player.signal()
        else:
            for now_ms, event, args in life:
                step(now_ms, event, args)
        spent_s += time.process_time() - started_s
    return len(trace) * LIFE_EVENTS / spent_s


def measure() -> Table:
    """Run the bench and return its table."""
    ruleset = load("hits")
    trace = lives(LIVES, ruleset.events, without=("void",))
    with_voids = lives(LIVES, ruleset.events)

    def engine() -> Engine:
        return Engine(ruleset.ruleset)

    applied = check_equal(ruleset, WithTransitions, trace)
    for _name, make, count in LIBRARIES[1:]:
        check_equal(ruleset, make, trace[:count])
    ours, ours_lit, ours_voids = [], [], []
    theirs: dict[str, list[float]] = {name: [] for name, _make, _count in LIBRARIES}
    for _ in range(ROUNDS):  # in turns, so that a busy machine slows all of them
        ours.append(events_per_s(engine, trace))
        for name, make, count in LIBRARIES:
            theirs[name].append(events_per_s(make, trace[:count]))
        ours_lit.append(events_per_s(engine, trace, with_signal=True))
        ours_voids.append(events_per_s(engine, with_voids))
    share_pct = applied * 100 // (len(trace) * LIFE_EVENTS)
    table = Table(
        "Rules on CPython",
        f"The hits rules, {len(trace)} lives of {LIFE_EVENTS} events, {share_pct} % of them "
        "applied. All were first checked to give the same outcome, states, counters and timers "
        "after every event. The libraries get counters, deadlines and refusals as plain Python, "
        "and no `void`: none can take back. Best of five rounds in turns, processor time.",
    )
    table.add("Redband's engine", f"{max(ours):,.0f} /s", "the full compiled ruleset, with undo")
    for name, figures in theirs.items():
        ratio = max(ours) / max(figures)
        table.add(name, f"{max(figures):,.0f} /s", f"{version(name)}; the engine is {ratio:.1f} x")
    table.add(
        "the engine, and what is shown", f"{max(ours_lit):,.0f} /s", "signal after each event"
    )
    table.add(
        "the engine, with voids",
        f"{max(ours_voids):,.0f} /s",
        "the same game with hits taken back",
    )
    return table
