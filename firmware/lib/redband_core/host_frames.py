"""What only a host says to a badge and reads from it: no badge carries this in its memory.

Problem: the core is shared, but a badge's heap is short. Guarantee: as in frames, log_frames and
advert, whose other halves these are: one value has one encoding, and any other bytes raise
ProtocolError. Bytes and test vectors: docs/protocol.md.
"""

import binascii
from collections import namedtuple

from redband_core.advert import (
    BATTERY_MAX_PCT,
    FLAGS_ALL,
    MAGIC,
    PAYLOAD_BYTES,
    ROLE_SHIFT,
    ROLE_TECHNICIAN,
    VERSION,
    Advert,
)
from redband_core.errors import ProtocolError
from redband_core.frames import (
    ACK,
    FETCH,
    HELLO,
    IDENTITY_BYTES,
    PROTOCOL_VERSION,
    VERSION_TEXT_MAX,
    whole,
)
from redband_core.log_frames import END, RUN, SKIP, STREAM_MASK
from redband_core.packing import Reader, put_u8, put_u32

Welcome = namedtuple(
    "Welcome",
    (
        "version",
        "badge_id",
        "install_id",
        "boot_id",
        "oldest_seq",
        "next_seq",
        "ruleset_identity",
        "firmware_version",
    ),
)
"""version: of the protocol. badge_id: u16. install_id, boot_id: u32. oldest_seq: first record that
can be fetched. next_seq: number of the record to be written next. ruleset_identity: 8 bytes.
firmware_version: text, up to 16 ASCII characters."""

LogFrame = namedtuple(
    "LogFrame", ("kind", "stream", "number", "seq", "base_ms", "until_seq", "data")
)
"""kind: MORE, RUN, END or SKIP. stream: 0..63. number: u8. seq: the record behind those sent
before: the first of a RUN, the first missing of a SKIP, the next to be written of an END. base_ms:
game time before a run's first record. until_seq: record behind the missing ones. data: bytes of
the run. What a kind has not is 0 or empty."""


def encode_hello() -> bytes:
    """Return the host's first message, which names its protocol version."""
    return bytes((HELLO, PROTOCOL_VERSION))


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


def decode_welcome(message: bytes) -> Welcome:
    """Return the Welcome; bytes behind it are a later minor version's. Raises ProtocolError."""
    reader = Reader(message, 1)
    version = reader.u8()
    badge_id = reader.u16()
    install_id = reader.u32()
    boot_id = reader.u32()
    oldest_seq = reader.u32()
    next_seq = reader.u32()
    identity, text = _take_versions(reader)
    return Welcome(version, badge_id, install_id, boot_id, oldest_seq, next_seq, identity, text)


def decode_info(value: bytes) -> Welcome:
    """Return INFO's value as a Welcome with oldest_seq and next_seq 0. Raises ProtocolError."""
    reader = Reader(value)
    version = reader.u8()
    badge_id = reader.u16()
    install_id = reader.u32()
    boot_id = reader.u32()
    identity, text = _take_versions(reader)
    return Welcome(version, badge_id, install_id, boot_id, 0, 0, identity, text)


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
        _check(reader, frame)
        whole(reader)
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


def decode_advert(data: "bytes | bytearray | memoryview") -> Advert:
    """Return the advert in manufacturer data without its company id. Raises ProtocolError."""
    if len(data) != PAYLOAD_BYTES or bytes(data[:2]) != MAGIC or data[2] != VERSION:
        raise ProtocolError("not an advert of this version")
    reader = Reader(data, 3)
    badge_id = reader.u16()
    revision = reader.u16()
    signal = reader.u8()
    counter_a = reader.u8()
    counter_b = reader.u8()
    timer_s = reader.u16()
    last_seq = reader.u32()
    battery_pct = reader.u8()
    last = reader.u8()
    role = last >> ROLE_SHIFT
    if battery_pct > BATTERY_MAX_PCT or role > ROLE_TECHNICIAN:
        raise ProtocolError("advert with a value out of range")
    return Advert(
        badge_id,
        revision,
        signal,
        counter_a,
        counter_b,
        timer_s,
        last_seq,
        battery_pct,
        role,
        last & FLAGS_ALL,
    )
