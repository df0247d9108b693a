"""What the host believes of an advert: proven, decrypted, and newer than all before it.

Problem: anybody can send an advert, and send again what a badge has sent. Guarantee: nothing of a
payload is read before its proof held; a badge's count never goes back, over restarts of the host
as well when the counts are kept; the same count again is a repeat for REPEAT_S and then a
recording, since a badge that is there says something new within ten seconds. What is refused is
counted by its cause. Pure: time is an argument.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from redband.keys import Keys
from redband.wire import advert as wire_advert
from redband.wire.advert import Advert
from redband_core import advert, sealing
from redband_core.errors import ProtocolError

REPEAT_S = 15.0
"""How long one advert may be heard: a badge renews its own each 10 s of its time."""

_VERSION_1 = b"RB\x01"
_STATE = bytes((advert.MAGIC, advert.form(advert.KIND_STATE)))
_HEAD_BYTES = len(_STATE)
_PROOF_AT = _HEAD_BYTES + advert.BLOCK_BYTES


class Verdict(Enum):
    """What an advert turned out to be."""

    GOOD = "good"
    """A state of a badge of this game, and not an old one."""

    OLD = "old"
    """Proven, with a count below the badge's last: a recording, or the badge begins anew."""

    REPLAYED = "replayed"
    """Proven, and heard for longer than a badge says the same: a recording."""

    FOREIGN = "foreign"
    """Of a Redband badge whose proof is not this game's: another game's, or forged."""

    UNKEYED = "unkeyed"
    """Of a badge that has no keys yet."""

    CALL = "call"
    """What badges say to each other: nothing for a host's table."""

    OTHER_VERSION = "other version"
    """Of a badge with older or newer firmware."""

    BROKEN = "broken"
    """Nothing a badge sends."""

    STRANGER = "stranger"
    """Not ours."""


@dataclass(slots=True)
class _Known:
    count: int
    since_s: float


class AdvertReader:
    """Reads payloads of manufacturer data, with one game's keys.

    keys: None reads nothing but that a badge is there. counts: the last count of each badge, as
    kept from an earlier run. changed: counts since the last take_changed.
    """

    def __init__(
        self,
        keys: Keys | None,
        counts: Mapping[int, int] | None = None,
    ) -> None:
        self._keys = keys
        self._known = {badge_id: _Known(count, -1e9) for badge_id, count in (counts or {}).items()}
        self._changed: set[int] = set()
        if keys is not None:
            self._proof_key = keys.advert_proof
            cipher = Cipher(algorithms.AES(keys.advert_encrypt), modes.ECB())  # single blocks
            self._decrypt = cipher.decryptor().update

    def read(self, payload: bytes, now_s: float) -> tuple[Verdict, Advert | None]:
        """Return what a payload is; with the Advert when it is GOOD, OLD or REPLAYED.

        payload: manufacturer data after the company id. now_s: of a clock that only grows.
        """
        if len(payload) != advert.PAYLOAD_BYTES or payload[0] != advert.MAGIC:
            return self._other(payload), None
        if payload[:_HEAD_BYTES] != _STATE:
            return self._of_kind(payload), None
        if self._keys is None:
            return Verdict.FOREIGN, None
        proof = hmac.digest(self._proof_key, payload[:_PROOF_AT], "sha256")
        if not hmac.compare_digest(proof[: sealing.PROOF_BYTES], payload[_PROOF_AT:]):
            return Verdict.FOREIGN, None
        try:
            found = wire_advert.decode_state(self._decrypt(payload[_HEAD_BYTES:_PROOF_AT]))
        except ProtocolError:
            return Verdict.BROKEN, None
        return self._verdict(found, now_s), found

    def _other(self, payload: bytes) -> Verdict:
        if payload[:3] == _VERSION_1:
            return Verdict.OTHER_VERSION
        if payload[:1] == _STATE[:1] and len(payload) > 1:
            is_ours = payload[1] >> 4 == advert.VERSION
            return Verdict.BROKEN if is_ours else Verdict.STRANGER
        return Verdict.STRANGER

    def _of_kind(self, payload: bytes) -> Verdict:
        version, kind = payload[1] >> 4, payload[1] & 15
        if version != advert.VERSION:
            return Verdict.OTHER_VERSION
        if kind == advert.KIND_UNKEYED:
            try:
                wire_advert.decode_unkeyed(payload)
            except ProtocolError:
                return Verdict.BROKEN
            return Verdict.UNKEYED
        is_call = kind in (advert.KIND_WANTED, advert.KIND_OFFER, advert.KIND_BROADCAST)
        return Verdict.CALL if is_call else Verdict.BROKEN

    def _verdict(self, found: Advert, now_s: float) -> Verdict:
        known = self._known.get(found.badge_id)
        if known is None or found.count > known.count:
            self._known[found.badge_id] = _Known(found.count, now_s)
            self._changed.add(found.badge_id)
            return Verdict.GOOD
        if found.count < known.count:
            return Verdict.OLD
        if known.since_s < 0:
            known.since_s = now_s  # kept from an earlier run, and heard for the first time
        return Verdict.GOOD if now_s - known.since_s <= REPEAT_S else Verdict.REPLAYED

    def met(self, badge_id: int, count: int, now_s: float) -> None:
        """Take in the count that a badge has proven in a session, also a lower one."""
        self._known[badge_id] = _Known(count, now_s)
        self._changed.add(badge_id)

    def take_changed(self) -> dict[int, int]:
        """Return the counts that changed since the last call, by badge id."""
        changed, self._changed = self._changed, set()
        return {badge_id: self._known[badge_id].count for badge_id in changed}
