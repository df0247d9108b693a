"""What only a host says to a badge and reads from it: no badge carries this in its memory.

Problem: the core is shared, but a badge's heap is short. Guarantee: as in frames and log_frames,
whose other halves these are: one value has one encoding, and any other bytes raise ProtocolError.
Adverts are read in wire_advert. Bytes and test vectors: docs/protocol.md.
"""

from collections import namedtuple

from redband_core import numbers
from redband_core.errors import ProtocolError, UsageError
from redband_core.frames import (
    ACK,
    BADGE_NONCE_BYTES,
    FETCH,
    HELLO,
    HOST_NONCE_BYTES,
    PROOF_BYTES,
    PROTOCOL_VERSION,
    PROVE,
    whole,
)
from redband_core.info import IDENTITY_BYTES, VERSION_TEXT_MAX
from redband_core.packing import Reader, put_u8, put_u32

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


def encode_hello(role: int, nonce: bytes) -> bytes:
    """Return the host's first message, which names its protocol version. Raises UsageError.

    `role`: as whom it will prove itself. `nonce`: 8 random bytes.
    """
    if len(nonce) != HOST_NONCE_BYTES:
        raise UsageError(numbers.ERROR_NONCE_LENGTH)
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
