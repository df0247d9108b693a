"""Adverts recorded and forged on the air of virtual badges: no row changes, no badge stops."""

from __future__ import annotations

import asyncio

import pytest
from bumble import hci
from bumble.device import AdvertisingType
from tests.field.test_attacker_air import BADGE, OTHER_GAME, WAIT_S, field
from tests.field.test_keys_air import Ears, hit
from tests.field.test_orders_air import journal_of, shows, until
from tests.support.radio_harness import ABumbleDevice, a_device

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.broadcasts import COMMANDS, make_word
from redband.gateway.gateway import Gateway
from redband.overview.names import open_book
from redband.radio import AdvertReader, order_badge
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.field import Field
from redband.wire import order_frames as wire_order_frames
from redband_core import journal
from redband_core.advert import advertising_data

__all__ = ["field"]
pytestmark = pytest.mark.timeout(240)


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
    gateway = Gateway(BleakRadio(radio, field.keys), store, open_book(store), name="tent")
    await gateway.load()
    running = asyncio.create_task(gateway.run())
    thief = await a_device(field.ether, "C0:DE:00:00:66:66")
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
    for data in (unhurt, unhurt[:9] + block, unhurt[:8] + b"\x10" + unhurt[9:]):
        await say(thief, data, 1.5)
    assert {row.badge_id for row in gateway.rows()} == {1}
    watching.cancel()
    assert seen == {hurt}
    running.cancel()
    await asyncio.wait({running, watching})
    await radio.close()
    store.close()


async def test_G12_recorded_and_changed_words_to_the_fleet_stop_no_badge(field: Field) -> None:
    recorder = Recorder(field)
    ears = Ears(field, AdvertReader(field.keys))
    store = Store(field.directory / STORE_FILE)
    for name in ("stop", "resume"):
        word = make_word(store, field.keys, COMMANDS[name])
        orders = [wire_order_frames.encode_fleet(word.payload)]
        await order_badge(
            (await ears.next()).device,
            lambda _welcome, orders=orders: orders,
            field.keys,
            ears.radio,
            WAIT_S,
        )
        await until(lambda name=name: shows(ears, 1, is_paused=name == "stop"))
        await until(lambda name=name: len(recorder.of_kind(3)) == 1 + (name == "resume"))
    stop = recorder.of_kind(3)[0]
    foreign = make_word(Store(field.directory / "other"), OTHER_GAME, COMMANDS["stop"])
    thief = await a_device(field.ether, "C0:DE:00:00:66:66")
    for data in (
        stop,
        stop[:12] + bytes((stop[12] ^ 1,)) + stop[13:],
        stop[:-1] + bytes((stop[-1] ^ 1,)),
        advertising_data(foreign.payload),
    ):
        await say(thief, data, 1.5)
    assert shows(ears, 1, is_paused=False)
    await ears.close()
    store.close()
    records = await journal_of(field.badges[1])
    assert sum(kind == journal.PAUSE for kind, _ms, _payload in records) == 1
