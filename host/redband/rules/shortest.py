"""The shortest way into each state, played on the badge's own engine.

Problem: what a badge shows in a state may depend on what else the way there changed: a wounded
player in the Hospital shows the Hospital's light.
Guarantee: each answer was really played; a state that no short way leads to has none. It proves
nothing about longer ways: that is the explorer's work.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Sequence

from redband_core.engine import Engine

from redband.rules.loader import CompiledRuleset
from redband.rules.model import EventInfo

Input = tuple[int, tuple[int, ...]]
TIME: Input = (-1, ())  # stands for: the next timer runs out
COMBINATIONS = 64  # of arguments tried for each event
SITUATIONS = 400  # tried at most: a sheet must not take seconds


def signals_by_state(
    ruleset: CompiledRuleset, params: Sequence[int]
) -> dict[tuple[int, int], int]:
    """Return for (track, state) the number of the signal shown when the state is first met."""
    engine = Engine(ruleset.ruleset, list(params))
    inputs = [TIME, *(one for event in ruleset.events[1:] for one in _inputs(event))]
    tracks = range(len(ruleset.tracks))
    wanted = sum(len(track.states) for track in ruleset.tracks)
    found: dict[tuple[int, int], int] = {}
    met: set[tuple[int, ...]] = set()
    queue: deque[bytes] = deque()

    def look() -> None:
        states = tuple(engine.track_state(track) for track in tracks)
        if states not in met:
            met.add(states)
            queue.append(engine.snapshot())
            for place in enumerate(states):
                found.setdefault(place, engine.signal())

    look()
    while queue and len(found) < wanted and len(met) < SITUATIONS:
        situation = queue.popleft()
        for event, args in inputs:
            engine.restore(situation)
            if event == TIME[0]:
                engine.advance(max(engine.next_deadline_ms(), engine.now_ms))
            else:
                engine.step(engine.now_ms, event, args)
            look()
    return found


def _inputs(event: EventInfo) -> Iterator[Input]:
    """Yield an event with every choice, and the lowest and highest of its numbers."""
    values = [
        range(arg.low, arg.high + 1) if arg.choices else sorted({arg.low, arg.high})
        for arg in event.args
    ]
    for args in itertools.islice(itertools.product(*values), COMBINATIONS):
        yield event.id, args
