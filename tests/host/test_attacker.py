"""The attacker against the badge's session and the host's code: nothing gets through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tests.core.data.link import DONE, Info, Link, Log, Store, drain
from tests.support import attacker
from tests.support.attacker import HIT, MASTER, MEDIC, ORDERS, STOP, Hijack, Loot
from tests.support.fake_radio import FakeAir, device
from tests.support.leap_loop import leaping

from redband.keys import GameKeys
from redband.keys.derive import badge_key
from redband.radio import SyncError, SyncFailure, sync_badge
from redband.wire import frames as wire_frames
from redband.wire.log_stream import LogClient
from redband_core import frames, keys, limits, proofs
from redband_core.frames import Joiner
from redband_core.keys import Access
from redband_core.session import OPEN, BadgeSession

GAME = GameKeys(bytes(range(32)))
OTHER_GAME = GameKeys(bytes(32))
BADGE_ID = Info.badge_id
NONCES = (b"badge's 16 bytes", b"another 16 bytes", b"after the reboot")
NO_ACCESS = frames.encode_refused(frames.REFUSED_ACCESS)
STAFF = 0b11000  # of the handlers here: game master and technician


class Badge:
    """A badge with a journal, whose orders are counted; a connection is a session."""

    def __init__(self) -> None:
        self.log = Log(60)
        self.access = Access(GAME.badge_file(BADGE_ID, 0))
        self.done: list[bytes] = []
        self.handlers = {
            opcode: (STAFF, lambda _session, _number, message: self.done.append(message))
            for opcode in (frames.COMMAND, frames.EVENT, frames.BROADCAST, 0x30)
        }

    def session(self, nonce: bytes = NONCES[0]) -> BadgeSession:
        session = BadgeSession(Info, self.log, self.access, nonce, self.handlers)
        session.set_mtu(247)
        return session

    def is_untouched(self) -> bool:
        return self.done == [] and self.log.released == [] and self.log.read_count == 0


@dataclass
class Outcome:
    """What an attack got. log: frames of the journal. closed_ms: after the first refusal."""

    answers: list[tuple[int, bytes]] = field(default_factory=list)
    log: list[bytes] = field(default_factory=list)
    refused_ms: int | None = None
    closed_ms: int | None = None

    def refusals(self) -> list[bytes]:
        return [message for _ms, message in self.answers if message[0] == frames.REFUSED]


def run(attack: attacker.Attack, session: BadgeSession, from_ms: int = 0) -> Outcome:
    """Let an attack talk to a session, looked at each 10 ms as by the badge's task."""
    outcome, joiner, now_ms = Outcome(), Joiner(), from_ms
    written = next(attack)
    while outcome.closed_ms is None and now_ms < from_ms + 30_000:
        for frame in written:
            session.control_written(frame, now_ms)
        answers = []
        for channel, frame in drain(session):
            if channel == frames.CHANNEL_LOG:
                outcome.log.append(frame)
            elif (message := joiner.add(frame)) is not None:
                answers.append(message[1])
                outcome.answers.append((now_ms - from_ms, message[1]))
                if message[1][0] == frames.REFUSED and outcome.refused_ms is None:
                    outcome.refused_ms = now_ms - from_ms
        if session.close_reason(now_ms) != OPEN:
            outcome.closed_ms = now_ms - from_ms - (outcome.refused_ms or 0)
        try:
            written = attack.send(answers) if answers or written else []
        except StopIteration:
            written = []
        now_ms += 10
    return outcome


def good_session(badge: Badge) -> list[bytes]:
    """Return what a good host writes to a badge: the loot."""
    link = Link(badge.log, Store(), 247)
    link.badge = badge.session()
    link.host = LogClient(
        link.store.next_seq_for,
        MASTER,
        lambda badge_id: badge_key(GAME, badge_id, MASTER) or b"",
        b"host8byt",
    )
    assert link.run() == DONE
    return link.ups


LOOT = Loot(BADGE_ID, good_session(Badge()), OTHER_GAME, GAME)
ATTACKS = dict(attacker.without_key(LOOT))


