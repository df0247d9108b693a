"""Other settings of the params under which something may happen that does not by default.

Problem: a rule for a game with a switch on never fires while the switch is off.
Guarantee: each param that matters is tried with its ends and its middle, then the params of one
rule two at a time. A bounded number of settings; it runs nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from redband.rules.explore.system import RuleView, System

SETTINGS_LIMIT = 60


def settings_to_try(system: System, goal: tuple[str, int, int]) -> Iterator[list[int]]:
    """Yield lists of params that differ from the system's in one or two, the likeliest first."""
    near = _params_near(system, goal)
    rest = [i for i in range(len(system.params)) if i not in near]
    yield from itertools.islice(_changed(system, near, rest), SETTINGS_LIMIT)


def _changed(system: System, near: list[int], rest: list[int]) -> Iterator[list[int]]:
    for i in near:
        for value in _values(system, i):
            yield _with(system.params, ((i, value),))
    for i, j in itertools.combinations(near, 2):
        for a, b in itertools.product(_values(system, i), _values(system, j)):
            yield _with(system.params, ((i, a), (j, b)))
    for i in rest:
        for value in _values(system, i):
            yield _with(system.params, ((i, value),))


def _with(params: list[int], changes: tuple[tuple[int, int], ...]) -> list[int]:
    changed = list(params)
    for i, value in changes:
        changed[i] = value
    return changed


def _values(system: System, number: int) -> list[int]:
    """Return the values of a param that are worth trying."""
    info = system.ruleset.params[number]
    wanted = [info.low, info.high, info.low + 1, 0, 1, (info.low + info.high) // 2]
    found: list[int] = []
    for value in wanted:
        is_new = value != system.params[number] and value not in found
        if is_new and info.low <= value <= info.high:
            found.append(value)
    return found


def _params_near(system: System, goal: tuple[str, int, int]) -> list[int]:
    """Return the params that the goal's own rules ask about."""
    kind, a, b = goal
    views: list[RuleView] = []
    if kind == "rule":
        view = system.rules[a]
        views = [view, *system.refusals_of(view)]
    elif kind == "event":
        views = system.event_rules[a]
    elif kind in ("state", "timer"):
        views = [v for v in system.rules if any(e.target == a for e, _formula in v.effects)]
    slots: set[int] = set()
    for view in views:
        for formula in (view.guard, *(formula for _effect, formula in view.effects)):
            slots |= set(formula.slots) if formula is not None else set()
    code = system.ruleset.tracks[a].states[b].timer if kind == "timer" else None
    if kind == "signal":
        code = system.ruleset.signals[a].condition.guard
    if code is not None:
        slots |= system.formula(code).slots
    return sorted(slot - system.first_timer for slot in slots & system.param_slots)
