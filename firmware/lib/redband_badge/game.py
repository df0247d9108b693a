"""The game on the badge: gestures to events, events to the engine, each in the journal first.

Guarantee: the LED shows nothing that the journal does not hold, and replaying the journal gives
the same state. A timer that fires is journalled as a checkpoint at that time, so that a power cut
after it was shown can't undo it.
"""

from redband_badge.book import Book
from redband_core import gestures, journal
from redband_core.engine import Engine
from redband_core.errors import RulesError
from redband_core.limits import TAPS_MAX
from redband_core.ruleset import VOID, VOID_TAG


class Game(Book):
    """A Book with rules."""

    def __init__(self, store, state, ruleset, params, provisioned: int, boot_id: int) -> None:
        """`params`: for a character that the journal does not know. Raises RulesError."""
        super().__init__(store, state, provisioned, boot_id)
        self._ruleset = ruleset
        self._params = params
        self._presses_ms = []  # times of counted presses that a gesture may still take back
        self.engine = Engine(ruleset, params)
        self._replayed = self.engine

    def snapshot(self) -> bytes:
        return self.engine.snapshot()

    def begin_replay(self) -> None:
        self._replayed = Engine(self._ruleset, self._params)
        self.has_foreign_state = False

    def end_replay(self) -> None:
        self.engine = self._replayed

    def replay(self, kind: int, game_ms: int, payload: bytes) -> None:
        if kind == journal.SNAPSHOT:
            if payload:
                try:
                    self._replayed.restore(payload)
                except RulesError:
                    self.has_foreign_state = True
        elif kind == journal.EVENT:
            event_id, args = journal.parse_event(payload)
            self._replayed.step(game_ms, event_id, args)
        else:
            self._replayed.advance(game_ms)

    def take_gesture(self, code: int, first_ms: int, now_ms: int) -> None:
        """Apply the event that the ruleset binds to the gesture, if any. Raises OSError."""
        bound = self._ruleset.gesture_event(code)
        if bound is None:
            return
        at_ms = now_ms
        if code == gestures.PRESS or code == gestures.IMPACT:
            at_ms = first_ms
        else:
            self._void_presses(first_ms, now_ms)
        event_id, args = bound
        refusal = self.apply(at_ms, event_id, args)
        if code == gestures.PRESS and not refusal and self._ruleset.void_marks[event_id]:
            self._presses_ms.append(at_ms)
            self._presses_ms = self._presses_ms[-TAPS_MAX - 1 :]

    def _void_presses(self, first_ms: int, now_ms: int) -> None:
        count = len([at_ms for at_ms in self._presses_ms if at_ms >= first_ms])
        if not count:
            return
        event_id, args = self._ruleset.gesture_event(gestures.PRESS)
        mark = self._ruleset.void_marks[event_id]
        # Name the source where the rules have one, so that a blow meanwhile is not taken back.
        source = (args[mark - VOID_TAG],) if mark >= VOID_TAG else ()
        self.apply(now_ms, VOID, (count,) + source)
        self._presses_ms = []

    def apply(self, at_ms: int, event_id: int, args: tuple) -> int:
        """Judge, write, show; return 0 or the refusal. Raises OSError, with nothing shown."""
        self.make_room()
        engine = self.engine
        at_ms = max(at_ms, engine.now_ms, self._store.last_ms)
        refusal = engine.step(at_ms, event_id, args)
        if refusal:
            payload = journal.refused_payload(refusal, event_id, args)
            self.append(journal.REFUSED, at_ms, payload)
            self._state.refused += 1
        else:
            self.append(journal.EVENT, at_ms, journal.event_payload(event_id, args))
            self._state.acknowledged += 1
        self.show()
        return refusal

    def tick(self, now_ms: int) -> None:
        engine = self.engine
        deadline_ms = engine.next_deadline_ms()
        if 0 <= deadline_ms <= now_ms:
            self.make_room()
            engine.advance(now_ms)
            self.append(journal.CHECKPOINT, now_ms, b"")
        else:
            engine.advance(now_ms)
            if deadline_ms >= 0 and not self.checkpoint_due_ms(now_ms):
                self.record(journal.CHECKPOINT, now_ms, b"")
        self.show()

    def wait_ms(self, now_ms: int) -> int:
        deadline_ms = self.engine.next_deadline_ms()
        if deadline_ms < 0:
            return -1
        return max(0, min(deadline_ms - now_ms, self.checkpoint_due_ms(now_ms)))

    def show(self) -> None:
        engine, state = self.engine, self._state
        counters = [engine.counter(index) for index in self._ruleset.shown_counters[:2]]
        while len(counters) < 2:
            counters.append(0)
        left_ms = engine.shown_timer_left_ms()
        shown = (engine.signal(), counters[0], counters[1], left_ms >= 0, state.acknowledged)
        state.timer_left_ms = left_ms
        if shown != state.shown:
            state.shown = shown
            state.signal = shown[0]
            state.counters = (counters[0], counters[1])
            state.touch()
