"""Adverts recorded and forged on the air of virtual badges: no row changes, no badge stops."""

from __future__ import annotations

import asyncio

import pytest
from bumble import hci
from bumble.device import AdvertisingType
from tests.support.badge_journal import cut_and_read
from tests.support.ether import ABumbleDevice, a_device
from tests.support.host_radio import Observer
from tests.support.taps import Air, hit
from tests.support.waiting import WAIT_S, until

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.broadcasts import COMMANDS, make_broadcast
from redband.gateway.gateway import Gateway
from redband.keys import GameKeys
from redband.overview.names import open_rulesets
from redband.radio import AdvertReader, Verdict, command_badge
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband.wire import command_frames as wire_command_frames
from redband_core import advert, journal
from redband_core.advert import advertising_data

BADGE = BadgeSpec(1, "Anna")
OTHER_GAME = GameKeys(bytes(32))
THIEF = "C0:DE:00:00:66:66"


@pytest.fixture
async def field(field: Field) -> Field:
    await field.add_badge(BADGE)
    return field


class Recorder:
    """Hears every advert of a field's badges, as anybody can."""

    def __init__(self, field: Field) -> None:
        self.heard: list[bytes] = []
        real = field.ether.broadcast

        def broadcast(sender, pdu) -> None:
            if sender.name == BADGE.address and pdu.data not in self.heard:
                self.heard.append(pdu.data)
            real(sender, pdu)

        field.ether.broadcast = broadcast  # pyright: ignore[reportAttributeAccessIssue]

    def of_kind(self, kind: int) -> list[bytes]:
        return [data for data in self.heard if data[8] & 15 == kind]


async def say(device: ABumbleDevice, data: bytes, for_s: float) -> None:
    """Advertise what was recorded or forged, ten times a second."""
    await device.start_advertising(
        advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
        own_address_type=hci.OwnAddressType.PUBLIC,
        advertising_data=data,
        advertising_interval_min=20,
        advertising_interval_max=20,
    )
    await asyncio.sleep(for_s)
    await device.stop_advertising()


async def test_G12_recorded_and_forged_adverts_change_no_row_of_a_gateway(field: Field) -> None:
    badge, recorder = field.badges[1], Recorder(field)
    store = Store(field.directory / STORE_FILE)
    radio = backend(field.hci_path)
    observer = BleakRadio(radio, field.keys)
    gateway = Gateway(observer, store, open_rulesets(store), name="tent")
    await gateway.load()
    running = asyncio.create_task(gateway.run())
    thief = await a_device(field.ether, THIEF)
    await until(lambda: bool(gateway.rows()) and gateway.rows()[0].hits is not None)
    unhurt = recorder.of_kind(0)[-1]
    before = gateway.rows()[0].hits
    await hit(badge)
    await until(lambda: gateway.rows()[0].hits != before)
    hurt = gateway.rows()[0].hits
    seen: set[int | None] = set()

    async def watch() -> None:
        while True:
            seen.add(gateway.rows()[0].hits)
            await gateway.changed()

    watching = asyncio.create_task(watch())
    block = bytes((unhurt[9] ^ 1,)) + unhurt[10:]
    for data, verdict in (
        (unhurt, Verdict.OLD),
        (unhurt[:9] + block, Verdict.FOREIGN),
        (unhurt[:8] + b"\x10" + unhurt[9:], Verdict.OTHER_VERSION),
    ):
        await say(thief, data, 1.5)
        assert observer.counts.packets[verdict] > 0, "it was heard"
    assert {row.badge_id for row in gateway.rows()} == {1}
    watching.cancel()
    assert seen == {hurt}
    running.cancel()
    await asyncio.wait({running, watching})
    await radio.close()
    store.close()


async def test_G12_recorded_and_changed_broadcasts_stop_no_badge(field: Field, air: Air) -> None:
    recorder = Recorder(field)
    observer = Observer(field, AdvertReader(field.keys))
    store = Store(field.directory / STORE_FILE)
    for name in ("stop", "resume"):
        word = make_broadcast(store, field.keys, COMMANDS[name])
        orders = [wire_command_frames.encode_broadcast(word.payload)]
        await command_badge(
            (await observer.next()).device,
            lambda _welcome, orders=orders: orders,
            field.keys,
            observer.radio,
            WAIT_S,
        )
        await until(lambda name=name: observer.shows(1, is_paused=name == "stop"))
        await until(lambda name=name: len(recorder.of_kind(3)) == 1 + (name == "resume"))
    stop = recorder.of_kind(3)[0]
    foreign = make_broadcast(Store(field.directory / "other"), OTHER_GAME, COMMANDS["stop"])
    thief = await a_device(field.ether, THIEF)
    for data in (
        stop,
        stop[:12] + bytes((stop[12] ^ 1,)) + stop[13:],
        stop[:-1] + bytes((stop[-1] ^ 1,)),
        advertising_data(foreign.payload),
    ):
        before = air.arrivals(1, advert.KIND_BROADCAST, THIEF)
        await say(thief, data, 1.5)
        assert air.arrivals(1, advert.KIND_BROADCAST, THIEF) > before, "the badge was given it"
    assert observer.shows(1, is_paused=False)
    await observer.close()
    store.close()
    records = await cut_and_read(field.badges[1])
    assert sum(kind == journal.PAUSE for _seq, kind, _ms, _payload in records) == 1
