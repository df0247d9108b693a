"""Rulesets by id or by file: read, checked, compiled.

Problem: every host tool needs the same ruleset in two forms, the badge's bytes and names to show.
Guarantee: `load` returns both from one reading, equal for equal files, or raises a sentence for
the user. The compiled bytes have been read back by the badge's own decoder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from redband.errors import RedbandUserError
from redband.number_texts import error_text
from redband.rules.behaviour import read_rules, read_signals
from redband.rules.combine import combine
from redband.rules.compiler import compile_model
from redband.rules.declarations import Declarations, read_declarations
from redband.rules.formula import FormulaError, Scope, compile_formula, nearest
from redband.rules.gestures import read_gestures
from redband.rules.library import find, read_text, shipped
from redband.rules.model import EventInfo, RefusalInfo, Rule, RulesetModel, SignalInfo
from redband.rules.section import RulesFileError, Section
from redband_core.errors import RulesError
from redband_core.ruleset import GO, Ruleset

__all__ = ["CompiledRuleset", "load", "parse", "shipped"]

ID_LENGTH = 16
SIZE_LIMIT_BYTES = 2048  # what a badge is promised to hold (docs/rules.md)


class CompiledRuleset:
    """One ruleset: the bytes for the badge, and the names for people.

    model: everything in the file, numbered. data: the compiled bytes. source: where it came from.
    """

    def __init__(self, model: RulesetModel, data: bytes, source: Path) -> None:
        """Join both forms. Raises RulesError when the bytes are not what a badge accepts."""
        self.model = model
        self.data = data
        self.source = source
        self.ruleset = Ruleset.from_bytes(data)
        self.id = model.id
        self.title = model.title
        self.identity: bytes = self.ruleset.identity
        self.params = model.params
        self.counters = model.counters
        self.tracks = model.tracks
        self.events = model.events
        self.refusals = model.refusals
        self.rules = model.rules
        self.signals = model.signals
        self.gestures = model.gestures
        self.includes = model.includes

    @cached_property
    def _events_by_name(self) -> dict[str, EventInfo]:
        return {event.name: event for event in self.events}

    def event(self, name_or_id: str | int) -> EventInfo:
        """Return an event by name or number. Raises KeyError."""
        if isinstance(name_or_id, str):
            return self._events_by_name[name_or_id]
        if not 0 <= name_or_id < len(self.events):
            raise KeyError(name_or_id)
        return self.events[name_or_id]

    def refusal(self, number: int) -> RefusalInfo:
        """Return what `Engine.step` returned: 0 is "applied". Raises KeyError."""
        if not 0 <= number < len(self.refusals):
            raise KeyError(number)
        return self.refusals[number]

    def signal(self, number: int) -> SignalInfo:
        """Return a signal by number. Raises KeyError."""
        if not 0 <= number < len(self.signals):
            raise KeyError(number)
        return self.signals[number]

    def param_values(self, overrides: Mapping[str, int | str] | None = None) -> list[int]:
        """Return the params of a player: defaults, and what is given by name ("15 min" or 3).

        Raises RedbandUserError for an unknown name or a value out of range.
        """
        values = {param.name: param.default for param in self.params}
        for name, raw in (overrides or {}).items():
            if name not in values:
                hint = nearest(name, values)
                raise RedbandUserError(f'ruleset "{self.id}" has no param "{name}"; {hint}')
            param = next(param for param in self.params if param.name == name)
            value = _plain_number(name, raw)
            if not param.low <= value <= param.high:
                raise RedbandUserError(
                    f'param "{name}" is {value}, but must be {param.low} to {param.high}'
                )
            values[name] = value
        return list(values.values())

    def takes_params(self, values: Sequence[object]) -> bool:
        """Return whether `values` are as many ints as there are params, each in its range."""
        return len(values) == len(self.params) and all(
            isinstance(value, int) and param.low <= value <= param.high
            for param, value in zip(self.params, values, strict=True)
        )


def _plain_number(name: str, raw: int | str) -> int:
    try:
        code = compile_formula(raw, Scope())
    except FormulaError as error:
        raise RedbandUserError(f'param "{name}": {error.what}') from error
    item = code[0]
    if len(code) != 1 or isinstance(item, int):
        raise RedbandUserError(f'param "{name}": "{raw}" is not a number')
    return item.value


def load(ruleset: str | Path) -> CompiledRuleset:
    """Return the ruleset with this id, or in this TOML file. Raises RedbandUserError."""
    path = find(str(ruleset))
    return parse(read_text(path), path)


def parse(text: str, path: Path) -> CompiledRuleset:
    """Return the ruleset in `text`, with what it includes. Raises RulesFileError.

    path: names it in messages; files that it includes lie beside it.
    """
    data, source = combine(text, path)
    root = Section(source, (), data)
    model = _read_model(root)
    compiled = compile_model(model)
    if len(compiled) > SIZE_LIMIT_BYTES:
        what = f"the ruleset takes {len(compiled)} bytes, a badge holds {SIZE_LIMIT_BYTES}"
        raise RulesFileError(path.name, 1, what, "remove rules or merge those that are alike")
    try:
        return CompiledRuleset(model, compiled, path)
    except RulesError as error:
        raise RulesFileError(
            path.name, 1, error_text(error), "remove counters, params or numbers"
        ) from error


def _read_model(root: Section) -> RulesetModel:
    head = root.section("ruleset")
    name = head.text("id")
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or len(name) > ID_LENGTH:
        hint = f"use up to {ID_LENGTH} of a-z, 0-9, - and _"
        head.fail("id", f'"{name}" can\'t be the id of a ruleset', hint)
    title = head.title("title")
    void_window_ms = head.number("void_window", "10 s")
    if void_window_ms < 0:
        head.fail("void_window", "void_window is below 0", 'write 0, or a time such as "10 s"')
    included = tuple(head.texts("include"))
    for key in ("remove", "signal_order"):  # done by `combine`, which has nothing to do without
        if head.has(key) and not included:
            head.fail(key, f"{key} needs files that are included", "take it out, or add include")
        head.texts(key)
    names = read_declarations(root)
    shown = _shown_counters(head, names)
    head.done()
    notes: list[str] = []
    rules = read_rules(root, names, notes)
    _check_timers(root, names, rules)
    model = RulesetModel(
        name,
        title,
        void_window_ms,
        names.params,
        names.counters,
        names.tracks,
        names.events,
        names.refusals,
        rules,
        read_signals(root, names),
        read_gestures(root, names),
        shown,
        tuple(notes),
        included,
    )
    root.done()
    return model


def _shown_counters(head: Section, names: Declarations) -> tuple[int, ...]:
    known = [counter.name for counter in names.counters]
    wanted = head.texts("shown_counters")
    for name in wanted:
        if name not in known:
            head.fail("shown_counters", f'unknown counter "{name}"', nearest(name, known), name)
    if len(wanted) > 2:
        head.fail("shown_counters", "a badge can show two counters", "keep the two that matter")
    return tuple(known.index(name) for name in wanted)


def _check_durations(
    root: Section, names: Declarations, own: set[tuple[int, int]], number: int, rule: Rule
) -> None:
    """A duration given by a transition needs a state with a timer, or nothing would follow."""
    for effect in rule.effects:
        if effect.op == GO and effect.value is not None and (effect.target, effect.a) not in own:
            track = names.tracks[effect.target]
            state = track.states[effect.a]
            what = f'"{effect.text}" gives a time to a state without a timer'
            hint = f"add timer = 0 to [track.{track.name}.state.{state.name}]"
            root.source.fail(("rule", number, "do"), what, hint, effect.text)


def _check_timers(root: Section, names: Declarations, rules: tuple[Rule, ...]) -> None:
    """Every timer must do something when it ends, and every `after` rule must have its timer."""
    handled = {rule.after for rule in rules}
    own = {
        (t, s)
        for t, track in enumerate(names.tracks)
        for s, state in enumerate(track.states)
        if state.timer is not None
    }
    for number, rule in enumerate(rules):
        if rule.after and rule.after not in own:
            track = names.tracks[rule.after[0]]
            state = track.states[rule.after[1]]
            what = f'state "{track.name}.{state.name}" has no timer'
            hint = f"add timer = ... to [track.{track.name}.state.{state.name}]"
            root.source.fail(("rule", number, "after"), what, hint)
        _check_durations(root, names, own, number, rule)
    for t, s in sorted(own):
        track = names.tracks[t]
        state = track.states[s]
        if (t, s) not in handled:
            what = f'nothing happens when the timer of "{track.name}.{state.name}" ends'
            hint = f'add a rule with after = "{track.name}.{state.name}"'
            path = ("track", track.name, "state", state.name, "timer")
            root.source.fail(path, what, hint)
