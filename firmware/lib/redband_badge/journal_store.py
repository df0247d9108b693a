"""The journal on littlefs: appends records, rotates and releases segments, recovers after a cut.

Guarantee: when append() returns, the record survives a power cut; nothing is ever appended after
a torn tail; what had to be given up is counted. One task writes (the game task); the radio task
only reads. Does not know what a record means.

Files: `%08x.seg`, named by the number of their first record: header, SNAPSHOT, records, erased
bytes, 12 bytes that are the block's name. Each is one littlefs block. The first record after a
start is written through littlefs, which copies the file to a fresh block; that block is then found
on the flash, and records are programmed into it in place, until it is full. Where it can't be
found, each record goes the long way. docs/journal.md says why littlefs does not mind.
A segment that begins with no snapshot, or an empty one, means "look further back".
"""

import os

from redband_badge import limits
from redband_core import journal
from redband_core.segment_reader import SegmentReader
from redband_hal import raw_flash, system

_PIECE_BYTES = 128  # small, so that a fragmented heap has room for it
_PROOF_BYTES = 4
_PROOF_OFFSET = raw_flash.BLOCK_BYTES - raw_flash.MARK_BYTES - _PROOF_BYTES  # records end here
_ERASED = b"\xff" * 64
_EEXIST = 17
_ENOSPC = 28


