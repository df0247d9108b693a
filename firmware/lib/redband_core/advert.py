"""What a badge broadcasts: its whole visible state in one legacy advertisement of 31 bytes.

Problem: a dashboard follows hundreds of badges, so nothing shown there may need a connection; and
who does not play may learn nothing from it. Guarantee: a state has exactly one block of 16 bytes,
values that do not fit raise UsageError. Sealing a block is in `sealing`, reading one in
redband.wire.advert, what badges call to each other in `broadcasts`. Bytes and test vectors:
docs/protocol.md. Packets may be missed, repeated and late: an advert is a state, never an event.
"""

import binascii

from redband_core import numbers
from redband_core.errors import UsageError
from redband_core.packing import put_u8, put_u16, put_u24, put_u32

SERVICE_UUID = "d3a70001-5b1e-4c8a-9f26-526564626e64"
"""Of the one GATT service of ours; its characteristics are in `frames`."""

COMPANY_ID = 0xFFFF
"""Bluetooth SIG's number for products without one of their own; hence the magic after it."""

MAGIC = 0x52
VERSION = 2
PAYLOAD_BYTES = 24
BLOCK_BYTES = 16
AD_MAX_BYTES = 31

# Kinds: the low bits of the second byte.
KIND_STATE = 0
KIND_WANTED = 1
KIND_OFFER = 2
KIND_BROADCAST = 3
KIND_RESULT = 4
KIND_UNKEYED = 15

NO_TIMER = 0xFFFF
NO_SEQ = 0xFFFFFFFF
SHOWN_NO_SEQ = 0xFFFFFF
"""An advert has the lower 24 bits of the newest record's number; this for none."""

FLAG_SAFE_MODE = 1
FLAG_INPUT_STUCK = 2
FLAG_JOURNAL_FULL = 4
FLAG_LOW_BATTERY = 8
FLAG_FAULT = 16
FLAGS_ALL = 31

SIGNAL_MAX = 127
BATTERY_MAX_PCT = 100
TOP_BIT = 0x80
"""In the byte of the signal: the game is paused. In the battery's: a real emergency."""
ROLE_SHIFT = 5

NAME = b"Redband"
"""The same for all badges: a number would tell everybody which one it is (PITFALLS G12)."""

_AD_FLAGS = b"\x02\x01\x06"  # general discoverable, no classic Bluetooth
_AD_MANUFACTURER = 0xFF
_AD_SERVICES_128 = 0x07
_AD_NAME = 0x09


def form(kind: int) -> int:
    """Return the byte that says version and kind."""
    return VERSION << 4 | kind


def shown_seq(last_seq: int) -> int:
    """Return how an advert shows `last_seq` (NO_SEQ for none): its lower 24 bits.

    A number whose lower bits would mean "none" is shown as one less, until the next record.
    """
    if last_seq == NO_SEQ:
        return SHOWN_NO_SEQ
    return min(last_seq & SHOWN_NO_SEQ, SHOWN_NO_SEQ - 1)


def encode_state(state: tuple) -> bytes:
    """Return the block of a state: the values of redband.wire.advert.Advert, in its order.

    Raises UsageError for a value out of range.
    """
    badge_id, count, signal, counter_a, counter_b, timer_s = state[:6]
    last_seq, battery_pct, role, flags, is_paused, is_emergency = state[6:]
    if not 0 <= role <= numbers.ROLE_TECHNICIAN or not 0 <= flags <= FLAGS_ALL:
        raise UsageError(numbers.ERROR_ADVERT_ROLE)
    if not 0 <= battery_pct <= BATTERY_MAX_PCT or not 0 <= signal <= SIGNAL_MAX:
        raise UsageError(numbers.ERROR_ADVERT_SIGNAL)
    if not 0 <= last_seq <= NO_SEQ:
        raise UsageError(numbers.ERROR_ADVERT_RECORD)
    block = bytearray()
    put_u16(block, badge_id)
    put_u32(block, count)
    put_u8(block, signal | (TOP_BIT if is_paused else 0))
    put_u8(block, counter_a)
    put_u8(block, counter_b)
    put_u16(block, timer_s)
    put_u24(block, shown_seq(last_seq))
    put_u8(block, battery_pct | (TOP_BIT if is_emergency else 0))
    put_u8(block, (role << ROLE_SHIFT) | flags)
    return bytes(block)


def encode_unkeyed(badge_id: int, flags: int) -> bytes:
    """Return the payload of a badge without keys: that it is there, and nothing of a game.

    Raises UsageError for a value out of range.
    """
    payload = bytearray((MAGIC, form(KIND_UNKEYED)))
    put_u16(payload, badge_id)
    put_u8(payload, flags)
    payload.extend(bytes(PAYLOAD_BYTES - len(payload)))
    return bytes(payload)


def advertising_data(payload: bytes) -> bytes:
    """Return the advertisement of a payload: AD_MAX_BYTES long, all that a legacy one may have."""
    if len(payload) != PAYLOAD_BYTES:
        raise UsageError(numbers.ERROR_ADVERT_LENGTH)
    data = bytearray(_AD_FLAGS)
    put_u8(data, PAYLOAD_BYTES + 3)
    put_u8(data, _AD_MANUFACTURER)
    put_u16(data, COMPANY_ID)
    data.extend(payload)
    return bytes(data)


def scan_response() -> bytes:
    """Return the scan response: our service's UUID and NAME. At most AD_MAX_BYTES long."""
    data = bytearray((17, _AD_SERVICES_128))
    number = binascii.unhexlify(SERVICE_UUID.replace("-", ""))
    for index in range(len(number) - 1, -1, -1):
        data.append(number[index])
    put_u8(data, len(NAME) + 1)
    put_u8(data, _AD_NAME)
    data.extend(NAME)
    return bytes(data)
