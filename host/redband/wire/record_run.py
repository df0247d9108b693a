"""Makes whole, checked records out of a run's bytes, wherever the link cut them.

Guarantee: gives out only records that passed their checksums under their own numbers, in order;
holds one record and what was not taken yet. Knows neither frames nor streams.
"""

from redband_core import journal
from redband_core.errors import JournalCorrupt


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
