"""What only a host says to a badge and reads from it: no badge carries this in its memory.

Problem: the core is shared, but a badge's heap is short. Guarantee: as in frames and log_frames,
whose other halves these are: one value has one encoding, and any other bytes raise ProtocolError.
Adverts are read in host_adverts. Bytes and test vectors: docs/protocol.md.
"""

import binascii
from collections import namedtuple

from redband_core.errors import ProtocolError, UsageError
from redband_core.frames import (
    ACK,
    BADGE_NONCE_BYTES,
    FETCH,
    HELLO,
    HOST_NONCE_BYTES,
    IDENTITY_BYTES,
    PROOF_BYTES,
    PROTOCOL_VERSION,
    PROVE,
    VERSION_TEXT_MAX,
    whole,
)
from redband_core.log_frames import END, RUN, SKIP, STREAM_MASK
from redband_core.packing import Reader, put_u8, put_u32
from redband_core.proofs import TAG_BYTES

Welcome = namedtuple(
    "Welcome",
    (
        "version",
        "badge_id",
        "install_id",
        "boot_id",
        "ruleset_identity",
        "firmware_version",
        "nonce",
    ),
)
"""version: of the protocol. badge_id: u16. install_id, boot_id: u32. ruleset_identity: 8 bytes.
firmware_version: text, up to 16 ASCII characters. nonce: the badge's, 16 bytes, empty in INFO.
Nothing of it is proven before PROVED."""

Proved = namedtuple("Proved", ("oldest_seq", "next_seq", "count", "game_ms", "proof"))
"""oldest_seq: first record that can be fetched. next_seq: number of the record to be written next.
count: of the badge's advert, u32. game_ms: the badge's game time, at most a second ago. proof: the
badge's, 16 bytes."""

LogFrame = namedtuple(
    "LogFrame", ("kind", "stream", "number", "seq", "base_ms", "until_seq", "data")
)
"""kind: MORE, RUN, END or SKIP. stream: 0..63. number: u8. seq: the record after those sent
before: the first of a RUN, the first missing of a SKIP, the next to be written of an END. base_ms:
game time before a run's first record. until_seq: record after the missing ones. data: bytes of
the run, or the proof of an END. What a kind has not is 0 or empty."""


def encode_hello(role: int, nonce: bytes) -> bytes:
    """Return the host's first message, which names its protocol version. Raises UsageError.

    `role`: as whom it will prove itself. `nonce`: 8 random bytes.
    """
    if len(nonce) != HOST_NONCE_BYTES:
        raise UsageError("nonce of a wrong length")
    message = bytearray((HELLO, PROTOCOL_VERSION))
    put_u8(message, role)
    message.extend(nonce)
    return bytes(message)


def encode_prove(proof: bytes) -> bytes:
    """Return the message that shows the host's key."""
    return bytes((PROVE,)) + proof


def encode_fetch(from_seq: int) -> bytes:
    """Return the request for all records from number `from_seq` on. Raises UsageError."""
    message = bytearray((FETCH,))
    put_u32(message, from_seq)
    return bytes(message)


def encode_ack(stream: int, number: int, next_seq: int) -> bytes:
    """Return the word that all records before `next_seq` are committed for good.

    All frames of `stream` before `number` (0..255) are used up. Raises UsageError.
    """
    message = bytearray((ACK,))
    put_u8(message, stream)
    put_u8(message, number)
    put_u32(message, next_seq)
    return bytes(message)


def _take_versions(reader: Reader) -> "tuple[bytes, str]":
    identity = reader.take(IDENTITY_BYTES)
    size = reader.u8()
    if size > VERSION_TEXT_MAX:
        raise ProtocolError("firmware version too long")
    text = reader.take(size)
    for byte in text:
        if not 0x20 <= byte < 0x7F:
            raise ProtocolError("firmware version is not printable")
    return identity, text.decode()


def _take_welcome(reader: Reader, nonce_bytes: int) -> Welcome:
    version = reader.u8()
    badge_id = reader.u16()
    install_id = reader.u32()
    boot_id = reader.u32()
    identity, text = _take_versions(reader)
    nonce = reader.take(nonce_bytes)
    return Welcome(version, badge_id, install_id, boot_id, identity, text, nonce)


def decode_welcome(message: bytes) -> Welcome:
    """Return the Welcome; bytes after it are a later minor version's. Raises ProtocolError."""
    return _take_welcome(Reader(message, 1), BADGE_NONCE_BYTES)


def decode_info(value: bytes) -> Welcome:
    """Return INFO's value as a Welcome with an empty nonce. Raises ProtocolError."""
    return _take_welcome(Reader(value), 0)


def decode_proved(message: bytes) -> Proved:
    """Return the Proved. Raises ProtocolError."""
    reader = Reader(message, 1)
    oldest_seq = reader.u32()
    next_seq = reader.u32()
    count = reader.u32()
    game_ms = reader.varint()
    proof = reader.take(PROOF_BYTES)
    whole(reader)
    return Proved(oldest_seq, next_seq, count, game_ms, proof)


def decode_refused(message: bytes) -> "tuple[int, int]":
    """Return (reason, version of the badge). Raises ProtocolError."""
    reader = Reader(message, 1)
    return reader.u8(), reader.u8()


def _check(reader: Reader, frame: "bytes | bytearray | memoryview") -> None:
    """Raise ProtocolError unless the checksum that follows fits what was read before it."""
    crc = binascii.crc32(bytes(frame[: reader.offset])) & 0xFFFF
    if reader.u16() != crc:
        raise ProtocolError("head of a frame was changed on the way")


def decode_log(frame: "bytes | bytearray | memoryview") -> LogFrame:
    """Return the LogFrame. Raises ProtocolError."""
    reader = Reader(frame)
    head = reader.u8()
    number = reader.u8()
    kind = head >> 6
    seq = base_ms = until_seq = 0
    if kind == RUN:
        seq = reader.u32()
        base_ms = reader.varint()
        _check(reader, frame)
    elif kind == END:
        seq = reader.u32()
        proof = reader.take(TAG_BYTES)
        _check(reader, frame)
        whole(reader)
        return LogFrame(kind, head & STREAM_MASK, number, seq, 0, 0, proof)
    elif kind == SKIP:
        seq = reader.u32()
        until_seq = reader.u32()
        _check(reader, frame)
        whole(reader)
        if until_seq <= seq:
            raise ProtocolError("nothing is skipped")
    elif reader.at_end():
        raise ProtocolError("frame without content")
    data = reader.take(len(frame) - reader.offset)
    return LogFrame(kind, head & STREAM_MASK, number, seq, base_ms, until_seq, data)
