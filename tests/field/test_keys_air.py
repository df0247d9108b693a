"""The real firmware with keys, without, and with another game's: what is heard and granted."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from bleak.backends.device import BLEDevice
from tests.support.badge_journal import notes_of
from tests.support.host_radio import Observer
from tests.support.taps import hit
from tests.support.waiting import until

from redband.keys import GameKeys
from redband.radio import (
    AdvertReader,
    SyncError,
    SyncFailure,
    Verdict,
    sync_badge,
)
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.image import read_image
from redband_core import journal

AUTH_REFUSED, KEYS_DAMAGED = 70, 71


async def test_badge_is_heard_by_its_own_game_and_only_counted_by_others(field: Field):
    await field.add_badge(BadgeSpec(1, "Anna", role="medic"))
    ours = Observer(field)
    others = Observer(field, AdvertReader(GameKeys.new()))
    heard = await ours.next()
    assert (heard.advert.badge_id, heard.advert.role) == (1, 1)
    assert heard.device.name == "Redband"
    await until(lambda: others.counts.foreign)
    assert others.heard == []
    await ours.close()
    await others.close()


@pytest.mark.parametrize("how", ["none", "damaged"])
async def test_badge_without_keys_plays_and_shows_and_grants_nothing(field: Field, how: str):
    files = (("/keys.bin", b"no keys"),) if how == "damaged" else ()
    spec = BadgeSpec(1, "Anna", has_keys=False, files=files)
    badge = await field.add_badge(spec)
    observer = Observer(field)
    await until(lambda: observer.counts.unkeyed)
    (address,) = observer.counts.unkeyed
    assert observer.heard == []
    await hit(badge)
    device = BLEDevice(address, None, None)
    with pytest.raises(SyncError) as caught:
        await sync_badge(device, lambda _id: 0, lambda _page: never(), field.keys, observer.radio)
    assert caught.value.reason is SyncFailure.ACCESS
    await observer.close()
    await badge.power_cut()
    found = read_image(badge.image_path)
    names = sorted(name for name in found if name.startswith("/journal/"))
    records = [record for name in names for record in journal.scan(found[name])[1]]
    assert ((KEYS_DAMAGED, 7) in notes_of(records)) == (how == "damaged")


async def never() -> int:
    raise AssertionError("nothing is to be committed")


async def test_wrong_key_is_refused_noted_once_and_the_right_one_comes_in_behind_it(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    observer = Observer(field)
    for _try in range(3):
        with pytest.raises(SyncError) as caught:
            await observer.fetch(await observer.next(), GameKeys.new())
        assert caught.value.reason is SyncFailure.ACCESS
    await hit(badge)
    result = await observer.fetch(await observer.next(), field.keys)
    assert result.records == len(observer.records) > 0
    assert [note for note in notes_of(observer.records) if note[0] == AUTH_REFUSED] == [
        (AUTH_REFUSED, 1)
    ]
    await observer.close()


async def test_medic_may_not_fetch_and_marshal_may(field: Field):
    await field.add_badge(BadgeSpec(1, "Anna"))
    observer = Observer(field)
    with pytest.raises(SyncError) as caught:
        await observer.fetch(await observer.next(), field.keys, role=1)
    assert caught.value.reason is SyncFailure.ROLE
    assert (await observer.fetch(await observer.next(), field.keys, role=2)).records > 0
    await observer.close()


async def test_counts_go_up_over_a_pulled_battery(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    observer = Observer(field)
    before = (await observer.next()).advert.count
    await badge.power_cut()
    await badge.power_on()
    await until(lambda: observer.heard[-1].advert.count >> 18 > before >> 18)
    assert not any(heard.is_doubtful for heard in observer.heard)
    await observer.close()


async def test_new_board_under_an_old_number_is_believed_after_a_session(tmp_path: Path):
    reader = None
    counts: dict[int, int] = {}
    for life in (1, 2):
        field = Field(tmp_path / "field")
        await field.start()
        badge = await field.add_badge(BadgeSpec(1, "Anna"))
        reader = AdvertReader(field.keys, counts)
        observer = Observer(field, reader)
        heard = await observer.next()
        assert heard.is_doubtful == (life == 2)
        if life == 1:
            counts = reader.take_changed()
            counts = {1: counts[1] + (9 << 18)}  # it had been started often
        else:
            result = await observer.fetch(heard, field.keys)
            reader.met(1, result.advert_count, asyncio.get_running_loop().time())
            await badge.press()
            await until(lambda observer=observer: not observer.heard[-1].is_doubtful)
            assert observer.counts.packets[Verdict.GOOD] > 0
        await observer.close()
        await field.stop()
        shutil.rmtree(tmp_path / "field" / "badge-1")
