"""Builds journals the way a badge writes them, for tests of the host."""

from __future__ import annotations

from redband.store.records import Page, Record, decode_page
from redband_core import journal, numbers
from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

IDENTITY = b"\x01\x02\x03\x04\x05\x06\x07\x08"


class JournalMaker:
    """Writes one install's journal in memory. `identity`: of the ruleset named at each boot."""

    def __init__(self, badge_id: int, install_id: int, identity: bytes = IDENTITY) -> None:
        self.badge_id = badge_id
        self.install_id = install_id
        self.identity = identity
        self.now_ms = 0
        self.written_ms = 0
        self.boots = 0
        self.records: list[tuple[int, bytes]] = []  # (game ms before it, encoded record)

    @property
    def next_seq(self) -> int:
        return len(self.records)

    def add(self, kind: int, payload: bytes = b"", after_ms: int = 0) -> int:
        self.now_ms += after_ms
        seq = self.next_seq
        delta_ms = self.now_ms - self.written_ms
        encoded = journal.encode_record(seq, kind, delta_ms, payload)
        self.records.append((self.written_ms, encoded))
        self.written_ms = self.now_ms
        return seq

    def boot(self, boot_id: int, cause: int = 1) -> int:
        self.boots += 1
        payload = journal.boot_payload(boot_id, self.boots, cause, self.badge_id, self.identity)
        return self.add(journal.BOOT, payload)

    def event(self, event_id: int, *args: int, after_ms: int = 1000) -> int:
        return self.add(journal.EVENT, journal.event_payload(event_id, args), after_ms)

    def page(self, first_seq: int, end_seq: int | None = None) -> Page:
        chosen = self.records[first_seq:end_seq]
        data = b"".join(encoded for _base_ms, encoded in chosen)
        return Page(self.badge_id, self.install_id, first_seq, chosen[0][0], data)


class PlayingBadge(JournalMaker):
    """A badge that plays: an engine, and a journal written as the firmware writes it."""

    def __init__(
        self,
        badge_id: int,
        install_id: int,
        ruleset: Ruleset,
        params: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(badge_id, install_id, ruleset.identity)
        self.engine = Engine(ruleset, params)

    def begin_segment(self, boot_id: int) -> None:
        """A segment begins with a snapshot and says which boot goes on."""
        self.add(journal.SNAPSHOT, self.engine.snapshot())
        self.add(journal.NOTE, journal.note_payload(numbers.NOTE_BOOT_CONTINUES, boot_id))

    def start(self, boot_id: int) -> None:
        self.begin_segment(boot_id)
        self.boot(boot_id)

    def happen(self, event_id: int, *args: int, after_ms: int = 1000) -> int:
        """Let an event happen; it is written as applied or as refused."""
        refusal = self.engine.step(self.now_ms + after_ms, event_id, args)
        if refusal:
            payload = journal.refused_payload(refusal, event_id, args)
            self.add(journal.REFUSED, payload, after_ms)
        else:
            self.add(journal.EVENT, journal.event_payload(event_id, args), after_ms)
        return refusal

    def pass_time(self, after_ms: int, is_written: bool = True) -> None:
        self.engine.advance(self.now_ms + after_ms)
        if is_written:
            self.add(journal.CHECKPOINT, b"", after_ms)
        else:
            self.now_ms += after_ms


def records_of(maker: JournalMaker, install_order: int = 1) -> list[Record]:
    """Return the records as the store gives them."""
    return [
        Record(maker.badge_id, install_order, maker.install_id, 1, seq, kind, game_ms, payload)
        for seq, kind, game_ms, payload in decode_page(maker.page(0))
    ]
