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
from redband_badge.on_demand import RECOVERY, Needed
from redband_core import journal
from redband_hal import raw_flash, system

_PROOF_BYTES = 4
RECORDS_END_BYTES = raw_flash.BLOCK_BYTES - raw_flash.MARK_BYTES - _PROOF_BYTES  # records end here
_ERASED = b"\xff" * 64
_ENOSPC = 28


class JournalStore:
    """The journal directory. Call recover() first; after any OSError call it again.

    `next_seq`: number of the next record. `last_ms`: game time of the last one. `torn_bytes`:
    what recover() found after the valid prefix. `is_lost`: the flash failed, see
    give_up(). `segments`: first record numbers of the segments, oldest first. `block`: of the
    newest segment, where records are programmed in place; -1 when each goes through littlefs.
    `used_bytes`: of the newest segment: where the next record goes. `is_ended`: it takes no more.
    `keep_from_seq`: first record of the segment that holds the newest snapshot.
    """

    def __init__(self, directory: str, free_bytes=system.free_bytes) -> None:
        """`directory`: made when it is not there. `free_bytes(path)`: room on the flash."""
        self.directory = directory
        self._free_bytes = free_bytes
        self.segments = []
        self.keep_from_seq = 0
        self.used_bytes = 0
        self.is_ended = True
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
        return "%s/%08x.seg" % (self.directory, first_seq)

    def recover(self, apply) -> None:
        """Find what was written; call `apply(kind, game_ms, payload)` for each record since the
        newest snapshot, that snapshot first. Raises OSError when the flash fails.
        """
        with Needed(RECOVERY) as recovery:
            recovery.recover(self, apply)
        self._device = raw_flash.device()
        self._searches = 0

    # Writing.

    def needs_segment(self) -> bool:
        """Return whether begin_segment() has to come before the next record."""
        return self.is_ended or (self.used_bytes > limits.SEGMENT_BYTES and not self.is_lost)

    def force_segment(self) -> None:
        """Let the next record begin a new segment, as the place after the last one is not known
        to be good.
        """
        if not self.is_lost:
            self.is_ended = True

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
        end_bytes = self.used_bytes + len(record)
        if end_bytes > RECORDS_END_BYTES:
            raise OSError(_ENOSPC)  # it fits into the segment that is begun after recover()
        if self.block >= 0:
            raw_flash.program(self._device, self.block, self.used_bytes, record)
        else:
            self._write_file("r+b", self.used_bytes, record)
        self.used_bytes = end_bytes

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
            raw_flash.program(self._device, block, RECORDS_END_BYTES, proof)
            with open(path, "rb") as file:
                file.seek(RECORDS_END_BYTES)
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
            self.keep_from_seq = first_seq
        self.next_seq = next_seq
        self.last_ms += delta_ms
        self.used_bytes = len(data)
        self.is_ended = False
        shed_count, self._shed_count = self._shed_count, 0
        return shed_count

    def _make_room(self) -> None:
        needed_bytes = limits.FLASH_RESERVE_BYTES + raw_flash.BLOCK_BYTES
        while self._has_old_segment():
            is_roomy = self._free_bytes(self.directory) >= needed_bytes
            if is_roomy and len(self.segments) < limits.SEGMENTS_MAX:
                break
            self._shed_oldest()

    def _has_old_segment(self) -> bool:
        """Return whether the state can do without the oldest segment."""
        return len(self.segments) > 1 and self.segments[0] < self.keep_from_seq

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
        self.is_ended = False
        self.segments = []
