"""A checked ruleset to the bytes that the badge runs (layout: `redband_core.ruleset`).

Problem: the badge stores at most a few KiB of rules, and formulas and rules repeat.
Guarantee: equal formulas, constants and rules are stored once; the bytes depend on the model alone
and are accepted by `Ruleset.from_bytes`. It checks nothing that the reader has checked.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable

from redband.rules.formula import Code, Constant
from redband.rules.model import Condition, Effect, EventInfo, Rule, RulesetModel
from redband_core import ruleset as core
from redband_core.packing import put_signed, put_u32, put_varint
from redband_core.settings_check import ROLES


class _Pool:
    """Values stored once, by number in the order of their first use."""

    def __init__(self) -> None:
        self.items: list[bytes] = []

    def number(self, item: bytes) -> int:
        """Return the number of the item, adding it when it is new."""
        if item not in self.items:
            self.items.append(item)
        return self.items.index(item)


def compile_model(model: RulesetModel) -> bytes:
    """Return the compiled ruleset."""
    return _Compiler(model).run()


def _varint(value: int) -> bytes:
    out = bytearray()
    put_varint(out, value)
    return bytes(out)


def _signed(value: int) -> bytes:
    out = bytearray()
    put_signed(out, value)
    return bytes(out)


def _list(parts: Iterable[bytes]) -> bytes:
    rows = list(parts)
    return _varint(len(rows)) + b"".join(rows)


class _Compiler:
    def __init__(self, model: RulesetModel) -> None:
        self.model = model
        self.expressions = _Pool()
        self.rules = _Pool()
        self.constants: list[int] = []
        self.arg_slots = max((len(event.args) for event in model.events), default=0)
        fixed = len(model.tracks) + len(model.counters) + len(model.params)
        self.first_constant = fixed + self.arg_slots

    def run(self) -> bytes:
        """Return the bytes; formulas are met first, so the pools are complete when written."""
        model = self.model
        counters = _list(
            b"".join(_varint(self.expression(code)) for code in (c.low, c.high, c.start))
            for c in model.counters
        )
        tracks = _list(
            _varint(track.initial) + _list(_varint(self.optional(s.timer)) for s in track.states)
            for track in model.tracks
        )
        events = _list(self.event(event) for event in model.events)
        timers = b"".join(
            self.rule_list(lambda rule, at=(t, s): rule.after == at)
            for t, track in enumerate(model.tracks)
            for s, state in enumerate(track.states)
            if state.timer is not None
        )
        always = self.rule_list(lambda rule: rule.is_always)
        signals = _list(
            self.condition(signal.condition)
            + bytes((signal.red, signal.green, signal.vibration))
            + _varint(0 if signal.timer is None else signal.timer + 1)
            for signal in model.signals
        )
        gestures = _list(
            _varint(gesture.code) + _varint(gesture.event) + _list(map(_signed, gesture.args))
            for gesture in model.gestures
        )
        name = model.id.encode("ascii")
        out = bytearray(core.MAGIC + _varint(len(name)) + name + _varint(model.void_window_ms))
        out += _list(_signed(p.default) + _signed(p.low) + _signed(p.high) for p in model.params)
        out += counters + tracks + _varint(self.arg_slots) + _list(map(_signed, self.constants))
        out += _list(_varint(len(code)) + code for code in self.expressions.items)
        out += _list(self.rules.items) + events + timers + always
        out += _varint(len(model.refusals) - 1) + signals + gestures
        out += _list(map(_varint, model.shown_counters))
        put_u32(out, binascii.crc32(out))
        return bytes(out)

    def expression(self, code: Code) -> int:
        """Return the number of the expression."""
        return self.expressions.number(bytes(self.byte(item) for item in code))

    def byte(self, item: int | Constant) -> int:
        """Return the byte of one item of a code; a constant becomes the slot that holds it."""
        if not isinstance(item, Constant):
            return item
        if item.value not in self.constants:
            self.constants.append(item.value)
        # Too many slots are refused by the loader, which reads the bytes back.
        return min(self.first_constant + self.constants.index(item.value), 0xBF)

    def optional(self, code: Code | None) -> int:
        """Return the number of the expression + 1, 0 for none."""
        return 0 if code is None else self.expression(code) + 1

    def condition(self, condition: Condition) -> bytes:
        """Return the bytes of a condition."""
        where = _list(
            _varint(track) + _varint(sum(1 << state for state in states))
            for track, states in condition.where
        )
        return where + _varint(self.optional(condition.guard))

    def event(self, event: EventInfo) -> bytes:
        """Return the bytes of an event with its rules."""
        roles = sum(1 << ROLES.index(role) for role in event.roles)
        mark = core.NEVER_VOID
        if event.is_voidable:
            source = event.source_arg
            mark = core.VOID_ANY if source is None else core.VOID_TAG + source
        args = _list(_signed(arg.low) + _signed(arg.high) for arg in event.args)
        rules = self.rule_list(lambda rule: event.id in rule.events)
        return _varint(roles) + _varint(mark) + _varint(event.otherwise) + args + rules

    def rule_list(self, is_wanted: Callable[[Rule], bool]) -> bytes:
        """Return the numbers of the rules that are wanted, in the file's order."""
        return _list(_varint(self.rule(rule)) for rule in self.model.rules if is_wanted(rule))

    def rule(self, rule: Rule) -> int:
        """Return the number of the rule."""
        effects = _list(self.effect(effect) for effect in rule.effects)
        return self.rules.number(self.condition(rule.condition) + _varint(rule.refusal) + effects)

    def effect(self, effect: Effect) -> bytes:
        """Return the bytes of one effect."""
        numbers = (effect.op, effect.target, effect.a, self.optional(effect.value))
        return b"".join(map(_varint, numbers))
