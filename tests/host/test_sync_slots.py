"""Forty badges and an adapter of five places: bleak's whole way, with a radio that counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bleak.exc import BleakError
from tests.core.data.aes import encryptor
from tests.core.data.link import Info, Log
from tests.support.fake_radio import FakeAir, FakeClient, device, never

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.keys import GameKeys
from redband.overview.names import Rulesets
from redband.radio import link
from redband.rules.loader import load
from redband.store.store import Store
from redband.wire.advert import Advert
from redband_core import advert, sealing
from redband_core.keys import Access
from redband_core.session import BadgeSession

BADGES = range(1, 41)
SLOTS = 5
RECORDS = 60
GAME = GameKeys(bytes(range(32)))
HITS = load("hits")


class Adapter(FakeAir):
    """Forty badges; connects at a time, connections at a time and their order are counted.

    dead: badges whose connect never returns. taken_slots: those of a headset.
    """

    def __init__(self, taken_slots: int = 0) -> None:
        super().__init__(mtu=185)
        self.client: type[Client] = type("Client", (Client,), {"air": self})
        self.logs = {badge_id: Log(RECORDS) for badge_id in BADGES}
        self.dead: set[int] = set()
        self.taken_slots = taken_slots
        self.connecting = self.most_connecting = self.given_up = 0
        self.order: list[int] = []
        self.no_slot = 0

    def hear(self, badge_id: int) -> None:
        """Let the host hear a badge that has a journal."""
        state = Advert(
            *(badge_id, 1 << 18, 0, 0, 0, advert.NO_TIMER, RECORDS - 1, 80, 0, 0, False, False)
        )
        encrypt = encryptor(GAME.advert_encrypt)
        payload = sealing.seal(
            advert.KIND_STATE, advert.encode_state(state), GAME.advert_proof, encrypt
        )
        self.advertise(payload, device(badge_id))


class Client(FakeClient):
    air: Adapter  # pyright: ignore[reportIncompatibleVariableOverride]

    async def connect(self, pair: bool, **options: Any) -> None:
        air = self.air
        badge_id = int(str(self.address).rsplit(":", maxsplit=1)[-1], 16)
        air.order.append(badge_id)
        air.connecting += 1
        air.most_connecting = max(air.most_connecting, air.connecting)
        try:
            await asyncio.sleep(0.002)
            if badge_id in air.dead:
                await never()
            if air.open_links + air.taken_slots >= SLOTS:
                air.no_slot += 1
                raise BleakError("no free connection slot")
            info = type("Info", (Info,), {"badge_id": badge_id})
            access = Access(GAME.badge_file(badge_id, 0))
            nonce = len(air.order).to_bytes(16, "little")
            air.make_session = lambda: BadgeSession(info, air.logs[badge_id], access, nonce)
            await super().connect(pair, **options)
        except asyncio.CancelledError:
            air.given_up += 1
            raise
        finally:
            air.connecting -= 1

    async def write_gatt_char(self, *what: Any, **options: Any) -> None:
        await asyncio.sleep(0.002)  # so that a sync is longer than a connect
        await super().write_gatt_char(*what, **options)


async def synced(air: Adapter, store: Store, wanted: set[int], links: int) -> Gateway:
    """Let a gateway hear all badges and sync until it has the journals of `wanted`."""
    radio = BleakRadio(air, GAME)
    gateway = Gateway(radio, store, Rulesets([HITS]), links=links)
    running = asyncio.create_task(gateway.run())
    while air.scanning is None:  # noqa: ASYNC110 (a backend tells nobody)
        await asyncio.sleep(0)
    for badge_id in BADGES:
        air.hear(badge_id)
    try:
        async with asyncio.timeout(60):
            await gateway.drained(wanted)
    finally:
        running.cancel()
        await asyncio.wait({running})
    return gateway


def check_held(air: Adapter, store: Store, badge_ids: set[int]) -> None:
    for badge_id in badge_ids:
        assert len(store.records(badge_id)) == RECORDS
        assert air.logs[badge_id].released[-1] == RECORDS


@pytest.mark.parametrize(("links", "taken"), [(1, 0), (3, 0), (3, 2), (5, 0)])
async def test_H5_forty_badges_on_five_slots_all_sync_the_longest_waiting_first(
    store: Store, links: int, taken: int
) -> None:
    air = Adapter(taken)
    gateway = await synced(air, store, set(BADGES), links)
    assert air.order == list(BADGES)
    assert (air.most_connecting, air.no_slot) == (1, 0)
    assert air.most_links <= links
    assert (air.open_links, air.disconnects) == (0, len(BADGES))  # each was closed after its sync
    assert (gateway.syncs, gateway.failed_syncs) == (len(BADGES), 0)
    check_held(air, store, set(BADGES))


async def test_H5_adapter_without_a_free_slot_is_tried_again_until_all_are_synced(
    store: Store,
) -> None:
    air = Adapter(taken_slots=4)
    gateway = await synced(air, store, set(BADGES), links=3)
    assert air.most_links == 1
    # It is asked for one place more now and then, not each time, and no badge waits longer for it.
    assert 0 < air.no_slot == gateway.failed_syncs <= 6
    check_held(air, store, set(BADGES))


async def test_H4_connect_that_never_returns_is_cancelled_and_the_others_sync(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "CONNECT_S", 0.3)
    air = Adapter()
    air.dead = {1, 7}
    others = set(BADGES) - air.dead
    gateway = await synced(air, store, others, links=3)
    assert air.most_connecting == 1
    assert air.given_up == air.order.count(1) + air.order.count(7) >= 2
    check_held(air, store, others)
    assert {row.problem for row in gateway.rows() if row.badge_id in air.dead} == {
        "The badge did not answer to the connection."
    }


async def test_H10_store_that_fails_in_mid_sync_ends_the_gateway_with_all_links_closed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ingesting raises ends in no callback."""
    air = Adapter()
    pages = []
    real = store.ingest_page

    def fail_at_fourth(page):
        pages.append(page)
        if len(pages) >= 4:
            raise OSError(28, "No space left on device")
        return real(page)

    monkeypatch.setattr(store, "ingest_page", fail_at_fourth)
    with pytest.raises((OSError, asyncio.CancelledError, ExceptionGroup)):
        await failing(air, store)
    assert air.open_links == 0
    held = {badge_id: store.next_seq(badge_id, Info.install_id) for badge_id in BADGES}
    assert all(max(air.logs[n].released, default=0) <= held[n] for n in BADGES)
    assert sum(held.values()) == sum(len(store.records(n)) for n in BADGES)


async def failing(air: Adapter, store: Store) -> None:
    gateway = Gateway(BleakRadio(air, GAME), store, Rulesets([HITS]))
    running = asyncio.create_task(gateway.run())
    while air.scanning is None:  # noqa: ASYNC110 (a backend tells nobody)
        await asyncio.sleep(0)
    for badge_id in BADGES:
        air.hear(badge_id)
    async with asyncio.timeout(30):
        await running
