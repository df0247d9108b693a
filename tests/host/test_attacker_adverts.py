"""The attacker's adverts against the host: recorded or forged, none is believed."""

from __future__ import annotations

from tests.core.data.aes import encryptor

from redband.keys import GameKeys
from redband.radio import AdvertReader, Verdict
from redband.wire.advert import Advert
from redband_core import advert, sealing

GAME = GameKeys(bytes(range(32)))
OTHER_GAME = GameKeys(bytes(32))
BADGE_ID = 42


def state_of(count: int, badge_id: int = BADGE_ID, **shown: int) -> bytes:
    values = {
        "signal": 0, "counter_a": 3, "counter_b": 0, "timer_s": advert.NO_TIMER, "last_seq": 9,
        "battery_pct": 80, "role": 0, "flags": 0, "is_paused": False, "is_emergency": False,
    }  # fmt: skip
    block = advert.encode_state(Advert(badge_id=badge_id, count=count, **(values | shown)))
    encrypt = encryptor(GAME.advert_encrypt)
    return sealing.seal(advert.KIND_STATE, block, GAME.advert_proof, encrypt)


BOOT = 1 << 18


def test_G12_recorded_advert_is_never_the_state_again() -> None:
    recorded = [state_of(5 * BOOT + n, counter_a=3 - n) for n in range(3)]
    reader = AdvertReader(GAME)
    for index, payload in enumerate(recorded):
        assert reader.read(payload, index)[0] is Verdict.GOOD
    for now_s in (3.0, 3600.0):  # a second and an hour later
        for payload in recorded[:2]:
            assert reader.read(payload, now_s)[0] is Verdict.OLD
    assert reader.read(recorded[2], 3600.0)[0] is Verdict.REPLAYED
    # The host was restarted; then the badge was.
    later = AdvertReader(GAME, reader.take_changed())
    assert later.read(recorded[1], 0.0)[0] is Verdict.OLD
    assert later.read(state_of(6 * BOOT), 1.0)[0] is Verdict.GOOD
    assert {later.read(payload, 2.0)[0] for payload in recorded} == {Verdict.OLD}


def test_G12_advert_forged_in_any_bit_or_of_another_game_is_no_state() -> None:
    reader, good = AdvertReader(GAME), state_of(7)
    verdicts = set()
    for bit in range(len(good) * 8):
        payload = attacker_changed(good, bit)
        verdict, found = reader.read(payload, 0.0)
        assert found is None
        verdicts.add(verdict)
    assert Verdict.GOOD not in verdicts
    encrypt = encryptor(OTHER_GAME.advert_encrypt)
    block = bytes(16)
    for key in (OTHER_GAME.advert_proof, bytes(16), GAME.advert_encrypt, GAME.broadcast):
        forged = sealing.seal(advert.KIND_STATE, block, key, encrypt)
        assert reader.read(forged, 0.0) == (Verdict.FOREIGN, None)
    assert reader.read(good, 0.0)[0] is Verdict.GOOD


def attacker_changed(payload: bytes, bit: int) -> bytes:
    number = int.from_bytes(payload, "little") ^ 1 << bit
    return number.to_bytes(len(payload), "little")


def test_G12_badge_without_keys_or_of_an_old_version_takes_no_badges_place() -> None:
    reader = AdvertReader(GAME)
    unkeyed = b"\x52\x2f" + BADGE_ID.to_bytes(2, "little") + bytes(20)
    assert reader.read(unkeyed, 0.0) == (Verdict.UNKEYED, None)
    for version in (0, 1, 3, 15):
        payload = bytes((0x52, version << 4)) + state_of(9)[2:]
        assert reader.read(payload, 0.0) == (Verdict.OTHER_VERSION, None)


def test_G12_10000_forged_adverts_change_nothing_and_keep_nothing() -> None:
    reader = AdvertReader(GAME, {BADGE_ID: 4})
    for number in range(10_000):
        proof = (number * 0x9E3779B97F4A7C15 & (1 << 48) - 1).to_bytes(6, "little")
        payload = state_of(9)[:18] + proof
        assert reader.read(payload, number / 1000)[0] is Verdict.FOREIGN
    assert reader.take_changed() == {}
