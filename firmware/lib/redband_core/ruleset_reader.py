"""Reads a compiled ruleset and checks it, so that the engine need not.

Problem: the file may be damaged, old or not a ruleset at all. Guarantee: `read` gives tables in
which every index is valid and every expression is safe to run, or raises RulesError.

Layout (all numbers are varints, "signed" ones zigzag, unless a width is given):
    b"RBL1" | name | void window ms
    params: default, low, high (signed) | counters: low, high, start (expressions)
    tracks: initial state, states: timer expression + 1 (0 none)
    argument slots | constants (signed) | expressions: length, code
    rules: condition, refusal (0 none), effects: op, target, a, expression + 1
    events: roles, void mark, refusal when no rule fits, args: low, high (signed); rule numbers
    for each state with a timer: rule numbers | always: rule numbers
    refusals (count) | signals: condition, red, green, vibration, timer track + 1
    gestures: code, event, args (signed) | shown counters | crc32 (4 bytes, little endian)
Every list has its length in front. A condition is a list of (track, mask of states) and an
expression + 1. Slots of expressions, in this order: tracks, counters, params, arguments,
constants.
"""

import binascii
import hashlib

from redband_core.errors import ProtocolError, RulesError
from redband_core.expression import FIRST_OPERATOR
from redband_core.expression_reader import check, prepare
from redband_core.led import PATTERN_NAMES
from redband_core.packing import Reader
from redband_core.ruleset import (
    GO,
    MAGIC,
    NOT_APPLICABLE,
    NOTE,
    SET,
    SIZE_LIMIT,
    TIMER_ADD,
    TIMER_SET,
    VOID_TAG,
)


def read(cls, data):
    """Return the ruleset in `data`, a `cls`. Raises RulesError when anything is wrong."""
    if len(data) < 12 or len(data) > SIZE_LIMIT or bytes(data[:4]) != MAGIC:
        raise RulesError("not a compiled ruleset")
    if binascii.crc32(data[:-4]) & 0xFFFFFFFF != int.from_bytes(data[-4:], "little"):
        raise RulesError("ruleset is damaged (checksum)")
    ruleset = cls(hashlib.sha256(data).digest()[:8])
    try:
        reader = _RulesReader(data, 4, len(data) - 4)
        _read_state(ruleset, reader)
        _read_rules(ruleset, reader)
        _read_outputs(ruleset, reader)
    except ProtocolError:
        raise RulesError("ruleset is cut short")
    if not reader.at_end():
        raise RulesError("ruleset has bytes left over")
    return ruleset


def _read_state(ruleset, reader):
    ruleset.name = "".join([chr(byte) for byte in reader.take(reader.varint())])
    ruleset.void_window_ms = reader.varint()
    reader.seen = {}
    ruleset.params = reader.rows(
        lambda: reader.once((reader.signed(), reader.signed(), reader.signed()))
    )
    ruleset.param_count = len(ruleset.params)
    ruleset.param_defaults = tuple([param[0] for param in ruleset.params])
    counters = reader.rows(lambda: (reader.varint(), reader.varint(), reader.varint()))
    tracks = reader.rows(lambda: (reader.varint(), reader.rows(reader.varint)))
    reader.state_counts = [len(states) for _initial, states in tracks]
    ruleset.first_param = len(tracks) + len(counters)
    ruleset.first_arg = ruleset.first_param + ruleset.param_count
    ruleset.arg_slots = reader.varint()
    ruleset.constants = reader.rows(reader.signed)
    ruleset.slot_count = ruleset.first_arg + ruleset.arg_slots + len(ruleset.constants)
    if ruleset.slot_count > FIRST_OPERATOR or not tracks:
        raise RulesError("too many slots or no track")
    reader.slot_count = ruleset.slot_count
    reader.counter_range = (len(tracks), ruleset.first_param)
    reader.expressions = reader.rows(reader.read_expression)
    pick = reader.pick_expression
    ruleset.counters = tuple([(pick(low), pick(top), pick(start)) for low, top, start in counters])
    ruleset.tracks = tuple(
        [
            (reader.below(initial, len(states)), tuple([reader.optional(s) for s in states]))
            for initial, states in tracks
        ]
    )


