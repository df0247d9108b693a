"""The game on the badge: gestures to events, events to the engine, each in the journal first.

Guarantee: the LED shows nothing that the journal does not hold, and replaying the journal gives
the same state. Each timer that fires is a checkpoint at its own time, so that a power cut after it
was shown can't undo it; what the rules note stands after the record that made them note it.
"""

from redband_badge import limits
from redband_badge.game_journal import GameJournal
from redband_core import gestures, journal, numbers
from redband_core.engine import Engine
from redband_core.errors import RulesError
from redband_core.limits import CHECKPOINT_MS, TAPS_MAX
from redband_core.packing import Reader
from redband_core.ruleset_codes import VOID, VOID_TAG

_NEVER = 1 << 53  # later than any game time that a record can hold


class Game(GameJournal):
    """A GameJournal with rules."""

    def __init__(self, store, state, ruleset, params, provisioned: int, boot_id: int) -> None:
        """`params`: for a character that the journal does not know. Raises RulesError."""
        super().__init__(store, state, provisioned, boot_id)
        self._ruleset = ruleset
        self._params = params
        self._presses = []  # (ms, refusal) of those that a gesture may still take back
        self._void = (-1, [])  # number of the last taking back, and the presses before it
        self._owed = []  # what the rules noted at the newest change, as far as it is not written
        self._closes_ms = _NEVER  # when nothing can be taken back any more: to be written
        self.engine = Engine(ruleset, params)
        self._replayed = self.engine

    def snapshot(self) -> bytes:
        return self.engine.snapshot()

    def game_ms(self) -> int:
        return max(self.engine.now_ms, self._store.last_ms)

    def begin_replay(self) -> None:
        self._replayed = Engine(self._ruleset, self._params)
        self.has_foreign_state = False
        self._owed = []

    def end_replay(self) -> None:
        self.engine = self._replayed

    def replay(self, kind: int, game_ms: int, payload: bytes) -> None:
        engine = self._replayed
        if kind == journal.SNAPSHOT:
            self._owed = []
            if payload:
                try:
                    engine.restore(payload)
                except RulesError:
                    self.has_foreign_state = True
            self._keep_open(engine.now_ms)
            return
        if game_ms >= self._closes_ms:
            self._closes_ms = _NEVER
        while engine.advance_one(game_ms) >= 0:
            self._owed = list(engine.notes)
        if kind == journal.EVENT or kind == journal.REFUSED:
            reader = Reader(payload)
            if kind == journal.REFUSED and reader.varint() == numbers.REFUSED_PAUSED:
                return  # the engine was not asked
            event_id, args = journal.parse_event(payload, reader)
            if not engine.step(game_ms, event_id, args) and self._ruleset.void_marks[event_id]:
                self._keep_open(game_ms)
            if kind == journal.EVENT:
                self._owed = list(engine.notes)
        elif kind == journal.NOTE:
            code, value = journal.parse_note(payload)
            owed = (code - numbers.NOTE_OF_RULES, value)
            self._owed = [noted for noted in self._owed if noted != owed]

    def _keep_open(self, from_ms: int) -> None:
        # A restart goes back to the last record. Were there none after the time for taking back,
        # a battery pull would open it again, hours later.
        self._closes_ms = from_ms + self._ruleset.void_window_ms + 1

    def carried(self) -> list:
        carried = super().carried()
        for number, value in self._owed:
            payload = journal.note_payload(numbers.NOTE_OF_RULES + number, value)
            carried.append((journal.NOTE, payload))
        self._owed = []
        return carried

    def write_owed(self, now_ms: int) -> None:
        if not self._owed:
            return
        self.make_room()
        while self._owed:
            number, value = self._owed[0]
            payload = journal.note_payload(numbers.NOTE_OF_RULES + number, value)
            self.append(journal.NOTE, now_ms, payload)
            self._owed = self._owed[1:]

    def settle(self, next_seq: int) -> None:
        void_seq, presses = self._void
        if self.decided_seq == void_seq:
            self.decided_seq = -1  # the gesture's own event is still to come
        if void_seq >= next_seq:
            self._presses = presses
        super().settle(next_seq)

    def take_gesture(
        self, code: int, first_ms: int, now_ms: int, is_in_pause: bool = False
    ) -> None:
        """Apply the event that the ruleset binds to the gesture, if any. Raises OSError."""
        bound = self._ruleset.gesture_event(code)
        if bound is None:
            return
        event_id, args = bound
        if is_in_pause:
            self.refuse(now_ms, numbers.REFUSED_PAUSED, event_id, args)
            return
        at_ms = now_ms
        if code == gestures.PRESS or code == gestures.IMPACT:
            at_ms = first_ms
        else:
            self.take_back_presses(first_ms, now_ms)
        self.apply(at_ms, event_id, args)
        if code == gestures.PRESS and self._ruleset.void_marks[event_id]:
            self._presses.append((at_ms, self.result))
            self._presses = self._presses[-TAPS_MAX - 1 :]

    def take_back_presses(self, first_ms: int, now_ms: int) -> None:
        refusals = [refusal for at_ms, refusal in self._presses if at_ms >= first_ms]
        if not refusals:
            return
        event_id, args = self._ruleset.gesture_event(gestures.PRESS)
        mark = self._ruleset.void_marks[event_id]
        # Name the source where the rules have one, so that a blow meanwhile is not taken back.
        source = (args[mark - VOID_TAG],) if mark >= VOID_TAG else ()
        void = (len(refusals),) + source
        if any(refusals):  # they must not count later, when what refused them is taken back
            void = (-len(refusals),) + (source or (0,))
        if not self.engine.doomed(void):
            return
        self.make_room()
        self._void = (self._store.next_seq, self._presses)
        self._presses = []
        self.apply(now_ms, VOID, void)

    def apply(self, at_ms: int, event_id: int, args: tuple) -> int:
        """Decide, write, show; return 0 or the refusal. Raises OSError, with nothing shown."""
        self.make_room()
        engine = self.engine
        at_ms = max(at_ms, self.game_ms())
        refusal = engine.step(at_ms, event_id, args)
        if refusal:
            return self.refuse(at_ms, refusal, event_id, args)
        self.result = 0
        self._owed = list(engine.notes)
        self.decide(journal.EVENT, at_ms, journal.event_payload(event_id, args))
        self.write_owed(at_ms)
        if self._ruleset.void_marks[event_id]:
            self._keep_open(at_ms)
        self._state.acknowledged += 1
        self.show()
        return 0

    def refuse(self, at_ms: int, reason: int, event_id: int, args: tuple) -> int:
        """Write that an input was refused, and return why. Raises OSError."""
        self.result = reason or numbers.ANSWER_PAUSED
        self.make_room()
        payload = journal.refused_payload(reason, event_id, args)
        self.decide(journal.REFUSED, at_ms, payload)
        self._state.refused += 1
        self.show()
        return self.result

    def tick(self, now_ms: int) -> bool:
        engine = self.engine
        fired = 0
        while 0 <= engine.next_deadline_ms() <= now_ms:
            if fired == limits.TIMERS_PER_WAKE_UP:
                self.show()
                return False
            fired += 1
            self.make_room()
            engine.advance_one(now_ms)
            self._owed = list(engine.notes)
            self.append(journal.CHECKPOINT, engine.now_ms, b"")
            self.write_owed(engine.now_ms)
        engine.advance_one(now_ms)
        if self._write_at_ms() <= now_ms:
            self.record(journal.CHECKPOINT, now_ms, b"")
        self.show()
        return True

    def _write_at_ms(self) -> int:
        """Return the game time at which a checkpoint is due."""
        last_ms = self._store.last_ms
        if last_ms >= self._closes_ms:
            self._closes_ms = _NEVER
        if self.engine.next_deadline_ms() >= 0:
            return min(self._closes_ms, last_ms + CHECKPOINT_MS)
        return self._closes_ms

    def wait_ms(self, now_ms: int) -> int:
        if self.is_paused:
            return limits.GAME_WAIT_MS
        at_ms = self._write_at_ms()
        deadline_ms = self.engine.next_deadline_ms()
        if deadline_ms >= 0:
            at_ms = min(at_ms, deadline_ms)
        return max(0, min(at_ms - now_ms, limits.GAME_WAIT_MS))

    def show(self) -> None:
        engine, state = self.engine, self._state
        counters = [engine.counter(index) for index in self._ruleset.shown_counters[:2]]
        while len(counters) < 2:
            counters.append(0)
        left_ms = engine.shown_timer_left_ms()
        shown = (engine.signal(), counters[0], counters[1], left_ms >= 0, state.acknowledged)
        shown += (self.is_paused,)
        state.timer_left_ms = left_ms
        if shown != state.shown:
            state.shown = shown
            state.signal = shown[0]
            state.counters = (counters[0], counters[1])
            state.is_paused = self.is_paused
            state.touch()
