"""Looks at contacts that move and turns them into gestures, stamped when they first closed.

Guarantee: the first edge counts at once; a pulse between two looks is not missed; what finds the
queue full is counted. A paused game does not stop the filters: they run on the uptime, and a
stamp becomes game time when it goes into the queue. Does not know what a gesture means: the
ruleset does.

Queue items: (gesture code, presses that belong to it, game time of the first in ms).
"""

import asyncio

from redband_core import gestures, hit_filter, limits, numbers
from redband_core.advert import FLAG_INPUT_STUCK
from redband_core.clock import TICKS_PERIOD, GameClock
from redband_hal import system
from redband_hal.event_loop import Wakeup

# What is counted and noted; the first two of the contacts, together for a second, the rest faults
# of wiring or program, which a minute is often enough for.
_CODES = (
    numbers.NOTE_PRESSES_IGNORED,
    numbers.NOTE_IMPACTS_IGNORED,
    numbers.NOTE_EDGES_LOST,
    numbers.NOTE_INPUT_SPIKES,
    numbers.NOTE_GESTURES_DROPPED,
)
_FIRST_FAULT = 2

# When nothing has moved for this long, every contact has rested and every gesture has ended.
REST_MS = limits.TAP_GAP_MS + limits.HOLD_MS


class _Channel:
    """One contact with its filter."""

    def __init__(self, contact, settle_ms: int, refractory_ms: int, contact_ms: int) -> None:
        self.contact = contact
        self.filter = hit_filter.HitFilter(settle_ms, refractory_ms, limits.STUCK_MS, contact_ms)
        self.was_stuck = False

    def sample(self, clock) -> int:
        """Return the filter's code for this moment."""
        edge_count, first_ticks_ms, last_ticks_ms, seen_ms = self.contact.take_edges()
        is_active, now_ms = self.contact.is_active(), clock.now_ms
        if not edge_count:
            return self.filter.sample(is_active, 0, now_ms, now_ms)
        first_ms, last_ms = clock.at(first_ticks_ms), clock.at(last_ticks_ms)
        return self.filter.sample(is_active, edge_count, first_ms, now_ms, last_ms, seen_ms)


