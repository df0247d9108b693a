"""The journal as the game keeps it: restore, boot record, notes, rotation with a snapshot.

Guarantee: append, flush, then act. A record is on the flash before anything shows it, and what a
restart finds there gives the same state again. Subclasses say what the state is: `game.Game` with
a ruleset, `raw_game.RawGame` without.
"""

from redband_badge import notes
from redband_badge.state import FAULT_JOURNAL
from redband_core import journal
from redband_core.advert import FLAG_JOURNAL_FULL
from redband_core.errors import ProtocolError
from redband_core.limits import CHECKPOINT_MS

# Left out first when the journal fills up: nothing in the state depends on them.
_LOW_VALUE = (journal.REFUSED, journal.NOTE)


class Book:
    """Writer of one journal; lives in the game task."""

    def __init__(self, store, state, provisioned: int, boot_id: int) -> None:
        """`provisioned`: CRC-32 of what the badge was provisioned with; `boot_id`: random u32."""
        self._store = store
        self._state = state
        self._provisioned = provisioned
        self._boot_id = boot_id
        self._shed_count = 0
        self._pending_seq = -1
        self.boot_count = 0  # highest in the journal
        self.found_provisioned = -1  # -1 when the journal does not say
        self.has_foreign_state = False  # the journal's state is of another ruleset

    # What subclasses say.

    def snapshot(self) -> bytes:
        """Return the state's bytes, empty when there is none to give."""
        return b""

    def replay(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Take one record of the past."""

    def begin_replay(self) -> None:
        """Prepare for the journal's past; the present state stays until end_replay()."""

    def end_replay(self) -> None:
        """Let the replayed state be the present one."""

    def tick(self, now_ms: int) -> None:
        """Let time pass up to `now_ms`."""

    def wait_ms(self, now_ms: int) -> int:  # noqa: ARG002 (subclasses use it)
        """Return ms until tick() has something to do, -1 for never."""
        return -1

    def take_gesture(self, code: int, first_ms: int, now_ms: int) -> None:
        """Apply what a player did: see redband_core.gestures. `first_ms`: of its first press."""

    def show(self) -> None:
        """Put the state where LED and radio see it."""

    # The past.

    def restore(self) -> None:
        """Become what the journal says. Raises OSError when the flash fails."""
        self.begin_replay()
        self._store.recover(self._replay)
        self.end_replay()
        self._state.last_seq = self._store.next_seq - 1

    def restore_after_failure(self) -> bool:
        """Like restore(); return whether the record that was being written is there after all."""
        pending_seq = self._pending_seq
        self.restore()
        was_written = 0 <= pending_seq < self._store.next_seq
        self._pending_seq = -1
        # What the flash did to the place behind the last record is not known: leave it alone.
        self._store.force_segment()
        self.show()
        return was_written

    def go_on_without_flash(self) -> bool:
        """Keep the present state, in RAM; return whether it has the record that failed."""
        has_it = self._pending_seq >= 0
        self._pending_seq = -1
        self._store.give_up()
        self._state.set_fault(FAULT_JOURNAL, True)
        self.show()
        return has_it

    def _replay(self, kind: int, game_ms: int, payload: bytes) -> None:
        try:
            if kind == journal.BOOT:
                self.boot_count = max(self.boot_count, journal.parse_boot(payload)[1])
            elif kind == journal.NOTE:
                code, value = journal.parse_note(payload)
                if code == notes.PROVISIONED:
                    self.found_provisioned = value
            self.replay(kind, game_ms, payload)
        except ProtocolError:
            # The checksum is right, so another version wrote it: it says nothing to this one.
            return

    # The present.

    def begin_boot(self, boot_count: int, cause: int, badge_id: int, identity: bytes) -> None:
        """Write the boot record, and what recovery found. Raises OSError."""
        payload = journal.boot_payload(self._boot_id, boot_count, cause, badge_id, identity)
        now_ms = self._store.last_ms
        torn_bytes = self._store.torn_bytes
        self.record(journal.BOOT, now_ms, payload)
        if torn_bytes:
            self.note(now_ms, journal.NOTE_TORN_TAIL, torn_bytes)

    def note(self, now_ms: int, code: int, value: int) -> None:
        """Write a note. Raises OSError."""
        self.record(journal.NOTE, now_ms, journal.note_payload(code, value))

    def record(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Write a record that the state already contains. Raises OSError."""
        self.make_room()
        self.append(kind, game_ms, payload)

    def append(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Write a record behind make_room(). Raises OSError."""
        if kind in _LOW_VALUE and self._store.is_shedding():
            self._shed_count += 1
            return
        self._pending_seq = self._store.next_seq
        self._state.last_seq = self._store.append(kind, game_ms, payload)
        self._pending_seq = -1

    def make_room(self) -> None:
        """Begin a new segment when it is time; the state must be the journal's. Raises OSError."""
        store = self._store
        if not store.needs_segment():
            return
        shed_records = store.begin_segment(store.last_ms, self.snapshot())
        self._note_now(notes.BOOT_CONTINUES, self._boot_id)
        self._note_now(notes.PROVISIONED, self._provisioned)
        if shed_records:
            self._note_now(notes.SHED_SEGMENT, shed_records)
        if self._shed_count:
            self._note_now(journal.NOTE_SHED, self._shed_count)
            self._shed_count = 0
        self._state.set_flag(FLAG_JOURNAL_FULL, bool(shed_records) or store.is_shedding())

    def _note_now(self, code: int, value: int) -> None:
        # Past the shedding: these say what the segment is and what is missing.
        payload = journal.note_payload(code, value)
        self._state.last_seq = self._store.append(journal.NOTE, self._store.last_ms, payload)

    def checkpoint_due_ms(self, now_ms: int) -> int:
        """Return ms until the running time has to be written again, 0 when it is due."""
        return max(0, self._store.last_ms + CHECKPOINT_MS - now_ms)

    def release(self, before_seq: int) -> None:
        """Let go of what the host has committed. Raises OSError."""
        self._store.release(before_seq)
        self._state.set_flag(FLAG_JOURNAL_FULL, self._store.is_shedding())
