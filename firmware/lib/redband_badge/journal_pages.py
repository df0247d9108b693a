"""Reads the journal in pages of whole records, for a host that fetches it.

Guarantee: pages follow one another without reading a segment from its start each time; holes that
a damaged segment left are stepped over. Only reads: what the game task writes meanwhile is either
seen whole or not yet.
"""

from redband_core import journal
from redband_core.errors import JournalCorrupt
from redband_core.limits import RECORD_BODY_MAX_BYTES

# The longest record fits, with length and checksum. Pages are no longer than this either, whatever
# the session asks for: in a heap that has run for days a larger piece may not be free.
_CHUNK_BYTES = RECORD_BODY_MAX_BYTES + 16


class JournalPages:
    """The log of a session: oldest_seq, next_seq, read, release."""

    def __init__(self, store, release) -> None:
        """`release(before_seq)`: asks the journal's owner to let go of what the host has."""
        self._store = store
        self.release = release
        # Where the last page ended: (segment, seq, offset, game ms). Saves decoding it again.
        self._place = None
        self._chunk = bytearray(_CHUNK_BYTES)

    @property
    def oldest_seq(self) -> int:
        """Number of the oldest record that can be read."""
        return self._store.oldest_seq

    @property
    def next_seq(self) -> int:
        """Number of the record that will be written next."""
        return self._store.next_seq

    def read(self, from_seq: int, limit_bytes: int) -> "tuple[int, int, bytes] | None":
        """Return (first_seq, base_ms, records) or None when there are no more.

        first_seq: `from_seq`, or a later one when records are missing. base_ms: game time that
        the first record's delta counts from. records: whole ones, at most `limit_bytes` or about
        500, unless the first alone is longer. Raises OSError when the flash fails.
        """
        store = self._store
        from_seq = max(from_seq, store.oldest_seq)
        while from_seq < store.next_seq:
            index = self._segment_index(from_seq)
            if index < 0:
                return None
            page = self._from_segment(store.segments[index], from_seq, limit_bytes)
            if page is not None:
                return page
            later = store.segments[index + 1 : index + 2]
            from_seq = max(from_seq + 1, later[0] if later else store.next_seq)
        return None

    def _segment_index(self, seq: int) -> int:
        segments = self._store.segments
        index = len(segments) - 1
        while index >= 0 and segments[index] > seq:
            index -= 1
        return index

    def _from_segment(
        self, segment: int, from_seq: int, limit_bytes: int
    ) -> "tuple[int, int, bytes] | None":
        with open(self._store.path(segment), "rb") as file:
            place = self._find(file, segment, from_seq)
            if place is None:
                return None
            seq, offset, game_ms = place
            data = self._read_chunk(file, offset)
        next_seq, end, end_ms = _take(data, 0, seq, game_ms, None, limit_bytes)
        if next_seq == seq:
            return None
        self._place = (segment, next_seq, offset + end, end_ms)
        return (seq, game_ms, bytes(data[:end]))

    def _read_chunk(self, file, offset: int) -> memoryview:
        file.seek(offset)
        return memoryview(self._chunk)[: file.readinto(self._chunk)]

    def _find(self, file, segment: int, from_seq: int) -> "tuple[int, int, int] | None":
        """Return (from_seq, offset of that record, game time before it), or None."""
        place = self._place
        if place is not None and place[0] == segment and place[1] <= from_seq:
            _segment, seq, offset, game_ms = place
        else:
            try:
                header = journal.decode_header(file.read(journal.HEADER_MAX_BYTES))
            except JournalCorrupt:
                return None
            seq, offset, game_ms = header.first_seq, header.size_bytes, header.base_ms
        while seq < from_seq:
            data = self._read_chunk(file, offset)
            next_seq, used, game_ms = _take(data, 0, seq, game_ms, from_seq, None)
            if next_seq == seq:
                return None
            seq, offset = next_seq, offset + used
        return seq, offset, game_ms


def _take(
    data: "bytes | memoryview",
    offset: int,
    seq: int,
    game_ms: int,
    until_seq: "int | None",
    limit_bytes: "int | None",
) -> "tuple[int, int, int]":
    """Step over whole records; return (seq, offset, game time) after the last one taken.

    Stops at record `until_seq`, before more than `limit_bytes` would be taken (the first record
    always is), and at the first that is not whole.
    """
    start = offset
    while until_seq is None or seq < until_seq:
        try:
            _kind, delta_ms, _payload, next_offset = journal.decode_record(data, offset, seq)
        except JournalCorrupt:
            break
        if limit_bytes is not None and offset > start and next_offset - start > limit_bytes:
            break
        seq, offset, game_ms = seq + 1, next_offset, game_ms + delta_ms
    return seq, offset, game_ms
