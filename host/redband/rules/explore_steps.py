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

from redband.rules.explore_system import PAUSED, RUNNING, STOPPED, RuleView, System, Variables
from redband.rules.explore_values import CounterClasses

APPLIED, REFUSED, ENDLESS, IDLE = "applied", "refused", "endless", "idle"
Situation = tuple[int, ...]


@dataclass(slots=True)
class Outcome:
    """What an action did. changes: (position, new value). fired: numbers of the rules that did it.

    leaves: mask of the tracks that went to another state by a rule made for their state, or to a
    state that is not final. moves: (track, from, to). kind: how it ended.
    """

    kind: str
    changes: tuple[tuple[int, int], ...] = ()
    fired: frozenset[int] = frozenset()
    leaves: int = 0
    moves: tuple[tuple[int, int, int], ...] = ()


@dataclass(slots=True)
class Action:
    """An event with arguments, or the end of a timer (event -1).

    reads: positions of the situation that decide what it does. memory: answers so far.
    """

    event: int
    args: tuple[int, ...]
    timer: tuple[int, int] | None
    rules: list[RuleView]
    always: list[RuleView]
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
            variable: CounterClasses(
                system.counter_bounds[variable - system.track_count], self._cuts(variable)
            )
            for variable in self.variables
            if system.track_count <= variable < system.first_timer
        }

    @property
    def is_exact(self) -> bool:
        """True when every counter is kept value by value."""
        return all(classes.is_exact for classes in self.classes.values())

    def _cuts(self, variable: int) -> set[int]:
        found: set[int] = set()
        for view in self.system.rules:
            if view.guard is not None and variable in view.guard.slots:
                found.update(view.guard.constants)
                found.update(
                    self.system.params[slot - self.system.first_timer]
                    for slot in view.guard.slots & self.system.param_slots
                )
        return found

    def holds(self, view: RuleView) -> bool:
        """Return True when all that the rule asks about is kept here."""
        return all(variable in self.positions for variable in view.condition_reads)

    def prepare(self, action: Action) -> Action:
        """Fill in what the action reads."""
        reads: set[int] = set()
        for view in (*action.rules, *action.always):
            reads |= view.reads | view.writes
        if action.timer is not None:
            track = action.timer[0]
            reads |= {track, self.system.timer_variable(track)}
        reads &= self.positions.keys()
        action.reads = tuple(sorted(self.positions[variable] for variable in reads))
        action.key = itemgetter(*action.reads) if action.reads else lambda _situation: ()
        return action

    def start(self) -> list[tuple[Situation, Outcome]]:
        """Return the situations in which a player begins, with what the "always" rules did."""
        engine, system = self.system.start, self.system
        values = [0] * len(self.variables)
        tracks = range(system.track_count)
        for variable, position in self.positions.items():
            if variable < system.track_count:
                values[position] = engine.track_state(variable)
            elif variable < system.first_timer:
                value = engine.counter(variable - system.track_count)
                values[position] = self.classes[variable].number(value)
            elif engine.timer_left_ms(tracks[variable - system.first_timer]) >= 0:
                values[position] = RUNNING
        action = Action(-1, (), None, [], [v for v in system.always if self.holds(v)])
        action.reads = tuple(self.positions.values())
        situation = tuple(values)
        return [(situation, outcome) for outcome in self.run(action, situation)]

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
        for view in (*action.rules, *action.always):
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
        self.action, self.values, self.lefts, self.before = action, values, lefts, situation
        self.timers = [
            situation[stepper.positions[self.system.timer_variable(track)]]
            if self.system.timer_variable(track) in stepper.positions
            else STOPPED
            for track in range(self.system.track_count)
        ]
        self.fired: set[int] = set()
        self.leaves = 0

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
            if self.values[timer[0]] != timer[1] or self.timers[timer[0]] != RUNNING:
                return Outcome(IDLE)
            self.timers[timer[0]] = STOPPED
            self.lefts = tuple(0 if t == timer[0] else v for t, v in enumerate(self.lefts))
        chosen = []
        for view in self.action.rules:
            if self.fits(view):
                if view.rule.refusal:
                    return Outcome(REFUSED, fired=frozenset((view.number,)))
                chosen.append(view)
        if not chosen and self.action.event >= 0:
            return Outcome(REFUSED)
        if not chosen and timer is not None:
            return self._result(IDLE)
        values, timers = self.values[:], self.timers[:]
        self._do(chosen)
        if not self._settle():
            self.values, self.timers, self.leaves = values, timers, 0
            changes = self._result(ENDLESS).changes if timer is not None else ()
            return Outcome(ENDLESS, changes, frozenset(self.fired))
        return self._result(APPLIED)

    def _settle(self) -> bool:
        """Run the "always" rules until nothing changes; return False when that has no end."""
        count = self.system.first_timer
        for _round in range(ALWAYS_ROUNDS + 1):
            if not self.action.always:
                return True
            last = self.values[:count]
            self._do([view for view in self.action.always if self.fits(view)])
            if self.values[:count] == last:
                return True
        return False

    def _do(self, views: list[RuleView]) -> None:
        moved: set[int] = set()
        for view in views:
            self.fired.add(view.number)
            for effect, formula in view.effects:
                if effect.op == core.NOTE:
                    continue
                target = effect.target
                if effect.op == core.SET:
                    if target in self.stepper.positions:
                        low, high = self.system.counter_bounds[target - self.system.track_count]
                        value = formula.value(self.values, self.left)
                        self.values[target] = min(max(value, low), high)
                elif target not in self.stepper.positions:
                    if self.system.timer_variable(target) in self.stepper.positions:
                        self._timer(effect, formula)
                elif effect.op != core.GO:
                    self._timer(effect, formula)
                elif target not in moved:
                    moved.add(target)
                    self._go(view, effect, formula)

    def _go(self, view, effect, formula) -> None:
        track, state = effect.target, effect.a
        is_final = self.system.ruleset.tracks[track].states[state].is_final
        if not is_final or track in view.named_tracks:
            self.leaves |= 1 << track
        duration = self.system.duration_of(effect, formula)
        self._set_timer(track, self._duration(duration))
        self.values[track] = state

    def _duration(self, formula) -> int:
        """Return the duration, or any with the same sign where its inputs are left out."""
        if formula is None:
            return 0
        known = self.stepper.positions
        if all(variable in known for variable in self.system.read_by(formula)):
            return formula.value(self.values, self.left)
        return self.system.duration_sign(formula)

    def _timer(self, effect, formula) -> None:
        track, op = effect.target, effect.op
        status = self.timers[track]
        if op == core.PAUSE:
            self.timers[track] = PAUSED if status == RUNNING else status
        elif op == core.RESUME:
            self.timers[track] = RUNNING if status == PAUSED else status
        elif op == core.TIMER_SET or status != STOPPED:
            left = self._duration(formula)
            if op == core.TIMER_ADD:
                left += self.left(track)
            self._set_timer(track, left)
            if status == PAUSED and self.timers[track] == RUNNING:
                self.timers[track] = PAUSED

    def _set_timer(self, track: int, left_ms: int) -> None:
        timer_known = self.system.timer_variable(track) in self.stepper.positions
        self.timers[track] = RUNNING if left_ms > 0 and timer_known else STOPPED
        self.lefts = tuple(
            max(left_ms, 0) if t == track else v for t, v in enumerate(self.lefts)
        )

    def _result(self, kind: str) -> Outcome:
        system, changes, moves = self.system, [], []
        leaves = 0
        for variable, position in self.stepper.positions.items():
            if position not in self.action.reads:
                continue
            if variable < system.track_count:
                value = self.values[variable]
                if value != self.before[position]:
                    moves.append((variable, self.before[position], value))
                    leaves |= self.leaves & (1 << variable)
            elif variable < system.first_timer:
                value = self.stepper.classes[variable].number(self.values[variable])
            else:
                value = self.timers[variable - system.first_timer]
            if value != self.before[position]:
                changes.append((position, value))
        return Outcome(kind, tuple(changes), frozenset(self.fired), leaves, tuple(moves))
