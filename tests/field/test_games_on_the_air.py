"""Whole games of virtual badges on a bad day: loss, repeats, walking off, a host that is killed.

What is asked for is always the same: the store holds what the badges' flashes hold, each record
once and in order, and no badge let go of one before it was there.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.host_radio import PRESS_MS, REST_MS, SyncHost, hit_often
from tests.support.waiting import WAIT_S

from redband.demo.evidence import EVENT_KINDS, read_journal
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.overview.names import open_rulesets
from redband.radio import SyncError, SyncFailure
from redband.store.store import STORE_FILE, Store
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.field import BadgeSpec, Field

PROGRAM = Path(__file__).with_name("killed_gateway.py")


async def badges_of(field: Field, count: int) -> list[VirtualBadge]:
    """Add badges; return them once they show a light, and so count what is pressed."""
    badges = [await field.add_badge(BadgeSpec(n, f"Player {n}")) for n in range(1, count + 1)]
    await asyncio.gather(*[badge.wait_led(any, WAIT_S) for badge in badges])
    return badges


async def hits(badge: VirtualBadge, count: int) -> None:
    await asyncio.gather(*[badge.press(PRESS_MS, rest_ms=REST_MS) for _ in range(count)])


@asynccontextmanager
async def gateway_on(field: Field, radio: VirtualRadio) -> AsyncIterator[Gateway]:
    """Let a gateway run on the field's store."""
    store = Store(field.directory / STORE_FILE)
    gateway = Gateway(BleakRadio(radio, field.keys), store, open_rulesets(store), name="tent")
    await gateway.load()
    running = asyncio.create_task(gateway.run())
    try:
        yield gateway
    finally:
        running.cancel()
        await asyncio.wait({running})
        await radio.close()
        store.close()


async def all_drained(gateway: Gateway, badge_ids: set[int]) -> None:
    """Wait until the gateway has what the badges have written until now."""
    for badge_id in badge_ids:
        live = gateway.live(badge_id)
        seen_s = 0.0 if live is None or live.seen_s is None else live.seen_s
        await asyncio.wait_for(gateway.heard(badge_id, seen_s), WAIT_S)
    await asyncio.wait_for(gateway.drained(badge_ids), WAIT_S)


async def check_nothing_lost_or_doubled(field: Field, presses: dict[int, int]) -> None:
    """Pull all batteries; compare the store with the presses, and with what the flashes hold."""
    store = Store(field.directory / STORE_FILE)
    for badge_id, badge in field.badges.items():
        await badge.power_cut()
        flash = read_journal(badge.image_path).records
        ((install_id, _seq), *_rest) = flash
        stored = store.records(badge_id)
        assert [record.seq for record in stored] == list(range(len(stored)))
        assert sum(record.kind in EVENT_KINDS for record in stored) == presses[badge_id]
        held = {(install_id, record.seq): record for record in stored}
        for name, (kind, _game_ms, payload) in flash.items():
            if name in held:
                assert (kind, payload) == (held[name].kind, held[name].payload)
            else:
                assert kind not in EVENT_KINDS  # what it noted of itself after the last sync
    store.close()


def unreliable(radio: VirtualRadio, seed: int) -> dict[str, int]:
    """Let this computer's Bluetooth lose and repeat notifications (PITFALLS H9); count them."""
    chance = random.Random(seed)
    counts = {"lost": 0, "repeated": 0}
    real = radio.client.start_notify

    async def start_notify(self, characteristic, callback, **options):
        def deliver(data: bytearray) -> None:
            fate = chance.random()
            if fate < 0.05:
                counts["lost"] += 1
                return
            callback(data)
            if fate > 0.9:
                counts["repeated"] += 1
                callback(bytearray(data))

        await real(self, characteristic, deliver, **options)

    radio.client.start_notify = start_notify  # pyright: ignore[reportAttributeAccessIssue]
    return counts


