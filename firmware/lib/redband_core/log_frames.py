"""The frames on LOG: the journal's bytes in numbered pieces.

Problem: notifications are cut by the MTU and dropped by stacks. Guarantee: a frame says which
stream it belongs to and its number there, so that the receiver notices whatever is missing; any
other bytes raise ProtocolError. A run is any number of records without a hole between them; where
frames end has nothing to do with where records do. Layout: docs/protocol.md. Reading them:
redband.wire.log_frames.
"""

import binascii

from redband_core import journal
from redband_core.errors import JournalCorrupt
from redband_core.packing import put_u16, put_u32, put_varint

# Kinds of frames: the two highest bits of the first byte; the rest is the stream.
MORE = 0
RUN = 1
END = 2
SKIP = 3
STREAM_MASK = 0x3F
HEAD_BYTES = 2


def _head(kind: int, stream: int, number: int) -> bytearray:
    return bytearray(((kind << 6) | (stream & STREAM_MASK), number & 0xFF))


def _seal(head: bytearray) -> None:
    """Append the checksum of a head: no record's own checksum covers these numbers."""
    put_u16(head, binascii.crc32(head) & 0xFFFF)


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


def end_head(stream: int, number: int, next_seq: int) -> bytearray:
    """Return what the frame after the last record says: there are no records from `next_seq` on.

    `end_frame` makes a frame of it.
    """
    head = _head(END, stream, number)
    put_u32(head, next_seq)
    return head


def end_frame(head: bytearray, proof: bytes) -> bytes:
    """Return the frame of an end_head: `proof` is the badge's, over the whole stream."""
    head.extend(proof)
    _seal(head)
    return bytes(head)


def skip_frame(stream: int, number: int, seq: int, until_seq: int) -> bytes:
    """Return the frame that stands for records `seq` to `until_seq` - 1, which are gone."""
    frame = _head(SKIP, stream, number)
    put_u32(frame, seq)
    put_u32(frame, until_seq)
    _seal(frame)
    return bytes(frame)


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
