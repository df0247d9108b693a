"""The variables that a walk keeps, and what an action does to them.

Problem: the explorer asks millions of times what an event does, and few of a situation's values
matter to the answer.
Guarantee: an action answers from the values that it reads alone, so answers can be kept. Where a
value stands for many, each outcome that it may mean is given.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from redband.rules.explore.run import Action, Outcome, Plan, Run, Situation
from redband.rules.explore.system import RUNNING, STOPPED, RuleView, System, Variables
from redband_core.state import TIMER_LIMIT_MS


class Stepper:
    """The system cut down to some variables. positions: where each variable stands."""

    def __init__(self, system: System, variables: Variables) -> None:
        """variables: a closure of the system; nothing outside it is looked at or changed."""
        self.system = system
        self.variables = tuple(sorted(variables))
        self.positions = {variable: i for i, variable in enumerate(self.variables)}
        self.classes = {
            variable: system.classes[variable - system.track_count]
            for variable in self.variables
            if system.track_count <= variable < system.first_timer
        }
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._empty = [*[0] * system.first_timer, *system.params, *[0] * system.arg_slots]
        self._slots = [(v, p) for v, p in self.positions.items() if v < system.first_timer]
        self._timer_positions = [
            self.positions.get(system.timer_variable(track)) for track in range(system.track_count)
        ]

    def holds(self, view: RuleView) -> bool:
        """Return True when all that the rule asks about is kept here."""
        return all(variable in self.positions for variable in view.condition_reads)

    def prepare(self, action: Action) -> Action:
        """Fill in what the action reads."""
        reads: set[int] = set()
        for view in action.rules:
            reads |= view.reads
            if view.rule.is_always:
                reads |= view.writes  # whether anything changed decides when they end
        if action.timer is not None:
            track = action.timer[0]
            reads |= {track, self.system.timer_variable(track)}
        reads &= self.positions.keys()
        action.reads = tuple(sorted(self.positions[variable] for variable in reads))
        action.plan = self.plan(action.rules)
        return action

    def settle(self, rules: list[RuleView]) -> Action:
        """Return the "always" rules as an action."""
        return self.prepare(Action(-1, (), None, rules, None))

    def start(self) -> Situation:
        """Return the situation in which a player begins, before the "always" rules."""
        engine, system = self.system.start, self.system
        values = [0] * len(self.variables)
        for variable, position in self.positions.items():
            if variable < system.track_count:
                values[position] = engine.track_state(variable)
            elif variable < system.first_timer:
                value = engine.counter(variable - system.track_count)
                values[position] = self.classes[variable].number(value)
            elif engine.timer_left_ms(variable - system.first_timer) >= 0:
                values[position] = RUNNING
        return tuple(values)

    def probe(self, reads: tuple[int, ...]) -> Callable[[Situation], Iterator[list[int]]]:
        """Return a function that gives the values of all slots that a situation may mean.

        reads: positions whose values matter.
        """
        action = Action(-1, (), None, [], None, reads, self.plan([]))
        return lambda situation: (values for values, _left in self._concrete(action, situation))

    def run(self, action: Action, situation: Situation) -> list[Outcome]:
        """Return the different outcomes of the action; more than one where values are classes."""
        found: list[Outcome] = []
        timers = [STOPPED if p is None else situation[p] for p in self._timer_positions]
        for values, lefts in self._concrete(action, situation):
            for chosen in itertools.product(*action.plan.signs):
                concrete = (values[:], lefts, chosen)
                run = Run(self.system, self.positions, action, concrete, timers[:])
                outcome = run.outcome()
                if outcome not in found:
                    found.append(outcome)
        return found

    def plan(self, rules: list[RuleView]) -> Plan:
        """Return what the rules leave open."""
        key = tuple(view.number for view in rules)
        if key not in self._plans:
            tracks = range(self.system.track_count)
            free = {
                effect.target
                for view in rules
                for (effect, _formula), sign in zip(view.effects, view.signs, strict=True)
                if sign is None
            }
            lefts = self._left_points(rules)
            self._plans[key] = Plan(
                [(0, 1) if track in free else (1,) for track in tracks],
                [lefts.get(track, (1,)) for track in tracks],
            )
        return self._plans[key]

    def _left_points(self, rules: list[RuleView]) -> dict[int, tuple[int, ...]]:
        """Return the ms left that are worth trying for each track that the rules ask for them."""
        near: dict[int, set[int]] = {}
        for view in rules:
            for formula in (view.guard, *(formula for _effect, formula in view.effects)):
                if formula is None:
                    continue
                for track in formula.left_tracks:
                    points = near.setdefault(track, set())
                    for number in (*formula.constants, *self.system.params):
                        points.update((number - 1, number, number + 1))
        found = {}
        for track, points in near.items():
            top = self.system.left_limit[track][1] or TIMER_LIMIT_MS
            found[track] = tuple(sorted({p for p in points if 1 <= p <= top} | {1, top}))
        return found

    def _concrete(
        self, action: Action, situation: Situation
    ) -> Iterator[tuple[list[int], tuple[int, ...]]]:
        """Yield the values of all slots and the ms left that the situation may mean."""
        values = self._empty[:]
        open_slots, open_samples = [], []
        for slot, position in self._slots:
            value = situation[position]
            kept = self.classes.get(slot)
            if kept is not None:
                samples = kept.samples[value]
                value = samples[0]
                if len(samples) > 1 and position in action.reads:
                    open_slots.append(slot)
                    open_samples.append(samples)
            values[slot] = value
        first_arg = self.system.first_arg
        values[first_arg : first_arg + len(action.args)] = action.args
        lefts = [
            options if position is not None and situation[position] != STOPPED else (0,)
            for position, options in zip(self._timer_positions, action.plan.lefts, strict=True)
        ]
        for chosen in itertools.product(*open_samples):
            for slot, value in zip(open_slots, chosen, strict=True):
                values[slot] = value
            for left in itertools.product(*lefts):
                yield values, left
