"""Runs the game: takes gestures, notes and commands from their queues, lets time pass, pauses.

Guarantee: an item leaves its queue only when the journal holds it. When the flash fails, the task
fails; started again it takes the state from the journal and goes on with the same item, which is
neither lost nor counted twice. Gestures count at the time their first contact closed, also when a
flash write held this task up: before a timer that was due later, and not at all in a pause.

The badge's clock stamps the inputs and never stops, so that contacts rest and holds end in
a pause too. Game time is that clock's, less what pauses took.
"""

from redband_badge import limits
from redband_badge.on_demand import COMMANDS, EMERGENCY, Needed
from redband_core import gestures, numbers
from redband_hal import system


class GameTask:
    """Owns the engine, the journal and game time."""

    def __init__(self, game_journal, clock, queues: tuple, state, is_safe_mode: bool) -> None:
        """`game_journal`: restored. `clock`: started; it stamps the gestures. `queues`:
        BoundedQueue of (gesture code, presses, ms), of (note code, value), the Wakeup of all,
        and, if there is one, the BoundedQueue of commands (see `commands`).
        """
        self._game_journal = game_journal
        self._clock = clock
        self._queue, self._note_queue, self._wakeup = queues[:3]
        self._command_queue = queues[3] if len(queues) > 3 else None
        self._state = state
        self._is_safe_mode = is_safe_mode
        self._is_unsure = False
        self._failed_seq = -2  # newest record at the last failure
        self._vain_count = 0  # failures in a row between which nothing was written
        self._in_hand = None  # the queue whose front item is being written
        self._dropped_count = 0
        self._released_seq = 0
        self._told_seq = -1  # newest record that the radio was told of
        # The last pause, in the time of `clock`: what was stamped within it is refused.
        self._was_paused = game_journal.is_paused
        self._paused_ms = self._resumed_ms = 0
        self._paused_game_ms = clock.now_ms  # game time in it
        self._shift_ms = 0  # what all pauses took

    async def run(self, beat) -> None:
        """Play for ever. Raises OSError when the flash fails; run again then."""
        if self._is_unsure:
            self._recover()
        self._is_unsure = True
        while True:
            beat.report()
            await self._wakeup.wait(self.work(system.ticks_ms()))

    def work(self, ticks_ms: int) -> int:
        """Do all that is due at this tick; return for how many ms nothing will be."""
        self._clock.update(ticks_ms)
        now_ms = self._game_ms()
        is_up_to_date = self._work(now_ms)
        self._state.game_ms = now_ms
        if self._state.last_seq != self._told_seq:
            self._told_seq = self._state.last_seq
            self._state.radio_wakeup.set()
        return self._game_journal.wait_ms(now_ms) if is_up_to_date else 0

    def _recover(self) -> None:
        game_journal, seq = self._game_journal, self._failed_seq
        try:
            is_decided = game_journal.restore_after_failure()
            self._failed_seq = self._state.last_seq
            # A flash that fails again before anything was written can be read, and no more.
            self._vain_count = self._vain_count + 1 if seq == self._failed_seq else 0
            is_hopeless = self._vain_count >= limits.VAIN_WRITES_MAX
        except OSError:
            if not self._is_safe_mode:
                raise
            is_decided, is_hopeless = False, True
        if self._is_safe_mode and is_hopeless:
            # Safe mode is the last stop: counting in RAM is better than not counting.
            is_decided = game_journal.go_on_without_flash()
        in_hand, self._in_hand = self._in_hand, None
        if is_decided and in_hand is not None:
            self._finish(in_hand)

    def _work(self, now_ms: int) -> bool:
        """Return False when more timers are due than one wake-up may take."""
        if not self._take(self._queue, now_ms) or not self._game_journal.tick(now_ms):
            return False
        dropped_count = self._queue.dropped_count
        if dropped_count != self._dropped_count:
            self._dropped_count = dropped_count
            self._note_queue.put((numbers.NOTE_INPUT_DROPPED, dropped_count))
        self._take(self._note_queue, now_ms)
        if self._command_queue is not None:
            self._take(self._command_queue, now_ms)
        before_seq = self._state.release_before_seq
        if before_seq > self._released_seq:
            self._released_seq = before_seq
            self._game_journal.release(before_seq)
        return True

    def _take(self, queue, now_ms: int) -> bool:
        """Take all items of a queue; return False when timers have to come before the next."""
        game_journal = self._game_journal
        item = queue.front()
        while item is not None:
            first_ms, is_in_pause = now_ms, False
            if queue is self._queue:
                first_ms, is_in_pause = self._placed(item[2])
                is_press = item[0] == gestures.PRESS or item[0] == gestures.IMPACT
                # What was due before a press comes first, what is due later has to wait for it.
                if not game_journal.tick(min(first_ms, now_ms) if is_press else now_ms):
                    return False
            self._in_hand = queue
            game_journal.decided_seq = -1
            if queue is self._queue:
                if item[0] == gestures.EMERGENCY:
                    with Needed(EMERGENCY) as emergency:
                        emergency.take_gesture(game_journal, self._state, first_ms, now_ms)
                else:
                    code = item[0]
                    if code >= gestures.HOLD and self._state.on_gesture and not is_in_pause:
                        code = self._state.on_gesture(code, first_ms, now_ms)
                    game_journal.take_gesture(code, first_ms, now_ms, is_in_pause)
            elif queue is self._note_queue:
                game_journal.note(now_ms, item[0], item[1])
            else:
                with Needed(COMMANDS) as commands:
                    game_journal.result = commands.take(game_journal, item, now_ms)
                self._game_ms()
            self._finish(queue)
            item = queue.front()
        return True

    def _finish(self, queue) -> None:
        self._in_hand = None
        item = queue.front()
        queue.remove_front()
        if queue is self._command_queue and self._state.on_answer is not None:
            self._state.on_answer(item[1], self._game_journal.result)

    # The pause.

    def _game_ms(self) -> int:
        """Let game time stand or run as the journal says; return it."""
        uptime_ms = self._clock.now_ms
        if self._game_journal.is_paused and not self._was_paused:
            self._paused_ms = uptime_ms
            self._paused_game_ms = uptime_ms - self._shift_ms
        elif self._was_paused:
            self._resumed_ms = uptime_ms
            self._shift_ms = uptime_ms - self._paused_game_ms
        self._was_paused = self._game_journal.is_paused
        return uptime_ms - self._shift_ms

    def _placed(self, stamp_ms: int) -> tuple:
        """Return (game time of a stamp of the badge's clock, whether it lies in a pause)."""
        if not self._was_paused and stamp_ms >= self._resumed_ms:
            return stamp_ms - self._shift_ms, False
        if stamp_ms >= self._paused_ms:
            return self._paused_game_ms, True
        return self._paused_game_ms - (self._paused_ms - stamp_ms), False
