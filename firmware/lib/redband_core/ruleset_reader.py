"""Reads a compiled ruleset and checks it, so that the engine need not.

Problem: the file may be damaged, old or not a ruleset at all, and its varints take time to find.
Guarantee: `read` gives a ruleset in which every index is valid and every expression is safe to
run, or raises RulesError.

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

What it makes of it for the engine, `Ruleset.program` (offsets of two bytes, little endian;
expressions of three, see `expression`; 0 at 0, so that offset 0 is an empty list):
    codes of longer expressions | counters: low, high, start
    for each track: first state, states: timer expression, offset of the list of rules of its end
    rules: condition, outcome, number of effects, effects: op, target, a (2 bytes), expression
    lists of rules: offsets of rules, 0 | events: offsets of their lists
    gestures, as in the file
An outcome is a rule's refusal, 0 for none. Signals are a list of rules without effects, too; the
outcome is the signal's number + 1.
A condition here is the number of its tests, the tests, and an expression. A test is a track and a
mask of states, one bit each, as many bytes as the track with the most states needs.
"""

import binascii
import hashlib

from redband_core import numbers
from redband_core.errors import ProtocolError, RulesError
from redband_core.expression import FIRST_OPERATOR, NONE
from redband_core.expression_reader import check, put
from redband_core.led import PATTERN_NAMES
from redband_core.packing import Reader
from redband_core.ruleset_codes import (
    GO,
    NOT_APPLICABLE,
    NOTE,
    SET,
    SIZE_LIMIT,
    TIMER_ADD,
    TIMER_SET,
    VOID_TAG,
)

MAGIC = b"RBL1"
_NO_EXPRESSION = bytes((0, 0, NONE))
_PROGRAM_LIMIT = 0xFFFF


def read(cls, data):
    """Return the ruleset in `data`, a `cls`. Raises RulesError when anything is wrong."""
    if len(data) < 12 or len(data) > SIZE_LIMIT or bytes(data[:4]) != MAGIC:
        raise RulesError(numbers.ERROR_NOT_A_RULESET)
    if binascii.crc32(data[:-4]) & 0xFFFFFFFF != int.from_bytes(data[-4:], "little"):
        raise RulesError(numbers.ERROR_RULESET_CHECKSUM)
    ruleset = cls(hashlib.sha256(data).digest()[:8])
    try:
        reader = _RulesReader(ruleset, data)
        _read_state(ruleset, reader)
        _read_rules(ruleset, reader)
        _read_outputs(ruleset, reader)
    except ProtocolError:
        raise RulesError(numbers.ERROR_RULESET_CUT)
    if not reader.at_end():
        raise RulesError(numbers.ERROR_RULESET_LEFT_OVER)
    ruleset.program = bytes(reader.program)
    return ruleset


def _read_state(ruleset, reader):
    ruleset.name = "".join([chr(byte) for byte in reader.take(reader.varint())])
    ruleset.void_window_ms = reader.varint()
    reader.program = bytearray(2)
    reader.seen = {}
    ruleset.params = reader.rows(
        lambda: reader.once((reader.signed(), reader.signed(), reader.signed()))
    )
    counters = reader.rows(lambda: (reader.varint(), reader.varint(), reader.varint()))
    tracks = reader.rows(lambda: (reader.varint(), reader.rows(reader.varint)))
    ruleset.state_counts = tuple([len(states) for _first, states in tracks])
    ruleset.counter_count = len(counters)
    ruleset.first_param = len(tracks) + len(counters)
    ruleset.first_arg = ruleset.first_param + len(ruleset.params)
    ruleset.arg_slots = reader.varint()
    ruleset.constants = reader.rows(reader.signed)
    ruleset.slot_count = ruleset.first_arg + ruleset.arg_slots + len(ruleset.constants)
    if ruleset.slot_count > FIRST_OPERATOR or not tracks:
        raise RulesError(numbers.ERROR_RULESET_SLOTS)
    reader.mask_bytes = (max(ruleset.state_counts) + 7) // 8
    ruleset.test_bytes = 1 + reader.mask_bytes
    reader.expressions = reader.rows(reader.read_expression)
    ruleset.counter_rows = len(reader.program)
    for row in counters:
        for index in row:
            reader.program.extend(reader.expression(index + 1))
    ruleset.track_rows = tuple([_put_track(reader, *track) for track in tracks])


