"""The journal as the game keeps it: restore, boot record, notes, pause, rotation with a snapshot.

Guarantee: append, flush, then act. A record is on the flash before anything shows it, and what a
restart finds there gives the same state again, paused or not. Subclasses say what the state is:
`game.Game` with a ruleset, `raw_game.RawGame` without.
"""

from redband_badge import limits
from redband_badge.on_demand import COMMANDS, Needed
from redband_core import journal, numbers
from redband_core.advert import FLAG_JOURNAL_FULL
from redband_core.errors import ProtocolError

# Left out first when the journal fills up: nothing in the state depends on them.
_LOW_VALUE = (journal.REFUSED, journal.NOTE)
# What may be the record of a broadcast, besides two notes.
_DECISIONS = (journal.EVENT, journal.REFUSED, journal.PAUSE, journal.RESUME)


class GameJournal:
    """Writer of one journal; lives in the game task."""

    def __init__(self, store, state, provisioned: int, boot_id: int) -> None:
        """`provisioned`: CRC-32 of what the badge was provisioned with; `boot_id`: random u32."""
        self._store = store
        self._state = state
        self._provisioned = provisioned
        self._boot_id = boot_id
        self._shed_count = 0
        self.is_paused = False  # as the journal says; the state shows it after show()
        self.is_emergency = False  # as the journal says
        self.broadcast_number = 0  # of the last broadcast that was obeyed
        self.broadcast_pending = 0  # of one whose own record is still to come, 0 for none
        self.decided_seq = -1  # number of the record that decides the input in hand, -1 before it
        self.result = 0  # what that record says: 0, or why the input was refused
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

    def tick(self, now_ms: int) -> bool:  # noqa: ARG002 (subclasses use it)
        """Let time pass up to `now_ms`; return False when more is due and tick() must come again.

        Raises OSError.
        """
        return True

    def game_ms(self) -> int:
        """Return the newest game time that the state has seen, in ms."""
        return self._store.last_ms

    def wait_ms(self, now_ms: int) -> int:  # noqa: ARG002 (subclasses use it)
        """Return for how many ms tick() has nothing to do, at most GAME_WAIT_MS."""
        return limits.GAME_WAIT_MS

    def take_gesture(
        self, code: int, first_ms: int, now_ms: int, is_in_pause: bool = False
    ) -> None:
        """Apply what a player did: see redband_core.gestures. `first_ms`: of its first press.

        `is_in_pause`: it began while the game was paused, so it is written and does nothing.
        """

    def take_back_presses(self, first_ms: int, now_ms: int) -> None:
        """Take back what presses from `first_ms` on counted: they were a gesture's."""

    def carried(self) -> list:
        """Hand over (kind, payload) of what a new segment says together with its snapshot."""
        found = [(journal.PAUSE, b"")] if self.is_paused else []
        if not self._state.is_in_game:
            found.append((journal.NOTE, journal.note_payload(numbers.NOTE_GAME_ENDED, 0)))
        if self.is_emergency:
            found.append((journal.NOTE, journal.note_payload(numbers.NOTE_EMERGENCY, 1)))
        for value in (self.broadcast_number << 1, self.broadcast_pending << 1 | 1):
            if value > 1:
                found.append((journal.NOTE, journal.note_payload(numbers.NOTE_BROADCAST, value)))
        return found

    def write_owed(self, now_ms: int) -> None:
        """Write what belongs to the last record and was cut off from it. Raises OSError."""

    def show(self) -> None:
        """Put the state where LED and radio see it."""

    # The past.

    def restore(self) -> None:
        """Become what the journal says. Raises OSError and MemoryError, unchanged then."""
        self.begin_replay()
        was_paused, self.is_paused = self.is_paused, False
        was_in_game, self._state.is_in_game = self._state.is_in_game, True
        kept = (self.is_emergency, self.broadcast_number)
        self.is_emergency = False
        self.broadcast_number = self.broadcast_pending = 0
        try:
            self._store.recover(self._replay)
        except (OSError, MemoryError):
            self.is_paused = was_paused
            self._state.is_in_game = was_in_game
            self.is_emergency, self.broadcast_number = kept
            raise
        self.end_replay()
        self._state.last_seq = self._store.next_seq - 1

    def restore_after_failure(self) -> bool:
        """Like restore(); return whether the input in hand is decided: its record is there."""
        self.restore()
        self.settle(self._store.next_seq)
        # What the flash did to the place after the last record is not known: leave it alone.
        self._store.force_segment()
        self.write_owed(self._store.last_ms)
        self.show()
        return self.decided_seq >= 0

    def settle(self, next_seq: int) -> None:
        """Forget what waited for a record that was not written, from number `next_seq` on."""
        if self.decided_seq >= next_seq:
            self.decided_seq = -1

    def go_on_without_flash(self) -> bool:
        """Keep the present state, in RAM; return whether it has the input in hand."""
        self.settle(journal.SEQ_MAX + 1)
        self._store.give_up()
        self._state.set_fault(numbers.FAULT_JOURNAL, True)
        self.show()
        return self.decided_seq >= 0

    def stay_provisioned(self) -> None:
        """In safe mode nobody begins anew: new segments go on saying what the journal says."""
        if self.found_provisioned != -1:
            self._provisioned = self.found_provisioned

    def _replay(self, kind: int, game_ms: int, payload: bytes) -> None:
        try:
            if kind == journal.BOOT:
                self.boot_count = max(self.boot_count, journal.parse_boot(payload)[1])
            elif kind == journal.NOTE:
                code, value = journal.parse_note(payload)
                if code == numbers.NOTE_PROVISIONED:
                    self.found_provisioned = value
                self._take_note(code, value)
            elif kind == journal.PAUSE or kind == journal.RESUME:
                self.is_paused = kind == journal.PAUSE
            if kind in _DECISIONS and payload:
                self._broadcast_followed()
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
            self.note(now_ms, numbers.NOTE_TORN_TAIL, torn_bytes)
        self.write_owed(now_ms)

    def pause(self, now_ms: int, source: int = 0) -> None:
        """Pause the game from `now_ms` on. `source`: number of the command, 0 for none.

        Raises OSError, with nothing shown. In a pause nothing is done.
        """
        with Needed(COMMANDS) as commands:
            commands.set_paused(self, True, now_ms, source)

    def resume(self, now_ms: int, source: int = 0) -> None:
        """Let the game go on; see pause()."""
        with Needed(COMMANDS) as commands:
            commands.set_paused(self, False, now_ms, source)

    def note(self, now_ms: int, code: int, value: int, is_vital: bool = False) -> None:
        """Write a note. Raises OSError. `is_vital`: in a full journal as well, as are the game's
        end and beginning.
        """
        self.make_room()
        if is_vital or code == numbers.NOTE_GAME_ENDED or code == numbers.NOTE_GAME_BEGUN:
            self.decided_seq = self._store.next_seq
            self.note_now(code, value, now_ms)
            return
        self.decide(journal.NOTE, now_ms, journal.note_payload(code, value))
        self._take_note(code, value)

    def _take_note(self, code: int, value: int) -> None:
        if code == numbers.NOTE_GAME_ENDED or code == numbers.NOTE_GAME_BEGUN:
            self._state.is_in_game = code == numbers.NOTE_GAME_BEGUN
            self._broadcast_followed()
        elif code == numbers.NOTE_EMERGENCY:
            self.is_emergency = bool(value)
            if self._state.is_emergency != self.is_emergency:
                self._state.is_emergency = self.is_emergency
                self._state.touch()
        elif code == numbers.NOTE_BROADCAST:
            if value & 1:
                self.broadcast_pending = value >> 1
            else:
                self.broadcast_number = value >> 1

    def _broadcast_followed(self) -> None:
        if self.broadcast_pending:
            self.broadcast_number = self.broadcast_pending
            self.broadcast_pending = 0

    def record(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Write a record that the state already contains. Raises OSError."""
        self.make_room()
        self.append(kind, game_ms, payload)

    def append(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Write a record after make_room(). Raises OSError."""
        if kind in _LOW_VALUE and self._store.is_shedding():
            self._shed_count += 1
            return
        self._state.last_seq = self._store.append(kind, game_ms, payload)

    def decide(self, kind: int, game_ms: int, payload: bytes) -> None:
        """Write, after make_room(), the record that decides the input in hand. Raises OSError."""
        self.decided_seq = self._store.next_seq
        self.append(kind, game_ms, payload)

    def make_room(self) -> None:
        """Begin a new segment when it is time; the state must be the journal's. Raises OSError."""
        store = self._store
        if not store.needs_segment():
            return
        # In one write with the snapshot: a cut between them would end a pause, or lose a note.
        shed_records = store.begin_segment(self.game_ms(), self.snapshot(), self.carried())
        self.note_now(numbers.NOTE_BOOT_CONTINUES, self._boot_id)
        self.note_now(numbers.NOTE_PROVISIONED, self._provisioned)
        if shed_records:
            self.note_now(numbers.NOTE_SHED_SEGMENT, shed_records)
        if self._shed_count:
            self.note_now(numbers.NOTE_SHED, self._shed_count)
            self._shed_count = 0
        self._state.set_flag(FLAG_JOURNAL_FULL, bool(shed_records) or store.is_shedding())

    def note_now(self, code: int, value: int, now_ms: int = 0) -> None:
        """Write a note after make_room(), past the shedding: of what may not be missing.

        Raises OSError. `now_ms`: the newest record's time when it is later.
        """
        payload = journal.note_payload(code, value)
        now_ms = max(now_ms, self._store.last_ms)
        self._state.last_seq = self._store.append(journal.NOTE, now_ms, payload)
        self._take_note(code, value)

    def release(self, before_seq: int) -> None:
        """Let go of what the host has committed. Raises OSError."""
        self._store.release(before_seq)
        self._state.set_flag(FLAG_JOURNAL_FULL, self._store.is_shedding())
