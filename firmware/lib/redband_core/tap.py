"""The medic's tap, its pure part: which patient is meant, what is written, what the lights say.

Problem: a medic has one button and stands among many. Guarantee: the nearest patient who calls is
chosen, by the median of the last packets' strength, and nobody when none is near enough or two are
equally near; a TAP record has one encoding, and any other bytes raise ProtocolError. Knows no
radio and no clock. How a tap goes: docs/medic-tap.md. Imported when somebody taps.
"""

from redband_core import numbers
from redband_core.errors import ProtocolError
from redband_core.packing import Reader, put_signed, put_u8, put_u16, put_u32, put_varint

# Who writes a TAP record.
PATIENT = 0
MEDIC = 1

NOBODY = 0xFFFF
"""As the other badge: nobody."""

SKILL = -1
"""In place of an argument of a medic's action: the medic's own skill."""

# Of the choice. RSSI: packets of one badge differ by some dB from one to the next, and a body
# between takes 10 or more; nothing better than "near" can be said.
RSSI_MIN_DBM = -65
LEAD_DB = 6
READINGS = 5
READINGS_MIN = 3
CALLS_MAX = 8
QUIET_MS = 2500  # a patient not heard for so long is no choice

# Results of `nearest` beside a call.
NONE = 0
WEAK = 1
TWO = 2

# Lights: sequences as in light_show, each played once.
_DARK = b"\x1e\x00"
CALLING = b"\x23\x03\x0a\x00\x0a\x01\x0a\x00\x0a\x02\x19\x00"  # long, short, short: a second
ACCEPTED = _DARK + b"\x1e\x07\x8c\x03" + _DARK  # felt, and light for nearly two seconds
REFUSED = _DARK + b"\x08\x03\x08\x00" * 10 + _DARK
COME_CLOSER = _DARK + b"\x32\x03\x14\x00" * 2 + _DARK  # two long ones: two patients
NO_ANSWER = _DARK + b"\x50\x03" + _DARK


def picked(number: int) -> bytes:
    """Return the lights by which a medic's badge repeats what was picked. `number`: 1..9."""
    return _DARK + b"\x14\x03\x19\x00" * number + _DARK


def hear(calls: list, patient_id: int, nonce: int, rssi_dbm: int, now_ms: int) -> None:
    """Take one packet of a patient's call. `calls`: lists of [patient id, nonce, readings, ms]."""
    for call in calls:
        if call[0] == patient_id:
            if call[1] != nonce:
                call[1:3] = [nonce, []]  # has called anew
            call[2] = call[2][1 - READINGS :] + [rssi_dbm]
            call[3] = now_ms
            return
    if len(calls) == CALLS_MAX:
        # Who is farthest is meant least.
        weakest = min([(median(call[2]), index) for index, call in enumerate(calls)])
        if weakest[0] >= rssi_dbm:
            return
        calls.pop(weakest[1])
    calls.append([patient_id, nonce, [rssi_dbm], now_ms])


def median(readings: list) -> int:
    """Return the middle one; of two, the weaker."""
    return sorted(readings)[(len(readings) - 1) // 2]


def nearest(calls: list, now_ms: int) -> "list | int":
    """Return the call that is meant, or NONE (nobody yet), WEAK (too far) or TWO (too close)."""
    ranked = []
    for index, call in enumerate(calls):
        if now_ms - call[3] <= QUIET_MS:
            ranked.append((median(call[2]), index))
    ranked.sort(reverse=True)
    if not ranked or len(calls[ranked[0][1]][2]) < READINGS_MIN:
        return NONE
    if ranked[0][0] < RSSI_MIN_DBM:
        return WEAK
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < LEAD_DB:
        return TWO
    return calls[ranked[0][1]]


def is_medics(bound: tuple, actions: list) -> bool:
    """Return whether (event id, args) is one of a medic's `actions`, whatever the skill."""
    event_id, args = bound
    for other_id, others in actions:
        if other_id == event_id and len(others) == len(args):
            if all(b == SKILL or a == b for a, b in zip(args, others)):
                return True
    return False


def skilled(args: tuple, skill: int) -> tuple:
    """Return a medic's action's arguments with the medic's own skill in its place."""
    return tuple([skill if arg == SKILL else arg for arg in args])


def payload(who: tuple, other: int, nonce: int, outcome: int, event: tuple) -> bytes:
    """Return the payload of a TAP record. Raises UsageError.

    `who`: (PATIENT or MEDIC, the medic's role). `other`: the other badge's id, NOBODY for none.
    `nonce`: of the patient's call, u32. `event`: (event id, args).
    """
    data = bytearray()
    put_u8(data, who[0] | who[1] << 1)
    put_u16(data, other)
    put_u32(data, nonce)
    put_signed(data, outcome)
    put_varint(data, event[0])
    for arg in event[1]:
        put_signed(data, arg)
    return bytes(data)


def parse(data: bytes) -> "tuple[tuple[int, int], int, int, int, tuple[int, tuple]]":
    """Return the arguments of `payload`. Raises ProtocolError."""
    reader = Reader(data)
    first = reader.u8()
    if first > 0x0F:
        raise ProtocolError(numbers.ERROR_TAP_VERSION)
    found = ((first & 1, first >> 1), reader.u16(), reader.u32(), reader.signed())
    event_id = reader.varint()
    args = []
    while not reader.at_end():
        args.append(reader.signed())
    return found + ((event_id, tuple(args)),)
