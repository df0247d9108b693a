"""A way into every state of a ruleset that some short way leads to, with and without timers.

Guarantee: each way was played on the badge's own engine. Used to pull the battery in every state.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator

from redband.rules import CompiledRuleset
from redband_core.engine import Engine

Step = tuple[int, tuple[int, ...]]
NEXT_TIMER: Step = (-1, ())
GAP_MS = 1000
FEW = 8
COMBINATIONS = 64
SITUATIONS = 600


def ways(compiled: CompiledRuleset, params: tuple[int, ...]) -> list[list[Step]]:
    """Return steps to each (track, state, whether its timer runs) that was met.

    A step is (event, args), GAP_MS after the one before it; event -1: until the next timer fires.
    """
    engine = Engine(compiled.ruleset, list(params))
    steps = [NEXT_TIMER, *_inputs(compiled)]
    found: dict[tuple[int, int, bool], list[Step]] = {}
    met: set[tuple[tuple[int, int, bool], ...]] = set()
    queue: deque[tuple[bytes, list[Step]]] = deque()

    def look(way: list[Step]) -> None:
        place = tuple(
            (track, engine.track_state(track), engine.timer_left_ms(track) >= 0)
            for track in range(len(compiled.tracks))
        )
        if place not in met:
            met.add(place)
            queue.append((engine.snapshot(), way))
            for one in place:
                found.setdefault(one, way)

    look([])
    while queue and len(met) < SITUATIONS:
        situation, way = queue.popleft()
        for step in steps:
            engine.restore(situation)
            if play(engine, step):
                look([*way, step])
    unique = {tuple(way): way for way in found.values()}
    return list(unique.values())


def play(engine: Engine, step: Step) -> bool:
    """Do one step; return False when it is refused or there is no timer to wait for."""
    event, args = step
    if event == NEXT_TIMER[0]:
        deadline_ms = engine.next_deadline_ms()
        return deadline_ms >= 0 and engine.advance_one(deadline_ms) >= 0
    return engine.step(engine.now_ms + GAP_MS, event, args) == 0


def _inputs(compiled: CompiledRuleset) -> Iterator[Step]:
    for event in compiled.events[1:]:
        choices = [
            range(arg.low, arg.high + 1)
            if arg.high - arg.low < FEW
            else sorted({arg.low, arg.low + 1, arg.high})
            for arg in event.args
        ]
        for args in itertools.islice(itertools.product(*choices), COMBINATIONS):
            yield event.id, tuple(args)
