"""One connection: its session, its journal to read, and its notifications.

Guarantee: notifications wait for the stack's room and none is skipped; an idle or broken link is
ended. Loaded when a host connects, gone when it leaves (on_demand.LINK).
"""

from redband_badge import limits
from redband_badge.journal_pages import JournalPages
from redband_core.info import encode_info
from redband_core.session import BadgeSession
from redband_hal import system


def new_nonce() -> bytes:
    """Return 16 random bytes."""
    return b"".join([system.random_u32().to_bytes(4, "little") for _ in range(4)])


def info_value(info) -> bytes:
    """Return what a read of the INFO characteristic says. `info`: see BadgeSession."""
    return encode_info(info)


class Link:
    """One host at the radio.

    `is_sending`: there was more to send than one turn may. `is_closing`: the controller was asked
    to end it.
    """

    def __init__(self, radio, connection: int, store, release, session: tuple, wake) -> None:
        """`store`: the journal. `release(before_seq)`: see JournalPages. `session`: info, access
        and handlers, see BadgeSession. `wake`: what to call when there is something to be sent.
        """
        info, access, handlers = session
        self.connection = connection
        pages = JournalPages(store, release)
        self.session = BadgeSession(info, pages, access, new_nonce(), handlers)
        self.session.wake = wake
        self.is_sending = False
        self._radio = radio
        self._blocked_since_ms = -1  # when the stack first had no room, -1 when it has
        self._closing_since_ms = -1

    @property
    def is_closing(self) -> bool:
        return self._closing_since_ms >= 0

    def serve(self, now_ms: int) -> bool:
        """Send what is to be sent, and see to the link's end; return False when it is over and
        the controller never said so.
        """
        if self.is_closing:
            return now_ms - self._closing_since_ms <= limits.CLOSE_TIMEOUT_MS
        try:
            self._send(now_ms)
            is_over = self.session.close_reason(now_ms) != 0
        except OSError:
            is_over = True  # the link or the flash failed; the host asks again
        if self._blocked_since_ms >= 0:
            is_over = is_over or now_ms - self._blocked_since_ms > limits.BLOCKED_TIMEOUT_MS
        if is_over:
            self.close(now_ms)
        return True

    def close(self, now_ms: int) -> None:
        """Ask the controller to end it."""
        self._closing_since_ms = now_ms
        self.is_sending = False
        self._radio.disconnect(self.connection)

    def _send(self, now_ms: int) -> None:
        self.is_sending = True
        for _ in range(limits.BURST_NOTIFICATIONS):
            notification = self.session.next_notification()
            if notification is None:
                self.is_sending = False
                return
            channel, data = notification
            if not self._radio.notify(self.connection, channel, data):
                if self._blocked_since_ms < 0:
                    self._blocked_since_ms = now_ms
                return
            self._blocked_since_ms = -1
            self.session.sent()