class InputTask:
    """Owns the button and the impact sensor's pin. `wakeup`: for the contacts' edges."""

    def __init__(self, clock, button, impact, queue, note_queue, state) -> None:
        """`impact`: a contact, or None. `queue`: for gestures; `note_queue`: for (note code,
        value).
        """
        self._clock = clock
        self._queue = queue
        self._note_queue = note_queue
        self._state = state
        self._gestures = gestures.Gestures()
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self.wakeup = Wakeup()
        self._motor_ticks_ms = state.motor_ticks_ms
        self.is_busy = True
        self._moved_ms = 0
        times_ms = (limits.BUTTON_SETTLE_MS, limits.BUTTON_REFRACTORY_MS, limits.BUTTON_CONTACT_MS)
        self._button = _Channel(button, *times_ms)
        self._impact = None
        self._channels = (self._button,)
        if impact is not None:
            times_ms = (limits.IMPACT_SETTLE_MS, limits.IMPACT_REFRACTORY_MS)
            self._impact = _Channel(impact, *times_ms, limits.IMPACT_CONTACT_MS)
            self._channels = (self._button, self._impact)
        self._noted = [0] * len(_CODES)
        self._is_noting = False  # something is still to be noted
        self._note_due_ms = 0
        self._fault_due_ms = 0

    async def run(self, beat) -> None:
        """Look for ever."""
        while True:
            beat.report()
            self.sample(system.ticks_ms())
            if self.is_busy:
                await asyncio.sleep_ms(limits.INPUT_POLL_MS)
            elif await self.wakeup.wait(limits.INPUT_IDLE_MS):
                await asyncio.sleep_ms(limits.INPUT_FIRST_LOOK_MS)

    def is_quiet(self) -> bool:
        """Return whether no contact has moved since the last look."""
        for channel in self._channels:
            if not channel.contact.is_quiet():
                return False
        return True

    def sample(self, ticks_ms: int) -> None:
        """Look at all contacts once."""
        now_ms = self._uptime.update(ticks_ms)
        self._clock.update(ticks_ms)
        if not self.is_quiet():
            self._moved_ms = now_ms
        code = self._button.sample(self._uptime)
        if code == hit_filter.PRESS:
            self._gestures.press(self._button.filter.press_ms)
        elif code == hit_filter.RELEASE:
            self._gestures.release(self._button.filter.release_ms)
        impact = self._impact
        if impact is not None:
            self._hold_off(impact.filter)
            if impact.sample(self._uptime) == hit_filter.PRESS:
                self._put((gestures.IMPACT, 1, impact.filter.press_ms), ticks_ms)
        gesture = self._gestures.poll(now_ms)
        while gesture is not None:
            self._put(gesture, ticks_ms)
            gesture = self._gestures.poll(now_ms)
        self._note(now_ms)
        # A contact that is closed must be watched until it is free again or known to be stuck.
        is_closed = any(one.filter.is_closed and not one.was_stuck for one in self._channels)
        self.is_busy = self._is_noting or is_closed or now_ms - self._moved_ms < REST_MS
        self._state.is_input_busy = self.is_busy

    def _put(self, gesture: tuple, ticks_ms: int) -> None:
        """Queue a gesture, its first press in game time instead of uptime."""
        code, presses, first_ms = gesture
        first_ticks_ms = (ticks_ms - (self._uptime.now_ms - first_ms)) % TICKS_PERIOD
        self._queue.put((code, presses, self._clock.at(first_ticks_ms)))

    def _hold_off(self, impact_filter) -> None:
        """Do not take the shaking of our own motor for blows."""
        state, uptime = self._state, self._uptime
        if not state.is_motor_on and state.motor_ticks_ms == self._motor_ticks_ms:
            return
        self._motor_ticks_ms = state.motor_ticks_ms
        until_ms = uptime.now_ms if state.is_motor_on else uptime.at(state.motor_ticks_ms)
        # What began before the motor did is a blow, although it is looked at only now.
        from_ms = uptime.at(state.motor_since_ticks_ms)
        impact_filter.hold_off(until_ms + limits.VIBRATION_HOLD_OFF_MS, from_ms)

    def _counts(self) -> list:
        """Return what was counted so far, in the order of _CODES."""
        counts = [0, 0, 0, 0, self._gestures.dropped_count]
        for source, channel in enumerate(self._channels):
            self._report_stuck(source, channel)
            counts[source] = channel.filter.ignored_count
            counts[2] += channel.filter.overflow_count
            counts[3] += channel.filter.spike_count
        return counts

    def _note(self, now_ms: int) -> None:
        """Note by how much the counts have grown, when it is time."""
        counts, noted = self._counts(), self._noted
        if counts == noted:
            self._is_noting = False
            return
        if not self._is_noting:
            self._is_noting = True
            self._note_due_ms = now_ms + limits.INPUT_NOTE_MS
        if now_ms < self._note_due_ms:
            return
        self._note_due_ms = now_ms + limits.INPUT_NOTE_MS
        is_fault_due = now_ms >= self._fault_due_ms
        for index, code in enumerate(_CODES):
            grown = counts[index] - noted[index]
            is_fault = index >= _FIRST_FAULT
            if grown > 0 and (is_fault_due or not is_fault):
                if self._note_queue.put((code, grown)):
                    noted[index] = counts[index]
                    if is_fault:
                        self._fault_due_ms = now_ms + limits.EDGES_NOTE_MS
            elif grown < 0:
                noted[index] = counts[index]  # a spike that was a bounce after all

    def _report_stuck(self, source: int, channel: _Channel) -> None:
        is_stuck = channel.filter.is_stuck
        if is_stuck == channel.was_stuck:
            return
        channel.was_stuck = is_stuck
        value = source if is_stuck else -1 - source
        self._note_queue.put((numbers.NOTE_INPUT_STUCK, value))
        is_any_stuck = any(one.was_stuck for one in self._channels)
        self._state.set_flag(FLAG_INPUT_STUCK, is_any_stuck)