class JournalStore:
    """The journal directory. Call recover() first; after any OSError call it again.

    `next_seq`: number of the next record. `last_ms`: game time of the last one. `torn_bytes`:
    what recover() found after the valid prefix. `is_lost`: the flash failed, see
    give_up(). `segments`: first record numbers of the segments, oldest first. `block`: of the
    newest segment, where records are programmed in place; -1 when each goes through littlefs.
    """

    def __init__(self, directory: str, free_bytes=system.free_bytes) -> None:
        """`directory`: made when it is not there. `free_bytes(path)`: room on the flash."""
        self._directory = directory
        self._free_bytes = free_bytes
        self.segments = []
        self._keep_from = 0  # first record of the segment that holds the newest snapshot
        self._used_bytes = 0  # of the newest segment: where the next record goes
        self._needs_segment = True
        self._device = None
        self.block = -1
        self._near = 0
        self._searches = 0
        self._shed_count = 0
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
        self.install_id = self.next_seq = self.last_ms = self.torn_bytes = self._used_bytes = 0
        start = self._newest_snapshot()
        self._keep_from = self.segments[start] if self.segments else 0
        self._needs_segment = not self.segments
        torn_bytes = 0
        for first_seq in self.segments[start:]:
            torn_bytes = self._replay(self.path(first_seq), apply)
        self.torn_bytes += torn_bytes
        if torn_bytes:
            self._needs_segment = True
        if not self.install_id:
            self.install_id = system.random_u32() or 1
        self._device = raw_flash.device()
        self._searches = 0

    def _make_directory(self) -> None:
        try:
            os.mkdir(self._directory)
        except OSError as error:
            if error.errno != _EEXIST:
                raise

    def _newest_snapshot(self) -> int:
        """Return the index of the newest segment that begins with a usable snapshot, else 0.

        Segments at the end that hold no record are put away on the way there.
        """
        index = len(self.segments) - 1
        while index >= 0:
            path = self.path(self.segments[index])
            record, pending_bytes = self._first_record(path)
            if record is None and index == len(self.segments) - 1:
                self._put_away(path, pending_bytes)
            elif record is not None and record[1] == journal.SNAPSHOT and record[3]:
                return index
            index -= 1
        return 0

    def _put_away(self, path: str, pending_bytes: int) -> None:
        # A cut between making a segment's file and its first flush leaves an empty one. One with
        # bytes and no record is kept aside for the technician.
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

    def _replay(self, path: str, apply) -> int:
        """Apply the file's records from `next_seq` on; return the torn bytes after them."""
        reader = SegmentReader()
        left_bytes = _PROOF_OFFSET
        with open(path, "rb") as file:
            while left_bytes:
                piece = file.read(min(_PIECE_BYTES, left_bytes))
                if not piece:
                    break
                left_bytes -= len(piece)
                reader.feed(piece)
                record = reader.next_record()
                while record is not None:
                    seq, kind, game_ms, payload = record
                    if seq >= self.next_seq:
                        self.next_seq = seq + 1
                        self.last_ms = max(self.last_ms, game_ms)
                        apply(kind, self.last_ms, payload)
                    record = reader.next_record()
        if reader.header is not None:
            self.install_id = reader.header.install_id
        self._used_bytes = reader.valid_bytes
        if left_bytes:
            self._needs_segment = True  # not a whole block: not written by us
        return reader.torn_bytes()

    # Writing.

    def needs_segment(self) -> bool:
        """Return whether begin_segment() has to come before the next record."""
        return self._needs_segment or (
            self._used_bytes > limits.SEGMENT_BYTES and not self.is_lost
        )

    def force_segment(self) -> None:
        """Let the next record begin a new segment, as the place after the last one is not known
        to be good.
        """
        if not self.is_lost:
            self._needs_segment = True

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
        end_bytes = self._used_bytes + len(record)
        if end_bytes > _PROOF_OFFSET:
            raise OSError(_ENOSPC)  # it fits into the segment that is begun after recover()
        if self.block >= 0:
            raw_flash.program(self._device, self.block, self._used_bytes, record)
        else:
            self._write_file("r+b", self._used_bytes, record)
        self._used_bytes = end_bytes

    def _write_file(self, mode: str, offset: int, data: bytes) -> None:
        """Put `data` and erased bytes into the newest segment's file from `offset` to its end.

        littlefs writes all of it to a fresh block, and then lets it take the old one's place.
        """
        path = self.path(self.segments[-1])
        mark = raw_flash.new_mark()
        while True:
            try:
                with open(path, mode) as file:
                    file.seek(offset)
                    file.write(data)
                    left_bytes = raw_flash.BLOCK_BYTES - len(mark) - offset - len(data)
                    while left_bytes >= len(_ERASED):
                        left_bytes -= file.write(_ERASED)
                    file.write(_ERASED[:left_bytes])
                    file.write(mark)
                break
            except OSError as error:
                if error.errno != _ENOSPC or not self._shed_oldest():
                    raise
        self._find_block(path, mark)

    def _find_block(self, path: str, mark: bytes) -> None:
        """Find the file's block on the flash, and prove that it is: what is programmed there can
        be read through littlefs.
        """
        self.block = -1
        if self._device is None or self._searches >= limits.BLOCK_SEARCHES_MAX:
            return
        self._searches += 1
        try:
            block = raw_flash.find(self._device, mark, self._near)
            if block < 0:
                return
            proof = mark[:_PROOF_BYTES]
            raw_flash.program(self._device, block, _PROOF_OFFSET, proof)
            with open(path, "rb") as file:
                file.seek(_PROOF_OFFSET)
                if file.read(_PROOF_BYTES) != proof:
                    return
        except OSError:
            return  # the record is safe; the next one goes through littlefs, and fails if it must
        self.block = self._near = block
        self._searches = 0

    def close(self) -> None:
        """Let go of the block: the next record goes through littlefs. Never raises."""
        self.block = -1

    def begin_segment(self, game_ms: int, snapshot: bytes, carried=()) -> int:
        """Start a new segment with the state before the next record; raises OSError.

        `carried`: (kind, payload) of records that belong to the snapshot: they are written in one
        with it. Returns how many records were given up to make room for it.
        """
        self._make_room()
        first_seq = self.next_seq
        delta_ms = max(0, game_ms - self.last_ms)
        data = journal.encode_header(self.install_id, first_seq, self.last_ms)
        data += journal.encode_record(first_seq, journal.SNAPSHOT, delta_ms, snapshot)
        next_seq = first_seq + 1
        for kind, payload in carried:
            data += journal.encode_record(next_seq, kind, 0, payload)
            next_seq += 1
        self.segments.append(first_seq)
        self._write_file("wb", 0, data)
        if snapshot:
            self._keep_from = first_seq
        self.next_seq = next_seq
        self.last_ms += delta_ms
        self._used_bytes = len(data)
        self._needs_segment = False
        shed_count, self._shed_count = self._shed_count, 0
        return shed_count

    def _make_room(self) -> None:
        needed_bytes = limits.FLASH_RESERVE_BYTES + raw_flash.BLOCK_BYTES
        while self._has_old_segment():
            is_roomy = self._free_bytes(self._directory) >= needed_bytes
            if is_roomy and len(self.segments) < limits.SEGMENTS_MAX:
                break
            self._shed_oldest()

    def _has_old_segment(self) -> bool:
        """Return whether the state can do without the oldest segment."""
        return len(self.segments) > 1 and self.segments[0] < self._keep_from

    def _shed_oldest(self) -> bool:
        """Give up the oldest segment; return False when the state needs it. Raises OSError."""
        if not self._has_old_segment():
            return False
        shed_count = self.segments[1] - self.segments[0]
        os.remove(self.path(self.segments[0]))
        self.segments.pop(0)
        self._shed_count += shed_count
        return True

    def release(self, before_seq: int) -> None:
        """Remove segments that hold only records before `before_seq`, which the host has.

        The newest snapshot and what follows it always stay. Raises OSError.
        """
        while self._has_old_segment() and self.segments[1] <= before_seq:
            os.remove(self.path(self.segments[0]))
            self.segments.pop(0)

    def give_up(self) -> None:
        """Go on without flash: records are numbered and lost. Hits still count until power off."""
        self.is_lost = True
        self._needs_segment = False
        self.segments = []
