"""Which values of arguments and of large counters are worth trying.

Problem: an event may take 65,536 values and a counter a million; most of them do the same.
Guarantee: values that `argument_classes` puts together do the same in every situation; only when
they are still too many are some left out, and then `is_complete` is False.
"""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import dataclass

from redband.rules.explore.formula import Bounds, Formula
from redband.rules.explore.system import RuleView, System
from redband.rules.model import Effect, EventInfo
from redband_core import ruleset as core

VALUES_LIMIT = 128  # of one argument
COMBINATIONS_LIMIT = 512  # of one event's arguments
FEW = 4  # values of another argument that are told apart while one is looked at


@dataclass(frozen=True, slots=True)
class Choice:
    """Values to try for one argument. is_complete: all other values do the same as one of them."""

    values: list[int]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """A rule as far as some variables are concerned: its guard, and effects that change them."""

    guard: Formula | None
    effects: list[tuple[Effect, Formula]]

    def formulas(self) -> list[Formula]:
        """Return everything that is worked out."""
        return [f for f in (self.guard, *(f for _effect, f in self.effects)) if f is not None]


def _reader(system: System, view: RuleView, known: Container[int]) -> Reader:
    """Return the rule without the effects on variables that are not known."""
    effects = []
    for (effect, formula), sign in zip(view.effects, view.signs, strict=True):
        duration = system.duration_of(effect, formula)
        is_needed = effect.target in known if effect.op == core.SET else sign == 0
        if duration is not None and is_needed and effect.op != core.NOTE:
            effects.append((effect, duration))
    return Reader(view.guard, effects)


def argument_choices(
    system: System, event: EventInfo, rules: list[RuleView], known: Container[int]
) -> list[Choice]:
    """Return what to try for each argument of the event under these rules."""
    every = [_reader(system, view, known) for view in rules]
    found = []
    for place, arg in enumerate(event.args):
        slot = system.first_arg + place
        readers = [r for r in every if any(slot in formula.slots for formula in r.formulas())]
        if not readers:
            found.append(Choice([arg.low], True))
            continue
        args = [(a.low, a.high) for a in event.args]
        args += [(0, 0)] * (system.arg_slots - len(args))
        classes = _classes(system, readers, args, place)
        values = [low for low, _high in classes]
        if len(values) <= VALUES_LIMIT:
            found.append(Choice(values, True))
        else:
            found.append(Choice(_sample(values, readers, system), False))
    return _few_combinations(found)


def _few_combinations(choices: list[Choice]) -> list[Choice]:
    """Thin out the longest choices until all combinations are few enough."""
    while True:
        total = 1
        for choice in choices:
            total *= len(choice.values)
        if total <= COMBINATIONS_LIMIT:
            return choices
        longest = max(range(len(choices)), key=lambda i: len(choices[i].values))
        values = choices[longest].values
        thinned = [*values[:3], *values[3:-3:2], *values[-3:]]
        choices = [*choices]
        choices[longest] = Choice(thinned, False)


def _classes(
    system: System, readers: list[Reader], args: list[Bounds], place: int
) -> list[Bounds]:
    """Split the argument's range into stretches whose values all do the same."""
    waiting = [args[place]]
    found: list[Bounds] = []
    while waiting:
        low, high = waiting.pop()
        if low < high and not _is_alike(system, readers, args, place, (low, high)):
            middle = (low + high) // 2
            waiting += [(middle + 1, high), (low, middle)]
        elif found and _is_alike(system, readers, args, place, (found[-1][0], high)):
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
        if len(found) > 4 * VALUES_LIMIT:  # enough is known: too many to try them all
            return found + waiting[::-1]
    return found


def _is_alike(
    system: System, readers: list[Reader], args: list[Bounds], place: int, part: Bounds
) -> bool:
    """Return True when no rule can tell the values of this part of the argument's range apart."""
    few = [
        [(value, value) for value in range(low, high + 1)] if high - low < FEW else [(low, high)]
        for low, high in args
    ]
    few[place] = [part]
    slot = system.first_arg + place
    return all(
        _is_alike_with(system, reader, system.slot_bounds(list(tried)), slot)
        for tried in itertools.product(*few)
        for reader in readers
    )


def _is_alike_with(system: System, reader: Reader, slots: list[Bounds], slot: int) -> bool:
    """Return True when the rule does the same for every value of the slot within its bounds."""
    if reader.guard is not None:
        low, high = reader.guard.bounds(slots, system.left_limit)
        if low == high == 0:
            return True  # it never fits here
        if slot in reader.guard.slots and low <= 0 <= high:
            return False
    for effect, formula in reader.effects:
        if slot not in formula.slots:
            continue
        low, high = formula.bounds(slots, system.left_limit)
        if effect.op != core.SET:
            if low <= 0 < high:
                return False
        elif not system.classes[effect.target - system.track_count].is_one_class(low, high):
            return False
    return True


def _sample(values: list[int], readers: list[Reader], system: System) -> list[int]:
    """Return some of the values: the ends and what lies beside the numbers in the formulas."""
    near = {0, *system.params}
    for reader in readers:
        for formula in reader.formulas():
            near.update(formula.constants)
    for bounds in system.counter_bounds:
        near.update(bounds)
    wanted = {number + step for number in near for step in (-1, 0, 1)}
    step = max(1, len(values) // 16)
    chosen = {*values[:8], *values[::step], *values[-2:]} | (wanted & set(values))
    return sorted(chosen)[:VALUES_LIMIT]
