"""The bytes between badge and host over GATT: names of the service, messages on CONTROL.

Problem: a link that carries 20 bytes at a time at first, on which stacks drop what comes too fast,
and peers of other versions. Guarantee: any bytes either are exactly one of the things described in
docs/protocol.md or raise ProtocolError; one value has one encoding. Knows no order of things: the
conversation is in session, the frames on LOG are in log_frames; what only a host says and reads is
in redband.wire, under the same names.

Opcodes 0x01-0x0F are the session's, 0x10-0x2F the proof's and the commands', 0x30-0x3F are kept
for uploads; an answer has the opcode of its request plus 0x80. The header of a message, HELLO's
first byte after the opcode and REFUSED never change, so that any two versions can refuse each
other by name. The proofs and signatures are in `proofs`.
"""

import binascii

from redband_core import limits, numbers
from redband_core.errors import ProtocolError, UsageError
from redband_core.info import PROTOCOL_VERSION, encode_info
from redband_core.packing import Reader, put_u16, put_u32, put_varint

INFO_UUID = "d3a70002-5b1e-4c8a-9f26-526564626e64"
CONTROL_UUID = "d3a70003-5b1e-4c8a-9f26-526564626e64"
LOG_UUID = "d3a70004-5b1e-4c8a-9f26-526564626e64"

CHANNEL_CONTROL = 1
CHANNEL_LOG = 2

HELLO = 0x01
FETCH = 0x02
ACK = 0x03
PROVE = 0x10
COMMAND = 0x11
EVENT = 0x12
BROADCAST = 0x13
WELCOME = 0x81
PROVED = 0x90
RESULT = 0x91
REFUSED = 0xFF

# Reasons of REFUSED.
REFUSED_VERSION = 1
REFUSED_BAD_FRAME = 2
REFUSED_ORDER = 3
REFUSED_UNKNOWN = 4
REFUSED_ACCESS = 5
REFUSED_ROLE = 6

_LAST_PART = 0x80
_PART_MASK = 0x7F
MESSAGE_HEAD_BYTES = 2
_CHECK_BYTES = 2
HOST_NONCE_BYTES = 8
BADGE_NONCE_BYTES = 16
PROOF_BYTES = 16


def next_number(number: int) -> int:
    """Return the message number after `number`: 1..255, then 1 again."""
    return number % 255 + 1


def seal(message: bytes) -> bytes:
    """Return `message` with its checksum, ready to be cut into parts.

    A stack that cuts what is longer than it expects says so to nobody (PITFALLS B3).
    """
    sealed = bytearray(message)
    put_u16(sealed, binascii.crc32(message) & 0xFFFF)
    return bytes(sealed)


def message_part(number: int, message: bytes, offset: int, part: int, limit: int) -> bytes:
    """Return one frame of a sealed message: part number `part`, which begins at `offset`.

    `limit`: longest frame in bytes, > 2. Raises UsageError for a message of too many parts.
    """
    data = message[offset : offset + limit - MESSAGE_HEAD_BYTES]
    if part > _PART_MASK:
        raise UsageError(numbers.ERROR_MESSAGE_PARTS)
    is_last = offset + len(data) >= len(message)
    return bytes((number, part | (_LAST_PART if is_last else 0))) + data


class Joiner:
    """Puts messages together from frames. Holds CONTROL_MESSAGE_MAX_BYTES at most."""

    def __init__(self) -> None:
        """Begin between two messages."""
        self._number = 0
        self._part = 0
        self._taken = b""  # head of the last frame that was a part
        self._data = b""

    def add(self, frame: bytes) -> "tuple[int, bytes] | None":
        """Return (number, message) when `frame` completes one, else None.

        A frame that a link says twice is taken once, but for a message of one frame. Raises
        ProtocolError when the frame is no part of a message or a part before it is missing; what
        was gathered is dropped then.
        """
        if len(frame) <= MESSAGE_HEAD_BYTES:
            self._number = 0
            raise ProtocolError(numbers.ERROR_FRAME_EMPTY)
        number = frame[0]
        part = frame[1] & _PART_MASK
        if part == 0:
            self._number = number
            self._data = b""
        elif frame[:MESSAGE_HEAD_BYTES] == self._taken:
            return None
        elif number != self._number or part != self._part:
            self._number = 0
            raise ProtocolError(numbers.ERROR_MESSAGE_BEGINNING, part)
        self._taken = bytes(frame[:MESSAGE_HEAD_BYTES])
        self._part = part + 1
        self._data += bytes(frame[MESSAGE_HEAD_BYTES:])
        if number == 0 or len(self._data) > limits.CONTROL_MESSAGE_MAX_BYTES:
            self._number = 0
            self._data = b""
            raise ProtocolError(numbers.ERROR_MESSAGE_NUMBER)
        if not frame[1] & _LAST_PART:
            return None
        sealed = self._data
        self._number = 0
        self._data = b""
        message = sealed[:-_CHECK_BYTES]
        if not message or seal(message) != sealed:
            raise ProtocolError(numbers.ERROR_MESSAGE_CHANGED)
        return number, message


def whole(reader: Reader) -> None:
    """Raise ProtocolError when anything is left."""
    if not reader.at_end():
        raise ProtocolError(numbers.ERROR_MESSAGE_LEFT_OVER)


def decode_hello(message: bytes) -> "tuple[int, int, bytes]":
    """Return (version, role, host's nonce). Raises ProtocolError.

    Of another version only the version is read, the rest is 0 and empty: what follows is theirs.
    """
    reader = Reader(message, 1)
    version = reader.u8()
    if version != PROTOCOL_VERSION:
        return version, 0, b""
    role = reader.u8()
    nonce = reader.take(HOST_NONCE_BYTES)
    whole(reader)
    return version, role, nonce


def decode_prove(message: bytes) -> bytes:
    """Return the host's proof. Raises ProtocolError."""
    reader = Reader(message, 1)
    proof = reader.take(PROOF_BYTES)
    whole(reader)
    return proof


def decode_fetch(message: bytes) -> int:
    """Return from_seq. Raises ProtocolError."""
    reader = Reader(message, 1)
    from_seq = reader.u32()
    whole(reader)
    return from_seq


def decode_ack(message: bytes) -> "tuple[int, int, int]":
    """Return (stream, number, next_seq). Raises ProtocolError."""
    reader = Reader(message, 1)
    stream = reader.u8()
    number = reader.u8()
    next_seq = reader.u32()
    whole(reader)
    return stream, number, next_seq


def encode_welcome(info, nonce: bytes) -> bytes:
    """Return the answer to HELLO: who the badge is, and its nonce. Raises UsageError.

    `info`: see BadgeSession.
    """
    if len(nonce) != BADGE_NONCE_BYTES:
        raise UsageError(numbers.ERROR_NONCE_LENGTH)
    return bytes((WELCOME,)) + encode_info(info) + nonce


def encode_proved(log, count: int, game_ms: int, proof: bytes) -> bytes:
    """Return the answer to a right proof. `log`: see BadgeSession. Raises UsageError.

    `count`: of the badge's advert. `game_ms`: its game time.
    """
    message = bytearray((PROVED,))
    put_u32(message, log.oldest_seq)
    put_u32(message, log.next_seq)
    put_u32(message, count)
    put_varint(message, game_ms)
    message.extend(proof)
    return bytes(message)


def encode_refused(reason: int) -> bytes:
    """Return the badge's refusal, which also names its protocol version. `reason`: REFUSED_."""
    return bytes((REFUSED, reason, PROTOCOL_VERSION))
