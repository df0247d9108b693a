"""Recovery of a journal segment piece by piece, for a badge with little RAM.

Guarantee: gives the same records as `journal.scan`, however the file is cut into pieces, and holds
one record and one piece at most. Opens no file.
"""

from redband_core import journal
from redband_core.errors import JournalCorrupt


class SegmentReader:
    """Takes the bytes of a segment in order, gives its records.

    `header`: None until it was read. `next_seq`: number of the next record. `game_ms`: time of the
    last one. `valid_bytes`: length of the whole prefix. `pending_bytes`: bytes taken after it.
    `is_corrupt`: what follows is no record, in any continuation; `feed` then only counts.
    """

    def __init__(self) -> None:
        """Begin before the first byte."""
        self.header = None
        self.next_seq = 0
        self.game_ms = 0
        self.valid_bytes = 0
        self.pending_bytes = 0
        self.is_corrupt = False
        self._data = b""
        self._offset = 0
        self._lost_bytes = 0  # of the pending ones, up to the last that is not 0xFF

    def feed(self, piece: "bytes | bytearray | memoryview") -> None:
        """Take the next bytes of the file; an empty piece is allowed."""
        if self.is_corrupt:
            self._lose(self.pending_bytes, piece)
        else:
            self._data = self._data[self._offset :] + bytes(piece)
            self._offset = 0
        self.pending_bytes += len(piece)

    def _lose(self, before_bytes: int, piece: "bytes | bytearray | memoryview") -> None:
        written_bytes = len(bytes(piece).rstrip(b"\xff"))
        if written_bytes:
            self._lost_bytes = before_bytes + written_bytes

    def torn_bytes(self) -> int:
        """Return the bytes after the whole prefix without the erased flash (0xFF) at their end.

        At the end of the file: 0 means that a record may follow here, if the flash is still as it
        was left; otherwise the tail is torn.
        """
        if not self.is_corrupt:
            return len(self._data[self._offset :].rstrip(b"\xff"))
        return self._lost_bytes

    def next_record(self) -> "tuple[int, int, int, bytes] | None":
        """Return (seq, kind, game_ms, payload), or None when more bytes are needed or none follow.

        Never raises.
        """
        if self.is_corrupt:
            return None
        try:
            return self._next_record()
        except JournalCorrupt:
            self.is_corrupt = True
            self._lose(0, self._data[self._offset :])
            self._data = b""
            return None

    def _next_record(self) -> "tuple[int, int, int, bytes] | None":
        if self.header is None and not self._take_header():
            return None
        if self.next_seq > journal.SEQ_MAX:
            raise JournalCorrupt(self.valid_bytes)
        size = journal.record_size(self._data, self._offset)
        if size == 0 or size > self.pending_bytes:
            return None
        seq = self.next_seq
        kind, delta_ms, payload, _ = journal.decode_record(self._data, self._offset, seq)
        self._advance(size)
        self.next_seq += 1
        self.game_ms += delta_ms
        return seq, kind, self.game_ms, payload

    def _take_header(self) -> bool:
        try:
            header = journal.decode_header(self._data)
        except JournalCorrupt:
            if self.pending_bytes < journal.HEADER_MAX_BYTES:
                return False  # it may only be cut; a torn file ends here, with bytes pending
            raise
        self.header = header
        self.next_seq = header.first_seq
        self.game_ms = header.base_ms
        self._advance(header.size_bytes)
        return True

    def _advance(self, size: int) -> None:
        self._offset += size
        self.valid_bytes += size
        self.pending_bytes -= size
