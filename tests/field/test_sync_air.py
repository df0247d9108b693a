"""The real firmware synced over the virtual radio: loss, walking away, a battery pulled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from redband.keys import GameKeys
from redband.radio import AdvertReader, Heard, SyncError, SyncFailure, scan, sync_badge
from redband.store.records import Page, decode_page
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.field import BadgeSpec, Field
from redband_core import journal

HITS = 40
PRESS_MS = 30
REST_MS = 60
"""A rhythm on the badge's clock: presses without a pause are one to the hit filter."""

WAIT_S = 30
pytestmark = pytest.mark.timeout(120)


class Host:
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


@pytest.fixture
async def field(tmp_path: Path) -> AsyncIterator[Field]:
    """A field with badge 1, at the pace of the real world."""
    field = Field(tmp_path / "field")
    await field.start()
    try:
        await field.add_badge(BadgeSpec(1, "Anna"))
        yield field
    finally:
        await field.stop()


@pytest.fixture
async def host(field: Field) -> AsyncIterator[Host]:
    radio = backend(field.hci_path)
    yield Host(radio, field.keys)
    await radio.close()


async def hit(badge: VirtualBadge, host: Host, count: int) -> int:
    """Press so often; return the number of the newest record then."""
    first = (await host.heard()).advert.last_seq
    await asyncio.gather(*[badge.press(PRESS_MS, rest_ms=REST_MS) for _ in range(count)])
    return (await host.heard(first + count)).advert.last_seq


async def test_all_arrives_in_six_round_trips_and_once(field: Field, host: Host):
    last_seq = await hit(field.badges[1], host, HITS)
    result = await host.sync(last_seq)
    assert result.round_trips == 6
    assert result.gaps == result.missing_records == 0
    assert len(host.records) == result.next_seq == last_seq + 1
    kinds = [kind for kind, _game_ms, _payload in host.records.values()]
    assert kinds.count(journal.EVENT) + kinds.count(journal.REFUSED) >= HITS
    again = await host.sync()
    assert again.records <= 2, "more than what the badge notes of itself meanwhile"


async def test_lost_packets_cost_time_but_no_record(field: Field, host: Host):
    last_seq = await hit(field.badges[1], host, HITS)
    field.ether.packet_loss = 0.2
    result = await host.sync(last_seq)
    assert len(host.records) == result.next_seq > last_seq


@pytest.mark.parametrize("how", ["walks away", "battery out"])
async def test_badge_that_goes_after_its_greeting_and_comes_back_loses_nothing(
    field: Field, host: Host, how: str
):
    badge = field.badges[1]
    last_seq = await hit(badge, host, HITS)
    tasks: list[asyncio.Task] = []

    def go() -> None:
        if how == "walks away":
            field.ether.packet_loss = 1.0
        else:
            tasks.append(asyncio.create_task(badge.power_cut()))

    host.on_greeted = go
    with pytest.raises(SyncError) as caught:
        await host.sync(last_seq)
    assert caught.value.reason in {SyncFailure.DISCONNECTED, SyncFailure.SILENT}
    host.on_greeted = lambda: None
    await asyncio.gather(*tasks)
    if how == "walks away":
        field.ether.packet_loss = 0.0
    else:
        await badge.power_on()
    result = await host.sync(last_seq)
    assert result.missing_records == 0
    assert len(host.records) == result.next_seq > last_seq
