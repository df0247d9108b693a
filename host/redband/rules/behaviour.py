"""The second half of a ruleset file: what happens. Rules and signals.

Problem: rules refer to declarations by name and must fit them: arguments exist in every event of
the rule, timers that fire are timers of that state.
Guarantee: everything returned is numbered and compiled; a mistake is a RulesFileError at its line.
"""

from __future__ import annotations

from dataclasses import replace

from redband.rules.declarations import Declarations
from redband.rules.effects import parse_effect
from redband.rules.formula import FormulaError, Scope, compile_formula, nearest
from redband.rules.model import (
    Condition,
    EventInfo,
    Rule,
    SignalInfo,
)
from redband.rules.section import Section
from redband_core import led


def read_condition(part: Section, scope: Scope) -> Condition:
    """Return the condition in the keys `in` and `if`."""
    where = []
    texts = []
    places = part.section("in")
    for track in places.pairs():
        if track not in scope.tracks:
            places.fail(track, f'unknown track "{track}"', nearest(track, scope.tracks), track)
        number, states = scope.tracks[track]
        wanted = places.texts(track)
        where.append((number, _allowed(places, track, wanted, states)))
        texts.append(f"{track} {' or '.join(wanted)}")
    guard = None
    if part.has("if"):
        text = part.formula_text("if")
        texts.append(text)
        try:
            guard = compile_formula(text, scope)
        except FormulaError as error:
            part.source.fail_formula((*part.path, "if"), error)
    return Condition(tuple(where), guard, "; ".join(texts))


def _allowed(part: Section, track: str, wanted: list[str], states: list[str]) -> tuple[int, ...]:
    """Return state numbers; "not X" takes X out of all, or out of those named."""
    positive = [word for word in wanted if not word.startswith("not ")]
    found = [states.index(word) for word in positive if word in states]
    if not positive:
        found = list(range(len(states)))
    for word in wanted:
        name = word.removeprefix("not ").strip()
        if name not in states:
            hint = nearest(name, states)
            part.fail(track, f'track "{track}" has no state "{name}"', hint, name)
        if word.startswith("not ") and states.index(name) in found:
            found.remove(states.index(name))
    if not found:
        part.fail(track, f'no state of "{track}" is left', "this rule could never apply")
    return tuple(sorted(set(found)))


def read_rules(root: Section, names: Declarations, notes: list[str]) -> tuple[Rule, ...]:
    """Return all rules in the file's order."""
    rules: list[Rule] = []
    for part in root.rows("rule"):
        rule = _rule(part, names, notes)
        if rule.name and rule.name in [earlier.name for earlier in rules]:
            what = f'there is a rule "{rule.name}" already'
            part.fail("name", what, "take another name, or none")
        rules.append(rule)
    return tuple(rules)


def _rule(part: Section, names: Declarations, notes: list[str]) -> Rule:
    triggers = [key for key in ("on", "after", "always") if part.has(key)]
    if len(triggers) != 1:
        what = "a rule needs exactly one of on, after, always"
        part.source.fail(part.path, what, 'write for example on = "hit"')
    events = _trigger_events(part, names) if part.has("on") else []
    after = _trigger_timer(part, names) if part.has("after") else None
    if part.has("always") and not part.flag("always"):
        part.fail("always", "always can only be true", "remove the rule to switch it off")
    scope = replace(names.scope, args=_common_args(events, names))
    condition = read_condition(part, scope)
    refusal = _refusal(part, names, bool(events)) if part.has("refuse") else 0
    effects = []
    for text in part.texts("do"):
        try:
            counters = [counter.name for counter in names.counters]
            effects.append(parse_effect(text, scope, counters, notes))
        except FormulaError as error:
            path = (*part.path, "do")
            part.source.fail(path, error.what, error.hint, text)
    if bool(effects) == bool(refusal) and not (part.has("do") and not refusal):
        part.source.fail(part.path, "a rule needs either do or refuse", 'add do = ["..."]')
    cites = part.text("cites", "")
    name = part.text("name", "")
    file, line = part.source.where(part.path)
    part.done()
    return Rule(
        tuple(event.id for event in events),
        after,
        part.has("always"),
        condition,
        refusal,
        tuple(effects),
        cites,
        line,
        file,
        name,
    )


