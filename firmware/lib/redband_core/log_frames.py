"""The frames on LOG: the journal's bytes in numbered pieces.

Problem: notifications are cut by the MTU and dropped by stacks. Guarantee: a frame says which
stream it belongs to and its number there, so that the receiver notices whatever is missing; any
other bytes raise ProtocolError. A run is any number of records without a hole between them; where
frames end has nothing to do with where records do. Layout: docs/protocol.md.
"""

import binascii
from collections import namedtuple

from redband_core import journal
from redband_core.errors import JournalCorrupt, ProtocolError
from redband_core.frames import whole
from redband_core.packing import Reader, put_u16, put_u32, put_varint

# Kinds of frames: the two highest bits of the first byte; the rest is the stream.
MORE = 0
RUN = 1
END = 2
SKIP = 3
STREAM_MASK = 0x3F
HEAD_BYTES = 2

LogFrame = namedtuple(
    "LogFrame", ("kind", "stream", "number", "seq", "base_ms", "until_seq", "data")
)
"""kind: MORE, RUN, END or SKIP. stream: 0..63. number: u8. seq: the record behind those sent
before: the first of a RUN, the first missing of a SKIP, the next to be written of an END. base_ms:
game time before a run's first record. until_seq: record behind the missing ones. data: bytes of
the run. What a kind has not is 0 or empty."""


def _head(kind: int, stream: int, number: int) -> bytearray:
    return bytearray(((kind << 6) | (stream & STREAM_MASK), number & 0xFF))


def _seal(head: bytearray) -> None:
    """Append the checksum of a head: no record's own checksum covers these numbers."""
    put_u16(head, binascii.crc32(head) & 0xFFFF)


def _check(reader: Reader, frame: "bytes | bytearray | memoryview") -> None:
    """Raise ProtocolError unless the checksum that follows fits what was read before it."""
    crc = binascii.crc32(bytes(frame[: reader.offset])) & 0xFFFF
    if reader.u16() != crc:
        raise ProtocolError("head of a frame was changed on the way")


def run_head(stream: int, number: int, seq: int, base_ms: int) -> bytearray:
    """Return the head of a run's first frame; its bytes follow. Raises UsageError."""
    head = _head(RUN, stream, number)
    put_u32(head, seq)
    put_varint(head, base_ms)
    _seal(head)
    return head


def more_head(stream: int, number: int) -> bytearray:
    """Return the head of a run's other frames; its next bytes follow."""
    return _head(MORE, stream, number)


def end_frame(stream: int, number: int, next_seq: int) -> bytes:
    """Return the frame behind the last record: there are no records from `next_seq` on."""
    frame = _head(END, stream, number)
    put_u32(frame, next_seq)
    _seal(frame)
    return bytes(frame)


def skip_frame(stream: int, number: int, seq: int, until_seq: int) -> bytes:
    """Return the frame that stands for records `seq` to `until_seq` - 1, which are gone."""
    frame = _head(SKIP, stream, number)
    put_u32(frame, seq)
    put_u32(frame, until_seq)
    _seal(frame)
    return bytes(frame)


def decode(frame: "bytes | bytearray | memoryview") -> LogFrame:
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


def count_records(data: "bytes | bytearray | memoryview") -> int:
    """Return how many records whole `data` holds, by their lengths alone.

    Raises JournalCorrupt when it does not end with a record.
    """
    count = offset = 0
    while offset < len(data):
        size = journal.record_size(data, offset)
        if size == 0 or offset + size > len(data):
            raise JournalCorrupt(offset)
        offset += size
        count += 1
    return count
