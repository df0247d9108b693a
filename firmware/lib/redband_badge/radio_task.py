"""Advertises the state and serves one host at a time.

Guarantee: a radio that fails to start or to advertise never stops the game; it is tried again
with growing pauses, at last from its start, counted, and shown as a fault. Hosts without a key are
counted, in the journal once a minute at most. Does not write the journal: what the host has
committed is handed to the game task. What a link needs is loaded when it comes: see `link`.
"""

from redband_badge import limits
from redband_badge.on_demand import LINK, Needed
from redband_core import advert, numbers
from redband_core.clock import GameClock
from redband_hal import radio as hal_radio
from redband_hal import system

_ENODEV = 19  # the controller is off


class RadioTask:
    """Owns the radio. `windows`: says when it is to be on, None for always (radio_windows)."""

    def __init__(self, radio, state, info_value: bytes, note_queue, observer, make_link) -> None:
        """`info_value`: what a read of INFO returns. `observer`: with the keys and the adverts.
        `make_link(module, connection)`: returns a Link of the module `link`.
        """
        self._radio = radio
        radio.wakeup = state.radio_wakeup
        self._state = state
        self._info_value = info_value
        self._note_queue = note_queue
        self._observer = observer
        self._access = observer.access
        self._adverts = observer.adverts
        self._make_link = make_link
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self._link = None
        self._link_modules = Needed(LINK)
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
        self._observer.is_radio_on = self._is_on
        self._observer.poll(now_ms)
        if self._is_on:
            if self._link is not None:
                if not self._link.serve(now_ms):
                    self._drop_link()
                    self._adverts.forget()
                self._refresh_beside(now_ms)
            else:
                self._refresh(now_ms)
        self._state.is_connected = self._link is not None
        return self._wait_ms(now_ms)

    def _wait_ms(self, now_ms: int) -> int:
        wait_ms = self._observer.wait_ms(now_ms)
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
        if self._is_on and (self._link is None or self._adverts.is_urgent):
            wait_ms = min(wait_ms, self._adverts.wait_ms(now_ms))
        return max(wait_ms, limits.RADIO_SEND_WAIT_MS)

    def _switch_on(self, now_ms: int) -> None:
        radio = self._radio
        try:
            if not radio.is_started:
                radio.start("Redband", limits.FIRMWARE_VERSION)
            radio.set_info(self._info_value)
        except OSError as error:
            radio.is_started = False
            self._failed(now_ms, error)
            return
        self._forget_links()
        self._shown_battery_pct = -1
        self._is_on = True

    def _switch_off(self) -> None:
        """End all that the controller does: between two windows, or to start it afresh."""
        self._drop_link()
        self._is_on = self._is_beside = False
        try:
            self._radio.stop()
        except OSError:
            self._state.radio_failures += 1  # start() switches it off once more
        self._observer.forget()

    def _failed(self, now_ms: int, error: OSError) -> None:
        self._failures += 1
        self._state.radio_failures += 1
        pause_ms = limits.RADIO_RETRY_FIRST_MS << min(self._failures - 1, 10)
        self._retry_at_ms = now_ms + min(pause_ms, limits.RADIO_RETRY_LONGEST_MS)
        if self._failures == limits.RADIO_FAULT_FAILURES:
            self._state.set_fault(numbers.FAULT_RADIO, True)
            self._note_queue.put((numbers.NOTE_RADIO_OFF, error.errno or 0))
        is_stuck = self._failures % limits.RADIO_RESTART_FAILURES == 0
        if self._is_on and (is_stuck or error.errno == _ENODEV):
            self._switch_off()

    def _forget_links(self) -> None:
        # Started again after a failure of this task: the peer's session is gone with it.
        if self._link is not None:
            self._radio.disconnect(self._link.connection)
            self._drop_link()
        self._adverts.forget()
        self._observer.forget()

    def _drop_link(self) -> None:
        if self._link is not None:
            self._link = None
            self._link_modules.end()

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
                    self._adverts.forget()
            elif code == hal_radio.EVENT_DISCONNECTED:
                self._drop_link()
                self._adverts.forget()  # advertising stopped with the connection
            elif code == hal_radio.EVENT_MTU:
                link.session.set_mtu(data)
            else:
                link.session.control_written(data, now_ms)
            event = self._radio.take_event()

    def _connected(self, connection: int) -> None:
        if self._link is not None and self._link.connection != connection:
            self._radio.disconnect(connection)  # one host at a time
            self._adverts.forget()  # it came in by an advert beside the link, and ended that
            return
        self._drop_link()
        self._is_beside = False
        try:
            self._link = self._opened(connection)
        except MemoryError:
            # A host that comes again may find more room; the game goes on.
            self._state.radio_failures += 1
            self._radio.disconnect(connection)
            self._adverts.forget()

    def _opened(self, connection: int):
        module = self._link_modules.take()
        try:
            return self._make_link(module, connection)
        except MemoryError:
            self._link_modules.end()
            raise

    def _note_refusals(self, now_ms: int) -> None:
        count = self._access.refused_count - self._noted_refusals
        if count and now_ms >= self._note_at_ms:
            self._note_queue.put((numbers.NOTE_AUTH_REFUSED, count))
            self._noted_refusals += count
            self._note_at_ms = now_ms + limits.AUTH_NOTE_MS

    # Advertising.

    def _advertise(self, now_ms: int) -> None:
        adverts = self._adverts
        data, response = adverts.make(), advert.scan_response()
        self._radio.advertise(adverts.interval_ms(now_ms), data, response)

    def _refresh_beside(self, now_ms: int) -> None:
        """A link ends the adverts; what cannot wait for its end is said beside it.

        Where the controller can't do that, an emergency ends the link.
        """
        adverts, link = self._adverts, self._link
        if link is None or not (self._is_beside or adverts.is_urgent):
            return
        if now_ms < self._beside_at_ms or not adverts.is_due(now_ms):
            return
        try:
            self._advertise(now_ms)
        except OSError:
            self._beside_at_ms = now_ms + limits.RADIO_RETRY_FIRST_MS
            if self._state.is_emergency and not link.is_closing:
                link.close(now_ms)
            return
        self._is_beside = True
        adverts.said(now_ms)

    def _refresh(self, now_ms: int) -> None:
        state, adverts = self._state, self._adverts
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
        self._failures = 0
        self._retry_at_ms = 0
        state.set_fault(numbers.FAULT_RADIO, False)
        adverts.said(now_ms)
