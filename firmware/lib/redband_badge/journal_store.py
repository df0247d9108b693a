"""The journal on littlefs: appends records, rotates and releases segments, recovers after a cut.

Guarantee: when append() returns, the record survives a power cut; nothing is ever appended behind
a torn tail; what had to be given up is counted. One task writes (the game task); the radio task
only reads. Does not know what a record means.

Files: `%08x.seg`, named by the number of their first record: header, SNAPSHOT, records. `tail`:
header and the newest records, small enough for littlefs to keep it inside the directory, where an
append erases no block; when it is full it is copied to the end of the newest segment. After a cut
between copying and the next tail the old tail is still there: its numbers say that it is stale.
A segment that begins with no snapshot, or an empty one, means "look further back".
"""

import os

from redband_badge import limits
from redband_badge.files import read_bytes
from redband_core import journal
from redband_core.errors import JournalCorrupt
from redband_core.segment_reader import SegmentReader
from redband_hal import system

_PIECE_BYTES = 128  # small, so that a fragmented heap has room for it


class JournalStore:
    """The journal directory. Call recover() first; after any OSError call it again.

    `next_seq`: number of the next record. `last_ms`: game time of the last one. `torn_bytes`:
    what recover() found behind the valid prefix. `is_lost`: the flash failed, see
    give_up(). `segments`: first record numbers of the segments, oldest first.
    """

    def __init__(self, directory: str, free_bytes=system.free_bytes) -> None:
        """`directory`: made when it is not there. `free_bytes(path)`: room on the flash."""
        self._directory = directory
        self._free_bytes = free_bytes
        self._tail_path = directory + "/tail"
        self.segments = []
        self._keep_from = 0  # first record of the segment that holds the newest snapshot
        self._segment_bytes = 0
        self._tail_file = None
        self._needs_segment = True
        self.tail = b""
        self.tail_header = journal.Header(0, 0, 0, 0)
        self.install_id = 0
        self.next_seq = 0
        self.last_ms = 0
        self.torn_bytes = 0
        self.is_lost = False

    @property
    def oldest_seq(self) -> int:
        """Number of the oldest record still here."""
        return self.segments[0] if self.segments else self.next_seq

    def path(self, first_seq: int) -> str:
        """Return the path of a segment."""
        return "%s/%08x.seg" % (self._directory, first_seq)

    # Recovery.

    def recover(self, apply) -> None:
        """Find what was written; call `apply(kind, game_ms, payload)` for each record since the
        newest snapshot, that snapshot first. Raises OSError when the flash fails.
        """
        self.close()
        self._make_directory()
        self.segments = sorted(
            [int(name[:-4], 16) for name in os.listdir(self._directory) if name.endswith(".seg")]
        )
        self.install_id = self.next_seq = self.last_ms = self.torn_bytes = 0
        self._drop_empty_segments()
        start = self._newest_snapshot()
        self._keep_from = self.segments[start] if self.segments else 0
        valid_bytes = 0
        for first_seq in self.segments[start:]:
            valid_bytes, size_bytes = self._replay(self.path(first_seq), apply)
            self.torn_bytes = size_bytes - valid_bytes
        self._segment_bytes = valid_bytes
        self._needs_segment = not self.segments or self.torn_bytes > 0
        self._recover_tail(apply)
        if not self.install_id:
            self.install_id = system.random_u32() or 1

    def _make_directory(self) -> None:
        try:
            os.mkdir(self._directory)
        except OSError as error:
            if error.errno != 17:
                raise

    def _drop_empty_segments(self) -> None:
        # A cut between making a segment's file and its first flush leaves an empty one. One with
        # bytes and no record is kept aside for the technician.
        while self.segments:
            path = self.path(self.segments[-1])
            record, pending_bytes = self._first_record(path)
            if record is not None:
                return
            if pending_bytes:
                self.torn_bytes += pending_bytes
                os.rename(path, path[:-4] + ".bad")
            else:
                os.remove(path)
            self.segments.pop()

    def _first_record(self, path: str) -> tuple:
        """Return (first record or None, bytes of the file that belong to none)."""
        reader = SegmentReader()
        with open(path, "rb") as file:
            record = None
            piece = file.read(_PIECE_BYTES)
            while piece and record is None:
                reader.feed(piece)
                record = reader.next_record()
                piece = file.read(_PIECE_BYTES)
        return record, reader.pending_bytes

    def _newest_snapshot(self) -> int:
        """Return the index of the newest segment that begins with a usable snapshot, else 0."""
        for index in range(len(self.segments) - 1, 0, -1):
            record, _pending = self._first_record(self.path(self.segments[index]))
            if record is not None and record[1] == journal.SNAPSHOT and record[3]:
                return index
        return 0

    def _replay(self, path: str, apply) -> "tuple[int, int]":
        """Apply the file's records from `next_seq` on; return (valid bytes, bytes)."""
        reader = SegmentReader()
        with open(path, "rb") as file:
            while True:
                piece = file.read(_PIECE_BYTES)
                reader.feed(piece)
                record = reader.next_record()
                while record is not None:
                    seq, kind, game_ms, payload = record
                    if seq >= self.next_seq:
                        self.next_seq = seq + 1
                        self.last_ms = max(self.last_ms, game_ms)
                        apply(kind, self.last_ms, payload)
                    record = reader.next_record()
                if not piece:
                    break
        if reader.header is not None:
            self.install_id = reader.header.install_id
        return reader.valid_bytes, reader.valid_bytes + reader.pending_bytes

    def _recover_tail(self, apply) -> None:
        self.tail = b""
        data = read_bytes(self._tail_path)
        if not data:
            return
        header = None
        try:
            header = journal.decode_header(data)
        except JournalCorrupt:
            pass
        if header is None or (self.install_id and header.install_id != self.install_id):
            self.torn_bytes += len(data)
            return
        continues = self.next_seq
        valid_bytes, _ = self._replay(self._tail_path, apply)
        torn_bytes = len(data) - valid_bytes
        self.torn_bytes += torn_bytes
        if self.next_seq == continues:
            return  # stale: all of it is in the segment
        self.tail = data
        self.tail_header = header
        if torn_bytes or self._needs_segment or header.first_seq != continues:
            self.force_segment()

    # Writing.

    def needs_segment(self) -> bool:
        """Return whether begin_segment() has to come before the next record."""
        return self._needs_segment or (
            self._segment_bytes + len(self.tail) > limits.SEGMENT_BYTES and not self.is_lost
        )

    def force_segment(self) -> None:
        """Let the next record begin a new segment, as the place behind the last one is not known
        to be good. The tail becomes a segment as it stands. Raises OSError.
        """
        if self.is_lost:
            return
        self._needs_segment = True
        if self.tail:
            self.close()
            first_seq = self.tail_header.first_seq
            os.rename(self._tail_path, self.path(first_seq))
            self.segments.append(first_seq)
            self.tail = b""

    def is_shedding(self) -> bool:
        """Return whether records of low value should be left out, as the journal fills up."""
        return len(self.segments) >= limits.SHED_FROM_SEGMENTS

    def append(self, kind: int, game_ms: int, payload: bytes) -> int:
        """Write a record and flush; return its number. Raises OSError: then recover()."""
        seq = self.next_seq
        delta_ms = max(0, game_ms - self.last_ms)
        record = journal.encode_record(seq, kind, delta_ms, payload)
        if not self.is_lost:
            self._write(record)
        self.next_seq = seq + 1
        self.last_ms += delta_ms
        return seq

    def _write(self, record: bytes) -> None:
        if self.tail and len(self.tail) + len(record) > limits.TAIL_BYTES:
            self._merge_tail()
        if not self.tail:
            header = journal.encode_header(self.install_id, self.next_seq, self.last_ms)
            if len(header) + len(record) > limits.TAIL_BYTES:
                self._extend_segment(record)
                return
            self.tail_header = journal.decode_header(header)
            self.close()
            self._tail_file = open(self._tail_path, "wb")
            record = header + record
        elif self._tail_file is None:
            self._tail_file = open(self._tail_path, "ab")
        self._tail_file.write(record)
        self._tail_file.flush()
        self.tail = self.tail + record

    def _merge_tail(self) -> None:
        if self.tail:
            self._extend_segment(self.tail[self.tail_header.size_bytes :])
            self.tail = b""

    def _extend_segment(self, records: bytes) -> None:
        with open(self.path(self.segments[-1]), "ab") as file:
            file.write(records)
        self._segment_bytes += len(records)

    def close(self) -> None:
        """Let go of the open file; the next append opens it again. Never raises."""
        if self._tail_file is not None:
            file, self._tail_file = self._tail_file, None
            try:
                file.close()
            except OSError:
                # littlefs does not write a file that failed before; what is there is read again.
                return

    def begin_segment(self, game_ms: int, snapshot: bytes) -> int:
        """Start a new segment with the state before the next record; raises OSError.

        Returns how many records were given up to make room for it.
        """
        self._merge_tail()
        shed_count = self._make_room()
        delta_ms = max(0, game_ms - self.last_ms)
        data = journal.encode_header(self.install_id, self.next_seq, self.last_ms)
        data += journal.encode_record(self.next_seq, journal.SNAPSHOT, delta_ms, snapshot)
        with open(self.path(self.next_seq), "wb") as file:
            file.write(data)
        self.tail = b""
        self.segments.append(self.next_seq)
        if snapshot:
            self._keep_from = self.next_seq
        self.next_seq += 1
        self.last_ms += delta_ms
        self._segment_bytes = len(data)
        self._needs_segment = False
        return shed_count

    def _make_room(self) -> int:
        shed_count = 0
        needed_bytes = limits.FLASH_RESERVE_BYTES + limits.SEGMENT_BYTES
        while len(self.segments) > 1 and self.segments[0] < self._keep_from:
            is_roomy = self._free_bytes(self._directory) >= needed_bytes
            if is_roomy and len(self.segments) < limits.SEGMENTS_MAX:
                break
            shed_count += self.segments[1] - self.segments[0]
            os.remove(self.path(self.segments.pop(0)))
        return shed_count

    def release(self, before_seq: int) -> None:
        """Remove segments that hold only records before `before_seq`, which the host has.

        The newest snapshot and what follows it always stay. Raises OSError.
        """
        while len(self.segments) > 1 and self.segments[0] < self._keep_from:
            if self.segments[1] > before_seq:
                break
            os.remove(self.path(self.segments[0]))
            self.segments.pop(0)

    def give_up(self) -> None:
        """Go on without flash: records are numbered and lost. Hits still count until power off."""
        self.is_lost = True
        self._needs_segment = False
        self.segments = []
        self.tail = b""
