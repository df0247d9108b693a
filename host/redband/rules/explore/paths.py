"""The way to a situation, played on the engine itself.

Problem: the explorer leaves out how long timers run, so an order of events that it found may not
be possible in time; and people want to see how a fault comes about.
Guarantee: a path that `is_sure` was played on the badge's engine and came to that situation.
"""

from __future__ import annotations

from dataclasses import dataclass

from redband.rules.explore.run import Action
from redband.rules.explore.system import STOPPED
from redband.rules.explore.walk import START, Seen, Walk
from redband_core.engine import Engine

EVENT_GAP_MS = 1000  # between two events, where no timer is due earlier
ALONE_TIMERS = 300  # timers fired when a player is left alone


@dataclass(frozen=True, slots=True)
class Step:
    """One step. t_ms: game time. moves: (track, from, to) that it made."""

    t_ms: int
    action: Action
    moves: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the start. engine: as it stands after them."""

    steps: list[Step]
    is_sure: bool
    engine: Engine


def play(walk: Walk, seen: Seen) -> Path:
    """Play the way to what was seen on the engine."""
    system = walk.system
    engine = Engine(system.ruleset.ruleset, system.params)
    steps = []
    number, last = seen
    actions = walk.path(seen)
    is_sure = number != START or not actions
    for place, action in enumerate(actions):
        if last != START and place == len(actions) - 1:
            is_sure = is_sure and _agrees(walk, number, engine)
        before = [engine.track_state(track) for track in range(system.track_count)]
        is_sure = _do(engine, action) and is_sure
        after = [engine.track_state(track) for track in range(system.track_count)]
        moves = tuple(
            (t, a, b) for t, (a, b) in enumerate(zip(before, after, strict=True)) if a != b
        )
        steps.append(Step(engine.now_ms, action, moves))
    if last == START and number != START:
        is_sure = is_sure and _agrees(walk, number, engine)
    return Path(steps, is_sure, engine)


def _do(engine: Engine, action: Action) -> bool:
    """Do one action; return False when time does not allow it."""
    if action.event >= 0:
        deadline = engine.next_deadline_ms()
        now_ms = engine.now_ms + EVENT_GAP_MS
        if 0 <= deadline <= now_ms:
            now_ms = engine.now_ms
        engine.step(now_ms, action.event, action.args)
        return True
    if action.timer is None:
        return True
    track, state = action.timer
    deadline = engine.next_deadline_ms()
    if deadline < 0 or engine.track_state(track) != state:
        return False
    return engine.advance_one(deadline) == track


def _agrees(walk: Walk, number: int, engine: Engine) -> bool:
    """Return True when the engine stands in this situation."""
    system, situation = walk.system, walk.situations[number]
    for variable, position in walk.stepper.positions.items():
        if variable < system.track_count:
            is_same = engine.track_state(variable) == situation[position]
        elif variable < system.first_timer:
            value = engine.counter(variable - system.track_count)
            is_same = walk.stepper.classes[variable].number(value) == situation[position]
        else:
            is_on = engine.timer_left_ms(variable - system.first_timer) >= 0
            is_same = is_on == (situation[position] != STOPPED)
        if not is_same:
            return False
    return True


def never_ends_alone(engine: Engine, track: int) -> bool:
    """Return True when a timer does not come nearer to its end while nobody does anything.

    Fires up to ALONE_TIMERS timers on the engine.
    """
    state = engine.track_state(track)
    left_ms = engine.timer_left_ms(track)
    start_ms = engine.now_ms
    for _ in range(ALONE_TIMERS):
        deadline = engine.next_deadline_ms()
        if deadline < 0:
            return False
        fired = engine.advance_one(deadline)
        if fired == track or engine.track_state(track) != state:
            return False
    return engine.now_ms > start_ms and engine.timer_left_ms(track) >= left_ms