def _trigger_events(part: Section, names: Declarations) -> list[EventInfo]:
    known = {event.name: event for event in names.events}
    wanted = part.texts("on")
    if wanted == ["*"]:
        return [event for event in names.events if event.id]
    for name in wanted:
        if name == "void":
            part.fail("on", "void can't have rules: it takes back what they did")
        if name not in known:
            part.fail("on", f'unknown event "{name}"', nearest(name, known), name)
    if not wanted:
        part.fail("on", "the rule has no event", 'write for example on = "hit"')
    return [known[name] for name in wanted]


def _trigger_timer(part: Section, names: Declarations) -> tuple[int, int]:
    text = part.text("after")
    track_name, _, state_name = text.partition(".")
    tracks = names.scope.tracks
    if track_name not in tracks or not state_name:
        hint = (
            'write after = "track.state"' if track_name in tracks else nearest(track_name, tracks)
        )
        part.fail("after", f'"{text}" names no track and state', hint)
    number, states = tracks[track_name]
    if state_name not in states:
        what = f'track "{track_name}" has no state "{state_name}"'
        part.fail("after", what, nearest(state_name, states))
    return number, states.index(state_name)


def _common_args(events: list[EventInfo], names: Declarations) -> dict[str, tuple[int, list[str]]]:
    """Return the arguments that all the events have at the same place with the same choices."""
    first = names.first_arg_slot()
    common: dict[str, tuple[int, list[str]]] = {}
    for i, event in enumerate(events):
        mine = {
            arg.name: (first + place, [name for name, _title in arg.choices])
            for place, arg in enumerate(event.args)
        }
        common = mine if i == 0 else {n: at for n, at in common.items() if mine.get(n) == at}
    return common


def _refusal(part: Section, names: Declarations, has_events: bool) -> int:
    wanted = part.text("refuse")
    known = {refusal.name: refusal.id for refusal in names.refusals[1:]}
    if wanted not in known:
        part.fail("refuse", f'unknown refusal "{wanted}"', nearest(wanted, known))
    if not has_events:
        part.fail("refuse", "only an event can be refused", "use do, or on instead of after")
    return known[wanted]


def read_signals(root: Section, names: Declarations) -> tuple[SignalInfo, ...]:
    """Return the signals in the order of their priority."""
    scope = replace(names.scope, args={}, may_read_time=False)
    signals: list[SignalInfo] = []
    for part in root.rows("signal"):
        signals.append(_signal(part, scope, signals))
    if not signals:
        root.source.fail((), "the file has no signal", "add [[signal]]: what the badge shows")
    last = signals[-1].condition
    if last.where or last.guard is not None:
        path = ("signal", len(signals) - 1)
        what = f'the last signal "{signals[-1].name}" has a condition'
        root.source.fail(path, what, "remove it: the last signal is shown when no other is")
    return tuple(signals)


def _signal(part: Section, scope: Scope, earlier: list[SignalInfo]) -> SignalInfo:
    name = part.text("name")
    known = [signal.name for signal in earlier]
    if name in known:
        part.fail("name", f'there is a signal "{name}" already', "take another name")
    same_as = part.text("same_as", "")
    if same_as and same_as not in known:
        part.fail("same_as", f'no earlier signal is named "{same_as}"', nearest(same_as, known))
    timer = None
    if part.has("timer"):
        track = part.text("timer")
        if track not in scope.tracks:
            part.fail("timer", f'unknown track "{track}"', nearest(track, scope.tracks))
        timer = scope.tracks[track][0]
    signal = SignalInfo(
        len(earlier),
        name,
        part.title("title"),
        read_condition(part, scope),
        _pattern(part, "red"),
        _pattern(part, "green"),
        _pattern(part, "vibration"),
        timer,
        part.title("timer_title", ""),
        same_as,
    )
    part.done()
    for other in earlier:
        if looks(other) == looks(signal) and other.name != same_as:
            what = f'signal "{name}" looks like "{other.name}" to a colour-blind player'
            hint = f'change a pattern, or add same_as = "{other.name}"'
            part.source.fail(part.path, what, hint)
    return signal


def looks(signal: SignalInfo) -> tuple[tuple[int, ...], int]:
    """Return what is left of a signal without colour: the set of light patterns, the vibration."""
    lights = sorted(pattern for pattern in (signal.red, signal.green) if pattern != led.OFF)
    return tuple(lights), signal.vibration


def _pattern(part: Section, key: str) -> int:
    name = part.text(key, "off")
    if name not in led.PATTERN_NAMES:
        part.fail(key, f'unknown pattern "{name}"', nearest(name, led.PATTERN_NAMES))
    return led.PATTERN_NAMES.index(name)
