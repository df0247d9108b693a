"""Walk all situations that a ruleset's variables can come to, breadth first.

Problem: faults of a ruleset lie where nobody looks, after a long row of events.
Guarantee: when `is_exhausted` is True, every situation that any events and timers lead to has been
seen, up to what is abstracted (`redband.rules.explore.steps`). Otherwise the limit of situations
or of time was hit, and what was seen is still true. Paths are shortest.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator

from redband.rules.explore.actions import Actions, Group
from redband.rules.explore.run import APPLIED, ENDLESS, IDLE, Action, Outcome, Situation
from redband.rules.explore.steps import Stepper
from redband.rules.explore.system import STOPPED, RuleView, System, Variables

START = -1  # stands for "no action yet"
Seen = tuple[int, int]  # number of a situation, number of the action done in it
Leaves = tuple[tuple[int, int], ...]


class Walk:
    """The situations of some variables.

    fired, accepted, reached, timers: first `Seen` for each rule number, event, (track, state), and
    (track, state, timer value). endless, finals_left: faults met on the way. sampled: arguments
    of which not every value was tried. sources, targets, vias: the steps, from, to and by which
    action; those that change nothing are left out. finals: (position, final states).
    """

    def __init__(self, system: System, variables: Variables) -> None:
        """variables: a closure of the system."""
        self.system = system
        self.stepper = Stepper(system, variables)
        prepared = Actions(system, self.stepper)
        self.actions, self.sampled = prepared.all, prepared.sampled
        self._groups, self._settles = prepared.groups, prepared.settles
        self.finals = self._final_states()
        self.situations: list[Situation] = []
        self.parents: list[Seen] = []
        self.leaves: list[int] = []
        self.sources, self.targets, self.vias = array("I"), array("I"), array("I")
        self.fired: dict[int, Seen] = {}
        self.accepted: dict[int, Seen] = {}
        self.reached: dict[tuple[int, int], int] = {}
        self.timers: dict[tuple[int, int, int], int] = {}
        self.endless: dict[frozenset[int], Seen] = {}
        self.finals_left: dict[tuple[int, int, int], Seen] = {}
        self.is_exhausted = False
        self._numbers: dict[Situation, int] = {}

    @property
    def variables(self) -> Variables:
        """Return the variables that the walk looks at."""
        return frozenset(self.stepper.variables)

    @property
    def is_exact(self) -> bool:
        """True when nothing was simplified but how long timers run."""
        views = [view for view in self.system.rules if self.stepper.holds(view)]
        classes = self.stepper.classes.values()
        return (
            not self.sampled
            and all(kept.is_exact for kept in classes)
            and not any(self.free_timers(view) for view in views)
        )

    def free_timers(self, view: RuleView) -> list[int]:
        """Return the tracks to which the rule gives a time that is not worked out."""
        pairs = zip(view.effects, view.signs, strict=True)
        return [
            effect.target
            for (effect, _formula), sign in pairs
            if sign is None and self.system.timer_variable(effect.target) in self.stepper.positions
        ]

    def _final_states(self) -> list[tuple[int, frozenset[int]]]:
        """Return (position, final states) of the tracks that have any."""
        found = []
        for t, track in enumerate(self.system.ruleset.tracks):
            states = frozenset(s for s, state in enumerate(track.states) if state.is_final)
            if states and t in self.stepper.positions:
                found.append((self.stepper.positions[t], states))
        return found

    def run(
        self,
        situation_limit: int,
        deadline: float,
        is_enough: Callable[[Walk], bool] = lambda _walk: False,
    ) -> None:
        """Walk until all is seen, a limit is hit, or what is seen is enough.

        deadline: of `time.process_time`, s.
        """
        always = [view for view in self.system.always if self.stepper.holds(view)]
        begin = self.stepper.start()
        for outcome in self._ask(self.stepper.settle(always), begin, (START, START)):
            self._add(_changed(begin, outcome), (START, START))
        number = 0
        while number < len(self.situations):
            if number % 32 == 0 and (time.process_time() > deadline or is_enough(self)):
                return
            if len(self.situations) > situation_limit:
                return
            self._expand(number)
            number += 1
        self.is_exhausted = True

    def _expand(self, number: int) -> None:
        situation = self.situations[number]
        leaves = 0
        found: dict[int, int] = {}
        for group in self._groups:
            key = group.key(situation)
            entries = group.memory.get(key)
            if entries is None:
                entries = group.memory[key] = self._ask_group(group, situation, number)
            for index, outcome in entries:
                if group.rests and not _changes(situation, outcome):
                    continue
                after = _changed(situation, outcome)
                ends = ((after, outcome.leaves),)
                if group.settle is not None and outcome.kind != IDLE:
                    settle = self._settles[group.settle]
                    ends = self._settled(settle, situation, after, outcome, (number, index))
                for end, left in ends:
                    if end != situation:
                        found.setdefault(self._add(end, (number, index)), index)
                        for position, bit in left:
                            if end[position] != situation[position]:
                                leaves |= bit
        self.leaves.append(leaves)
        self._note_steps(number, found)

    def _note_steps(self, number: int, found: dict[int, int]) -> None:
        """Keep the steps from a situation: target and the action that leads there."""
        situation = self.situations[number]
        final = [p for p, states in self.finals if situation[p] in states]
        for target, index in found.items():
            self.sources.append(number)
            self.targets.append(target)
            self.vias.append(index)
            for position in final:
                end = self.situations[target][position]
                if end != situation[position]:
                    left_final = (self.stepper.variables[position], situation[position], end)
                    self.finals_left.setdefault(left_final, (number, index))

    def _ask_group(
        self, group: Group, situation: Situation, number: int
    ) -> list[tuple[int, Outcome]]:
        """Return what the group's actions can change here, equal changes once: action, outcome."""
        found: dict[object, tuple[int, Outcome]] = {}
        for index in group.indexes:
            for outcome in self._ask(self.actions[index], situation, (number, index)):
                if outcome.changes:
                    found.setdefault((outcome.changes, outcome.leaves), (index, outcome))
        return list(found.values())

    def _settled(
        self, settle: Group, before: Situation, after: Situation, outcome: Outcome, at: Seen
    ) -> Iterator[tuple[Situation, Leaves]]:
        """Yield where the "always" rules lead to after an action."""
        action = self.actions[at[1]]
        key = settle.key(after)
        entries = settle.memory.get(key)
        if entries is None:
            entries = [(START, second) for second in self._ask(settle.action, after, at)]
            settle.memory[key] = entries
        for _index, second in entries:
            if second.kind != ENDLESS:
                yield _changed(after, second), (*outcome.leaves, *second.leaves)
            elif action.timer is not None:  # nothing was done, but the timer is over
                position = self.stepper.positions[self.system.timer_variable(action.timer[0])]
                yield _changed(before, Outcome(ENDLESS, ((position, STOPPED),))), ()

    def _ask(self, action: Action, situation: Situation, at: Seen) -> list[Outcome]:
        """Work out what the action does and note what is new."""
        outcomes = self.stepper.run(action, situation)
        for outcome in outcomes:
            if outcome.kind == ENDLESS:
                self.endless.setdefault(outcome.fired, at)
                continue
            for number in outcome.fired:
                self.fired.setdefault(number, at)
            if outcome.kind == APPLIED and action.event >= 0:
                self.accepted.setdefault(action.event, at)
        return outcomes

    def _add(self, situation: Situation, parent: Seen) -> int:
        known = self._numbers.get(situation)
        if known is not None:
            return known
        number = len(self.situations)
        self._numbers[situation] = number
        self.situations.append(situation)
        self.parents.append(parent)
        positions, count = self.stepper.positions, self.system.track_count
        for track in range(count):
            position = positions.get(track)
            if position is None:
                continue
            state = situation[position]
            self.reached.setdefault((track, state), number)
            timer = positions.get(self.system.timer_variable(track))
            if timer is not None and situation[timer] != STOPPED:
                self.timers.setdefault((track, state, situation[timer]), number)
        return number

    def path(self, seen: Seen) -> list[Action]:
        """Return the actions from the start to this action in this situation."""
        number, action = seen
        found = [] if action == START else [self.actions[action]]
        while number > START:
            number, action = self.parents[number]
            if action != START:
                found.append(self.actions[action])
        return found[::-1]


def _changes(situation: Situation, outcome: Outcome) -> bool:
    return any(situation[position] != value for position, value in outcome.changes)


def _changed(situation: Situation, outcome: Outcome) -> Situation:
    if not outcome.changes:
        return situation
    values = list(situation)
    for position, value in outcome.changes:
        values[position] = value
    return tuple(values)