async def test_game_of_four_with_loss_and_repeats_everywhere_arrives_whole_and_once(
    field: Field,
) -> None:
    badges = await badges_of(field, 4)
    field.ether.adv_loss = 0.5
    field.ether.packet_loss = 0.2
    radio = backend(field.hci_path)
    counts = unreliable(radio, 1)
    async with gateway_on(field, radio) as gateway:
        for _round in range(3):
            await asyncio.gather(*[hits(badge, 12) for badge in badges])
        away = badges[0].spec.address
        (host,) = {one.name for one in field.ether.controllers} - {
            badge.spec.address for badge in badges
        }
        field.ether.set_rssi(away, host, None)
        await asyncio.gather(*[hits(badge, 12) for badge in badges])
        field.ether.set_rssi(away, host, -70)
        await badges[1].power_cut()
        await badges[1].power_on()
        await badges[1].wait_led(any, WAIT_S)
        await hits(badges[1], 3)
        await all_drained(gateway, set(field.badges))
    assert counts["lost"] > 0
    assert counts["repeated"] > 0
    await check_nothing_lost_or_doubled(field, {1: 48, 2: 51, 3: 48, 4: 48})


# --- walking off -------------------------------------------------------------------------------


class Walk:
    """Counts the frames of a sync each way, and walks out of range after number `at`."""

    def __init__(self, field: Field, radio: VirtualRadio) -> None:
        self.frames = 0
        self.at = 1 << 30
        self._field = field
        client = radio.client
        real_write, real_notify = client.write_gatt_char, client.start_notify

        async def write(this, characteristic, data, response):
            self._step()
            await real_write(this, characteristic, data, response)

        async def start_notify(this, characteristic, callback, **options):
            def deliver(data: bytearray) -> None:
                callback(data)
                self._step()

            await real_notify(this, characteristic, deliver, **options)

        client.write_gatt_char = write  # pyright: ignore[reportAttributeAccessIssue]
        client.start_notify = start_notify  # pyright: ignore[reportAttributeAccessIssue]

    def _step(self) -> None:
        self.frames += 1
        if self.frames > self.at:
            self._field.ether.packet_loss = 1.0

    def begin(self, at: int) -> None:
        self.frames, self.at = 0, at
        self._field.ether.packet_loss = 0.0


async def test_walking_out_of_range_within_a_session_loses_nothing_wherever_it_happens(
    field: Field,
) -> None:
    """Every frame of a session is tried in tests/host/test_sync.py; here each third."""
    (badge,) = await badges_of(field, 1)
    radio = backend(field.hci_path)
    walk = Walk(field, radio)
    host = SyncHost(radio, field.keys)
    last_seq = await hit_often(badge, host, 40)
    walk.begin(1 << 30)
    await host.sync(last_seq)
    in_all = walk.frames
    assert in_all > 6
    ended = set()
    for at in range(0, in_all - 1, 3):
        host.cursors.clear()  # a host that has lost its store, or another one
        host.records.clear()
        walk.begin(at)
        with pytest.raises(SyncError) as caught:
            await host.sync(last_seq)
        ended.add(caught.value.reason)
        held = sum(host.cursors.values())
        walk.begin(1 << 30)
        result = await host.sync(last_seq)
        assert len(host.records) + result.missing_records == result.next_seq
        assert result.records == len(host.records) - held  # exactly the rest
    assert ended <= {SyncFailure.DISCONNECTED, SyncFailure.SILENT}
    await radio.close()


# --- a killed host -----------------------------------------------------------------------------


async def killed(field: Field, place: str, at_page: int) -> None:
    """Run a gateway in a process of its own until it is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *[str(PROGRAM), str(field.directory), field.hci_path, place, str(at_page)],
    )
    try:
        async with asyncio.timeout(WAIT_S):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == -signal.SIGKILL


async def test_G2_host_killed_around_its_commit_loses_and_doubles_nothing(field: Field) -> None:
    (badge,) = await badges_of(field, 1)
    for place, at_page in (("before", 1), ("inside", 1), ("after", 1), ("before", 1)):
        await hits(badge, 12)
        await killed(field, place, at_page)
    async with gateway_on(field, backend(field.hci_path)) as gateway:
        await all_drained(gateway, {1})
    await check_nothing_lost_or_doubled(field, {1: 48})
