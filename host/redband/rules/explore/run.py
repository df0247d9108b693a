"""What one event, or the end of one timer, does in the explorer's abstract situations.

Problem: the explorer must do what a badge does, with what it has left of a badge's state.
Guarantee: the order of rules, refusals and "always" rules is that of `redband_core.engine`; a test
compares them. Timers only run, are paused or are off: one that runs may end at any moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from redband.rules.explore.formula import Formula
from redband.rules.explore.system import PAUSED, RUNNING, STOPPED, RuleView, System
from redband.rules.model import Effect
from redband_core import ruleset_codes as core
from redband_core.engine import ALWAYS_ROUNDS
from redband_core.state import TIMER_LIMIT_MS

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


class Run:
    """One action in one concrete situation."""

    def __init__(
        self,
        system: System,
        known: Mapping[int, int],
        action: Action,
        concrete: tuple[list[int], tuple[int, ...], tuple[int, ...]],
        timers: list[int],
    ) -> None:
        """known: positions of the variables. concrete: all slots, ms left of each timer, whether

        free times are above 0. timers: what each track's timer does.
        """
        self.system, self.known, self.action = system, known, action
        self.values, self.lefts, self.free_signs = concrete
        self.timers = timers
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
                    if formula is not None:
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
                value = system.classes[variable - system.track_count].number(self.values[variable])
            else:
                value = self.timers[variable - system.first_timer]
            changes.append((self.known[variable], value))
        leaves = tuple((self.known[track], 1 << track) for track in sorted(self.leaves))
        return Outcome(kind, tuple(changes), frozenset(self.fired), leaves)
