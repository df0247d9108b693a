"""The frames on LOG: the journal's bytes in numbered pieces.

Problem: notifications are cut by the MTU and dropped by stacks. Guarantee: a frame says which
stream it belongs to and its number there, so that the receiver notices whatever is missing; any
other bytes raise ProtocolError. Layout: docs/protocol.md.
"""

import binascii
from collections import namedtuple

from redband_core import journal, limits
from redband_core.errors import JournalCorrupt, ProtocolError
from redband_core.frames import whole
from redband_core.packing import Reader, put_u16, put_u32, put_varint

# Kinds of frames: the two highest bits of the first byte; the rest is the stream.
MORE = 0
PAGE = 1
END = 2
STREAM_MASK = 0x3F
HEAD_BYTES = 2

LogFrame = namedtuple("LogFrame", ("kind", "stream", "number", "seq", "base_ms", "size", "data"))
"""kind: MORE, PAGE or END. stream: 0..63. number: u8. seq: of a page's first record, or behind the
last one in END. base_ms: game time before a page's first record. size: bytes of the whole page.
data: bytes of the page in this frame. What a kind has not is 0 or empty."""


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


def page_head(stream: int, number: int, seq: int, base_ms: int, size: int) -> bytearray:
    """Return the head of a page's first frame; the page's bytes follow. Raises UsageError."""
    head = _head(PAGE, stream, number)
    put_u32(head, seq)
    put_varint(head, base_ms)
    put_u16(head, size)
    _seal(head)
    return head


def more_head(stream: int, number: int) -> bytearray:
    """Return the head of a page's other frames; the page's bytes follow."""
    return _head(MORE, stream, number)


def end_frame(stream: int, number: int, next_seq: int) -> bytes:
    """Return the frame behind the last page: there are no records from `next_seq` on."""
    frame = _head(END, stream, number)
    put_u32(frame, next_seq)
    _seal(frame)
    return bytes(frame)


def decode(frame: "bytes | bytearray | memoryview") -> LogFrame:
    """Return the LogFrame. Raises ProtocolError."""
    reader = Reader(frame)
    head = reader.u8()
    number = reader.u8()
    kind = head >> 6
    seq = base_ms = size = 0
    if kind == PAGE:
        seq = reader.u32()
        base_ms = reader.varint()
        size = reader.u16()
        _check(reader, frame)
        if not 0 < size <= limits.PAGE_MAX_BYTES:
            raise ProtocolError("page of %d bytes" % size)
    elif kind == END:
        seq = reader.u32()
        _check(reader, frame)
        whole(reader)
    elif kind != MORE or reader.at_end():
        raise ProtocolError("frame of an unknown kind, or empty")
    data = reader.take(len(frame) - reader.offset)
    return LogFrame(kind, head & STREAM_MASK, number, seq, base_ms, size, data)


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
