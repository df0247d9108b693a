"""When a radio that is not always on is switched on: in a short window every few seconds.

Problem: an ESP32-C3 under MicroPython needs some 80 mA whenever Bluetooth is on, and 20 without
(docs/power.md). Guarantee: whatever is happening keeps the radio on: a connection, a host at the
USB port, a change or an input of the last minute, an emergency, a call to others, a medic's tap.
A badge whose heap is short keeps it on, too, and with it the memory that Bluetooth needs. In a
window the badge listens all the time. Decides only: radio_task switches. Loaded in windowed mode
alone.
"""

from redband_hal import system

WINDOW_MS = 700  # on the air: seven adverts, of which a host that listens hears one at least
WINDOW_PERIOD_MS = 5000  # a host waits so long; what is passed on for 5 s meets a window
WINDOW_INTERVAL_MS = 100  # of adverts, also when nothing happens
AFTER_CHANGE_MS = 60_000  # of the state, or an input
OPEN_WAIT_MS = 50  # between two looks in a window, and between two windows at most
CLOSED_WAIT_MAX_MS = 1000
AFTER_LINK_MS = 5000  # a host that has more to say connects again


class Windows:
    """See the module's text. `poll` before each turn of the radio task."""

    def __init__(self, state, observer, sleeper) -> None:
        """`sleeper`: a Sleeper, which may sleep while the radio is off."""
        self._state = state
        self._observer = observer
        adverts = observer.adverts
        self._sleeper = sleeper
        adverts.slowest_ms = WINDOW_INTERVAL_MS
        self._is_open = True  # a start counts as a change
        self._was_on = False
        self._since_ms = 0  # when the window began, or the last reason to keep it open was there
        self._seen = None
        self._until_ms = 0
        self._listening_ms = 0

    def poll(self, now_ms: int, is_on: bool) -> bool:
        """Return whether the radio is to be on now.

        `is_on`: whether it is. A window's time runs from then, however long the start has taken.
        """
        is_needed = self._is_needed(now_ms)
        if is_needed or (is_on and not self._was_on):
            self._since_ms = now_ms
            if not is_needed:
                self._listen(now_ms + WINDOW_MS)
        self._was_on = is_on
        open_ms = now_ms - self._since_ms
        if not self._is_open:
            self._is_open = is_needed or open_ms >= WINDOW_PERIOD_MS
        elif is_on:
            self._is_open = open_ms < WINDOW_MS
            if not self._is_open and system.is_heap_short():
                # Switched off, Bluetooth gives its memory away: Python must not need it meanwhile.
                self._is_open = True
                self._since_ms = now_ms
        self._sleeper.needs_radio = self._is_open
        return self._is_open

    def wait_ms(self, now_ms: int) -> int:
        """Return for how long poll() says the same, unless something changes."""
        if self._is_open:
            return OPEN_WAIT_MS
        return max(0, min(self._since_ms + WINDOW_PERIOD_MS - now_ms, CLOSED_WAIT_MAX_MS))

    def _listen(self, until_ms: int) -> None:
        observer = self._observer
        if observer.full_until_ms < until_ms:
            observer.full_until_ms = self._listening_ms = until_ms

    def _is_needed(self, now_ms: int) -> bool:
        state, observer = self._state, self._observer
        seen = (state.revision, state.acknowledged, state.refused, state.identified)
        if seen != self._seen:
            self._seen = seen
            self._until_ms = now_ms + AFTER_CHANGE_MS
        if state.is_connected:
            self._until_ms = max(self._until_ms, now_ms + AFTER_LINK_MS)
        listens_ms = observer.full_until_ms
        return (
            now_ms < self._until_ms
            or (now_ms < listens_ms and listens_ms != self._listening_ms)
            or self._sleeper.is_usb
            or observer.tap is not None
            or observer.adverts.is_urgent
        )
