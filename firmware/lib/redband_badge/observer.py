"""Hears what other badges call: commands to all, patients who want a medic, medics' offers.

Guarantee: states of others never leave the interrupt handler; a call is taken once however often
it is repeated, unless its taker wants them all; rubbish costs a bounded share of the processor and
changes nothing; a controller that refuses to listen is asked again with growing pauses, and shown
as a fault (PITFALLS B11). What a call means: the functions in `takers`, see docs/commands.md.
"""

from redband_badge import limits
from redband_core import numbers
from redband_core.advert import form
from redband_core.errors import ProtocolError

# In an advertisement, from radio.HEAD_AT on: length, type, company, magic; then version and kind.
_HEAD = b"\x1b\xff\xff\xff\x52"
_PAYLOAD_AT = 7
_PROOF_AT = 25

NOT_OURS = 0  # results of a taker: nothing that this badge believes
TAKEN = 1  # the same call need not be shown again
AGAIN = 2  # believed, and wanted each time it is heard


def observing(is_full: bool, is_radio_on: bool, is_critical: bool) -> "tuple[int, int]":
    """Return (ms to listen, of how many): (0, 0) for not at all.

    `is_full`: somebody waits for an answer. `is_radio_on`: False between two windows of a radio
    that is switched. `is_critical`: the battery is nearly empty.
    """
    if not is_radio_on:
        return (0, 0)
    if is_full:
        return (limits.OBSERVE_FULL_MS, limits.OBSERVE_FULL_MS)
    return (
        limits.OBSERVE_WINDOW_MS,
        limits.OBSERVE_SAVING_MS if is_critical else limits.OBSERVE_PERIOD_MS,
    )


class Observer:
    """One badge's observer, polled by the radio task.

    `takers`: kind to a function (payload, rssi in dBm, uptime in ms) that returns NOT_OURS, TAKEN
    or AGAIN and may raise ProtocolError. `payload`: 24 bytes, nothing of it proven.
    `is_radio_on`: for whoever switches the radio.
    """

    def __init__(self, radio, state, note_queue, access, adverts) -> None:
        """`access`: keys; a badge without keys never listens. `adverts`: Adverts, to answer by."""
        self.radio = radio
        self._state = state
        self._note_queue = note_queue
        self.access = access
        self.adverts = adverts
        self.tap = None  # a medic's tap that is going on: see tap_calls
        self.now_ms = 0  # uptime at the last poll
        self.takers = {}
        self.is_radio_on = True
        self.full_until_ms = 0
        self.on_poll = None  # called with the uptime at each poll, while a tap is going on
        self._taken = []  # proofs of the last calls that need not be shown again
        self._asked = (0, 0)  # what the controller does
        self._asked_ms = 0
        self._failures = 0
        self._retry_at_ms = 0
        self._take_at_ms = 0

    def forget(self) -> None:
        """The controller was switched off or started: it listens to nothing."""
        self._asked = (0, 0)
        self._retry_at_ms = 0

    def call(self, payload: bytes, for_ms: int) -> None:
        """Broadcast a payload of 24 bytes in turns with the state. `for_ms`: from now on."""
        self.adverts.broadcast(payload, self.now_ms + for_ms)
        self._state.radio_wakeup.set()

    def hush(self, payload: bytes) -> None:
        """Broadcast a payload no more."""
        self.adverts.hush(payload)

    def listen(self, for_ms: int) -> None:
        """Listen all the time for so long: somebody waits for an answer."""
        self.full_until_ms = max(self.full_until_ms, self.now_ms + for_ms)
        self._state.radio_wakeup.set()

    def poll(self, now_ms: int) -> None:
        """Listen as is right now, and take what was heard. `now_ms`: uptime."""
        self.now_ms = now_ms
        if self.on_poll is not None:
            self.on_poll(now_ms)
        self._observe(now_ms)
        if now_ms < self._take_at_ms:
            return
        for _ in range(limits.OBSERVE_CALLS_PER_TAKE):
            heard = self.radio.take_heard()
            if heard is None:
                return
            self._take_at_ms = now_ms + limits.OBSERVE_TAKE_MS
            self._take(heard[0], heard[1], now_ms)

    def wait_ms(self, now_ms: int) -> int:
        """Return for how long poll() has nothing to do, unless something is heard."""
        if self.on_poll is not None:
            return limits.RADIO_TAP_WAIT_MS
        wait_ms = limits.RADIO_WAIT_MS
        for at_ms in (self._take_at_ms, self._retry_at_ms, self.full_until_ms):
            if now_ms < at_ms < now_ms + wait_ms:
                wait_ms = at_ms - now_ms
        return wait_ms

    def _observe(self, now_ms: int) -> None:
        if now_ms < self._retry_at_ms or not self.access.file:
            return
        is_full = now_ms < self.full_until_ms
        wanted = observing(is_full, self.is_radio_on, self._state.is_critical)
        is_old = now_ms - self._asked_ms >= limits.OBSERVE_RENEW_MS
        if wanted == self._asked and not (is_old and wanted[0]):
            return
        try:
            if wanted[0]:
                self.radio.observe(wanted[0], wanted[1], self._heads())
            else:
                self.radio.stop_observing()
        except OSError as error:
            self._failed(now_ms, error)
            return
        self._asked = wanted
        self._asked_ms = now_ms
        self._failures = 0
        self._state.set_fault(numbers.FAULT_OBSERVER, False)

    def _heads(self) -> tuple:
        return tuple([_HEAD + bytes((form(kind),)) for kind in sorted(self.takers)])

    def _failed(self, now_ms: int, error: OSError) -> None:
        self._failures += 1
        pause_ms = limits.RADIO_RETRY_FIRST_MS << min(self._failures - 1, 10)
        self._retry_at_ms = now_ms + min(pause_ms, limits.RADIO_RETRY_LONGEST_MS)
        self._asked = (0, 0)
        if self._failures == limits.RADIO_FAULT_FAILURES:
            self._state.set_fault(numbers.FAULT_OBSERVER, True)
            self._note_queue.put((numbers.NOTE_OBSERVER_OFF, error.errno or 0))

    def _take(self, advertisement: bytes, rssi_dbm: int, now_ms: int) -> None:
        payload = advertisement[_PAYLOAD_AT:]
        proof = advertisement[_PROOF_AT:]
        if proof in self._taken:
            return
        taker = self.takers.get(payload[1] & 15)
        if taker is None:
            return
        try:
            # Only what was believed is remembered: else rubbish with a copied proof, said a moment
            # sooner, would keep the real call away.
            if taker(payload, rssi_dbm, now_ms) == TAKEN:
                self._taken = self._taken[1 - limits.OBSERVE_REMEMBERED :] + [proof]
        except ProtocolError:
            return
