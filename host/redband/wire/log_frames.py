"""Reads the frames on LOG; no badge carries this in its memory.

Guarantee: as in redband_core.log_frames, whose other half this is: any bytes either are exactly
one frame or raise ProtocolError.
"""

import binascii
from collections import namedtuple

from redband_core import numbers
from redband_core.errors import ProtocolError
from redband_core.frames import whole
from redband_core.log_frames import END, RUN, SKIP, STREAM_MASK
from redband_core.packing import Reader
from redband_core.proofs import TAG_BYTES

LogFrame = namedtuple(
    "LogFrame", ("kind", "stream", "number", "seq", "base_ms", "until_seq", "data")
)
"""kind: MORE, RUN, END or SKIP. stream: 0..63. number: u8. seq: the record after those sent
before: the first of a RUN, the first missing of a SKIP, the next to be written of an END. base_ms:
game time before a run's first record. until_seq: record after the missing ones. data: bytes of
the run, or the proof of an END. What a kind has not is 0 or empty."""


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
        raise ProtocolError(numbers.ERROR_FRAME_EMPTY)
    data = reader.take(len(frame) - reader.offset)
    return LogFrame(kind, head & STREAM_MASK, number, seq, base_ms, until_seq, data)
