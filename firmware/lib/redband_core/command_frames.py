"""What a proven host tells a badge: a ruleset's event, a command, a broadcast.

Problem: a link breaks between a command and its answer, and nobody knows whether it was done.
Guarantee: each request has a random number of its own, by which the badge knows a repeat, in
another session, too; one value has one encoding, and any other bytes raise ProtocolError. These
are the badge's halves, imported when a host asks; the host's are in redband.wire. Bytes:
docs/protocol.md, "Commands".
"""

from redband_core import numbers
from redband_core.advert import PAYLOAD_BYTES
from redband_core.errors import ProtocolError
from redband_core.frames import BROADCAST, whole
from redband_core.packing import Reader, put_signed, put_u32

ARGS_MAX = 16
ANSWER = 0x80
"""An answer has the opcode of its request plus this."""

COMMAND_ROLES = (0,) + (numbers.MAY_DIRECT,) * 4
COMMAND_ROLES += (numbers.MAY_READ, numbers.MAY_COMMAND, numbers.MAY_UPDATE)
"""Who may say each command, bit 1 << role, by its COMMAND_ number."""


def decode_event(message: bytes) -> "tuple[int, int, tuple]":
    """Return (request, event id, arguments). Raises ProtocolError."""
    reader = Reader(message, 1)
    request = reader.u32()
    event_id = reader.varint()
    args = []
    while not reader.at_end():
        args.append(reader.signed())
    if len(args) > ARGS_MAX:
        raise ProtocolError(numbers.ERROR_TOO_MANY_ARGUMENTS)
    return request, event_id, tuple(args)


def decode_command(message: bytes) -> "tuple[int, int, tuple]":
    """Return (request, command, no arguments). Raises ProtocolError."""
    reader = Reader(message, 1)
    request = reader.u32()
    command = reader.u8()
    whole(reader)
    return request, command, ()


def decode_broadcast(message: bytes) -> bytes:
    """Return the payload of a BROADCAST advert, nothing of it proven. Raises ProtocolError."""
    reader = Reader(message, 1)
    payload = reader.take(PAYLOAD_BYTES)
    whole(reader)
    return payload


def encode_result(opcode: int, request: int, outcome: int) -> bytes:
    """Return the answer to an event or command. `opcode`: of the request. Raises UsageError."""
    return _numbers(opcode, request, outcome)


def encode_broadcast_result(broadcast_number: int, outcome: int) -> bytes:
    """Return the answer to a broadcast. Raises UsageError.

    `broadcast_number`: of the newest one that the badge knows.
    """
    return _numbers(BROADCAST, broadcast_number, outcome)


def _numbers(opcode: int, number: int, outcome: int) -> bytes:
    message = bytearray((opcode | ANSWER,))
    put_u32(message, number)
    put_signed(message, outcome)
    return bytes(message)
