"""What a badge broadcasts: its whole visible state in one legacy advertisement.

Problem: a dashboard follows hundreds of badges, so nothing shown there may need a connection.
Guarantee: every `Advert` has exactly one encoding, and any other bytes, from whatever stranger,
raise ProtocolError and nothing else (in host_frames). Bytes and test vectors: docs/protocol.md.
Packets may be missed, repeated and late: an advert is a state, never an event, and proves nothing
about its sender yet (six bytes are kept free for a tag).
"""

import binascii
from collections import namedtuple

from redband_core.errors import UsageError
from redband_core.frames import SERVICE_UUID
from redband_core.packing import put_u8, put_u16, put_u32

COMPANY_ID = 0xFFFF
"""Bluetooth SIG's number for products without one of their own; hence the magic behind it."""

MAGIC = b"RB"
VERSION = 1
PAYLOAD_BYTES = 18
AD_MAX_BYTES = 31
TAG_ROOM_BYTES = 6
"""Bytes that the advertisement leaves free for an authentication tag."""

NO_TIMER = 0xFFFF
NO_SEQ = 0xFFFFFFFF

ROLE_PLAYER = 0
ROLE_MEDIC = 1
ROLE_MARSHAL = 2
ROLE_GAME_MASTER = 3
ROLE_TECHNICIAN = 4

FLAG_SAFE_MODE = 1
FLAG_INPUT_STUCK = 2
FLAG_JOURNAL_FULL = 4
FLAG_LOW_BATTERY = 8
FLAG_FAULT = 16
FLAGS_ALL = 31

BATTERY_MAX_PCT = 100

_AD_FLAGS = b"\x02\x01\x06"  # general discoverable, no classic Bluetooth
_AD_MANUFACTURER = 0xFF
_AD_SERVICES_128 = 0x07
_AD_NAME = 0x09
ROLE_SHIFT = 5

Advert = namedtuple(
    "Advert",
    (
        "badge_id",
        "revision",
        "signal",
        "counter_a",
        "counter_b",
        "timer_s",
        "last_seq",
        "battery_pct",
        "role",
        "flags",
    ),
)
"""badge_id: u16. revision: u16, grows by one (and wraps) at each change. signal: index of the
ruleset's signal, u8. counter_a, counter_b: the counters that the ruleset shows, u8. timer_s: of
the shown timer, rounded up, NO_TIMER for none. last_seq: number of the newest journal record,
NO_SEQ for none. battery_pct: 0..100. role: ROLE_ constants. flags: FLAG_ bits."""


def encode(advert: Advert) -> bytes:
    """Return manufacturer data as it stands behind the company id. Raises UsageError."""
    if not 0 <= advert.role <= ROLE_TECHNICIAN or not 0 <= advert.flags <= FLAGS_ALL:
        raise UsageError("role or flags out of range")
    if not 0 <= advert.battery_pct <= BATTERY_MAX_PCT:
        raise UsageError("battery out of range")
    data = bytearray(MAGIC)
    put_u8(data, VERSION)
    put_u16(data, advert.badge_id)
    put_u16(data, advert.revision)
    put_u8(data, advert.signal)
    put_u8(data, advert.counter_a)
    put_u8(data, advert.counter_b)
    put_u16(data, advert.timer_s)
    put_u32(data, advert.last_seq)
    put_u8(data, advert.battery_pct)
    put_u8(data, (advert.role << ROLE_SHIFT) | advert.flags)
    return bytes(data)


def advertising_data(advert: Advert) -> bytes:
    """Return the advertisement: flags and manufacturer data. Raises UsageError.

    At most AD_MAX_BYTES - TAG_ROOM_BYTES long.
    """
    payload = encode(advert)
    data = bytearray(_AD_FLAGS)
    put_u8(data, len(payload) + 3)
    put_u8(data, _AD_MANUFACTURER)
    put_u16(data, COMPANY_ID)
    data.extend(payload)
    return bytes(data)


def short_name(badge_id: int) -> str:
    """Return the name that phones show, such as RB-00042."""
    return "RB-%05d" % badge_id


def scan_response(badge_id: int) -> bytes:
    """Return the scan response: our service's UUID and the short name.

    At most AD_MAX_BYTES long. Raises UsageError for a badge id beyond u16.
    """
    if not 0 <= badge_id <= 0xFFFF:
        raise UsageError("badge id out of range")
    data = bytearray((17, _AD_SERVICES_128))
    number = binascii.unhexlify(SERVICE_UUID.replace("-", ""))
    for index in range(len(number) - 1, -1, -1):
        data.append(number[index])
    name = short_name(badge_id).encode()
    put_u8(data, len(name) + 1)
    put_u8(data, _AD_NAME)
    data.extend(name)
    return bytes(data)
