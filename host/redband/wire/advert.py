"""Reads the adverts of badges; no badge carries this in its memory.

Guarantee: as in advert, whose other half this is: any other bytes raise ProtocolError. What the
host believes of an advert, and when, is in redband.radio.
"""

from collections import namedtuple

from redband_core import numbers
from redband_core.advert import (
    BATTERY_MAX_PCT,
    FLAGS_ALL,
    NO_SEQ,
    PAYLOAD_BYTES,
    ROLE_SHIFT,
    SHOWN_NO_SEQ,
    TOP_BIT,
)
from redband_core.errors import ProtocolError
from redband_core.packing import Reader

Advert = namedtuple(
    "Advert",
    (
        "badge_id",
        "count",
        "signal",
        "counter_a",
        "counter_b",
        "timer_s",
        "last_seq",
        "battery_pct",
        "role",
        "flags",
        "is_paused",
        "is_emergency",
    ),
)
"""badge_id: u16. count: u32, grows with each refresh of the advert, over restarts as well: the
upper 14 bits count the starts. signal: index of the ruleset's signal, 0..127. counter_a,
counter_b: the counters that the ruleset shows, u8. timer_s: of the shown timer, rounded up,
NO_TIMER for none. last_seq: number of the newest journal record, of which an advert has the lower
24 bits (see widened), NO_SEQ for none. battery_pct: 0..100. role: 0..4. flags: FLAG_ bits.
is_paused: the game is paused. is_emergency: a real one."""


def decode_state(block: "bytes | bytearray | memoryview") -> Advert:
    """Return the Advert in the block of a STATE. Raises ProtocolError."""
    if len(block) != 16:
        raise ProtocolError("block of a wrong length")
    number = int.from_bytes(block, "little")  # one conversion for all: hosts read thousands
    battery, last = block[14], block[15]
    battery_pct, role = battery & ~TOP_BIT, last >> ROLE_SHIFT
    if battery_pct > BATTERY_MAX_PCT or role > numbers.ROLE_TECHNICIAN:
        raise ProtocolError("advert with a value out of range")
    shown_seq = number >> 88 & SHOWN_NO_SEQ
    return Advert(
        number & 0xFFFF,
        number >> 16 & 0xFFFFFFFF,
        block[6] & ~TOP_BIT,
        block[7],
        block[8],
        block[9] | block[10] << 8,
        NO_SEQ if shown_seq == SHOWN_NO_SEQ else shown_seq,
        battery_pct,
        role,
        last & FLAGS_ALL,
        bool(block[6] & TOP_BIT),
        bool(battery & TOP_BIT),
    )


def decode_unkeyed(payload: "bytes | bytearray | memoryview") -> "tuple[int, int]":
    """Return (badge id, flags) in the payload of a badge without keys. Raises ProtocolError."""
    if len(payload) != PAYLOAD_BYTES:
        raise ProtocolError("advert of a wrong length")
    reader = Reader(payload, 2)
    badge_id = reader.u16()
    flags = reader.u8()
    while not reader.at_end():
        if reader.u8():
            raise ProtocolError("bytes after the end of an advert")
    return badge_id, flags


def widened(shown_seq: int, near_seq: int) -> int:
    """Return the record number that an advert shows as `shown_seq`, NO_SEQ for none.

    Of all numbers with these lower 24 bits the one nearest to `near_seq`, a number that is known
    of the same badge.
    """
    if shown_seq == NO_SEQ:
        return NO_SEQ
    half = 1 << 23
    ahead = (shown_seq - near_seq + half) % (1 << 24) - half
    seq = near_seq + ahead
    return seq if seq >= 0 else seq + (1 << 24)
