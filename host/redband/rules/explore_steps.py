"""What one event, or the end of one timer, does in the explorer's abstract situations.

Problem: the explorer asks millions of times what an event does, and few of a situation's values
matter to the answer.
Guarantee: an action answers from the values that it reads alone, so answers can be kept. The order of rules, refusals and "always" rules is that of `redband_core.engine`; a test compares them.
Timers only run, stand still or are off: one that runs may end at any moment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from redband_core import ruleset as core
from redband_core.engine import ALWAYS_ROUNDS
from redband_core.state import TIMER_LIMIT_MS

from redband.rules.explore_formula import Formula
from redband.rules.explore_system import PAUSED, RUNNING, STOPPED, RuleView, System, Variables
from redband.rules.model import Effect

APPLIED, REFUSED, ENDLESS, IDLE = "applied", "refused", "endless", "idle"
Situation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action did. changes: (position, new value). fired: numbers of the rules that did it.

    leaves: (position, bit of the track) for tracks that went somewhere by a rule made for their
    state, or to a state that is not final. kind: how it ended.
    """

    kind: str
    changes: tuple[tuple[int, int], ...] = ()
    fired: frozenset[int] = frozenset()
    leaves: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is left open for each track: whether free times are above 0, ms left to try."""

    signs: list[tuple[int, ...]]
    lefts: list[tuple[int, ...]]


@dataclass(slots=True)
class Action:
    """An event with arguments, the end of a timer (event -1), or "always" rules that follow.

    reads: positions of the situation that decide what it does. settle: number of the "always"
    rules that can do something after it, None for none.
    """

    event: int
    args: tuple[int, ...]
    timer: tuple[int, int] | None
    rules: list[RuleView]
    settle: int | None
    reads: tuple[int, ...] = ()
    plan: Plan = field(default_factory=lambda: Plan([], []))


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
        self.timer_positions = [
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
        for values, lefts in self._concrete(action, situation):
            for chosen in itertools.product(*action.plan.signs):
                outcome = _Run(self, action, (values[:], lefts, chosen), situation).outcome()
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
                for track in formula.left_tracks if formula is not None else ():
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
        """Yield the values of all slots, and ms left of each timer, that the situation may mean."""
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
            for position, options in zip(self.timer_positions, action.plan.lefts, strict=True)
        ]
        for chosen in itertools.product(*open_samples):
            for slot, value in zip(open_slots, chosen, strict=True):
                values[slot] = value
            for left in itertools.product(*lefts):
                yield values, left


class _Run:
    """One action in one concrete situation."""

    def __init__(
        self,
        stepper: Stepper,
        action: Action,
        concrete: tuple[list[int], tuple[int, ...], tuple[int, ...]],
        situation: Situation,
    ) -> None:
        self.stepper, self.system = stepper, stepper.system
        self.action = action
        self.values, self.lefts, self.free_signs = concrete
        self.known = stepper.positions
        self.timers = [
            STOPPED if position is None else situation[position]
            for position in stepper.timer_positions
        ]
        self.written: set[int] = set()
        self.fired: set[int] = set()
        self.leaves: set[int] = set()

    def left(self, track: int) -> int:
        """Return ms left of a track's timer."""
        return self.lefts[track]

    def fits(self, view: RuleView) -> bool:
        """Return True when the rule's condition holds now."""
        values = self.values
        for track, states in view.masks:
            if values[track] not in states:
                return False
        return view.guard is None or view.guard.value(values, self.left) != 0

    def outcome(self) -> Outcome:
        """Run the action; return what it did."""
        timer = self.action.timer
        if timer is not None:
            track = timer[0]
            if self.values[track] != timer[1] or self.timers[track] != RUNNING:
                return Outcome(IDLE)
            self._set_timer(track, 0)
        elif self.action.event < 0:
            return self._settle()
        chosen = []
        for view in self.action.rules:
            if self.fits(view):
                if view.rule.refusal:
                    return Outcome(REFUSED, fired=frozenset((view.number,)))
                chosen.append(view)
        if not chosen:
            return Outcome(REFUSED) if timer is None else self._result(IDLE)
        self._do(chosen)
        return self._result(APPLIED)

    def _settle(self) -> Outcome:
        """Run the "always" rules until nothing changes."""
        count = self.system.first_timer
        for _round in range(ALWAYS_ROUNDS + 1):
            last = self.values[:count]
            self._do([view for view in self.action.rules if self.fits(view)])
            if self.values[:count] == last:
                return self._result(APPLIED)
        return Outcome(ENDLESS, fired=frozenset(self.fired))

    def _do(self, views: list[RuleView]) -> None:
        moved: set[int] = set()
        for view in views:
            self.fired.add(view.number)
            for (effect, formula), sign in zip(view.effects, view.signs, strict=True):
                target = effect.target
                if effect.op == core.NOTE:
                    continue
                if effect.op == core.SET:
                    self._set_counter(target, formula)
                elif effect.op != core.GO:
                    if self.system.timer_variable(target) in self.known:
                        self._timer(effect, self._duration(effect, formula, sign))
                elif target in self.known and target not in moved:
                    moved.add(target)
                    self._go(view, effect, self._duration(effect, formula, sign))

    def _set_counter(self, target: int, formula: Formula) -> None:
        if target in self.known:
            low, high = self.system.counter_bounds[target - self.system.track_count]
            self.values[target] = min(max(formula.value(self.values, self.left), low), high)
            self.written.add(target)

    def _go(self, view: RuleView, effect: Effect, left_ms: int) -> None:
        track, state = effect.target, effect.a
        is_final = self.system.ruleset.tracks[track].states[state].is_final
        if not is_final or track in view.named_tracks:
            self.leaves.add(track)
        self._set_timer(track, left_ms)
        self.values[track] = state
        self.written.add(track)

    def _duration(self, effect: Effect, formula: Formula | None, sign: int | None) -> int:
        """Return the time, or another one with the same sign where its inputs are left out."""
        duration = self.system.duration_of(effect, formula)
        if duration is None:
            return 0
        if self.system.read_by(duration) <= self.known.keys() and sign is not None:
            return duration.value(self.values, self.left)
        if sign is not None:
            return sign
        is_longer = self.free_signs[effect.target]
        return is_longer or (-TIMER_LIMIT_MS if effect.op == core.TIMER_ADD else 0)

    def _timer(self, effect: Effect, left_ms: int) -> None:
        track, op = effect.target, effect.op
        status = self.timers[track]
        if op in (core.PAUSE, core.RESUME):
            before, after = (RUNNING, PAUSED) if op == core.PAUSE else (PAUSED, RUNNING)
            if status == before:
                self._keep(track, after)
        elif op == core.TIMER_SET or status != STOPPED:
            self._set_timer(track, left_ms + (self.left(track) if op == core.TIMER_ADD else 0))
            if status == PAUSED and self.timers[track] == RUNNING:
                self._keep(track, PAUSED)

    def _set_timer(self, track: int, left_ms: int) -> None:
        self._keep(track, RUNNING if left_ms > 0 else STOPPED)
        self.lefts = tuple(max(left_ms, 0) if t == track else v for t, v in enumerate(self.lefts))

    def _keep(self, track: int, status: int) -> None:
        variable = self.system.timer_variable(track)
        if variable in self.known:
            self.timers[track] = status
            self.written.add(variable)

    def _result(self, kind: str) -> Outcome:
        system, changes = self.system, []
        for variable in sorted(self.written):
            value = 0
            if variable < system.track_count:
                value = self.values[variable]
            elif variable < system.first_timer:
                value = self.stepper.classes[variable].number(self.values[variable])
            else:
                value = self.timers[variable - system.first_timer]
            changes.append((self.known[variable], value))
        leaves = tuple((self.known[track], 1 << track) for track in sorted(self.leaves))
        return Outcome(kind, tuple(changes), frozenset(self.fired), leaves)
