"""Advertises the state and serves one host at a time.

Guarantee: a radio that fails to start or to advertise never stops the game; it is tried again
with growing pauses, at last from its start, counted, and shown as a fault. Notifications wait for
the stack's room and none is skipped. An idle or broken link is ended. Hosts without a key are
counted, in the journal once a minute at most. Does not write the journal: what the host has
committed is handed to the game task.
"""

from redband_badge import limits, notes
from redband_badge.adverts import Adverts
from redband_badge.observer import Observer
from redband_badge.state import FAULT_RADIO
from redband_core import advert, frames, journal
from redband_core.clock import GameClock
from redband_core.session import BadgeSession
from redband_hal import radio as hal_radio
from redband_hal import system

_ENODEV = 19  # the controller is off


def new_nonce() -> bytes:
    """Return 16 random bytes."""
    return b"".join([system.random_u32().to_bytes(4, "little") for _ in range(4)])


class _Link:
    """One connection and its session."""

    def __init__(self, connection: int, session: BadgeSession) -> None:
        self.connection = connection
        self.session = session
        self.blocked_since_ms = -1  # when the stack first had no room, -1 when it has
        self.closing_since_ms = -1
        self.is_sending = False  # there was more to send


class RadioTask:
    """Owns the radio. `windows`: says when it is to be on, None for always (radio_windows)."""

    def __init__(self, radio, badge, pages, access, handlers: dict) -> None:
        """`pages`: the journal to read. `access`: keys. `handlers`: see BadgeSession."""
        self._radio = radio
        radio.wakeup = badge.state.radio_wakeup
        self._state = badge.state
        self._info = badge.info
        self._pages = pages
        self._note_queue = badge.note_queue
        self._access = access
        self._handlers = handlers
        self.adverts = Adverts(badge.state, badge.info, access, badge.boot)
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self.observer = Observer(radio, badge, access, self.adverts)
        self._link = None
        self._is_beside = False  # adverts go on beside the link
        self._beside_at_ms = 0
        self._shown_battery_pct = -1
        self._failures = 0
        self._retry_at_ms = 0
        self._noted_refusals = 0
        self._note_at_ms = 0
        self.windows = None
        self._is_on = False  # it was started, and knows what to answer

    async def run(self, beat) -> None:
        """Serve for ever."""
        self._forget_links()
        self._is_on = False
        while True:
            beat.report()
            await self._state.radio_wakeup.wait(self.turn(self._now_ms()))

    def _now_ms(self) -> int:
        return self._uptime.update(system.ticks_ms())

    def turn(self, now_ms: int) -> int:
        """Do what is due now; return for how many ms nothing will be. `now_ms`: uptime."""
        if self.windows is not None and not self.windows.poll(now_ms, self._is_on):
            if self._is_on:
                self._switch_off()
        elif not self._is_on and now_ms >= self._retry_at_ms:
            self._switch_on(now_ms)
        if self._is_on:
            self._take_events(now_ms)
        self._note_refusals(now_ms)
        self._access.game_ms = self._state.game_ms
        self.observer.is_radio_on = self._is_on
        self.observer.poll(now_ms)
        if self._is_on:
            if self._link is not None:
                self._serve(self._link, now_ms)
                self._refresh_beside(now_ms)
            else:
                self._refresh(now_ms)
        self._state.is_connected = self._link is not None
        return self._wait_ms(now_ms)

    def _wait_ms(self, now_ms: int) -> int:
        wait_ms = self.observer.wait_ms(now_ms)
        if self.windows is not None:
            wait_ms = min(wait_ms, self.windows.wait_ms(now_ms))
        retry_ms = self._retry_at_ms - now_ms
        if self._link is not None:
            if self._link.is_sending:
                return limits.RADIO_SEND_WAIT_MS
            wait_ms = min(wait_ms, limits.RADIO_LINK_WAIT_MS)
            retry_ms = self._beside_at_ms - now_ms
        if retry_ms > 0:
            return min(wait_ms, retry_ms)
        if self._is_on and (self._link is None or self.adverts.is_urgent):
            wait_ms = min(wait_ms, self.adverts.wait_ms(now_ms))
        return max(wait_ms, limits.RADIO_SEND_WAIT_MS)

    def _switch_on(self, now_ms: int) -> None:
        radio = self._radio
        try:
            if not radio.is_started:
                radio.start("Redband", limits.FIRMWARE_VERSION)
            radio.set_info(frames.encode_info(self._info))
        except OSError as error:
            radio.is_started = False
            self._failed(now_ms, error)
            return
        self._forget_links()
        self._shown_battery_pct = -1
        self._is_on = True

    def _switch_off(self) -> None:
        """End all that the controller does: between two windows, or to start it afresh."""
        self._link = None
        self._is_on = self._is_beside = False
        try:
            self._radio.stop()
        except OSError:
            self._state.radio_failures += 1  # start() switches it off once more
        self.observer.forget()

    def _failed(self, now_ms: int, error: OSError) -> None:
        self._failures += 1
        self._state.radio_failures += 1
        pause_ms = limits.RADIO_RETRY_FIRST_MS << min(self._failures - 1, 10)
        self._retry_at_ms = now_ms + min(pause_ms, limits.RADIO_RETRY_LONGEST_MS)
        if self._failures == limits.RADIO_FAULT_FAILURES:
            self._state.set_fault(FAULT_RADIO, True)
            self._note_queue.put((journal.NOTE_RADIO_OFF, error.errno or 0))
        is_stuck = self._failures % limits.RADIO_RESTART_FAILURES == 0
        if self._is_on and (is_stuck or error.errno == _ENODEV):
            self._switch_off()

    def _succeeded(self) -> None:
        self._failures = 0
        self._retry_at_ms = 0
        self._state.set_fault(FAULT_RADIO, False)

    def _forget_links(self) -> None:
        # Started again after a failure of this task: the peer's session is gone with it.
        if self._link is not None:
            self._disconnect(self._link.connection)
            self._link = None
        self.adverts.forget()
        self.observer.forget()

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
                    self.adverts.forget()
            elif code == hal_radio.EVENT_DISCONNECTED:
                self._link = None
                self.adverts.forget()  # advertising stopped with the connection
            elif code == hal_radio.EVENT_MTU:
                link.session.set_mtu(data)
            else:
                link.session.control_written(data, now_ms)
            event = self._radio.take_event()

    def _connected(self, connection: int) -> None:
        if self._link is not None and self._link.connection != connection:
            self._disconnect(connection)  # one host at a time
            self.adverts.forget()  # it came in by an advert beside the link, and ended that
            return
        self._is_beside = False
        session = BadgeSession(self._info, self._pages, self._access, new_nonce(), self._handlers)
        session.wake = self._state.radio_wakeup.set
        self._link = _Link(connection, session)

    def _note_refusals(self, now_ms: int) -> None:
        count = self._access.refused_count - self._noted_refusals
        if count and now_ms >= self._note_at_ms:
            self._note_queue.put((notes.AUTH_REFUSED, count))
            self._noted_refusals += count
            self._note_at_ms = now_ms + limits.AUTH_NOTE_MS

    def _serve(self, link: _Link, now_ms: int) -> None:
        if link.closing_since_ms >= 0:
            if now_ms - link.closing_since_ms > limits.CLOSE_TIMEOUT_MS:
                self._link = None  # the controller never said so
                self.adverts.forget()
            return
        try:
            self._send(link, now_ms)
            is_over = link.session.close_reason(now_ms) != 0
        except OSError:
            is_over = True  # the link or the flash failed; the host asks again
        if link.blocked_since_ms >= 0:
            is_over = is_over or now_ms - link.blocked_since_ms > limits.BLOCKED_TIMEOUT_MS
        if is_over:
            self._end(link, now_ms)

    def _end(self, link: _Link, now_ms: int) -> None:
        link.closing_since_ms = now_ms
        self._disconnect(link.connection)

    def _send(self, link: _Link, now_ms: int) -> None:
        link.is_sending = True
        for _ in range(limits.BURST_NOTIFICATIONS):
            notification = link.session.next_notification()
            if notification is None:
                link.is_sending = False
                return
            channel, data = notification
            if not self._radio.notify(link.connection, channel, data):
                if link.blocked_since_ms < 0:
                    link.blocked_since_ms = now_ms
                return
            link.blocked_since_ms = -1
            link.session.sent()

    # Advertising.

    def _advertise(self, now_ms: int) -> None:
        adverts = self.adverts
        data, response = adverts.make(), advert.scan_response()
        self._radio.advertise(adverts.interval_ms(now_ms), data, response)

    def _refresh_beside(self, now_ms: int) -> None:
        """A link ends the adverts; what cannot wait for its end is said beside it.

        Where the controller can't do that, an emergency ends the link.
        """
        adverts, link = self.adverts, self._link
        if link is None or not (self._is_beside or adverts.is_urgent):
            return
        if now_ms < self._beside_at_ms or not adverts.is_due(now_ms):
            return
        try:
            self._advertise(now_ms)
        except OSError:
            self._beside_at_ms = now_ms + limits.RADIO_RETRY_FIRST_MS
            if self._state.is_emergency and link.closing_since_ms < 0:
                self._end(link, now_ms)
            return
        self._is_beside = True
        adverts.said(now_ms)

    def _refresh(self, now_ms: int) -> None:
        state, adverts = self._state, self.adverts
        if now_ms < self._retry_at_ms or not adverts.is_due(now_ms):
            return
        try:
            self._advertise(now_ms)
            if self._shown_battery_pct != state.battery_pct:
                self._shown_battery_pct = state.battery_pct
                self._radio.set_battery_pct(state.battery_pct)
        except OSError as error:
            self._failed(now_ms, error)
            return
        self._succeeded()
        adverts.said(now_ms)
