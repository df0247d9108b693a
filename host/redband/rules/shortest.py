"""The shortest way into each state, played on the badge's own engine.

Problem: what a badge shows in a state may depend on what else the way there changed: a wounded
player in the Hospital shows the Hospital's light.
Guarantee: each answer was really played; a state that no short way leads to has none. It proves
nothing about longer ways: that is the explorer's work.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

Input = tuple[int, tuple[int, ...]]
TIME: Input = (-1, ())  # stands for: the next timer runs out
FEW = 8  # an argument with so many values is tried with each, others with their ends
COMBINATIONS = 64  # of arguments tried for each event
SITUATIONS = 400  # tried at most: a sheet must not take seconds


@lru_cache(maxsize=16)
def signals_by_state(data: bytes, params: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Return for (track, state) the number of the signal shown when the state is first met.

    data: a compiled ruleset. params: of the player. The answer is shared: do not change it.
    """
    ruleset = Ruleset.from_bytes(data)
    engine = Engine(ruleset, list(params))
    inputs = [TIME, *_inputs(ruleset)]
    wanted = sum(ruleset.state_counts)
    found: dict[tuple[int, int], int] = {}
    met: set[tuple[int, ...]] = set()
    queue: deque[bytes] = deque()

    def look() -> None:
        states = tuple(engine.track_state(track) for track in range(len(ruleset.state_counts)))
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


def _inputs(ruleset: Ruleset) -> Iterator[Input]:
    """Yield every event but void, with the arguments worth trying."""
    for event, ranges in enumerate(ruleset.arg_ranges):
        values = [
            range(low, high + 1) if high - low < FEW else (low, high) for low, high in ranges
        ]
        for args in itertools.islice(itertools.product(*values), COMBINATIONS if event else 0):
            yield event, args
