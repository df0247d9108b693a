"""The medic's tap on the air: a patient calls, a medic's badge offers, the patient answers.

Guarantee: a patient's badge takes one offer for one call, of a medic of this game who is near, and
says what the rules made of it; a medic's badge offers to one patient at a time. A call lives in
memory only: a restart ends it, and what was offered to it is worth nothing then. One tap at a
time; a new gesture ends the one before. Imported by the first gesture, gone after the last answer.
"""

import cryptolib

from redband_badge import commands, limits
from redband_badge.observer import AGAIN, NOT_OURS, TAKEN
from redband_core import advert, broadcasts, keys, numbers, opening, sealing, tap
from redband_hal import system

_ECB = 1


def want(side, modules) -> None:
    """Call for a medic. `side`: RadioSide. `modules`: the Needed of this module."""
    end(side.observer)
    if side.observer.access.file:
        side.observer.tap = Patient(side, modules)
    else:
        side.state.show_once(tap.REFUSED)
        modules.end()


def pick(side, modules, number: int, event: tuple, given: "tuple | None") -> None:
    """Look for the patient whom `event`, a medic's action picked by its `number`, is for.

    `given`: what it does to the medic, (event id, args).
    """
    end(side.observer)
    side.state.show_once(tap.picked(number))
    side.observer.tap = Medic(side, modules, event, given)


def end(observer) -> None:
    """End what is going on, if anything; at the end nothing is left of it in the memory."""
    ended = observer.tap
    if ended is None:
        return
    ended.hush()
    observer.tap = None
    for kind in (advert.KIND_WANTED, advert.KIND_OFFER, advert.KIND_RESULT):
        observer.takers.pop(kind, None)
    observer.on_poll = None
    observer.forget()
    ended.modules.end()


def _cipher(access):
    return cryptolib.aes(access.key(keys.ADVERT_ENCRYPT_AT), _ECB)


class _Tap:
    """What both sides have in common."""

    def __init__(self, side, modules, kind: int, for_ms: int) -> None:
        """`kind`: of the calls to listen for."""
        self._side = side
        self.modules = modules
        self._access = side.observer.access
        self._said = []  # payloads on the air
        self.until_ms = 0
        side.observer.on_poll = self.poll
        self._await(kind, for_ms)

    def _await(self, kind: int, for_ms: int) -> None:
        """Listen for calls of a `kind`, for so long from now on."""
        observer = self._side.observer
        self.until_ms = observer.now_ms + for_ms
        observer.takers[kind] = self.hear
        observer.forget()  # the controller is told of the new kind
        observer.listen(for_ms)

    def _say(self, payload: bytes, for_ms: int) -> None:
        self._said.append(payload)
        self._side.observer.call(payload, for_ms)

    def hush(self) -> None:
        """Say nothing more."""
        for payload in self._said:
            self._side.observer.hush(payload)
        self._said = []

    def hear(self, payload: bytes, rssi_dbm: int, _now_ms: int) -> int:
        """Take a call, see Observer. Raises ProtocolError."""
        raise NotImplementedError

    def poll(self, now_ms: int) -> None:
        """Let time pass, up to the end."""
        if now_ms >= self.until_ms:
            self.late()
            end(self._side.observer)

    def late(self) -> None:
        """Nobody answered in time, or all was said."""


class Patient(_Tap):
    """One call for a medic, and the answer to the offer that was taken."""

    def __init__(self, side, modules) -> None:
        _Tap.__init__(self, side, modules, advert.KIND_OFFER, limits.TAP_WANTED_MS)
        access = self._access
        self._nonce = system.random_u32()
        self._medic_id = -1  # whose offer was taken
        block = broadcasts.wanted_block(
            side.info.badge_id,
            access.advert_count,
            self._nonce,
            min(side.state.signal, advert.SIGNAL_MAX),
            0,
        )
        key = access.key(keys.ADVERT_PROOF_AT)
        self._say(
            sealing.seal(advert.KIND_WANTED, block, key, _cipher(access).encrypt),
            limits.TAP_WANTED_MS,
        )
        side.state.show_once(tap.CALLING * limits.TAP_CALLING_TIMES)

    def hear(self, payload: bytes, rssi_dbm: int, _now_ms: int) -> int:
        access = self._access
        block = opening.unproven_block(payload, _cipher(access).decrypt)
        offer = broadcasts.parse_offer(block)
        patient_id, medic_id, nonce, role = offer[:4]
        own_id = self._side.info.badge_id
        if patient_id != own_id:
            return NOT_OURS
        key = access.badge_key(role)
        is_proven = key and opening.is_proven(payload, block, key)
        if not is_proven or nonce != self._nonce or medic_id == own_id:
            # Forged, or recorded; the radio task notes how many there were, once a minute.
            access.refused_count += 1
            return NOT_OURS
        if rssi_dbm < tap.RSSI_MIN_DBM:
            return NOT_OURS
        if self._medic_id >= 0:
            if medic_id != self._medic_id:
                self._answer(medic_id, role, offer[4][0], numbers.ANSWER_ALREADY)
            return TAKEN
        return self._take(medic_id, role, offer)

    def _take(self, medic_id: int, role: int, offer: tuple) -> int:
        """Let the game task decide on an offer."""
        side = self._side
        event_id, refusal = offer[4][0], self._refusal(role, offer)

        def decided(outcome: int) -> None:
            self.until_ms = side.observer.now_ms + limits.TAP_RESULT_MS
            side.observer.listen(limits.TAP_RESULT_MS)
            self.hush()
            self._answer(medic_id, role, event_id, outcome)
            side.state.show_once(tap.REFUSED if outcome else tap.ACCEPTED)

        if refusal:
            decided(refusal)
        else:
            self.until_ms = (
                side.observer.now_ms + limits.TAP_RESULT_MS
            )  # the flash may take its time
            event = (event_id, offer[4][1 : 1 + side.ruleset.event_args[event_id]])
            who, nonce = (tap.PATIENT, role), self._nonce
            value = (who, medic_id, nonce, numbers.ANSWER_FOLLOWS, event, None)
            if not side.pending_commands.give(commands.TAP, value, decided):
                return NOT_OURS  # no room now; the offer is said again
        self._medic_id = medic_id
        return TAKEN

    def _refusal(self, role: int, offer: tuple) -> int:
        """Return why an offer is none for these rules, 0 when it is one."""
        side = self._side
        identity = side.info.ruleset_identity
        if offer[6] != identity[0] | identity[1] << 8:
            return numbers.ANSWER_OTHER_RULES
        event_id = offer[4][0]
        if event_id >= len(side.ruleset.event_args) or side.ruleset.event_args[event_id] > 2:
            return numbers.ANSWER_UNKNOWN
        return 0 if commands.may_send(side.ruleset, event_id, role) else numbers.ANSWER_ROLE

    def _answer(self, medic_id: int, role: int, event_id: int, outcome: int) -> None:
        access = self._access
        block = broadcasts.result_block(
            self._side.info.badge_id, medic_id, self._nonce, event_id, outcome
        )
        payload = broadcasts.seal_plain(
            advert.KIND_RESULT, block, access.badge_key(role), _cipher(access).encrypt
        )
        self._say(payload, limits.TAP_RESULT_MS)


