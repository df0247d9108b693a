"""Advertises the state and serves one host at a time.

Guarantee: a radio that fails to start or to advertise never stops the game; it is tried again
with growing pauses and shown as a fault. Notifications wait for the stack's room and none is
skipped. An idle or broken link is ended. Does not write the journal: what the host has committed
is handed to the game task.
"""

import asyncio

from redband_badge import limits
from redband_badge.state import FAULT_RADIO
from redband_core import advert, frames, journal
from redband_core.badge_session import BadgeSession
from redband_core.clock import GameClock
from redband_hal import radio as hal_radio
from redband_hal import system


def advert_of(state, info) -> advert.Advert:
    """Return what to advertise for this state; values too large for their field are capped."""
    timer_s = advert.NO_TIMER
    if state.timer_left_ms >= 0:
        timer_s = min((state.timer_left_ms + 999) // 1000, advert.NO_TIMER - 1)
    return advert.Advert(
        info.badge_id,
        state.revision,
        min(state.signal, 255),
        min(state.counters[0], 255),
        min(state.counters[1], 255),
        timer_s,
        state.last_seq if state.last_seq >= 0 else advert.NO_SEQ,
        state.battery_pct,
        info.role,
        state.flags,
    )


class _Link:
    """One connection and its session."""

    def __init__(self, connection: int, session: BadgeSession) -> None:
        self.connection = connection
        self.session = session
        self.blocked_since_ms = -1  # when the stack first had no room, -1 when it has
        self.closing_since_ms = -1


class RadioTask:
    """Owns the radio."""

    def __init__(self, radio, state, info, pages, note_queue) -> None:
        """`info`: who the badge is (see BadgeSession); `pages`: the journal to read."""
        self._radio = radio
        self._state = state
        self._info = info
        self._pages = pages
        self._note_queue = note_queue
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self._link = None
        self._shown_revision = -1
        self._shown_seq = -1
        self._shown_battery_pct = -1
        self._advertised_ms = 0
        self._failures = 0
        self._retry_at_ms = 0

    async def run(self, beat) -> None:
        """Start the radio, then serve for ever."""
        while not self._radio.is_started:
            beat.report()
            now_ms = self._now_ms()
            if now_ms >= self._retry_at_ms:
                self.try_start(now_ms)
            await asyncio.sleep_ms(limits.RADIO_IDLE_POLL_MS)
        self._radio.set_info(frames.encode_info(self._info))
        self._forget_links()
        while True:
            beat.report()
            now_ms = self._now_ms()
            self._take_events(now_ms)
            if self._link is not None:
                self._serve(self._link, now_ms)
            else:
                self._refresh(now_ms)
            is_busy = self._link is not None
            await asyncio.sleep_ms(
                limits.RADIO_CONNECTED_POLL_MS if is_busy else limits.RADIO_IDLE_POLL_MS
            )

    def _now_ms(self) -> int:
        return self._uptime.update(system.ticks_ms())

    def try_start(self, now_ms: int) -> None:
        """Start the radio; on failure remember when to try again."""
        try:
            self._radio.start("Redband", limits.FIRMWARE_VERSION)
        except OSError as error:
            self._failed(now_ms, error)
            return
        self._succeeded()

    def _failed(self, now_ms: int, error: OSError) -> None:
        self._failures += 1
        pause_ms = limits.RADIO_RETRY_FIRST_MS << min(self._failures - 1, 10)
        self._retry_at_ms = now_ms + min(pause_ms, limits.RADIO_RETRY_LONGEST_MS)
        if self._failures == limits.RADIO_FAULT_FAILURES:
            self._state.set_fault(FAULT_RADIO, True)
            self._note_queue.put((journal.NOTE_RADIO_OFF, error.errno or 0))

    def _succeeded(self) -> None:
        self._failures = 0
        self._retry_at_ms = 0
        self._state.set_fault(FAULT_RADIO, False)

    def _forget_links(self) -> None:
        # Started again after a failure of this task: the peer's session is gone with it.
        if self._link is not None:
            self._disconnect(self._link.connection)
            self._link = None
        self._shown_revision = -1

    def _disconnect(self, connection: int) -> None:
        try:
            self._radio.disconnect(connection)
        except OSError:
            return  # it is gone already, or its event is on the way

    # Connections.

    def _take_events(self, now_ms: int) -> None:
        event = self._radio.take_event()
        while event is not None:
            code, connection, data = event
            link = self._link
            if code == hal_radio.EVENT_CONNECTED:
                self._connected(connection)
            elif link is None or link.connection != connection:
                if code == hal_radio.EVENT_DISCONNECTED:
                    # A connect that failed half-way is reported like this, without a connect
                    # before it, and it has stopped the advertising (PITFALLS B6).
                    self._shown_revision = -1
            elif code == hal_radio.EVENT_DISCONNECTED:
                self._link = None
                self._shown_revision = -1  # advertising stopped with the connection
            elif code == hal_radio.EVENT_MTU:
                link.session.set_mtu(data)
            else:
                link.session.control_written(data, now_ms)
            event = self._radio.take_event()

    def _connected(self, connection: int) -> None:
        if self._link is not None and self._link.connection != connection:
            self._disconnect(connection)  # one host at a time
            return
        self._link = _Link(connection, BadgeSession(self._info, self._pages))

    def _serve(self, link: _Link, now_ms: int) -> None:
        if link.closing_since_ms >= 0:
            if now_ms - link.closing_since_ms > limits.CLOSE_TIMEOUT_MS:
                self._link = None  # the controller never said so
                self._shown_revision = -1
            return
        try:
            self._send(link, now_ms)
            is_over = link.session.close_reason(now_ms) != 0
        except OSError:
            is_over = True  # the link or the flash failed; the host asks again
        if link.blocked_since_ms >= 0:
            is_over = is_over or now_ms - link.blocked_since_ms > limits.BLOCKED_TIMEOUT_MS
        if is_over:
            link.closing_since_ms = now_ms
            self._disconnect(link.connection)

    def _send(self, link: _Link, now_ms: int) -> None:
        for _ in range(limits.BURST_NOTIFICATIONS):
            notification = link.session.next_notification()
            if notification is None:
                return
            channel, data = notification
            if not self._radio.notify(link.connection, channel, data):
                if link.blocked_since_ms < 0:
                    link.blocked_since_ms = now_ms
                return
            link.blocked_since_ms = -1
            link.session.sent()

    # Advertising.

    def _refresh(self, now_ms: int) -> None:
        state = self._state
        if now_ms < self._retry_at_ms:
            return
        is_late = now_ms - self._advertised_ms >= limits.ADVERT_REFRESH_MS
        is_same = self._shown_revision == state.revision and self._shown_seq == state.last_seq
        if is_same and not (is_late and state.timer_left_ms >= 0):
            return
        data = advert.advertising_data(advert_of(state, self._info))
        response = advert.scan_response(self._info.badge_id)
        try:
            self._radio.advertise(limits.ADVERT_INTERVAL_MS, data, response)
            if self._shown_battery_pct != state.battery_pct:
                self._shown_battery_pct = state.battery_pct
                self._radio.set_battery_pct(state.battery_pct)
        except OSError as error:
            self._failed(now_ms, error)
            return
        self._succeeded()
        self._shown_revision = state.revision
        self._shown_seq = state.last_seq
        self._advertised_ms = now_ms
