"""What one event, or the end of one timer, does in the explorer's abstract situations.

Problem: the explorer asks millions of times what an event does, and few of a situation's values
matter to the answer.
Guarantee: an action answers from the values that it reads alone, and remembers the answer. The
order of rules, refusals and "always" rules is that of `redband_core.engine`; a test compares them.
Timers only run, stand still or are off: one that runs may end at any moment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter

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


@dataclass(slots=True)
class Action:
    """An event with arguments, the end of a timer (event -1), or "always" rules that follow.

    reads: positions of the situation that decide what it does. memory: answers so far. settle:
    the "always" rules that can do something after it, as another action, or None.
    """

    event: int
    args: tuple[int, ...]
    timer: tuple[int, int] | None
    rules: list[RuleView]
    settle: Action | None
    reads: tuple[int, ...] = ()
    key: Callable[[Situation], object] = tuple
    memory: dict[object, list[Outcome]] = field(default_factory=dict)


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
        action.key = itemgetter(*action.reads) if action.reads else lambda _situation: ()
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

    def run(self, action: Action, situation: Situation) -> list[Outcome]:
        """Return the different outcomes of the action; more than one where values are classes."""
        found: list[Outcome] = []
        for values, lefts in self._concrete(action, situation):
            outcome = _Run(self, action, values, lefts, situation).outcome()
            if outcome not in found:
                found.append(outcome)
        return found

    def _concrete(self, action: Action, situation: Situation):
        """Yield the values of all slots, and ms left of each timer, that the situation may mean."""
        system = self.system
        options: list[tuple[int, ...]] = []
        read = set(action.reads)
        for variable in range(system.first_timer):
            position = self.positions.get(variable)
            if position is None:
                options.append((0,))
            elif variable < system.track_count:
                options.append((situation[position],))
            else:
                samples = self.classes[variable].samples[situation[position]]
                options.append(samples if position in read else samples[:1])
        lefts = self._left_options(action, situation)
        args = [*action.args, *[0] * (system.arg_slots - len(action.args))]
        for counters in itertools.product(*options):
            for left in itertools.product(*lefts):
                yield [*counters, *system.params, *args], left

    def _left_options(self, action: Action, situation: Situation) -> list[tuple[int, ...]]:
        """Return for each track the ms left that are worth trying."""
        system = self.system
        near: dict[int, set[int]] = {}
        for view in action.rules:
            formulas = [view.guard, *(formula for _effect, formula in view.effects)]
            for formula in formulas:
                for track in formula.left_tracks if formula is not None else ():
                    points = near.setdefault(track, set())
                    for number in (*formula.constants, *system.params):
                        points.update((number - 1, number, number + 1))
        options: list[tuple[int, ...]] = []
        for track in range(system.track_count):
            position = self.positions.get(system.timer_variable(track))
            if position is None or situation[position] == STOPPED:
                options.append((0,))
            elif track not in near:
                options.append((1,))
            else:
                top = system.left_limit[track][1] or TIMER_LIMIT_MS
                options.append(
                    tuple(sorted({p for p in near[track] if 1 <= p <= top} | {1, top}))
                )
        return options


class _Run:
    """One action in one concrete situation."""

    def __init__(self, stepper, action, values, lefts, situation) -> None:
        self.stepper, self.system = stepper, stepper.system
        self.action, self.values, self.lefts = action, values, lefts
        self.known = stepper.positions
        self.timers = [
            situation[self.known[timer]] if timer in self.known else STOPPED
            for timer in map(self.system.timer_variable, range(self.system.track_count))
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
            for effect, formula in view.effects:
                target = effect.target
                if effect.op == core.NOTE:
                    continue
                if effect.op == core.SET:
                    self._set_counter(target, formula)
                elif effect.op != core.GO:
                    if self.system.timer_variable(target) in self.known:
                        self._timer(effect, formula)
                elif target in self.known and target not in moved:
                    moved.add(target)
                    self._go(view, effect, formula)

    def _set_counter(self, target: int, formula: Formula) -> None:
        if target in self.known:
            low, high = self.system.counter_bounds[target - self.system.track_count]
            self.values[target] = min(max(formula.value(self.values, self.left), low), high)
            self.written.add(target)

    def _go(self, view: RuleView, effect: Effect, formula: Formula | None) -> None:
        track, state = effect.target, effect.a
        is_final = self.system.ruleset.tracks[track].states[state].is_final
        if not is_final or track in view.named_tracks:
            self.leaves.add(track)
        self._set_timer(track, self._duration(self.system.duration_of(effect, formula)))
        self.values[track] = state
        self.written.add(track)

    def _duration(self, formula: Formula | None) -> int:
        """Return the duration, or any with the same sign where its inputs are left out."""
        if formula is None:
            return 0
        if self.system.read_by(formula) <= self.known.keys():
            return formula.value(self.values, self.left)
        return self.system.duration_sign(formula)

    def _timer(self, effect: Effect, formula: Formula | None) -> None:
        track, op = effect.target, effect.op
        status = self.timers[track]
        if op in (core.PAUSE, core.RESUME):
            before, after = (RUNNING, PAUSED) if op == core.PAUSE else (PAUSED, RUNNING)
            if status == before:
                self._keep(track, after)
        elif op == core.TIMER_SET or status != STOPPED:
            left_ms = self._duration(formula)
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
