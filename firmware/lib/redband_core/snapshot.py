"""Bytes of a snapshot: everything the engine needs to go on as if it had never stopped.

Layout: version u8 | ruleset identity 8 bytes | params (signed) | start ms | now - start ms |
values of tracks and counters (signed) | timers (signed: ms from start, -1 none, -2 - left when
paused) | number of events since start: ms after start, event, args (signed). All but the first
two are varints. Start is the oldest moment that void can go back to; the events since then are
applied again.
"""

from redband_core import numbers
from redband_core.errors import ProtocolError, RulesError, UsageError
from redband_core.packing import Reader, put_signed, put_varint

SNAPSHOT_VERSION = 1
HISTORY_LIMIT = 32  # events that void can look back on; bounds memory and the snapshot


def pack(ruleset, params, start, now_ms, history) -> bytes:
    """Return the snapshot. start: (ms, values, timers); history: (ms, event, args, ...) since."""
    start_ms, values, timers = start
    out = bytearray((SNAPSHOT_VERSION,))
    out.extend(ruleset.identity)
    for value in params:
        put_signed(out, value)
    put_varint(out, start_ms)
    put_varint(out, now_ms - start_ms)
    for value in values:
        put_signed(out, value)
    for timer in timers:
        put_signed(out, timer - start_ms if timer >= 0 else timer)
    put_varint(out, len(history))
    for entry in history:
        put_varint(out, entry[0] - start_ms)
        put_varint(out, entry[1])
        for value in entry[2]:
            put_signed(out, value)
    return bytes(out)


def unpack(ruleset, data) -> tuple:
    """Return (params, (start ms, values, timers), now ms, history). Raises RulesError."""
    try:
        return _unpack(ruleset, Reader(data))
    except (ProtocolError, UsageError):
        raise RulesError(numbers.ERROR_SNAPSHOT_DAMAGED)


def _unpack(ruleset, reader):
    if reader.u8() != SNAPSHOT_VERSION or bytes(reader.take(8)) != ruleset.identity:
        raise RulesError(numbers.ERROR_SNAPSHOT_RULESET)
    params = [reader.signed() for _ in ruleset.params]
    start_ms = reader.varint()
    now_ms = start_ms + reader.varint()
    values = [reader.signed() for _ in range(ruleset.first_param)]
    for track, count in enumerate(ruleset.state_counts):
        if not 0 <= values[track] < count:
            raise RulesError(numbers.ERROR_SNAPSHOT_STATE)
    timers = [reader.signed() for _ in ruleset.state_counts]
    timers = [start_ms + timer if timer >= 0 else timer for timer in timers]
    count = reader.varint()
    if count > HISTORY_LIMIT:
        raise RulesError(numbers.ERROR_SNAPSHOT_DAMAGED)
    history = [_unpack_event(ruleset, reader, start_ms) for _ in range(count)]
    if not reader.at_end():
        raise RulesError(numbers.ERROR_SNAPSHOT_DAMAGED)
    return params, (start_ms, values, timers), now_ms, history


def _unpack_event(ruleset, reader, start_ms):
    at_ms = start_ms + reader.varint()
    event_id = reader.varint()
    if not 0 < event_id < len(ruleset.event_args):
        raise RulesError(numbers.ERROR_SNAPSHOT_EVENT)
    args = tuple([reader.signed() for _ in range(ruleset.event_args[event_id])])
    return (at_ms, event_id, args)
