"""Samples the contacts and turns them into gestures, stamped when the contact first closed.

Guarantee: the first edge counts at once; a pulse between two samples is not missed; what finds
the queue full is counted. Does not know what a gesture means: the ruleset does.

Queue items: (gesture code, presses that belong to it, game time of the first in ms).
"""

import asyncio

from redband_badge import notes
from redband_core import gestures, hit_filter, journal, limits
from redband_core.advert import FLAG_INPUT_STUCK
from redband_hal import board, system
from redband_hal.inputs import Contact

SOURCE_BUTTON = 0
SOURCE_IMPACT = 1

# When nothing has moved for this long, every contact has rested and every gesture has ended.
REST_MS = limits.TAP_GAP_MS + limits.HOLD_MS


class _Channel:
    """One contact with its filter."""

    def __init__(self, contact, settle_ms: int, refractory_ms: int) -> None:
        self.contact = contact
        self.filter = hit_filter.HitFilter(settle_ms, refractory_ms, limits.STUCK_MS)
        self.was_stuck = False

    def sample(self, clock) -> int:
        """Return the filter's code for this moment."""
        edge_count, first_ticks_ms, last_ticks_ms = self.contact.take_edges()
        is_active, now_ms = self.contact.is_active(), clock.now_ms
        if not edge_count:
            return self.filter.sample(is_active, 0, now_ms, now_ms)
        first_ms, last_ms = clock.at(first_ticks_ms), clock.at(last_ticks_ms)
        return self.filter.sample(is_active, edge_count, first_ms, now_ms, last_ms)


class InputTask:
    """Owns the button and the impact switch."""

    def __init__(self, clock, button, impact, queue, note_queue, state) -> None:
        """`queue`: for gestures; `note_queue`: for (note code, value)."""
        self._clock = clock
        self._queue = queue
        self._note_queue = note_queue
        self._state = state
        self._gestures = gestures.Gestures()
        self._is_busy = True
        self._moved_ms = clock.now_ms
        self._button = _Channel(button, limits.BUTTON_SETTLE_MS, limits.BUTTON_REFRACTORY_MS)
        self._impact = _Channel(impact, limits.IMPACT_SETTLE_MS, limits.IMPACT_REFRACTORY_MS)

    async def run(self, beat) -> None:
        """Sample for ever."""
        button, impact = self._button.contact, self._impact.contact
        while True:
            beat.report()
            # Nearly always nothing happens: then nothing but this is done, 100 times a second.
            if self._is_busy or not (button.is_quiet() and impact.is_quiet()):
                self.sample(system.ticks_ms())
            await asyncio.sleep_ms(limits.INPUT_POLL_MS)

    def sample(self, ticks_ms: int) -> None:
        """Look at both contacts once."""
        now_ms = self._clock.update(ticks_ms)
        if not (self._button.contact.is_quiet() and self._impact.contact.is_quiet()):
            self._moved_ms = now_ms
        code = self._button.sample(self._clock)
        if code == hit_filter.PRESS:
            self._gestures.press(self._button.filter.press_ms)
        elif code == hit_filter.RELEASE:
            self._gestures.release(self._button.filter.release_ms)
        if self._impact.sample(self._clock) == hit_filter.PRESS:
            self._queue.put((gestures.IMPACT, 1, self._impact.filter.press_ms))
        gesture = self._gestures.poll(now_ms)
        while gesture is not None:
            self._queue.put(gesture)
            gesture = self._gestures.poll(now_ms)
        self._report_stuck()
        self._is_busy = now_ms - self._moved_ms < REST_MS

    def _report_stuck(self) -> None:
        for source, channel in ((SOURCE_BUTTON, self._button), (SOURCE_IMPACT, self._impact)):
            is_stuck = channel.filter.is_stuck
            if is_stuck == channel.was_stuck:
                continue
            channel.was_stuck = is_stuck
            value = source if is_stuck else -1 - source
            self._note_queue.put((journal.NOTE_INPUT_STUCK, value))
            is_any_stuck = self._button.was_stuck or self._impact.was_stuck
            self._state.set_flag(FLAG_INPUT_STUCK, is_any_stuck)


def add_inputs(badge, supervisor) -> None:
    """Add the input task of `badge` (a Badge) to its supervisor."""
    button = Contact(board.PIN_BUTTON, board.BUTTON_ACTIVE_LOW)
    impact = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW)
    queues = (badge.queue, badge.note_queue)
    task = InputTask(badge.clock, button, impact, *queues, badge.state)
    supervisor.add(notes.TASK_INPUT, task.run)
