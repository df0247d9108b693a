"""The real firmware with keys, without, and with another game's: what is heard and granted."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bleak.backends.device import BLEDevice

from redband.keys import GameKeys
from redband.radio import (
    AdvertReader,
    Heard,
    ScanCounts,
    SyncError,
    SyncFailure,
    Verdict,
    scan,
    sync_badge,
)
from redband.store.records import Page, decode_page
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.image import read_image
from redband_core import journal

WAIT_S = 30
AUTH_REFUSED, KEYS_DAMAGED = 70, 71
pytestmark = pytest.mark.timeout(150)


class Ears:
    """A host's radio: listens with `reader`, and fetches as whoever `keys` say."""

    def __init__(self, field: Field, reader: AdvertReader) -> None:
        self.radio = backend(field.hci_path)
        self.reader = reader
        self.counts = ScanCounts()
        self.heard: list[Heard] = []
        self.news = asyncio.Event()
        self.records: list[tuple[int, int, int, bytes]] = []
        self._task = asyncio.create_task(scan(self._take, reader, self.radio, self.counts))

    def _take(self, heard: Heard) -> None:
        self.heard.append(heard)
        self.news.set()

    async def until(self, condition) -> None:
        """Wait until `condition` holds; it is looked at some times a second."""
        async with asyncio.timeout(WAIT_S):
            while not condition():  # noqa: ASYNC110 (counts come from a scan, which tells nobody)
                await asyncio.sleep(0.05)

    async def next(self) -> Heard:
        """Return the next advert that is heard."""
        self.news.clear()
        async with asyncio.timeout(WAIT_S):
            await self.news.wait()
        return self.heard[-1]

    async def fetch(self, heard: Heard, keys: GameKeys, role: int | None = None):
        async def commit(page: Page) -> int:
            self.records += decode_page(page)
            return page.first_seq + len(decode_page(page))

        return await sync_badge(
            heard.device, lambda install_id: 0, commit, keys, self.radio, WAIT_S, role=role
        )

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self.radio.close()


@pytest.fixture
async def field(tmp_path: Path) -> AsyncIterator[Field]:
    field = Field(tmp_path / "field")
    await field.start()
    yield field
    await field.stop()


async def hit(badge: VirtualBadge) -> None:
    """Press the button, and see that it counted."""
    seen = asyncio.ensure_future(badge.wait_led(lambda leds: leds[0] and leds[1], WAIT_S))
    await badge.press()
    await seen


def notes_of(records: list[tuple[int, int, int, bytes]]) -> list[tuple[int, int]]:
    return [
        journal.parse_note(payload) for _s, kind, _ms, payload in records if kind == journal.NOTE
    ]


async def test_badge_is_heard_by_its_own_game_and_only_counted_by_others(field: Field):
    await field.add_badge(BadgeSpec(1, "Anna", role="medic"))
    ours = Ears(field, AdvertReader(field.keys))
    others = Ears(field, AdvertReader(GameKeys.new()))
    heard = await ours.next()
    assert (heard.advert.badge_id, heard.advert.role) == (1, 1)
    assert heard.device.name == "Redband"
    await others.until(lambda: others.counts.foreign)
    assert others.heard == []
    await ours.close()
    await others.close()


@pytest.mark.parametrize("how", ["none", "damaged"])
async def test_badge_without_keys_plays_and_shows_and_grants_nothing(field: Field, how: str):
    files = (("/keys.bin", b"no keys"),) if how == "damaged" else ()
    spec = BadgeSpec(1, "Anna", has_keys=False, files=files)
    badge = await field.add_badge(spec)
    ears = Ears(field, AdvertReader(field.keys))
    await ears.until(lambda: ears.counts.unkeyed)
    (address,) = ears.counts.unkeyed
    assert ears.heard == []
    await hit(badge)
    device = BLEDevice(address, None, None)
    with pytest.raises(SyncError) as caught:
        await sync_badge(device, lambda _id: 0, lambda _page: never(), field.keys, ears.radio)
    assert caught.value.reason is SyncFailure.ACCESS
    await ears.close()
    await badge.power_cut()
    found = read_image(badge.image_path)
    names = sorted(name for name in found if name.startswith("/journal/"))
    records = [record for name in names for record in journal.scan(found[name])[1]]
    assert ((KEYS_DAMAGED, 7) in notes_of(records)) == (how == "damaged")


async def never() -> int:
    raise AssertionError("nothing is to be committed")


async def test_wrong_key_is_refused_noted_once_and_the_right_one_comes_in_behind_it(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    ears = Ears(field, AdvertReader(field.keys))
    for _try in range(3):
        with pytest.raises(SyncError) as caught:
            await ears.fetch(await ears.next(), GameKeys.new())
        assert caught.value.reason is SyncFailure.ACCESS
    await hit(badge)
    result = await ears.fetch(await ears.next(), field.keys)
    assert result.records == len(ears.records) > 0
    assert [note for note in notes_of(ears.records) if note[0] == AUTH_REFUSED] == [
        (AUTH_REFUSED, 1)
    ]
    await ears.close()


async def test_medic_may_not_fetch_and_marshal_may(field: Field):
    await field.add_badge(BadgeSpec(1, "Anna"))
    ears = Ears(field, AdvertReader(field.keys))
    with pytest.raises(SyncError) as caught:
        await ears.fetch(await ears.next(), field.keys, role=1)
    assert caught.value.reason is SyncFailure.ROLE
    assert (await ears.fetch(await ears.next(), field.keys, role=2)).records > 0
    await ears.close()


async def test_counts_go_up_over_a_pulled_battery(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    ears = Ears(field, AdvertReader(field.keys))
    before = (await ears.next()).advert.count
    await badge.power_cut()
    await badge.power_on()
    await ears.until(lambda: ears.heard[-1].advert.count >> 18 > before >> 18)
    assert not any(heard.is_doubtful for heard in ears.heard)
    await ears.close()


async def test_new_board_under_an_old_number_is_believed_after_a_session(tmp_path: Path):
    reader = None
    counts: dict[int, int] = {}
    for life in (1, 2):
        field = Field(tmp_path / "field")
        await field.start()
        badge = await field.add_badge(BadgeSpec(1, "Anna"))
        reader = AdvertReader(field.keys, counts)
        ears = Ears(field, reader)
        heard = await ears.next()
        assert heard.is_doubtful == (life == 2)
        if life == 1:
            counts = reader.take_changed()
            counts = {1: counts[1] + (9 << 18)}  # it had been started often
        else:
            result = await ears.fetch(heard, field.keys)
            reader.met(1, result.advert_count, asyncio.get_running_loop().time())
            await badge.press()
            await ears.until(lambda ears=ears: not ears.heard[-1].is_doubtful)
            assert ears.counts.packets[Verdict.GOOD] > 0
        await ears.close()
        await field.stop()
        shutil.rmtree(tmp_path / "field" / "badge-1")
