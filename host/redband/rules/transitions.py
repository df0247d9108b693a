"""Which states a rule leads from and to: what every diagram of a ruleset draws.

Guarantee: every transition that a rule makes is there and nothing else is; states where the event
is always refused are left out. It draws nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from redband.rules.loader import CompiledRuleset
from redband.rules.model import EventInfo, Rule
from redband_core.ruleset_codes import GO


@dataclass(frozen=True, slots=True)
class Transition:
    """One trigger of a rule that takes a track from any of `sources` to `target`.

    event: None when a timer or an "always" rule is the trigger. is_from_any: the rule asks for no
    state, and the sources are all but the final ones.
    """

    rule: Rule
    event: EventInfo | None
    sources: tuple[int, ...]
    is_from_any: bool
    target: int


def transitions(ruleset: CompiledRuleset, track: int) -> list[Transition]:
    """Return the transitions of a track, in the order of the rules."""
    found = []
    for rule in ruleset.rules:
        targets = [e.a for e in rule.effects if e.op == GO and e.target == track]
        if not targets:
            continue
        events = [ruleset.event(number) for number in rule.events]
        for event in events or [None]:
            sources, is_from_any = _sources(ruleset, track, rule, event)
            found.append(Transition(rule, event, sources, is_from_any, targets[0]))
    return found


def _sources(
    ruleset: CompiledRuleset, track: int, rule: Rule, event: EventInfo | None
) -> tuple[tuple[int, ...], bool]:
    """Return the states that the rule leads from, and whether those are all that are not final."""
    if rule.after is not None and rule.after[0] == track:
        return (rule.after[1],), False
    given = dict(rule.condition.where).get(track)
    open_states = [s for s, state in enumerate(ruleset.tracks[track].states) if not state.is_final]
    wanted = open_states if given is None else list(given)
    refused = _refused_states(ruleset, track, event)
    found = [s for s in wanted if s not in refused]
    return tuple(found), given is None and found == open_states and len(found) > 2


def _refused_states(ruleset: CompiledRuleset, track: int, event: EventInfo | None) -> set[int]:
    """Return the states of the track in which the event is refused whatever else holds."""
    refused: set[int] = set()
    if event is None:
        return refused
    for rule in ruleset.rules:
        where = rule.condition.where
        is_plain = rule.condition.guard is None and [number for number, _ in where] == [track]
        if rule.refusal and event.id in rule.events and is_plain:
            refused.update(where[0][1])
    return refused