def test_the_loot_is_worth_something_where_it_was_taken() -> None:
    badge = Badge()
    outcome = run(attacker.replay(LOOT.session), badge.session())
    assert outcome.log
    assert badge.log.released


@pytest.mark.parametrize("name", ATTACKS)
def test_G12_attack_without_the_key_gets_no_access_now_an_hour_and_a_reboot_later(
    name: str,
) -> None:
    badge = Badge()
    for nonce, from_ms in ((NONCES[1], 1000), (NONCES[1], 3_600_000), (NONCES[2], 0)):
        if not from_ms:
            badge.access = Access(badge.access.file)  # the reboot: nothing is remembered
        session = badge.session(nonce)
        outcome = run(ATTACKS[name](), session, from_ms)
        assert badge.is_untouched()
        assert outcome.log == []
        assert not session.is_proven
        # One refusal, the same bytes and the same time for all; then the link is ended.
        assert outcome.refusals() == [NO_ACCESS]
        assert outcome.closed_ms == limits.REFUSAL_LINGER_MS
        learnt = [message for _ms, message in outcome.answers if message != NO_ACCESS]
        assert learnt in ([], [frames.encode_welcome(Info, nonce)])


def test_G12_wrong_proofs_wait_for_their_turn_alike_and_cost_the_same_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work: list[int] = []
    real = proofs.hmac_sha256
    monkeypatch.setattr(proofs, "hmac_sha256", lambda *of: work.append(1) or real(*of))
    seen = set()
    for name, attack in ATTACKS.items():
        if "before" in name or "replayed" in name:
            continue  # these order without a proof, which is refused at once
        badge = Badge()
        badge.access.refuse(5000)
        work.clear()
        outcome = run(attack(), badge.session(), 5100)
        # A guess costs its maker two hashes, which are not the badge's.
        maker = 2 if attack.__code__.co_names[0] == "guess" else 0
        seen.add((outcome.refused_ms, len(work) - maker))
    assert seen == {(limits.PROOF_GAP_MS - 100 + 10, 2)}


@pytest.mark.parametrize("version", attacker.VERSIONS)
def test_G12_downgrade_of_the_version_is_refused_by_name_and_nothing_follows(version: int) -> None:
    badge = Badge()
    outcome = run(attacker.downgrade(version), badge.session())
    assert outcome.refusals() == [frames.encode_refused(frames.REFUSED_VERSION)]
    assert [message for _ms, message in outcome.answers] == outcome.refusals()
    assert badge.is_untouched()
    assert outcome.closed_ms == limits.REFUSAL_LINGER_MS


def hijack(role: int, orders) -> Hijack:
    return Hijack(role, badge_key(GAME, BADGE_ID, role) or b"", BADGE_ID, orders)


def in_the_middle() -> Iterator[tuple[str, Hijack]]:
    for name, order in ORDERS.items():
        for way, orders in attacker.in_the_middle(order).items():
            if (name, way) != ("fetch", "signature of another order"):  # that is the order itself
                yield f"{name}, {way}", hijack(MASTER, orders)


MIDDLE = dict(in_the_middle())


@pytest.mark.parametrize("name", MIDDLE)
def test_G12_order_changed_in_the_middle_of_a_good_session_ends_it_undone(name: str) -> None:
    badge = Badge()
    outcome = run(MIDDLE[name](), badge.session())
    assert badge.is_untouched()
    assert outcome.log == []
    assert outcome.refusals() == [NO_ACCESS]
    assert outcome.closed_ms == limits.REFUSAL_LINGER_MS


@pytest.mark.parametrize("way", attacker.reordered(HIT))
@pytest.mark.parametrize("name", ["hit", "stop", "release"])
def test_G12_order_said_again_or_late_is_done_once(name: str, way: str) -> None:
    badge = Badge()
    orders = attacker.reordered(ORDERS[name])[way]
    outcome = run(hijack(MASTER, orders)(), badge.session())
    # Release beyond the journal is refused as such; what counts is that it is judged once.
    assert len(badge.done) + len(outcome.refusals()) == 1


