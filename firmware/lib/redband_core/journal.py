"""The journal's bytes: segment headers, records, and the recovery of what a power cut left.

Layout and reasons are in docs/journal.md. Guarantee: reading any bytes gives the records that were
written, up to the first that was not written whole, and never one that was not written; the only
error is `JournalCorrupt`. Opens no file: redband_badge does, and the host reads the same bytes.
"""

import binascii
from collections import namedtuple

from redband_core import limits, numbers
from redband_core.errors import JournalCorrupt, ProtocolError, UsageError
from redband_core.packing import Reader, put_signed, put_u8, put_u16, put_u32, put_varint

# Kinds of records. 0 is none, so that zeroed flash is no record.
BOOT = 1
EVENT = 2
REFUSED = 3
SNAPSHOT = 4
CHECKPOINT = 5
NOTE = 6
PAUSE = 7
RESUME = 8
TAP = 9  # of a medic's tap; its payload is in `tap`

MAGIC = b"RBJ1"
SEQ_MAX = 0xFFFFFFFE
"""Largest record number; 0xFFFFFFFF means "none" in the advert. 4 billion hits are enough."""

IDENTITY_BYTES = 8
HEADER_MAX_BYTES = 24
_CRC_BYTES = 4

Header = namedtuple("Header", ("install_id", "first_seq", "base_ms", "size_bytes"))
"""install_id, first_seq: u32. base_ms: game time before the first record. size_bytes: on flash."""


def _check_seq(seq: int) -> None:
    if not 0 <= seq <= SEQ_MAX:
        raise UsageError(numbers.ERROR_RECORD_NUMBER, seq)


def encode_header(install_id: int, first_seq: int, base_ms: int) -> bytes:
    """Return a segment's header.

    `install_id`: u32, random, of the journal directory. `first_seq`: number of the first record
    in the segment. `base_ms`: game time, 0..2**53. Raises UsageError.
    """
    _check_seq(first_seq)
    header = bytearray(MAGIC)
    put_u32(header, install_id)
    put_u32(header, first_seq)
    put_varint(header, base_ms)
    put_u32(header, binascii.crc32(header))
    return bytes(header)


def decode_header(data: "bytes | bytearray | memoryview") -> Header:
    """Return the header at the front of `data`. Raises JournalCorrupt(0) on anything else."""
    reader = Reader(data)
    try:
        magic = reader.take(len(MAGIC))
        install_id = reader.u32()
        first_seq = reader.u32()
        base_ms = reader.varint()
        body_end = reader.offset
        stored_crc = reader.u32()
    except ProtocolError:
        raise JournalCorrupt(0)
    crc = binascii.crc32(memoryview(data)[:body_end])
    if magic != MAGIC or first_seq > SEQ_MAX or crc != stored_crc:
        raise JournalCorrupt(0)
    return Header(install_id, first_seq, base_ms, reader.offset)


def encode_record(seq: int, kind: int, delta_ms: int, payload: bytes) -> bytes:
    """Return one record.

    `seq`: its number within the install, 0..SEQ_MAX. `kind`: 1..255. `delta_ms`: game time since
    the record before it, 0..2**53. `payload`: bytes of the kind's codec. Raises UsageError.
    """
    _check_seq(seq)
    if kind == 0:
        raise UsageError(numbers.ERROR_RECORD_KIND)
    body = bytearray()
    put_u8(body, kind)
    put_varint(body, delta_ms)
    body.extend(payload)
    if len(body) > limits.RECORD_BODY_MAX_BYTES:
        raise UsageError(numbers.ERROR_RECORD_LONG, len(body))
    record = bytearray()
    put_varint(record, len(body))
    record.extend(body)
    put_u32(record, binascii.crc32(record, seq))
    return bytes(record)


def record_size(data: "bytes | bytearray | memoryview", offset: int) -> int:
    """Return the bytes that the record at `offset` claims, or 0 when too few are there to say.

    Raises JournalCorrupt when no record can begin so.
    """
    available = len(data) - offset
    if available < 1:
        return 0
    body_bytes = data[offset]
    length_bytes = 1
    if body_bytes > 0x7F:  # nearly all are shorter, and recovery reads thousands
        if available < 2:
            return 0
        reader = Reader(data, offset)
        try:
            body_bytes = reader.varint()
        except ProtocolError:
            raise JournalCorrupt(offset)
        length_bytes = reader.offset - offset
    if not 2 <= body_bytes <= limits.RECORD_BODY_MAX_BYTES:
        raise JournalCorrupt(offset)
    return length_bytes + body_bytes + _CRC_BYTES


