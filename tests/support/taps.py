"""For the tests of the medic's tap: badges of a game, what they say on the air, their journals."""

from __future__ import annotations

import asyncio

import pytest
from tests.core.data.aes import decryptor, encryptor
from tests.support import badge_journal
from tests.support.badge_journal import records
from tests.support.waiting import WAIT_S, until

from redband import rules
from redband.keys.derive import badge_key
from redband.virtual.badge import VirtualBadge
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.radio.advertiser import AdvertPdu, AdvertType
from redband.virtual.radio.badge_radio import BadgeRadio
from redband.virtual.radio.controller import RadioController
from redband_core import advert, broadcasts, journal, numbers, opening, tap
from redband_core.settings_check import ROLES

STRANGER = "F0:DE:00:00:00:77"
HEAD_BYTES = 7
GAP_MS = 500
"""Longer than the pause that ends a row of presses."""
NEAR, FAR = -50, -80


class Air:
    """All that the badges of a field say, and a radio of a stranger's."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.said: list[tuple[str, int, bytes]] = []  # (sender, kind, payload), once each
        self._arrived: list[tuple[str, str, int]] = []  # (badge, sender, kind), each time
        self._news = asyncio.Event()
        self._broadcast = field.ether.broadcast
        field.ether.broadcast = self._take  # pyright: ignore[reportAttributeAccessIssue]
        self.decrypt = decryptor(field.keys.advert_encrypt)
        self.encrypt = encryptor(field.keys.advert_encrypt)
        self._stranger: RadioController | None = None

    def _take(self, sender: RadioController, pdu: AdvertPdu) -> None:
        payload = bytes(pdu.data[HEAD_BYTES:])
        entry = (sender.name, payload[1] & 15, payload)
        if entry[1] != advert.KIND_STATE and entry not in self.said:
            self.said.append(entry)
            self._news.set()
        self._broadcast(sender, pdu)

    def arrive(self, badge: str, pdu: AdvertPdu) -> None:
        """Note that a badge's controller has given its program an advert."""
        self._arrived.append((badge, str(pdu.sender.name), pdu.data[HEAD_BYTES + 1] & 15))

    def arrivals(self, badge_id: int, kind: int, sender: int | str = STRANGER) -> int:
        """Return how many adverts of a kind a badge was given by a badge, or at an address."""
        sender = BadgeSpec(sender).address if isinstance(sender, int) else sender
        return self._arrived.count((BadgeSpec(badge_id).address, sender, kind))

    def of(self, kind: int, badge_id: int | None = None) -> list[bytes]:
        """Return the payloads of a kind that were said, by a badge, in their order."""
        sender = None if badge_id is None else BadgeSpec(badge_id).address
        return [p for s, k, p in self.said if k == kind and sender in (None, s)]

    async def next(self, kind: int, badge_id: int, after: int = 0) -> bytes:
        """Return the badge's payload number `after` of a kind, when it is said."""
        async with asyncio.timeout(WAIT_S):
            while len(self.of(kind, badge_id)) <= after:
                self._news.clear()
                await self._news.wait()
        return self.of(kind, badge_id)[after]

    def results(self, badge_id: int) -> list[tuple[int, int]]:
        """Return (medic, outcome) of what a patient has answered."""
        found = []
        for payload in self.of(advert.KIND_RESULT, badge_id):
            block = opening.unproven_block(payload, self.decrypt)
            _patient, medic, _nonce, _event, outcome = broadcasts.parse_result(block)
            found.append((medic, outcome))
        return found

    def nonce(self, wanted: bytes) -> int:
        """Return the nonce of a call."""
        block = opening.opened(wanted, self.field.keys.advert_proof, self.decrypt)
        assert block is not None
        return broadcasts.parse_wanted(block)[2]

    def offer(self, patient: int, medic: int, nonce: int, event: str, **how) -> bytes:
        """Return an offer made by somebody with a computer. how: keys, badge, role, ruleset."""
        ruleset = rules.load(how.get("ruleset", "wounds"))
        role = ROLES.index(how.get("role", "medic"))
        key = badge_key(how.get("keys", self.field.keys), how.get("badge", patient), role)
        assert key is not None
        known = int.from_bytes(ruleset.ruleset.identity[:2], "little")
        number = ruleset.event(event).id
        block = broadcasts.offer_block(patient, medic, nonce, role, (number, 0, 0), 0, known)
        encrypt = encryptor(how.get("keys", self.field.keys).advert_encrypt)
        return broadcasts.seal_plain(advert.KIND_OFFER, block, key, encrypt)

    async def shout(self, payload: bytes, times: int = 20) -> None:
        """Send a payload as a stranger near everybody, ten times a second."""
        if self._stranger is None:
            self._stranger = RadioController(self.field.ether, STRANGER)
        sender = self._stranger
        data = advert.advertising_data(payload)
        for _ in range(times):
            pdu = AdvertPdu(sender, sender.public_address, AdvertType.ADV_NONCONN_IND, data, b"")
            self._broadcast(sender, pdu)
            await asyncio.sleep(0.1)


