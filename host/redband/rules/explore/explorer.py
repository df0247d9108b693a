"""Explore a ruleset: find the faults that no reading finds.

Problem: a rule can be right by itself and wrong with the others: a state that nothing leads out
of, a rule that never fires, a light that says nothing new.
Guarantee: ends in about the time given. A fault that is reported was seen, or everything was seen
and it was not there. What could not be decided is named, and `Report.is_exhausted` says whether
all situations were seen without simplifying. It changes nothing.

How: `explore_system` leaves out what cannot matter, `explore_walk` walks what is left, closely if
it can and more coarsely if it must; `explore_checks` looks at what was seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from redband.rules.explore.checks import (
    Fault,
    SignalView,
    alike_pairs,
    is_accepted,
    signal_reads,
    walk_faults,
)
from redband.rules.explore.goals import Goal, follows, goal_reads, goal_seen
from redband.rules.explore.goals import goals as all_goals
from redband.rules.explore.paths import never_ends_alone, play
from redband.rules.explore.report import Report
from redband.rules.explore.settings import settings_to_try
from redband.rules.explore.system import COARSE, COARSEST, EXACT, RUNNING, Detail, System
from redband.rules.explore.walk import START, Seen, Walk
from redband.rules.loader import CompiledRuleset

SECONDS = 40.0  # for walking; with what follows it a run stays below 60 s
SITUATION_LIMIT = 250_000
STEP_LIMIT = 1_000_000  # expected steps beyond which a closer look is not begun
GOAL_SECONDS = 3.0  # for one other setting of the params


def explore(
    ruleset: CompiledRuleset, params: list[int] | None = None, seconds: float = SECONDS
) -> Report:
    """Explore the ruleset for a player with these params (None: the defaults)."""
    explorer = _Explorer(ruleset, ruleset.param_values() if params is None else params, seconds)
    explorer.run()
    return explorer.report


@dataclass(slots=True)
class Level:
    """Walks of one detail. is_complete: everything asked for was seen. met: goals and where."""

    walks: list[Walk] = field(default_factory=list)
    met: dict[Goal, tuple[Walk, Seen] | None] = field(default_factory=dict)
    is_complete: bool = True


class _Explorer:
    def __init__(self, ruleset: CompiledRuleset, params: list[int], seconds: float) -> None:
        self.report = Report(ruleset, params)
        self.begun = time.process_time()
        self.deadline = self.begun + seconds
        self.met: dict[Goal, tuple[Walk, Seen] | None] = {}
        self.signal_views: list[SignalView] = []

    def run(self) -> None:
        """Walk, coarsely first and then as closely as the time allows; then check."""
        goals = list(all_goals(System(self.report.ruleset, self.report.params)))
        self._keep(self._level(COARSEST, goals, 0.8))
        self._walk_signals()
        self._try_settings([goal for goal in goals if goal not in self.met])
        for detail in (COARSE, EXACT):
            if all(walk.is_exact for walk in self.report.walks) or not self._is_worth(detail):
                continue
            level = self._level(detail, goals, 0.8)
            if level.is_complete:
                self._keep(level)
        self._try_settings([goal for goal in goals if goal not in self.met])
        self._check(goals)
        self._check_walks()
        self.report.seconds = time.process_time() - self.begun

    def _is_worth(self, detail: Detail) -> bool:
        """Return True when a closer look is likely to see everything."""
        return all(
            walk.is_exhausted and len(walk.sources) * _more_values(walk, detail) < STEP_LIMIT
            for walk in self.report.walks
        )

    # Walking.

    def _keep(self, level: Level) -> None:
        """Take a level's walks for the truth from now on."""
        kept = {goal: at for goal, at in self.met.items() if at is None or goal[0] == "signal"}
        self.report.walks = level.walks
        self.met = {**kept, **level.met}

    def _level(self, detail: Detail, goals: list[Goal], share: float) -> Level:
        """Walk what the goals need; share: of the time that is left."""
        system = System(self.report.ruleset, self.report.params, detail)
        level = Level()
        needs = {system.closure(goal_reads(system, g)) for g in goals if g[0] != "signal"}
        end = time.process_time() + share * (self.deadline - time.process_time())
        closures = sorted(needs, key=lambda c: (-len(c), sorted(c)))
        for i, closure in enumerate(closures):
            if any(closure <= walk.variables for walk in level.walks if walk.is_exhausted):
                continue
            left = end - time.process_time()
            if left <= 0 or (detail == EXACT and _has_classes(system, closure)):
                level.is_complete = False
                continue
            walk = Walk(system, closure)
            share_s = max(left / 2, left / (len(closures) - i))
            walk.run(SITUATION_LIMIT, time.process_time() + share_s)
            level.walks.append(walk)
            level.is_complete = level.is_complete and walk.is_exhausted
            for goal in goals:
                seen = goal_seen(walk, goal)
                if seen is not None:
                    level.met.setdefault(goal, (walk, seen))
        return level

    def _walk_signals(self) -> None:
        """See each signal; walk everything they depend on only as far as that needs."""
        report = self.report
        signals = report.ruleset.signals
        pairs = [
            (a, b) for a, b in alike_pairs(signals) if not is_accepted(signals[a], signals[b])
        ]
        for detail, share in ((EXACT, 0.3), (COARSEST, 0.6)):
            system = System(report.ruleset, report.params, detail)
            closure = system.closure(signal_reads(system))
            exhausted = [walk for walk in report.walks if walk.is_exhausted]
            walk = next((walk for walk in exhausted if closure <= walk.variables), None)
            if walk is None:
                walk = Walk(system, closure)
                left = (self.deadline - time.process_time()) * share
                enough = _all_shown(SignalView(walk), pairs)
                walk.run(SITUATION_LIMIT, time.process_time() + left, enough)
            view = SignalView(walk)
            view.update()
            self.signal_views.append(view)
            for signal, number in view.first.items():
                self.met.setdefault(("signal", signal, 0), (walk, (number, START)))
            if walk.is_exhausted or _all_shown(view, pairs)(walk):
                return

    # What was not seen.

    def _try_settings(self, unmet: list[Goal]) -> None:
        """Look for the goals under other params: a switch may be off by default."""
        report = self.report
        for goal in unmet:
            system = System(report.ruleset, report.params, COARSE)
            for params in settings_to_try(system, goal):
                if goal in self.met or time.process_time() > self.deadline:
                    break
                self._try(goal, unmet, params)

    def _try(self, goal: Goal, unmet: list[Goal], params: list[int]) -> None:
        system = System(self.report.ruleset, params, COARSE)
        walk = Walk(system, system.closure(goal_reads(system, goal)))
        view = SignalView(walk) if goal[0] == "signal" else None

        def is_met(walk: Walk) -> bool:
            if view is not None:
                view.update()
                return goal[1] in view.first
            return goal_seen(walk, goal) is not None

        end = min(self.deadline, time.process_time() + GOAL_SECONDS)
        walk.run(SITUATION_LIMIT, end, is_met)
        if is_met(walk):
            self.met[goal] = None
            self.report.settings.append((goal, params))
        for other in unmet:
            if other[0] != "signal" and other not in self.met and goal_seen(walk, other):
                self.met[other] = None
                self.report.settings.append((other, params))

    def _check(self, goals: list[Goal]) -> None:
        """Sort what was not met into what can't be and what is not known."""
        never = []
        for goal in [goal for goal in goals if goal not in self.met]:
            walk = self._walk_of(goal)
            if walk is None:
                self.report.undecided.append(goal)
            else:
                never.append((goal, walk))
        known = {goal for goal, _walk in never}
        for goal, walk in never:
            if not follows(walk.system, goal, known):
                self.report.faults.append(Fault(f"never_{goal[0]}", goal[1:], walk))

    def _walk_of(self, goal: Goal) -> Walk | None:
        """Return an exhausted walk that would have met the goal."""
        walks = [view.walk for view in self.signal_views] if goal[0] == "signal" else []
        for walk in [*walks, *self.report.walks]:
            reads = walk.system.closure(goal_reads(walk.system, goal))
            if walk.is_exhausted and reads <= walk.variables:
                return walk
        return None

    # What was seen.

    def _check_walks(self) -> None:
        report = self.report
        waiting = list(range(len(report.ruleset.tracks)))
        walks = list(report.walks)
        for walk in walks:
            mine = [
                track
                for track in waiting
                if walk.is_exhausted and walk.system.closure({track}) <= walk.variables
            ]
            waiting = [track for track in waiting if track not in mine]
            for fault in walk_faults(walk, mine):
                self._add(fault)
            for (track, state, value), number in walk.timers.items():
                if (
                    track in mine
                    and value == RUNNING
                    and walk.system.timer_rules.get((track, state))
                ):
                    path = play(walk, (number, START))
                    if path.is_sure and never_ends_alone(path.engine, track):
                        self._add(Fault("restarted", (track, state), walk, (number, START)))
        report.unchecked_tracks = waiting
        self._check_pairs()

    def _check_pairs(self) -> None:
        signals = self.report.ruleset.signals
        view = self.signal_views[-1]
        pairs = {p for p in alike_pairs(signals) if p[0] in view.first and p[1] in view.first}
        next_to = view.successions(pairs)
        for a, b in sorted(pairs):
            is_felt = signals[a].vibration != signals[b].vibration
            if is_accepted(signals[a], signals[b]):
                self.report.accepted_pairs += [(a, b)] if (a, b) in next_to else []
            elif not is_felt:
                self._add(Fault("alike", (a, b), view.walk, (view.first[b], START)))
            elif (a, b) in next_to:
                self._add(Fault("alike_next", (a, b), view.walk, next_to[(a, b)]))

    def _add(self, fault: Fault) -> None:
        """Keep a fault once; one seen in a simplified walk must show on the engine itself."""
        if any(
            other.kind == fault.kind and other.about == fault.about for other in self.report.faults
        ):
            return
        if fault.seen and not fault.walk.is_exact and not play(fault.walk, fault.seen).is_sure:
            self.report.unconfirmed.append(fault)
            return
        self.report.faults.append(fault)


def _more_values(walk: Walk, detail: Detail) -> int:
    """Return how many times more values the walk's counters have when kept with this detail."""
    more = 1
    for kept in walk.stepper.classes.values():
        count = kept.high - kept.low + 1
        if count <= detail.value_limit:
            more *= max(1, count // len(kept.samples))
    return more


def _has_classes(system: System, closure: Iterable[int]) -> bool:
    """Return True when a counter of these has too many values to be kept one by one."""
    first, end = system.track_count, system.first_timer
    return any(first <= v < end and not system.classes[v - first].is_exact for v in closure)


def _all_shown(view: SignalView, pairs: list[tuple[int, int]]):
    """Return a function that says whether a walk has shown enough."""
    count = len(view.walk.system.ruleset.signals)

    def is_enough(_walk: Walk) -> bool:
        view.update()
        return not pairs and len(view.first) == count

    return is_enough


__all__ = ["Detail", "Report", "explore"]