def decode_record(
    data: "bytes | bytearray | memoryview", offset: int, seq: int
) -> "tuple[int, int, bytes, int]":
    """Return (kind, delta_ms, payload, next_offset) of the record number `seq` at `offset`.

    Raises JournalCorrupt(offset) when it is not that record, whole and unchanged; UsageError when
    `offset` or `seq` is out of range.
    """
    _check_seq(seq)
    if not 0 <= offset <= len(data):
        raise UsageError(numbers.ERROR_RECORD_OFFSET, offset)
    size = record_size(data, offset)
    next_offset = offset + size
    if size == 0 or next_offset > len(data):
        raise JournalCorrupt(offset)
    crc_at = next_offset - _CRC_BYTES
    # The number seeds the checksum: an old record never passes for the one expected here.
    crc = binascii.crc32(memoryview(data)[offset:crc_at], seq)
    if int.from_bytes(data[crc_at:next_offset], "little") != crc:
        raise JournalCorrupt(offset)
    try:
        reader = Reader(data, offset, crc_at)
        reader.varint()
        kind = reader.u8()
        delta_ms = reader.varint()
        payload = reader.take(crc_at - reader.offset)
    except ProtocolError:
        raise JournalCorrupt(offset)
    if kind == 0:
        raise JournalCorrupt(offset)
    return kind, delta_ms, payload, next_offset


def scan(data: "bytes | bytearray | memoryview") -> "tuple[Header, list, int]":
    """Return (header, records, valid_length) of a whole segment.

    `records`: (seq, kind, game_ms, payload) of the valid prefix, `valid_length` its end in bytes;
    a torn or foreign tail is left out. Raises JournalCorrupt(0) when the header is not whole. A
    badge reads piece by piece instead: see `segment_reader`.
    """
    header = decode_header(data)
    records = []
    seq = header.first_seq
    game_ms = header.base_ms
    offset = header.size_bytes
    while offset < len(data) and seq <= SEQ_MAX:
        try:
            kind, delta_ms, payload, offset = decode_record(data, offset, seq)
        except JournalCorrupt:
            break
        game_ms += delta_ms
        records.append((seq, kind, game_ms, payload))
        seq += 1
    return header, records, offset


def event_payload(event_id: int, args: "tuple[int, ...]" = ()) -> bytes:
    """Return the payload of an EVENT record. `args`: -(2**52)..2**52 each. Raises UsageError."""
    payload = bytearray()
    put_varint(payload, event_id)
    for value in args:
        put_signed(payload, value)
    return bytes(payload)


def parse_event(payload: bytes, reader: "Reader | None" = None) -> "tuple[int, tuple[int, ...]]":
    """Return (event_id, args) of an EVENT record. Raises ProtocolError.

    `reader`: of a payload that ends with an event, at the event.
    """
    reader = reader or Reader(payload)
    event_id = reader.varint()
    args = []
    while not reader.at_end():
        args.append(reader.signed())
    return event_id, tuple(args)


def refused_payload(reason: int, event_id: int, args: "tuple[int, ...]" = ()) -> bytes:
    """Return the payload of a REFUSED record: the engine's reason, then the event as it came."""
    payload = bytearray()
    put_varint(payload, reason)
    payload.extend(event_payload(event_id, args))
    return bytes(payload)


def boot_payload(
    boot_id: int, boot_count: int, cause: int, badge_id: int, ruleset_identity: bytes
) -> bytes:
    """Return the payload of a BOOT record.

    `boot_id`: u32, random at each start. `boot_count`: starts within the install. `cause`: the
    port's reset cause, 0..255, a fact and no verdict. `badge_id`: u16. `ruleset_identity`: 8
    bytes. Raises UsageError.
    """
    if len(ruleset_identity) != IDENTITY_BYTES:
        raise UsageError(numbers.ERROR_IDENTITY_LENGTH)
    payload = bytearray()
    put_u32(payload, boot_id)
    put_varint(payload, boot_count)
    put_u8(payload, cause)
    put_u16(payload, badge_id)
    payload.extend(ruleset_identity)
    return bytes(payload)


def parse_boot(payload: bytes) -> "tuple[int, int, int, int, bytes]":
    """Return (boot_id, boot_count, cause, badge_id, ruleset_identity). Raises ProtocolError.

    Bytes after these are a later version's and are left alone.
    """
    reader = Reader(payload)
    boot_id = reader.u32()
    boot_count = reader.varint()
    cause = reader.u8()
    badge_id = reader.u16()
    return boot_id, boot_count, cause, badge_id, reader.take(IDENTITY_BYTES)


def note_payload(code: int, value: int = 0) -> bytes:
    """Return the payload of a NOTE record. `value`: -(2**52)..2**52. Raises UsageError."""
    payload = bytearray()
    put_varint(payload, code)
    put_signed(payload, value)
    return bytes(payload)


def parse_note(payload: bytes) -> "tuple[int, int]":
    """Return (code, value) of a NOTE record. Raises ProtocolError."""
    reader = Reader(payload)
    return reader.varint(), reader.signed()