@pytest.fixture
def air(field: Field, monkeypatch: pytest.MonkeyPatch) -> Air:
    """Return all that is said in the field, and arrives."""
    heard, result = Air(field), BadgeRadio._scan_result

    def noted_result(radio: BadgeRadio, pdu: AdvertPdu, *rest) -> None:
        heard.arrive(radio.address, pdu)
        result(radio, pdu, *rest)

    monkeypatch.setattr(BadgeRadio, "_scan_result", noted_result)
    return heard


def place(field: Field, one: int, other: int, dbm: int | None) -> None:
    """Set how loud two badges hear each other."""
    field.ether.set_rssi(BadgeSpec(one).address, BadgeSpec(other).address, dbm)


async def join(field: Field, badge_id: int, ruleset: str = "wounds", **how) -> VirtualBadge:
    """Let a badge of a game with medics' badges join; it has begun to play.

    how: role, skill, params (by name), treatment, radio_mode, files.
    """
    params = tuple(rules.load(ruleset).param_values(how["params"])) if "params" in how else ()
    options = (("treatment", how.get("treatment", "badge")), ("skill", how.get("skill", 0)))
    options += (("radio_mode", how.get("radio_mode", "continuous")),)
    spec = BadgeSpec(
        badge_id,
        f"Player {badge_id}",
        ruleset,
        params,
        how.get("role", "player"),
        options=options,
        files=how.get("files", ()),
    )
    badge = await field.add_badge(spec)
    await lit(badge)
    return badge


async def lit(badge: VirtualBadge) -> None:
    """Wait until a badge shows something: it plays."""
    await badge.wait_led(lambda leds: bool(leds[0] or leds[1]), WAIT_S)


async def hit(badge: VirtualBadge) -> None:
    """Press the button, see that it counted, and rest."""
    seen = asyncio.ensure_future(badge.wait_led(lambda leds: leds[0] and leds[1], WAIT_S))
    await badge.press(rest_ms=GAP_MS)
    await seen


async def call(air: Air, badge: VirtualBadge) -> bytes:
    """Hold the button; return the badge's call when it is on the air."""
    before = len(air.of(advert.KIND_WANTED, badge.badge_id))
    await badge.hold(rest_ms=GAP_MS)
    return await air.next(advert.KIND_WANTED, badge.badge_id, before)


async def pick(badge: VirtualBadge, number: int) -> None:
    """Press so often, and hold."""
    for _ in range(number):
        await badge.press(rest_ms=100)
    await badge.hold(rest_ms=GAP_MS)


async def treat(air: Air, patient: VirtualBadge, medic: VirtualBadge, number: int = 4) -> int:
    """Let a medic treat a patient by their badges; return the outcome, known to the medic, too."""
    before = len(air.results(patient.badge_id))
    known = len(answered(medic))
    await call(air, patient)
    await pick(medic, number)
    await air.next(advert.KIND_RESULT, patient.badge_id, before)
    await until(lambda: len(answered(medic)) > known)
    return air.results(patient.badge_id)[before][1]


def taps(badge: VirtualBadge) -> list[tuple]:
    """Return ((side, role), other badge, nonce, outcome, (event id, args)) of each TAP record."""
    return [tap.parse(one.payload) for one in records(badge) if one.kind == journal.TAP]


def answered(medic: VirtualBadge) -> list[int]:
    """Return the outcomes that a medic's journal knows."""
    return [
        one[3] for one in taps(medic) if one[0][0] == tap.MEDIC and one[3] != numbers.ANSWER_ASKED
    ]


def events(badge: VirtualBadge, ruleset: str = "wounds") -> list[str]:
    """Return the names of the events that a badge's journal says were applied."""
    names = rules.load(ruleset)
    return [names.events[number].name for number, _args in badge_journal.events(badge)]


def refusal(ruleset: str, name: str) -> int:
    """Return the number of a refusal."""
    return next(one.id for one in rules.load(ruleset).refusals if one.name == name)
