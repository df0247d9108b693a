"""What the host believes of adverts: forgeries, recordings, other games, restarts, new badges."""

from __future__ import annotations

import pytest
from tests.core.data.aes import encryptor

from redband.keys import GameKeys
from redband.radio import AdvertReader, Verdict
from redband.radio.reader import REPEAT_S
from redband.store.store import Store
from redband.wire.advert import Advert
from redband_core import advert, sealing

KEYS = GameKeys(bytes(range(32)))
STATE = Advert(42, 0x140007, 3, 2, 1, 300, 1234, 87, 1, 16, False, True)


def sealed(state: Advert, keys: GameKeys = KEYS) -> bytes:
    block = advert.encode_state(state)
    encrypt = encryptor(keys.advert_encrypt)
    return sealing.seal(advert.KIND_STATE, block, keys.advert_proof, encrypt)


def counted(count: int, **changes: object) -> bytes:
    return sealed(STATE._replace(count=count, **changes))


def test_state_of_our_game_is_read() -> None:
    assert AdvertReader(KEYS).read(sealed(STATE), 0) == (Verdict.GOOD, STATE)


def test_every_changed_bit_makes_it_foreign_or_no_advert() -> None:
    reader, good = AdvertReader(KEYS), sealed(STATE)
    for index in range(len(good)):
        for bit in range(8):
            data = bytearray(good)
            data[index] ^= 1 << bit
            verdict, found = reader.read(bytes(data), 0)
            assert verdict is not Verdict.GOOD
            assert found is None


def test_another_game_s_badge_is_foreign() -> None:
    assert AdvertReader(KEYS).read(sealed(STATE, GameKeys.new()), 0) == (Verdict.FOREIGN, None)
    assert AdvertReader(None).read(sealed(STATE), 0) == (Verdict.FOREIGN, None)


def test_same_count_is_a_repeat_and_after_a_while_a_recording() -> None:
    reader, heard = AdvertReader(KEYS), sealed(STATE)
    assert reader.read(heard, 100)[0] is Verdict.GOOD
    assert reader.read(heard, 100 + REPEAT_S)[0] is Verdict.GOOD
    assert reader.read(heard, 101 + REPEAT_S)[0] is Verdict.REPLAYED
    assert reader.read(counted(STATE.count + 1), 102 + REPEAT_S)[0] is Verdict.GOOD
    assert reader.read(heard, 103 + REPEAT_S)[0] is Verdict.OLD


@pytest.mark.parametrize("later_s", [1, 3600])
def test_G12_recording_is_old_a_second_and_an_hour_later(later_s: int) -> None:
    reader = AdvertReader(KEYS)
    recorded = counted(7)
    reader.read(recorded, 0)
    reader.read(counted(8), 0.5)
    assert reader.read(recorded, later_s)[0] is Verdict.OLD


def test_G12_recording_is_old_after_the_badge_s_reboot_and_is_none_of_another_badge() -> None:
    reader = AdvertReader(KEYS)
    recorded = counted(5 << 18 | 900)
    reader.read(recorded, 0)
    assert reader.read(counted(6 << 18 | 1), 10)[0] is Verdict.GOOD
    assert reader.read(recorded, 11)[0] is Verdict.OLD
    # Each badge has its own count; its number cannot be changed in a recording.
    assert reader.read(counted(3, badge_id=43), 12)[0] is Verdict.GOOD


def test_recording_stays_one_over_a_restart_of_the_host(tmp_path) -> None:
    store = Store(tmp_path / "store.sqlite")
    reader = AdvertReader(KEYS, store.advert_counts())
    reader.read(counted(7), 0)
    reader.read(counted(9), 1)
    store.keep_advert_counts(reader.take_changed())
    store.keep_advert_counts({})
    store.close()
    store = Store(tmp_path / "store.sqlite")
    again = AdvertReader(KEYS, store.advert_counts())
    assert again.read(counted(7), 0)[0] is Verdict.OLD
    # What was on the air then may still be: for as long as any other advert.
    assert again.read(counted(9), 1)[0] is Verdict.GOOD
    assert again.read(counted(9), 2 + REPEAT_S)[0] is Verdict.REPLAYED
    assert again.read(counted(10), 3 + REPEAT_S)[0] is Verdict.GOOD
    store.keep_advert_counts(again.take_changed())
    assert store.advert_counts() == {42: 10}
    store.close()


def test_badge_installed_anew_is_believed_once_a_session_has_told_its_count() -> None:
    reader = AdvertReader(KEYS)
    reader.read(counted(900 << 18), 0)
    anew = counted(1 << 18 | 3)
    assert reader.read(anew, 1)[0] is Verdict.OLD
    reader.met(42, 1 << 18 | 2, 2)
    assert reader.read(anew, 3)[0] is Verdict.GOOD
    assert reader.take_changed() == {42: 1 << 18 | 3}
    assert reader.take_changed() == {}
