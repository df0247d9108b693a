"""The host's end of a virtual field's radio: one that listens all the time, one that syncs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.support.waiting import WAIT_S

from redband.keys import GameKeys
from redband.radio import AdvertReader, Heard, ScanCounts, scan, sync_badge
from redband.store.records import Page, decode_page
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.field import Field
from redband.wire.advert import Advert

PRESS_MS = 30
REST_MS = 60
"""A rhythm on the badge's clock: presses without a pause are one to the hit filter."""


class Observer:
    """Listens with `reader` (that of the field's game if none), fetches as whoever `keys` say."""

    def __init__(self, field: Field, reader: AdvertReader | None = None) -> None:
        self.radio = backend(field.hci_path)
        self.reader = reader or AdvertReader(field.keys)
        self.counts = ScanCounts()
        self.heard: list[Heard] = []
        self.records: list[tuple[int, int, int, bytes]] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(scan(self._take, self.reader, self.radio, self.counts))

    def _take(self, heard: Heard) -> None:
        self.heard.append(heard)
        self._news.set()

    async def next(self) -> Heard:
        """Return the next advert that is heard."""
        self._news.clear()
        async with asyncio.timeout(WAIT_S):
            await self._news.wait()
        return self.heard[-1]

    def newest(self, badge_id: int) -> Advert | None:
        """Return the newest advert that was heard of a badge, None for none."""
        ours = (one.advert for one in reversed(self.heard) if one.advert.badge_id == badge_id)
        return next(ours, None)

    def shows(self, badge_id: int, **wanted: int) -> bool:
        """Return whether a badge's newest advert says this."""
        advert = self.newest(badge_id)
        return advert is not None and all(getattr(advert, k) == v for k, v in wanted.items())

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


class SyncHost:
    """A host with a store in memory. on_greeted: called when a badge has said who it is."""

    def __init__(self, radio: VirtualRadio, keys: GameKeys) -> None:
        self.radio = radio
        self.keys = keys
        self.records: dict[tuple[int, int], tuple[int, int, bytes]] = {}
        self.cursors: dict[int, int] = {}
        self.on_greeted: Callable[[], None] = lambda: None

    async def heard(self, last_seq: int = 0) -> Heard:
        """Wait for an advert that names record `last_seq` or a later one."""
        found: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()

        def take(heard: Heard) -> None:
            is_new = heard.advert.last_seq != 0xFFFFFFFF and heard.advert.last_seq >= last_seq
            if is_new and not found.done():
                found.set_result(heard)

        task = asyncio.create_task(scan(take, AdvertReader(self.keys), self.radio))
        try:
            async with asyncio.timeout(WAIT_S):
                return await found
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def next_seq(self, install_id: int) -> int:
        self.on_greeted()
        return self.cursors.get(install_id, 0)

    async def commit(self, page: Page) -> int:
        next_seq = self.cursors.get(page.install_id, 0)
        for seq, kind, game_ms, payload in decode_page(page):
            assert seq == next_seq, "a record came twice, or one is missing"
            self.records[page.install_id, seq] = (kind, game_ms, payload)
            next_seq = seq + 1
        self.cursors[page.install_id] = next_seq
        return next_seq

    async def sync(self, last_seq: int = 0):
        heard = await self.heard(last_seq)
        return await sync_badge(
            heard.device,
            self.next_seq,
            self.commit,
            self.keys,
            self.radio,
            deadline_s=WAIT_S,
            badge_id=1,
        )


async def hit_often(badge: VirtualBadge, host: SyncHost, count: int) -> int:
    """Press so often; return the number of the newest record then."""
    first = (await host.heard()).advert.last_seq
    await asyncio.gather(*[badge.press(PRESS_MS, rest_ms=REST_MS) for _ in range(count)])
    return (await host.heard(first + count)).advert.last_seq
