"""Runs the game: takes gestures and notes from their queues, lets time pass, keeps the journal.

Guarantee: an item leaves its queue only when the journal holds it. When the flash fails, the task
fails; started again it takes the state from the journal and goes on with the same item, which is
neither lost nor counted twice.
"""

from redband_badge import limits, notes
from redband_hal import system


class GameTask:
    """Owns the engine and the journal."""

    def __init__(self, book, clock, queues: tuple, state, is_safe_mode: bool) -> None:
        """`book`: restored. `queues`: BoundedQueue of (gesture code, presses, ms), BoundedQueue
        of (note code, value), and the Wakeup of both.
        """
        self._book = book
        self._clock = clock
        self._queue, self._note_queue, self._wakeup = queues
        self._state = state
        self._is_safe_mode = is_safe_mode
        self._is_unsure = False
        self._in_hand = None  # the queue whose front item is being written
        self._dropped_count = 0
        self._released_seq = 0

    async def run(self, beat) -> None:
        """Play for ever. Raises OSError when the flash fails; run again then."""
        if self._is_unsure:
            self._recover()
        self._is_unsure = True
        while True:
            beat.report()
            now_ms = self._clock.update(system.ticks_ms())
            self._work(now_ms)
            wait_ms = self._book.wait_ms(now_ms)
            if wait_ms < 0 or wait_ms > limits.GAME_WAIT_MS:
                wait_ms = limits.GAME_WAIT_MS
            await self._wakeup.wait(wait_ms)

    def _recover(self) -> None:
        try:
            was_written = self._book.restore_after_failure()
        except OSError:
            if not self._is_safe_mode:
                raise
            # Safe mode is the last stop: counting in RAM is better than not counting.
            was_written = self._book.go_on_without_flash()
        in_hand, self._in_hand = self._in_hand, None
        if was_written and in_hand is not None:
            in_hand.remove_front()

    def _work(self, now_ms: int) -> None:
        self._book.tick(now_ms)
        self._take(self._queue, self._take_gesture, now_ms)
        dropped_count = self._queue.dropped_count
        if dropped_count != self._dropped_count:
            self._dropped_count = dropped_count
            self._note_queue.put((notes.INPUT_DROPPED, dropped_count))
        self._take(self._note_queue, self._take_note, now_ms)
        before_seq = self._state.release_before_seq
        if before_seq > self._released_seq:
            self._released_seq = before_seq
            self._book.release(before_seq)

    def _take(self, queue, take, now_ms: int) -> None:
        item = queue.front()
        while item is not None:
            self._in_hand = queue
            take(item, now_ms)
            self._in_hand = None
            queue.remove_front()
            item = queue.front()

    def _take_gesture(self, item: tuple, now_ms: int) -> None:
        code, _presses, first_ms = item
        self._book.take_gesture(code, first_ms, now_ms)

    def _take_note(self, item: tuple, now_ms: int) -> None:
        self._book.note(now_ms, item[0], item[1])
