"""What only a host says to a badge and reads from it of commands: see command_frames.

Guarantee: as there; no badge carries this in its memory.
"""

from redband_core import numbers
from redband_core.advert import PAYLOAD_BYTES
from redband_core.command_frames import ANSWER, ARGS_MAX
from redband_core.errors import ProtocolError, UsageError
from redband_core.frames import BROADCAST, COMMAND, EVENT, whole
from redband_core.packing import Reader, put_signed, put_u8, put_u32, put_varint


def encode_event(request: int, event_id: int, args: tuple) -> bytes:
    """Return the order to apply an event of the ruleset. Raises UsageError.

    `request`: random u32, the same for a repeat. `args`: ints as the ruleset declares them.
    """
    if len(args) > ARGS_MAX:
        raise UsageError(numbers.ERROR_TOO_MANY_ARGUMENTS)
    message = bytearray((EVENT,))
    put_u32(message, request)
    put_varint(message, event_id)
    for value in args:
        put_signed(message, value)
    return bytes(message)


def encode_command(request: int, command: int) -> bytes:
    """Return a command of command_frames. Raises UsageError. `request`: as above."""
    message = bytearray((COMMAND,))
    put_u32(message, request)
    put_u8(message, command)
    return bytes(message)


def encode_broadcast(payload: bytes) -> bytes:
    """Return the order to obey a broadcast, and to pass it on. Raises UsageError.

    `payload`: of a BROADCAST advert, sealed.
    """
    if len(payload) != PAYLOAD_BYTES:
        raise UsageError(numbers.ERROR_ADVERT_LENGTH)
    return bytes((BROADCAST,)) + payload


def decode_result(message: bytes, opcode: int) -> "tuple[int, int]":
    """Return (request or number of the broadcast, outcome). Raises ProtocolError.

    `opcode`: of the request.
    """
    if message[:1] != bytes((opcode | ANSWER,)):
        raise ProtocolError("no answer to this")
    reader = Reader(message, 1)
    number = reader.u32()
    outcome = reader.signed()
    whole(reader)
    return number, outcome
