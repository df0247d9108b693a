"""Reads the frames on LOG, and makes records of a run's bytes, wherever the link cut them; no
badge carries this in its memory.

Guarantee: as in redband_core.log_frames, whose other half this is: any bytes either are exactly
one frame or raise ProtocolError. A RecordRun gives out only records that passed their checksums
under their own numbers, in order; it holds one record and what was not taken yet.
"""

import binascii
from collections import namedtuple

from redband_core import journal, numbers
from redband_core.errors import JournalCorrupt, ProtocolError
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


class RecordRun:
    """next_seq: the record that is expected next. whole_bytes: of records ready to be taken."""

    def __init__(self) -> None:
        """Begin before the first run."""
        self.next_seq = 0
        self.whole_bytes = 0
        self._data = b""
        self._first_seq = 0
        self._base_ms = 0
        self._game_ms = 0

    def begin(self, seq: int, base_ms: int) -> None:
        """Begin a run with record `seq`, dropping the last. `base_ms`: game time before it."""
        self.next_seq = self._first_seq = seq
        self._base_ms = self._game_ms = base_ms
        self.whole_bytes = 0
        self._data = b""

    def has_rest(self) -> bool:
        """Return whether a record has begun that is not whole."""
        return len(self._data) > self.whole_bytes

    def drop_rest(self) -> None:
        """Forget the record that is not whole."""
        self._data = self._data[: self.whole_bytes]

    def add(self, data: bytes) -> bool:
        """Take the next bytes. Return False when they are no records; whole ones are kept."""
        self._data += data
        try:
            while self.next_seq <= journal.SEQ_MAX:
                size = journal.record_size(self._data, self.whole_bytes)
                if size == 0 or self.whole_bytes + size > len(self._data):
                    break
                record = journal.decode_record(self._data, self.whole_bytes, self.next_seq)
                self._game_ms += record[1]
                self.whole_bytes = record[3]
                self.next_seq += 1
        except JournalCorrupt:
            return False
        return True

    def take(self) -> "tuple[int, int, bytes, int] | None":
        """Return (first_seq, base_ms, data, next_seq) of the whole records, None without any."""
        if not self.whole_bytes:
            return None
        page = (self._first_seq, self._base_ms, self._data[: self.whole_bytes], self.next_seq)
        self._data = self._data[self.whole_bytes :]
        self.whole_bytes = 0
        self._first_seq = self.next_seq
        self._base_ms = self._game_ms
        return page
