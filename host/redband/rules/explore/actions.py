"""Everything that can happen to the variables of a walk: events with arguments, and timers.

Problem: most events do the same for most of their arguments, and read the same few values.
Guarantee: every event and timer that can change the variables has its actions, and those that read
the same values stand in one group, which is asked once. It does nothing by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from operator import itemgetter

from redband.rules.explore.run import Action, Outcome, Situation
from redband.rules.explore.steps import Stepper
from redband.rules.explore.system import RuleView, System
from redband.rules.explore.values import argument_choices
from redband_core import ruleset as core


class Group:
    """Actions that read the same. memory: for what they read, (action, outcome) that matter.

    rests: where the actions change nothing, what follows them changes nothing either.
    """

    def __init__(
        self, action: Action, indexes: list[int], settle: int | None, rests: bool
    ) -> None:
        """action: any of them. indexes: their numbers. settle: number of what follows them."""
        self.rests = rests
        self.action = action
        self.key: Callable[[Situation], object] = (
            itemgetter(*action.reads) if action.reads else lambda _situation: ()
        )
        self.indexes = indexes
        self.settle = settle
        self.memory: dict[object, list[tuple[int, Outcome]]] = {}


class Actions:
    """The actions on some variables. all: them. groups, settles: by what they read, and the

    "always" rules that follow. sampled: arguments of which not every value is tried.
    """

    def __init__(self, system: System, stepper: Stepper) -> None:
        """stepper: of the variables."""
        self.system = system
        self.stepper = stepper
        self.sampled: set[tuple[int, int]] = set()
        self.settles: list[Group] = []
        self.all = list(self._actions())
        self.groups = self._grouped()

    def _actions(self) -> Iterator[Action]:
        stepper, system = self.stepper, self.system
        for event in system.ruleset.events[1:]:
            rules = system.event_rules[event.id]
            if not all(stepper.holds(view) for view in rules if view.rule.refusal):
                continue  # then nothing here depends on this event
            rules = [view for view in rules if stepper.holds(view)]
            if not rules:
                continue
            always = self._always_after(rules)
            settle = self._settle_number(always)
            choices = argument_choices(system, event, [*rules, *always], stepper.positions)
            self.sampled |= {
                (event.id, place) for place, c in enumerate(choices) if not c.is_complete
            }
            for args in itertools.product(*(choice.values for choice in choices)):
                yield stepper.prepare(Action(event.id, args, None, rules, settle))
        for timer, rules in system.timer_rules.items():
            if system.timer_variable(timer[0]) in stepper.positions:
                rules = [view for view in rules if stepper.holds(view)]
                always = self._always_after(rules)
                settle = self._settle_number(always)
                yield stepper.prepare(Action(-1, (), timer, rules, settle))

    def _settle_number(self, always: list[RuleView]) -> int | None:
        """Return the number of the group of "always" rules, None when there are none."""
        if not always:
            return None
        action = self.stepper.settle(always)
        known = [group.action.rules for group in self.settles]
        if always not in known:
            known.append(always)
            self.settles.append(Group(action, [], None, True))
        return known.index(always)

    def _grouped(self) -> list[Group]:
        """Return the actions by what they read: what is read alike is asked for once."""
        found: dict[object, Group] = {}
        for index, action in enumerate(self.all):
            key = (action.reads, action.settle)
            always = [] if action.settle is None else self.settles[action.settle].action.rules
            rests = all(_comes_to_rest(view) for view in always)
            found.setdefault(key, Group(action, [], action.settle, rests)).indexes.append(index)
        return list(found.values())

    def _always_after(self, rules: list[RuleView]) -> list[RuleView]:
        """Return the "always" rules that can do something after these rules."""
        written = set().union(*(view.writes for view in rules))
        known = [view for view in self.system.always if self.stepper.holds(view)]
        first_timer = self.system.first_timer
        chosen: set[int] = set()
        while True:
            more = {
                view.number
                for view in known
                if (view.reads | view.writes) & written
                or any(v >= first_timer for v in view.writes)
            } - chosen
            if not more:
                return [view for view in known if view.number in chosen]
            chosen |= more
            written = written.union(*(v.writes for v in known if v.number in more))


def _comes_to_rest(view: RuleView) -> bool:
    """Return True when an "always" rule does nothing new where it has done its work before."""
    where = dict(view.masks)
    for effect, _formula in view.effects:
        if effect.op not in (core.SET, core.NOTE) and (
            effect.op != core.GO or effect.a in where.get(effect.target, (effect.a,))
        ):
            return False
    return True
