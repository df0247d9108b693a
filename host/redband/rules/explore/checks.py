"""Faults of a ruleset in the situations that a walk has seen.

Problem: a rule missing somewhere shows as a player who is stuck, a clock that never ends, a light
that says nothing new.
Guarantee: what is found here holds in the walk's situations; only exhausted walks are asked about
what can never happen. It words nothing: `redband.rules.explore.text` does.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from redband.rules.explore.run import Situation
from redband.rules.explore.system import PAUSED, RUNNING
from redband.rules.explore.walk import START, Seen, Walk
from redband.rules.model import SignalInfo
from redband_core import led
from redband_core import ruleset_codes as core


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. kind: a word of `explore_text`. about: numbers, as the kind needs them.

    seen: where it shows; None when it is that something never happens. needs_path: False when the
    fault is a fault wherever it was seen.
    """

    kind: str
    about: tuple[int, ...]
    walk: Walk
    seen: Seen | None = None
    extra: tuple[int, ...] = field(default=())


class Graph:
    """The steps of an exhausted walk, backwards."""

    def __init__(self, walk: Walk) -> None:
        """Sort the steps by where they lead to."""
        count = len(walk.situations)
        self.first = array("I", bytes(4 * (count + 1)))
        for target in walk.targets:
            self.first[target + 1] += 1
        for i in range(count):
            self.first[i + 1] += self.first[i]
        fill = array("I", self.first)
        self.sources = array("I", bytes(4 * len(walk.sources)))
        for source, target in zip(walk.sources, walk.targets, strict=True):
            self.sources[fill[target]] = source
            fill[target] += 1

    def backwards(self, seeds: list[int], may_pass: Callable[[int, int], bool]) -> bytearray:
        """Return for each situation whether it leads to a seed over steps that may be passed."""
        marks = bytearray(len(self.first) - 1)
        waiting = seeds
        for seed in seeds:
            marks[seed] = 1
        while waiting:
            target = waiting.pop()
            for i in range(self.first[target], self.first[target + 1]):
                source = self.sources[i]
                if not marks[source] and may_pass(source, target):
                    marks[source] = 1
                    waiting.append(source)
        return marks


def walk_faults(walk: Walk, tracks: list[int]) -> Iterator[Fault]:
    """Yield endless rules, final states that are left, and what these tracks are stuck in."""
    for numbers, seen in walk.endless.items():
        yield Fault("endless", tuple(sorted(numbers)), walk, seen)
    for (track, state, after), seen in walk.finals_left.items():
        yield Fault("final_left", (track, state, after), walk, seen)
    if not walk.is_exhausted:
        return
    graph = Graph(walk)
    for track in tracks:
        paused = list(_standing_still(walk, graph, track))
        told = [fault.about for fault in paused]
        yield from paused
        yield from (fault for fault in _stuck(walk, graph, track) if fault.about not in told)
        yield from _rounds(walk, track)


def _stuck(walk: Walk, graph: Graph, track: int) -> Iterator[Fault]:
    """Yield the states that the track can never leave again, unless the end of the game says so.

    Rules for every state that lead to a final one (exclusion) are no way out. A state left in one
    situation and not in another is a trap too, unless a final state of another track is why.
    """
    position = walk.stepper.positions[track]
    situations = walk.situations
    seeds = [i for i, leaves in enumerate(walk.leaves) if leaves >> track & 1]
    marks = graph.backwards(seeds, lambda a, b: situations[a][position] == situations[b][position])
    info = walk.system.ruleset.tracks[track]
    ends = _final_values(walk, track)
    counts: dict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    stuck: dict[int, list[int]] = defaultdict(list)
    for number, situation in enumerate(situations):
        state = situation[position]
        if state == info.initial or info.states[state].is_final:
            continue
        for end_position, states in ends:
            if situation[end_position] in states:
                count = counts[(state, end_position, situation[end_position])]
                count[marks[number]] += 1
        if not marks[number]:
            stuck[state].append(number)
    for state, numbers in stuck.items():
        free = [n for n in numbers if not _is_over(situations[n], state, ends, counts)]
        if free:
            yield Fault("trap", (track, state), walk, (free[0], START))


def _final_values(walk: Walk, track: int) -> list[tuple[int, frozenset[int]]]:
    own = walk.stepper.positions[track]
    return [(position, states) for position, states in walk.finals if position != own]


def _is_over(
    situation: Situation,
    state: int,
    ends: list[tuple[int, frozenset[int]]],
    counts: dict[tuple[int, int, int], list[int]],
) -> bool:
    """Return True when a final state of another track is always the end of this state too."""
    for position, states in ends:
        value = situation[position]
        if value in states and not counts[(state, position, value)][1]:
            return True
    return False


def _standing_still(walk: Walk, graph: Graph, track: int) -> Iterator[Fault]:
    """Yield timers that were paused and that nothing lets go on."""
    timer = walk.stepper.positions.get(walk.system.timer_variable(track))
    if timer is None or not any(key[0] == track and key[2] == PAUSED for key in walk.timers):
        return
    situations = walk.situations
    own = walk.stepper.positions[track]
    seeds = [i for i, situation in enumerate(situations) if situation[timer] != PAUSED]

    def may_pass(source: int, target: int) -> bool:
        is_same = situations[source][own] == situations[target][own]
        return is_same or bool(walk.leaves[source] >> track & 1)

    marks = graph.backwards(seeds, may_pass)
    told = set()
    for number, situation in enumerate(situations):
        if not marks[number] and situation[own] not in told:
            told.add(situation[own])
            yield Fault("paused", (track, situation[own]), walk, (number, START))


