"""What should happen at least once in a right ruleset, and what must be known to see it.

Problem: "never" can be said only where everything that matters was looked at.
Guarantee: `goal_reads` names the variables that decide a goal; their closure is enough.
"""

from __future__ import annotations

from collections.abc import Iterable

from redband.rules.explore.checks import signal_reads, timer_seen
from redband.rules.explore.system import System
from redband.rules.explore.walk import START, Seen, Walk

Goal = tuple[str, int, int]  # kind and numbers: state, rule, event, timer, signal


def goals(system: System) -> Iterable[Goal]:
    """Yield everything that should happen at least once."""
    for t, track in enumerate(system.ruleset.tracks):
        for s, state in enumerate(track.states):
            yield ("state", t, s)
            if state.timer is not None:
                yield ("timer", t, s)
    for view in system.rules:
        yield ("rule", view.number, 0)
    for event in system.ruleset.events[1:]:
        yield ("event", event.id, 0)
    for signal in system.ruleset.signals:
        yield ("signal", signal.id, 0)


def goal_reads(system: System, goal: Goal) -> set[int]:
    """Return the variables that must be known to see whether the goal is met."""
    kind, a, _b = goal
    if kind in ("state", "timer"):
        return {a} if kind == "state" else {a, system.timer_variable(a)}
    if kind == "signal":
        return signal_reads(system)
    views = [system.rules[a]] if kind == "rule" else system.event_rules[a]
    reads: set[int] = set()
    for view in views:
        reads |= view.condition_reads
        if view.rule.is_always:  # to see that such rules come to an end
            reads |= view.writes & frozenset().union(*(other.reads for other in system.always))
        for other in system.refusals_of(view):
            reads |= other.condition_reads
    return reads


def goal_seen(walk: Walk, goal: Goal) -> Seen | None:
    """Return where the walk met the goal, if it did. Signals are not asked here."""
    kind, a, b = goal
    if kind == "state":
        return (walk.reached[(a, b)], START) if (a, b) in walk.reached else None
    if kind == "timer":
        return (walk.reached[(a, b)], START) if timer_seen(walk, a, b) else None
    if kind == "rule":
        return walk.fired.get(a)
    return walk.accepted.get(a) if kind == "event" else None


def follows(system: System, goal: Goal, known: set[Goal]) -> bool:
    """Return True when the goal can't be met only because another one can't."""
    kind, a, b = goal
    if kind == "timer":
        return ("state", a, b) in known
    if kind == "event":
        return False
    if kind == "signal":
        where = system.ruleset.signals[a].condition.where
    elif kind == "rule":
        rule = system.rules[a].rule
        where = rule.condition.where
        if rule.after is not None and {("state", *rule.after), ("timer", *rule.after)} & known:
            return True
        if rule.events and all(("event", event, 0) in known for event in rule.events):
            return True
    else:
        return False
    return any(all(("state", t, s) in known for s in states) for t, states in where)