class Medic(_Tap):
    """One action that was picked, until its patient has answered."""

    def __init__(self, side, modules, event: tuple, given: "tuple | None") -> None:
        _Tap.__init__(self, side, modules, advert.KIND_WANTED, limits.TAP_PICK_MS)
        self._event = event
        self._given = given
        self._calls = []
        self._from_ms = -1  # when the first call was heard
        self._problem = tap.NONE
        self._patient = None  # (id, nonce) of whom it offers to
        self._role = self._access.file[keys.OWN_ROLE_AT]
        self._is_answered = False

    def hear(self, payload: bytes, rssi_dbm: int, now_ms: int) -> int:
        if opening.kind_of(payload) == advert.KIND_RESULT:
            return self._hear_result(payload)
        access = self._access
        key = access.key(keys.ADVERT_PROOF_AT)
        block = opening.opened(payload, key, _cipher(access).decrypt)
        if block is None or self._patient is not None:
            return NOT_OURS
        patient_id, _count, nonce = broadcasts.parse_wanted(block)[:3]
        if patient_id == self._side.info.badge_id:
            return NOT_OURS
        tap.hear(self._calls, patient_id, nonce, rssi_dbm, now_ms)
        if self._from_ms < 0:
            self._from_ms = now_ms
        if now_ms - self._from_ms >= limits.TAP_LISTEN_MS:
            self._choose(tap.nearest(self._calls, now_ms))
        return AGAIN

    def _choose(self, found: "list | int") -> None:
        if isinstance(found, list):
            self._patient = (found[0], found[1])
            if not self._write(numbers.ANSWER_ASKED, None, self._offer):
                self._patient = None  # no room now; the call is said again
        elif found != self._problem:
            self._problem = found
            if found == tap.TWO:
                self._side.state.show_once(tap.COME_CLOSER)

    def _write(self, outcome: int, given: "tuple | None", done) -> bool:
        patient_id, nonce = self._patient or (tap.NOBODY, 0)
        who = (tap.MEDIC, self._role)
        value = (who, patient_id, nonce, outcome, self._event, given)
        return self._side.pending_commands.give(commands.TAP, value, done)

    def _offer(self, _answer: int) -> None:
        """The journal has it: say it, and listen for what comes of it."""
        side, access = self._side, self._access
        if side.observer.tap is not self or self._patient is None:
            return  # another gesture came between
        identity = side.info.ruleset_identity
        patient_id, nonce = self._patient
        event = (self._event[0],) + (self._event[1] + (0, 0))[:2]
        block = broadcasts.offer_block(
            patient_id,
            side.info.badge_id,
            nonce,
            self._role,
            event,
            access.advert_count,
            identity[0] | identity[1] << 8,
        )
        key = keys.badge_key(access.key(keys.OWN_KEY_AT), patient_id)
        payload = broadcasts.seal_plain(advert.KIND_OFFER, block, key, _cipher(access).encrypt)
        self._say(payload, limits.TAP_OFFER_MS)
        side.observer.takers.pop(advert.KIND_WANTED, None)
        self._await(advert.KIND_RESULT, limits.TAP_OFFER_MS + limits.TAP_RESULT_MS)

    def _hear_result(self, payload: bytes) -> int:
        access = self._access
        block = opening.unproven_block(payload, _cipher(access).decrypt)
        patient_id, medic_id, nonce, _event_id, outcome = broadcasts.parse_result(block)
        if (patient_id, nonce) != self._patient or medic_id != self._side.info.badge_id:
            return NOT_OURS
        key = keys.badge_key(access.key(keys.OWN_KEY_AT), patient_id)
        if not opening.is_proven(payload, block, key):
            return NOT_OURS

        def written(_answer: int) -> None:
            self._side.state.show_once(tap.REFUSED if outcome else tap.ACCEPTED)
            if self._side.observer.tap is self:
                self.until_ms = 0

        if not self._write(outcome, None if outcome else self._given, written):
            return NOT_OURS
        self._is_answered = True
        self.hush()
        return TAKEN

    def late(self) -> None:
        if not self._is_answered:
            self._side.state.show_once(tap.NO_ANSWER)