def _put_track(reader, first, states) -> int:
    """Append a track; return where its first state's row is."""
    reader.program.append(reader.below(reader.below(first, len(states)), 256))
    at = len(reader.program)
    for timer in states:
        reader.program.extend(reader.expression(timer))
        reader.put_offset(0)
    return at


def _read_rules(ruleset, reader):
    reader.rules = reader.rows(reader.read_rule)
    events = reader.rows(lambda: _read_event(ruleset, reader))
    if not events or len(events[0][3]) != 1:
        raise RulesError(numbers.ERROR_RULESET_NO_VOID)
    columns = tuple(zip(*events))
    ruleset.event_roles, ruleset.void_marks, ruleset.otherwise = map(bytes, columns[:3])
    ruleset.arg_ranges = columns[3]
    ruleset.event_args = bytes([len(ranges) for ranges in ruleset.arg_ranges])
    ruleset.event_lists = len(reader.program)
    for offset in columns[4]:
        reader.put_offset(offset)
    for track, count in enumerate(ruleset.state_counts):
        for state in range(count):
            at = ruleset.state_row(track, state)
            if reader.program[at + 2] != NONE:
                offset = reader.rule_list()
                reader.program[at + 3] = offset & 0xFF
                reader.program[at + 4] = offset >> 8
    ruleset.always = reader.rule_list()


def _read_event(ruleset, reader):
    roles, mark, otherwise = [reader.below(reader.varint(), 256) for _ in range(3)]
    ranges = reader.rows(lambda: reader.once((reader.signed(), reader.signed())))
    ranges = reader.once(ranges)
    if len(ranges) > ruleset.arg_slots or mark >= VOID_TAG + len(ranges):
        raise RulesError(numbers.ERROR_RULESET_ARGUMENTS)
    reader.refusal_max = max(reader.refusal_max, otherwise)
    return (roles, mark, otherwise or NOT_APPLICABLE, ranges, reader.rule_list())


def _read_outputs(ruleset, reader):
    ruleset.refusal_count = reader.varint()
    if max(reader.refusal_max, NOT_APPLICABLE) > ruleset.refusal_count:
        raise RulesError(numbers.ERROR_RULESET_REFUSAL)
    reader.outcome = 0
    signals = reader.rows(reader.read_signal)
    if not signals:
        raise RulesError(numbers.ERROR_RULESET_NO_SIGNAL)
    conditions, ruleset.signals, timers = tuple(zip(*signals))
    ruleset.signal_timers = bytes(timers)
    ruleset.signal_list = reader.put_list(conditions)
    start = reader.offset
    for _code, event, _args in reader.rows(
        lambda: (reader.varint(), reader.varint(), reader.rows(reader.signed))
    ):
        reader.below(event, len(ruleset.event_args))
    ruleset.gesture_rows = reader.put(reader.between(start))
    count = ruleset.counter_count
    ruleset.shown_counters = tuple([reader.below(i, count) for i in reader.rows(reader.varint)])