def test_G12_medic_changes_neither_role_nor_key_in_mid_session() -> None:
    medic, master = (badge_key(GAME, BADGE_ID, role) or b"" for role in (MEDIC, MASTER))
    nonce = NONCES[1]
    other = proofs.session_key(master, MASTER, BADGE_ID, attacker.NONCE, nonce)
    as_master = proofs.session_key(medic, MASTER, BADGE_ID, attacker.NONCE, nonce)
    hello = wire_frames.encode_hello(MASTER, attacker.NONCE)
    steps = {
        "hello as master": ([hello], frames.REFUSED_ORDER, True),
        "own order": ([None], frames.REFUSED_ROLE, True),
        "order after hello": ([hello, None], frames.REFUSED_ORDER, True),
        "master's role in the key": (
            [attacker.signed(as_master, 1, STOP)],
            frames.REFUSED_ACCESS,
            False,
        ),
        "proof as master": (
            [wire_frames.encode_prove(proofs.host_proof(as_master))],
            frames.REFUSED_ACCESS,
            False,
        ),
        # Even with the real one: a session has one role, that of its hello.
        "right proof as master": (
            [wire_frames.encode_prove(proofs.host_proof(other))],
            frames.REFUSED_ACCESS,
            False,
        ),
    }
    for name, (messages, reason, is_going_on) in steps.items():
        badge = Badge()
        session = badge.session(nonce)

        def orders(key: bytes, messages=messages) -> list[bytes]:
            own = attacker.signed(key, 1, STOP)
            return [own if message is None else message for message in messages]

        outcome = run(hijack(MEDIC, orders)(), session)
        assert outcome.refusals()[0] == frames.encode_refused(reason), name
        assert session.role == MEDIC, name
        assert badge.is_untouched(), name
        lasts_ms = limits.SESSION_IDLE_MS if is_going_on else limits.REFUSAL_LINGER_MS
        assert outcome.closed_ms is not None, name
        assert outcome.closed_ms >= lasts_ms - 100, name


def test_G12_10000_guesses_get_nothing_and_the_right_key_comes_in_behind_them() -> None:
    badge, now_ms, looked_at = Badge(), 0, 0
    for number in range(10_000):
        session = badge.session(number.to_bytes(16, "big"))
        session.control_written(attacker.hello(MASTER), now_ms)
        proof = (number * 0x9E3779B97F4A7C15 & (1 << 128) - 1).to_bytes(16, "little")
        session.control_written(attacker.one(2, wire_frames.encode_prove(proof)), now_ms)
        before = badge.access.refused_count
        session.close_reason(now_ms)
        assert not session.is_proven
        looked_at += badge.access.refused_count - before
        now_ms += 20
    assert badge.is_untouched()
    assert badge.access.refused_count <= now_ms // limits.PROOF_GAP_MS + 1
    session = badge.session(NONCES[2])
    run(hijack(MASTER, lambda key: [attacker.signed(key, 1, HIT)])(), session, now_ms)
    assert badge.done == [HIT]


# --- a forged badge --------------------------------------------------------------------------


class Forged(BadgeSession):
    """Says that any proof is right, and proves itself with the key it made up."""

    def _prove(self, number: int, proof: bytes, now_ms: int) -> None:
        self._key = keys.hmac_sha256(b"made up", self._host_nonce)
        proved = frames.encode_proved(self._log, 5 << 18, 0, b"")
        own = proofs.badge_proof(self._key, proved[1:], frames.encode_info(self._info))
        self._put(number, proved + own)


@leaping
async def test_G12_host_believes_no_badge_without_the_key_and_stores_nothing() -> None:
    badge, air, stored = Badge(), FakeAir(), []
    air.make_session = lambda: Forged(Info, badge.log, Access(), NONCES[1], {})
    for mine in (GAME, OTHER_GAME):
        with pytest.raises(SyncError) as caught:
            await sync_badge(device(1), lambda _id: 0, stored.append, mine, air, 30)
        assert caught.value.reason is SyncFailure.FORGED
    assert stored == []
    assert air.open_links == 0
