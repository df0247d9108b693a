"""What the badge broadcasts, when it says so anew, and how often.

Guarantee: no two adverts of a badge have the same count, over restarts as well, so none can be
taken for a later one; a badge that is there has said something new within ADVERT_RENEW_MS; values
too large for their field are capped. Without keys it says its number and flags, and of the game
nothing, not even when something happens. Touches no radio: radio_task does.
"""

import cryptolib

from redband_badge import limits
from redband_core import advert, keys, sealing

_COUNT_BITS = 18  # within one start; above them the count of starts
_COUNT_MASK = (1 << _COUNT_BITS) - 1
_STARTS_MASK = 0x3FFF
_ECB = 1  # of cryptolib: one block by itself


def first_count(boot_count: int) -> int:
    """Return the count before the first advert of a start."""
    return (boot_count & _STARTS_MASK) << _COUNT_BITS


class Adverts:
    """The adverts of one start. `access.advert_count` is kept at the newest one's count."""

    def __init__(self, state, info, access, boot) -> None:
        """`state`: BadgeState. `info`: BadgeInfo. `access`: the keys. `boot`: BootRecord."""
        self._state = state
        self._info = info
        self._access = access
        self._boot = boot
        access.advert_count = first_count(boot.boot_count)
        self._revision = -1
        self._changed_ms = -limits.ADVERT_NORMAL_FOR_MS
        self._said = (0, 0, 0)  # interval, revision, record number of what is on the air
        self._said_ms = 0
        self._guests = []  # (payload, until ms) of broadcasts
        self._guest_turn = 0
        self._is_guest_said = False
        self.slowest_ms = limits.ADVERT_IDLE_INTERVAL_MS  # less: the radio is seldom on

    def broadcast(self, payload: bytes, until_ms: int) -> None:
        """Say another payload of 24 bytes in turns with the state, up to `until_ms`.

        The same one again: from now up to then. Beyond ADVERT_GUESTS_MAX the oldest makes room.
        """
        self.hush(payload)
        self._guests = self._guests[1 - limits.ADVERT_GUESTS_MAX :] + [(payload, until_ms)]

    def hush(self, payload: bytes) -> None:
        """Say a broadcast no more."""
        self._guests = [guest for guest in self._guests if guest[0] != payload]

    @property
    def is_urgent(self) -> bool:
        """Return whether what is to be said cannot wait for the end of a connection."""
        return self._state.is_emergency or bool(self._guests)

    def forget(self) -> None:
        """Nothing is on the air: the next advert is due at once."""
        self._said = (0, 0, 0)

    def interval_ms(self, now_ms: int) -> int:
        """Return how often the controller is to send: fast for a while after a change."""
        return min(self._calm_interval_ms(now_ms), self.slowest_ms)

    def _calm_interval_ms(self, now_ms: int) -> int:
        state = self._state
        if state.revision != self._revision:
            self._revision = state.revision
            self._changed_ms = now_ms
        if state.is_emergency and self._access.file:
            return limits.ADVERT_FAST_INTERVAL_MS
        if not self._access.file or state.is_critical:
            return limits.ADVERT_IDLE_INTERVAL_MS
        age_ms = now_ms - self._changed_ms
        is_news = age_ms < limits.ADVERT_FAST_FOR_MS and not state.is_saving
        if is_news or self._guests:
            return limits.ADVERT_FAST_INTERVAL_MS
        if age_ms < limits.ADVERT_NORMAL_FOR_MS or state.timer_left_ms >= 0:
            return limits.ADVERT_NORMAL_INTERVAL_MS
        return limits.ADVERT_IDLE_INTERVAL_MS

    def _wanted(self, now_ms: int) -> tuple:
        if not self._access.file:  # when something happens is nobody's business
            return (self.interval_ms(now_ms), self._state.flags, 0)
        return (self.interval_ms(now_ms), self._state.revision, self._state.last_seq)

    def is_due(self, now_ms: int) -> bool:
        """Return whether something has to be said anew."""
        if self._guests:
            self._guests = [guest for guest in self._guests if now_ms < guest[1]]
        age_ms = now_ms - self._said_ms
        if self._guests or self._is_guest_said:
            return age_ms >= limits.ADVERT_TURN_MS or not self._said[0]
        is_running = self._state.timer_left_ms >= 0
        limit_ms = limits.ADVERT_TIMER_RENEW_MS if is_running else limits.ADVERT_RENEW_MS
        return age_ms >= limit_ms or self._wanted(now_ms) != self._said

    def wait_ms(self, now_ms: int) -> int:
        """Return for how long nothing has to be said anew, unless something changes."""
        age_ms = now_ms - self._said_ms
        if self._guests or self._is_guest_said:
            return limits.ADVERT_TURN_MS - age_ms
        is_running = self._state.timer_left_ms >= 0
        left_ms = limits.ADVERT_TIMER_RENEW_MS if is_running else limits.ADVERT_RENEW_MS
        left_ms -= age_ms
        for span_ms in (limits.ADVERT_FAST_FOR_MS, limits.ADVERT_NORMAL_FOR_MS):
            slower_ms = self._changed_ms + span_ms - now_ms
            if 0 < slower_ms < left_ms:
                left_ms = slower_ms
        return left_ms

    def make(self) -> bytes:
        """Return the advertising data to say now, under a new count."""
        self._is_guest_said = bool(self._guests) and not self._is_guest_said
        if self._is_guest_said:
            self._guest_turn += 1
            guest = self._guests[self._guest_turn % len(self._guests)]
            return advert.advertising_data(guest[0])
        access = self._access
        if not access.file:
            info, state = self._info, self._state
            return advert.advertising_data(advert.encode_unkeyed(info.badge_id, state.flags))
        block = advert.encode_state(self.state_values(self._next_count()))
        encrypt = cryptolib.aes(access.key(keys.ADVERT_ENCRYPT_AT), _ECB).encrypt
        proof_key = access.key(keys.ADVERT_PROOF_AT)
        return advert.advertising_data(sealing.seal(advert.KIND_STATE, block, proof_key, encrypt))

    def said(self, now_ms: int) -> None:
        """Note that the controller has taken what `make` returned."""
        self._said = self._wanted(now_ms)
        self._said_ms = now_ms

    def _next_count(self) -> int:
        count = self._access.advert_count + 1
        if not count & _COUNT_MASK:
            # All of this start are used up, by days of hits without a pause: it is the next one.
            self._boot.boot_count += 1
            self._boot.save()
            count = first_count(self._boot.boot_count) + 1
        self._access.advert_count = count
        return count

    def state_values(self, count: int) -> tuple:
        """Return what to say of the state, for advert.encode_state."""
        state, info = self._state, self._info
        timer_s = advert.NO_TIMER
        if state.timer_left_ms >= 0:
            timer_s = min((state.timer_left_ms + 999) // 1000, advert.NO_TIMER - 1)
        return (
            info.badge_id,
            count,
            min(state.signal, advert.SIGNAL_MAX),
            min(state.counters[0], 255),
            min(state.counters[1], 255),
            timer_s,
            state.last_seq if state.last_seq >= 0 else advert.NO_SEQ,
            state.battery_pct,
            info.role,
            state.flags,
            state.is_paused,
            state.is_emergency,
        )
