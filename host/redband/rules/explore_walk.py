"""Walk all situations that a ruleset's variables can come to, breadth first.

Problem: faults of a ruleset lie where nobody looks, after a long row of events.
Guarantee: when `is_exhausted` is True, every situation that any events and timers lead to has been
seen, up to what is abstracted (`redband.rules.explore_steps`). Otherwise the limit of situations
or of time was hit, and what was seen is still true. Paths are shortest.
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Iterator

from redband.rules.explore_steps import (
    APPLIED,
    ENDLESS,
    REFUSED,
    Action,
    Outcome,
    Situation,
    Stepper,
)
from redband.rules.explore_system import STOPPED, RuleView, System, Variables
from redband.rules.explore_values import argument_choices

START = -1  # stands for "no action yet"
Seen = tuple[int, int]  # number of a situation, number of the action done in it


class Walk:
    """The situations of some variables.

    fired, accepted, reached, timers: first `Seen` for each rule number, event, (track, state), and
    (track, state, timer value). endless, finals_left: faults met on the way. sampled: arguments
    of which not every value was tried. edges: from, to; loops are left out.
    """

    def __init__(self, system: System, variables: Variables) -> None:
        """variables: a closure of the system."""
        self.system = system
        self.stepper = Stepper(system, variables)
        self.sampled: set[tuple[int, int]] = set()
        self.actions = list(self._actions())
        self.situations: list[Situation] = []
        self.parents: list[Seen] = []
        self.leaves: list[int] = []
        self.sources, self.targets = array("I"), array("I")
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

    def _actions(self) -> Iterator[Action]:
        stepper, system = self.stepper, self.system
        for event in system.ruleset.events[1:]:
            rules = system.event_rules[event.id]
            if not all(stepper.holds(view) for view in rules if view.rule.refusal):
                continue  # then nothing here depends on this event
            rules = [view for view in rules if stepper.holds(view)]
            if not rules:
                continue
            always = self._always_after(rules)
            choices = argument_choices(system, event, [*rules, *always])
            self.sampled |= {
                (event.id, place) for place, c in enumerate(choices) if not c.is_complete
            }
            for args in itertools.product(*(choice.values for choice in choices)):
                yield stepper.prepare(Action(event.id, args, None, rules, always))
        for timer, rules in system.timer_rules.items():
            if system.timer_variable(timer[0]) in stepper.positions:
                rules = [view for view in rules if stepper.holds(view)]
                always = self._always_after(rules)
                yield stepper.prepare(Action(-1, (), timer, rules, always))

    def _always_after(self, rules: list[RuleView]) -> list[RuleView]:
        """Return the "always" rules that can do something after these rules."""
        written = set().union(*(view.writes for view in rules))
        known = [view for view in self.system.always if self.stepper.holds(view)]
        first_timer = self.system.first_timer
        chosen: set[int] = set()
        while True:
            more = {
                view.number
                for view in known
                if view.reads & written or any(v >= first_timer for v in view.writes)
            } - chosen
            if not more:
                return [view for view in known if view.number in chosen]
            chosen |= more
            written = written.union(*(v.writes for v in known if v.number in more))

    def run(self, situation_limit: int, deadline: float) -> None:
        """Walk until all is seen, or a limit is hit. deadline: of `time.monotonic`, s."""
        for situation, outcome in self.stepper.start():
            if outcome.kind == ENDLESS:
                self.endless.setdefault(outcome.fired, (START, START))
            for number in outcome.fired:
                self.fired.setdefault(number, (START, START))
            self._add(_changed(situation, outcome), (START, START))
        number = 0
        while number < len(self.situations):
            if number % 32 == 0 and time.monotonic() > deadline:
                return
            if len(self.situations) > situation_limit:
                return
            self._expand(number)
            number += 1
        self.is_exhausted = True

    def _expand(self, number: int) -> None:
        situation = self.situations[number]
        leaves = 0
        found = set()
        for index, action in enumerate(self.actions):
            key = action.key(situation)
            outcomes = action.memory.get(key)
            if outcomes is None:
                outcomes = self._ask(action, situation, key, (number, index))
            for outcome in outcomes:
                leaves |= outcome.leaves
                target = self._add(_changed(situation, outcome), (number, index))
                if target != number:
                    found.add(target)
        self.leaves.append(leaves)
        for target in found:
            self.sources.append(number)
            self.targets.append(target)

    def _ask(self, action: Action, situation: Situation, key: object, at: Seen) -> list[Outcome]:
        """Work out what the action does, note what is new, and remember what changes things."""
        outcomes = self.stepper.run(action, situation)
        tracks = self.system.ruleset.tracks
        for outcome in outcomes:
            if outcome.kind == ENDLESS:
                self.endless.setdefault(outcome.fired, at)
            elif outcome.kind in (APPLIED, REFUSED):
                for number in outcome.fired:
                    self.fired.setdefault(number, at)
            if outcome.kind == APPLIED and action.event >= 0:
                self.accepted.setdefault(action.event, at)
            for track, before, after in outcome.moves:
                if tracks[track].states[before].is_final:
                    self.finals_left.setdefault((track, before, after), at)
        kept = [outcome for outcome in outcomes if outcome.changes or outcome.leaves]
        action.memory[key] = kept
        return kept

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


def _changed(situation: Situation, outcome: Outcome) -> Situation:
    if not outcome.changes:
        return situation
    values = list(situation)
    for position, value in outcome.changes:
        values[position] = value
    return tuple(values)
