"""A player at the start of the game: numbers, and the signal that belongs to a state.

Problem: sheets show times and lights, while the rules hold formulas over params and states.
Guarantee: values are worked out by the badge's own expression code, for the params given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from redband.rules.formula import Code, Constant
from redband.rules.loader import CompiledRuleset
from redband.rules.model import Rule, SignalInfo
from redband.rules.shortest import signals_by_state
from redband_core import expression as core
from redband_core.expression_reader import prepare
from redband_core.ruleset import GO, TIMER_ADD, TIMER_SET


class Start:
    """The start of a game with `params` (as `CompiledRuleset.param_values` gives them)."""

    def __init__(self, ruleset: CompiledRuleset, params: Sequence[int]) -> None:
        self.ruleset = ruleset
        self.first_param = len(ruleset.tracks) + len(ruleset.counters)
        self.first_arg = self.first_param + len(params)
        states = [track.initial for track in ruleset.tracks]
        self._params = params
        self._values = [*states, *[0] * len(ruleset.counters), *params]
        for place, counter in enumerate(ruleset.counters, len(states)):
            low, high, start = map(self.value, (counter.low, counter.high, counter.start))
            self._values[place] = min(max(start, low), high)

    def value(self, code: Code) -> int:
        """Return the value of a formula that has no event arguments; no timer runs."""
        return self._evaluate(code, self._values)

    def is_fixed(self, code: Code) -> bool:
        """Return True when the formula asks for nothing but params: it never changes in a game."""
        return all(
            isinstance(item, Constant)
            or self.first_param <= item < self.first_arg
            or (item >= core.FIRST_OPERATOR and item != core.LEFT)
            for item in code
        )

    def signal(self, track: int, state: int) -> SignalInfo:
        """Return what the badge shows in this state.

        That is the signal that asks for it while all else is as at the start; when none does, the
        one that is shown where the shortest way to the state ends.
        """
        signal = self._alone(track, state)
        if any(t == track for t, _allowed in signal.condition.where):
            return signal
        number = self._first_signals.get((track, state))
        return signal if number is None else self.ruleset.signal(number)

    @cached_property
    def _first_signals(self) -> dict[tuple[int, int], int]:
        return signals_by_state(self.ruleset.data, tuple(self._params))

    def _alone(self, track: int, state: int) -> SignalInfo:
        values = list(self._values)
        values[track] = state
        for signal in self.ruleset.signals:
            condition = signal.condition
            if all(values[t] in allowed for t, allowed in condition.where) and (
                condition.guard is None or self._evaluate(condition.guard, values)
            ):
                return signal
        return self.ruleset.signals[-1]  # has no condition; the reader saw to it

    def fixed_time_ms(self, track: int, state: int) -> int | None:
        """Return how long the state's own timer runs; 0 for none, None when the game decides."""
        timer = self.ruleset.tracks[track].states[state].timer
        if timer is None:
            return 0
        return max(0, self.value(timer)) if self.is_fixed(timer) else None

    def time_rules(self, track: int, state: int) -> list[tuple[Rule, Code]]:
        """Return the rules that give this state another time than its own, and their formulas."""
        found = []
        for rule in self.ruleset.rules:
            allowed = dict(rule.condition.where).get(track)
            for effect in rule.effects:
                if effect.target != track or effect.value is None:
                    continue
                enters = effect.op == GO and effect.a == state
                sets = effect.op in (TIMER_SET, TIMER_ADD) and (
                    allowed is not None and state in allowed
                )
                if enters or sets:
                    found.append((rule, effect.value))
        return found

    def _evaluate(self, code: Code, values: list[int]) -> int:
        numbers = list(values)
        run = bytearray()
        for item in code:
            if isinstance(item, Constant):
                run.append(len(numbers))
                numbers.append(item.value)
            else:
                run.append(item)
        return core.evaluate(prepare(bytes(run)), 0, numbers, lambda _track: -1)