def _rounds(walk: Walk, track: int) -> Iterator[Fault]:
    """Yield rounds of states that only timers make, and that nothing leads out of."""
    info = walk.system.ruleset.tracks[track]
    if len(info.states) < 3:
        return
    position = walk.stepper.positions[track]
    steps: dict[int, set[int]] = defaultdict(set)
    by_event = set()
    for source, target, via in zip(walk.sources, walk.targets, walk.vias, strict=True):
        a, b = walk.situations[source][position], walk.situations[target][position]
        if a == b or (info.states[b].is_final and _is_general(walk, via, track, b)):
            continue
        steps[a].add(b)
        if walk.actions[via].event >= 0:
            by_event.add((a, b))
    told: set[int] = set()
    for state in list(steps):
        ahead = _ahead(steps, state)
        if state in told or info.initial in ahead or len(ahead) < 2:
            continue
        is_round = all(state in _ahead(steps, other) for other in ahead)
        if is_round and not any(a in ahead for a, _b in by_event):
            told |= ahead
            number = walk.reached[(track, state)]
            yield Fault("round", (track, *sorted(ahead)), walk, (number, START))


def _is_general(walk: Walk, via: int, track: int, state: int) -> bool:
    """Return True when only rules for every state of the track lead to this one here."""
    return not any(
        effect.op == core.GO and (effect.target, effect.a) == (track, state)
        for view in (*walk.actions[via].rules, *walk.system.always)
        if track in view.named_tracks
        for effect, _formula in view.effects
    )


def _ahead(steps: dict[int, set[int]], state: int) -> set[int]:
    found: set[int] = set()
    waiting = [state]
    while waiting:
        for after in steps.get(waiting.pop(), ()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def lights(signal: SignalInfo) -> tuple[int, ...]:
    """Return what is left of the lights without colour."""
    return tuple(sorted(pattern for pattern in (signal.red, signal.green) if pattern != led.OFF))


def alike_pairs(signals: tuple[SignalInfo, ...]) -> list[tuple[int, int]]:
    """Return the pairs of signals whose lights are alike without colour, felt or not."""
    return [
        (a.id, b.id) for a in signals for b in signals if a.id < b.id and lights(a) == lights(b)
    ]


def is_accepted(first: SignalInfo, second: SignalInfo) -> bool:
    """Return True when the file says that the second signal may look like the first."""
    return second.same_as == first.name and first.vibration == second.vibration


class SignalView:
    """Which signals a walk's situations show. first: number of the first for each signal."""

    def __init__(self, walk: Walk) -> None:
        """The walk must know everything that signals read."""
        self.walk = walk
        self.first: dict[int, int] = {}
        self.shown: list[frozenset[int]] = []
        self._memory: dict[Situation, frozenset[int]] = {}
        system, stepper = walk.system, walk.stepper
        self._conditions = []
        for signal in system.ruleset.signals:
            guard = signal.condition.guard
            self._conditions.append(
                (dict(signal.condition.where), None if guard is None else system.formula(guard))
            )
        reads = signal_reads(system)
        self._reads = tuple(stepper.positions[variable] for variable in sorted(reads))
        self._probe = stepper.probe(self._reads)

    def update(self) -> None:
        """Look at the situations that were added to the walk."""
        for number in range(len(self.shown), len(self.walk.situations)):
            situation = self.walk.situations[number]
            key = tuple(situation[position] for position in self._reads)
            if key not in self._memory:
                self._memory[key] = self._signals(situation)
            self.shown.append(self._memory[key])
            for signal in self._memory[key]:
                self.first.setdefault(signal, number)

    def _signals(self, situation: Situation) -> frozenset[int]:
        found = set()
        for values in self._probe(situation):
            for number, (where, guard) in enumerate(self._conditions):
                is_there = all(values[track] in states for track, states in where.items())
                if is_there and (guard is None or guard.value(values, lambda _track: 0)):
                    found.add(number)
                    break
        return frozenset(found)

    def successions(self, pairs: set[tuple[int, int]]) -> dict[tuple[int, int], Seen]:
        """Return the pairs that follow each other, in either order, and where."""
        found: dict[tuple[int, int], Seen] = {}
        walk = self.walk
        if not pairs:
            return found
        for source, target, via in zip(walk.sources, walk.targets, walk.vias, strict=True):
            before, after = self.shown[source], self.shown[target]
            if before == after:
                continue
            for a in before:
                for b in after:
                    pair = (min(a, b), max(a, b))
                    if pair in pairs and pair not in found:
                        found[pair] = (source, via)
        return found


def signal_reads(system) -> set[int]:
    """Return the variables that decide which signal is shown."""
    reads: set[int] = set()
    for signal in system.ruleset.signals:
        reads |= {track for track, _states in signal.condition.where}
        if signal.condition.guard is not None:
            reads |= system.read_by(system.formula(signal.condition.guard))
    return reads


def timer_seen(walk: Walk, track: int, state: int) -> bool:
    """Return True when the timer of that state was seen running or paused."""
    return any((track, state, value) in walk.timers for value in (RUNNING, PAUSED))
