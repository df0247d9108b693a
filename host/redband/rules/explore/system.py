"""A ruleset with one player's params as variables and rules, for the explorer.

Problem: most of what a badge counts cannot influence most of what it does; exploring everything
together would take for ever.
Guarantee: `closure` of some variables holds every variable that can influence them, so the
variables outside it can be left out without changing what those inside do. A duration counts as
influence only when it may be 0 as well as above 0; how long a timer runs is left out.

Variables are numbered: tracks, counters, then one for each track's timer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redband.rules.explore.counters import CounterClasses
from redband.rules.explore.formula import Bounds, Formula
from redband.rules.loader import CompiledRuleset
from redband.rules.model import Code, Effect, Rule
from redband_core import ruleset as core
from redband_core.engine import Engine
from redband_core.state import TIMER_LIMIT_MS

STOPPED, RUNNING, PAUSED = 0, 1, 2  # values of a timer's variable
Variables = frozenset[int]


@dataclass(frozen=True, slots=True)
class Detail:
    """How closely to look.

    value_limit: counters with more values are kept in classes. free_durations: a time that
    counters decide, and that may be 0, is tried as 0 and as more; the counters need not be known.
    """

    value_limit: int
    free_durations: bool


EXACT = Detail(1000, False)
COARSE = Detail(1000, True)
COARSEST = Detail(40, True)


class RuleView:
    """One rule: what it reads and writes. named_tracks: tracks that its condition asks about."""

    def __init__(self, system: System, number: int, rule: Rule) -> None:
        """Note what the rule reads and writes."""
        self.number = number
        self.rule = rule
        condition = rule.condition
        self.guard = None if condition.guard is None else system.formula(condition.guard)
        self.masks = [(track, frozenset(states)) for track, states in condition.where]
        reads = {track for track, _states in condition.where}
        if self.guard is not None:
            reads |= system.read_by(self.guard)
        if rule.after is not None:
            reads |= {rule.after[0], system.timer_variable(rule.after[0])}
        self.named_tracks = frozenset(v for v in reads if v < system.track_count)
        self.condition_reads = frozenset(reads)
        self.params = set(self.guard.slots if self.guard else ()) & system.param_slots
        self.effects = [
            (effect, None if effect.value is None else system.formula(effect.value))
            for effect in rule.effects
        ]
        self.signs = [system.sign_of(*pair) for pair in self.effects]
        self.effect_reads = [system.effect_reads(*pair) for pair in self.effects]
        self.effect_writes = [system.effect_writes(effect) for effect in rule.effects]
        self.reads = self.condition_reads.union(*self.effect_reads)
        self.writes: Variables = frozenset().union(*self.effect_writes)


class System:
    """The ruleset under these params. rules, event_rules, timer_rules, always: RuleViews."""

    def __init__(
        self, ruleset: CompiledRuleset, params: list[int], detail: Detail = EXACT
    ) -> None:
        """Prepare all formulas. Raises RulesError for params that a badge would refuse."""
        self.ruleset = ruleset
        self.params = params
        self.detail = detail
        self.track_count = len(ruleset.tracks)
        self.first_timer = self.track_count + len(ruleset.counters)
        self.first_arg = self.first_timer + len(params)
        self.param_slots = frozenset(range(self.first_timer, self.first_arg))
        self.arg_slots = max(len(event.args) for event in ruleset.events)
        self.start = Engine(ruleset.ruleset, params)
        self._formulas: dict[Code, Formula] = {}
        self.counter_bounds = [self.start.counter_range(i) for i in range(len(ruleset.counters))]
        self.left_limit = self._left_limits()
        self.rules = [RuleView(self, i, rule) for i, rule in enumerate(ruleset.rules)]
        self.always = [view for view in self.rules if view.rule.is_always]
        self.event_rules = [
            [view for view in self.rules if event.id in view.rule.events]
            for event in ruleset.events
        ]
        self.timer_rules: dict[tuple[int, int], list[RuleView]] = {}
        for t, track in enumerate(ruleset.tracks):
            for s, state in enumerate(track.states):
                if state.timer is not None:
                    found = [view for view in self.rules if view.rule.after == (t, s)]
                    self.timer_rules[(t, s)] = found
        self.classes = [
            CounterClasses(bounds, self._cuts(self.track_count + i), detail.value_limit)
            for i, bounds in enumerate(self.counter_bounds)
        ]
        self._influences = self._find_influences()

    def formula(self, code: Code) -> Formula:
        """Return the prepared formula, one for equal codes."""
        if code not in self._formulas:
            self._formulas[code] = Formula(code)
        return self._formulas[code]

    def timer_variable(self, track: int) -> int:
        """Return the number of the variable that tells whether the track's timer runs."""
        return self.first_timer + track

    def _cuts(self, counter: int) -> set[int]:
        """Return the numbers that guards compare a counter with."""
        found: set[int] = set()
        for view in self.rules:
            if view.guard is not None and counter in view.guard.slots:
                found.update(view.guard.constants)
                params = view.guard.slots & self.param_slots
                found.update(self.params[slot - self.first_timer] for slot in params)
        return found

    def read_by(self, formula: Formula) -> set[int]:
        """Return the variables that the formula reads."""
        timers = {self.timer_variable(track) for track in formula.left_tracks}
        return {slot for slot in formula.slots if slot < self.first_timer} | timers

    def slot_bounds(self, args: list[Bounds]) -> list[Bounds]:
        """Return the bounds of every slot; args: those of the event's arguments."""
        tracks = [(0, len(track.states) - 1) for track in self.ruleset.tracks]
        params = [(value, value) for value in self.params]
        return [*tracks, *self.counter_bounds, *params, *args]

    def duration_of(self, effect: Effect, formula: Formula | None) -> Formula | None:
        """Return the duration that going to a state starts, None for a state without a timer."""
        if formula is not None or effect.op != core.GO:
            return formula
        code = self.ruleset.tracks[effect.target].states[effect.a].timer
        return None if code is None else self.formula(code)

    def sign_of(self, effect: Effect, formula: Formula | None) -> int | None:
        """Return 1 or -1 for a time always above 0 or never, 0 when it must be worked out.

        None: it is free, see `Detail`.
        """
        duration = self.duration_of(effect, formula)
        if effect.op in (core.SET, core.NOTE) or duration is None:
            return -1
        slots = self.slot_bounds([(-(1 << 40), 1 << 40)] * self.arg_slots)
        low, high = duration.bounds(slots, self.left_limit)
        if low > 0 or (effect.op == core.TIMER_ADD and low == 0):
            return 1
        if high <= 0 and effect.op != core.TIMER_ADD:
            return -1
        counters = range(self.track_count, self.first_timer)
        is_free = self.detail.free_durations and any(slot in counters for slot in duration.slots)
        return None if is_free else 0

    def effect_reads(self, effect: Effect, formula: Formula | None) -> set[int]:
        """Return the variables that the effect's result depends on."""
        if effect.op == core.SET and formula is not None:
            return self.read_by(formula)
        duration = self.duration_of(effect, formula)
        found = set()
        if effect.op in (core.TIMER_SET, core.TIMER_ADD, core.PAUSE, core.RESUME):
            found.add(self.timer_variable(effect.target))
        if duration is not None and self.sign_of(effect, formula) == 0:
            found |= self.read_by(duration)
        return found

    def effect_writes(self, effect: Effect) -> set[int]:
        """Return the variables that the effect changes."""
        if effect.op == core.NOTE:
            return set()
        if effect.op == core.SET:
            return {effect.target}
        timer = self.timer_variable(effect.target)
        return {effect.target, timer} if effect.op == core.GO else {timer}

    def refusals_of(self, view: RuleView) -> Iterable[RuleView]:
        """Return the refusing rules of the rule's events."""
        for event in view.rule.events:
            yield from (other for other in self.event_rules[event] if other.rule.refusal)

    def closure(self, variables: Iterable[int]) -> Variables:
        """Return the variables with everything that can influence them."""
        found: set[int] = set()
        waiting = list(variables)
        while waiting:
            variable = waiting.pop()
            if variable not in found:
                found.add(variable)
                waiting.extend(self._influences[variable])
        return frozenset(found)

    def _find_influences(self) -> list[set[int]]:
        influences: list[set[int]] = [set() for _ in range(self.first_timer + self.track_count)]
        for view in self.rules:
            conditions = set(view.condition_reads)
            for other in self.refusals_of(view):
                conditions |= other.condition_reads
            pairs = zip(view.effect_reads, view.effect_writes, strict=True)
            for reads, writes in pairs:
                for variable in writes:
                    influences[variable] |= conditions | reads
        for t in range(self.track_count):
            influences[self.timer_variable(t)].add(t)
        return influences

    def _left_limits(self) -> list[Bounds]:
        """Return for each track the bounds of the ms left of its timer."""
        limits: list[Bounds] = [(0, TIMER_LIMIT_MS)] * self.track_count
        slots = self.slot_bounds([(-(1 << 40), 1 << 40)] * self.arg_slots)
        found = []
        for t, track in enumerate(self.ruleset.tracks):
            codes = [state.timer for state in track.states if state.timer is not None]
            for rule in self.ruleset.rules:
                for effect in rule.effects:
                    if effect.target == t and effect.op in (core.GO, core.TIMER_SET):
                        codes += [effect.value] if effect.value is not None else []
                    if effect.target == t and effect.op == core.TIMER_ADD:
                        return limits
            tops = [self.formula(code).bounds(slots, limits)[1] for code in codes]
            found.append((0, max(0, min(TIMER_LIMIT_MS, max(tops, default=0)))))
        return found