class _RulesReader(Reader):
    """Reads the parts of a ruleset, checking each index against what was read before."""

    program: bytearray
    mask_bytes = 0
    expressions: tuple
    rules: tuple
    seen: dict
    refusal_max = 0
    outcome = 0

    def __init__(self, ruleset, data):
        super().__init__(data, 4, len(data) - 4)
        self.ruleset = ruleset

    def rows(self, read):
        """Return the tuple of a counted list."""
        count = self.varint()
        if count > SIZE_LIMIT:
            raise RulesError(numbers.ERROR_RULESET_COUNT)
        return tuple([read() for _ in range(count)])

    def once(self, part):
        """Return the part equal to `part` that came first: a badge's heap is short."""
        return self.seen.setdefault(part, part)

    def below(self, index, count):
        """Return `index` if it is below `count`."""
        if index >= count:
            raise RulesError(numbers.ERROR_RULESET_INDEX)
        return index

    def between(self, start: int) -> bytes:
        """Return what was read since `start`."""
        end, self.offset = self.offset, start
        return self.take(end - start)

    def put(self, part) -> int:
        """Append to the program; return where it begins."""
        at = len(self.program)
        self.program.extend(part)
        self.below(len(self.program), _PROGRAM_LIMIT)
        return at

    def put_offset(self, offset: int) -> None:
        self.put((offset & 0xFF, offset >> 8))

    def read_expression(self):
        code = self.take(self.varint())
        check(code, self.ruleset.slot_count)
        return self.once(put(self.program, code))

    def expression(self, index):
        """Return the expression with number `index` - 1, that of nothing for 0."""
        if not index:
            return _NO_EXPRESSION
        return self.expressions[self.below(index - 1, len(self.expressions))]

    def read_condition(self):
        tests = self.rows(self.read_test)
        condition = bytearray((self.below(len(tests), 256),))
        for test in tests:
            condition.extend(test)
        condition.extend(self.expression(self.varint()))
        return condition

    def read_test(self):
        track, mask = self.below(self.varint(), len(self.ruleset.state_counts)), self.varint()
        test = bytearray((track,))
        for _ in range(self.mask_bytes):
            test.append(mask & 0xFF)
            mask >>= 8
        return test

    def read_rule(self):
        rule = self.read_condition()
        refusal = self.below(self.varint(), 256)
        self.refusal_max = max(self.refusal_max, refusal)
        rule.append(refusal)
        effects = self.rows(self.read_effect)
        rule.append(self.below(len(effects), 256))
        for effect in effects:
            rule.extend(effect)
        return self.put(rule)

    def read_effect(self):
        op, target, a = self.varint(), self.varint(), self.varint()
        expression = self.expression(self.varint())
        if op == SET:
            if target < len(self.ruleset.state_counts):
                raise RulesError(numbers.ERROR_RULESET_SETS)
            self.below(target, self.ruleset.first_param)
        elif op == NOTE:
            target = 0  # a note has none
        else:
            self.below(target, len(self.ruleset.state_counts))
            if op == GO:
                self.below(a, self.ruleset.state_counts[target])
        if (
            op < SET
            or op > NOTE
            or (expression is _NO_EXPRESSION and op in (SET, TIMER_SET, TIMER_ADD, NOTE))
        ):
            raise RulesError(numbers.ERROR_RULESET_EFFECT)
        self.below(a, 0x10000)
        return bytes((op, target, a & 0xFF, a >> 8)) + expression

    def rule_list(self) -> int:
        """Append a list of rules; return where it begins."""
        rules = [self.rules[self.below(i, len(self.rules))] for i in self.rows(self.varint)]
        if not rules:
            return 0
        return self.put_list(rules)

    def put_list(self, offsets) -> int:
        at = len(self.program)
        for offset in offsets:
            self.put_offset(offset)
        self.put_offset(0)
        return at

    def read_signal(self):
        self.outcome = self.below(self.outcome + 1, 256)
        condition = self.read_condition()
        condition.append(self.outcome)
        patterns = [self.below(self.varint(), len(PATTERN_NAMES)) for _ in range(3)]
        timer, track_count = self.varint(), len(self.ruleset.state_counts)
        self.below(timer, track_count + 1)
        return (
            self.put(condition),
            self.once(tuple(patterns)),
            timer - 1 if timer else track_count,
        )