def _read_rules(ruleset, reader):
    reader.rules = reader.rows(reader.read_rule)
    ruleset.rules = reader.rules
    events = reader.rows(lambda: _read_event(ruleset, reader))
    if not events or len(events[0][3]) != 1:
        raise RulesError("no void event")
    columns = tuple(zip(*events))
    ruleset.event_roles, ruleset.void_marks, ruleset.otherwise = columns[:3]
    ruleset.arg_ranges, ruleset.event_rules = columns[3:]
    ruleset.event_args = tuple([len(ranges) for ranges in ruleset.arg_ranges])
    ruleset.timer_rules = tuple(
        [
            tuple([reader.rule_list() if timer else () for timer in timers])
            for _initial, timers in ruleset.tracks
        ]
    )
    ruleset.always = reader.rule_list()


def _read_event(ruleset, reader):
    roles, mark, otherwise = reader.varint(), reader.varint(), reader.varint()
    ranges = reader.rows(lambda: reader.once((reader.signed(), reader.signed())))
    ranges = reader.once(ranges)
    if len(ranges) > ruleset.arg_slots or mark >= VOID_TAG + len(ranges):
        raise RulesError("impossible arguments")
    return (roles, mark, otherwise or NOT_APPLICABLE, ranges, reader.rule_list())


def _read_outputs(ruleset, reader):
    ruleset.refusal_count = reader.varint()
    refusals = [rule[2] for rule in ruleset.rules] + list(ruleset.otherwise)
    if max(refusals) > ruleset.refusal_count:
        raise RulesError("unknown refusal")
    signals = reader.rows(reader.read_signal)
    if not signals:
        raise RulesError("no signal")
    ruleset.signal_conditions, ruleset.signals, ruleset.signal_timers = tuple(zip(*signals))
    ruleset._gestures = reader.rows(
        lambda: (reader.varint(), reader.varint(), reader.rows(reader.signed))
    )
    for _code, event, _args in ruleset._gestures:
        reader.below(event, len(ruleset.event_args))
    count = len(ruleset.counters)
    ruleset.shown_counters = tuple([reader.below(i, count) for i in reader.rows(reader.varint)])


class _RulesReader(Reader):
    """Reads the parts of a ruleset, checking each index against what was read before."""

    slot_count = 0
    counter_range = (0, 0)
    state_counts: list[int]
    expressions: tuple
    rules: tuple
    seen: dict

    def rows(self, read):
        """Return the tuple of a counted list."""
        count = self.varint()
        if count > SIZE_LIMIT:
            raise RulesError("impossible count")
        return tuple([read() for _ in range(count)])

    def once(self, part):
        """Return the part equal to `part` that came first: a badge's heap is short."""
        return self.seen.setdefault(part, part)

    def below(self, index, count):
        """Return `index` if it is below `count`."""
        if index >= count:
            raise RulesError("number outside its table")
        return index

    def read_expression(self):
        code = self.take(self.varint())
        check(code, self.slot_count)
        return prepare(code)

    def pick_expression(self, index):
        return self.expressions[self.below(index, len(self.expressions))]

    def optional(self, index):
        """Return the expression with number `index` - 1, None for 0."""
        return self.pick_expression(index - 1) if index else None

    def read_condition(self):
        where = self.once(self.rows(self.read_test))
        return (where, self.optional(self.varint()))

    def read_test(self):
        track = self.below(self.varint(), len(self.state_counts))
        return self.varint() << 8 | track

    def read_rule(self):
        where, guard = self.read_condition()
        refusal = self.varint()
        return (where, guard, refusal, self.once(self.rows(self.read_effect)))

    def read_effect(self):
        op, target, a = self.varint(), self.varint(), self.varint()
        expression = self.optional(self.varint())
        if op == SET:
            first, end = self.counter_range
            if target < first:
                raise RulesError("sets what is no counter")
            self.below(target, end)
        elif op == NOTE:
            target = 0  # a note has none
        else:
            self.below(target, len(self.state_counts))
            if op == GO:
                self.below(a, self.state_counts[target])
        if (
            op < SET
            or op > NOTE
            or (expression is None and op in (SET, TIMER_SET, TIMER_ADD, NOTE))
        ):
            raise RulesError("unknown effect")
        return self.once((op | target << 3 | a << 11, expression))

    def rule_list(self):
        """Return the tuple of rules of a list of rule numbers."""
        return tuple([self.rules[self.below(i, len(self.rules))] for i in self.rows(self.varint)])

    def read_signal(self):
        condition = self.read_condition()
        patterns = [self.below(self.varint(), len(PATTERN_NAMES)) for _ in range(3)]
        timer = self.varint()
        self.below(timer, len(self.state_counts) + 1)
        return (condition, self.once(tuple(patterns)), timer - 1)
