"""bleak over the virtual radio: what host code may rely on, by the symptoms of H1 to H10."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from bleak import BleakClient, BleakScanner
from bleak.backends.scanner import AdvertisementData
from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakCharacteristicNotFoundError,
    BleakDeviceNotFoundError,
    BleakError,
    BleakGATTProtocolError,
)
from bumble.gatt import Characteristic
from bumble.hci import Address
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ether import (
    ADVERT,
    NOTIFY,
    READ,
    SCAN_RESPONSE,
    SECOND_UUID,
    SERVICE_UUID,
    VALUE_UUID,
    WRITE,
    AnsweringFirmware,
    a_device,
    a_host,
    advertise,
    an_ether,
    badge_address,
    host_address,
)
from tests.support.waiting import until

from redband.virtual.bleak_backend import backend
from redband.virtual.bleak_backend.adverts import HeardDevice
from redband.virtual.radio import badge_frames as frames
from redband.virtual.radio.hci_server import open_hci

BADGE = badge_address(1)
QUICK = 0x04


async def a_badge(ether, *flags, number=1):
    firmware = AnsweringFirmware(ether, badge_address(number))
    await firmware.start(*flags)
    await firmware.advertise(30)
    return firmware


async def find(radio, number=1):
    device = await BleakScanner.find_device_by_address(
        badge_address(number), timeout=10, backend=radio.scanner
    )
    assert device is not None
    return device


async def client_of(radio, **options):
    return BleakClient(await find(radio), backend=radio.client, **options)


def value_of(client):
    value = client.services.get_characteristic(VALUE_UUID)
    assert value is not None
    return value


def test_bleak_never_imports_dbus(tmp_path):
    program = """
import sys
from bleak import BleakClient, BleakScanner
from redband.virtual.bleak_backend import backend
from redband.virtual.clock import run
from redband.virtual.radio import Ether
from redband.virtual.radio.hci_server import open_hci

async def main():
    ether = Ether()
    path = sys.argv[1]
    await open_hci(ether, path)
    radio = backend(path)
    await BleakScanner.discover(timeout=0.01, backend=radio.scanner)
    BleakClient("C0:DE:00:00:00:01", backend=radio.client)
    await radio.close()
    await ether.close()

run(main(), True)
assert not [name for name in sys.modules if "dbus" in name], sys.modules
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "hci")], check=True, timeout=60)


@pytest.mark.both_paces
async def test_scan_gives_name_data_uuid_and_strength(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        await a_badge(ether, READ)
        ether.set_rssi(BADGE, host_address(1), -66)
        seen: list[AdvertisementData] = []
        async with BleakScanner(lambda _, advert: seen.append(advert), backend=radio.scanner):
            await until(lambda: any(advert.local_name for advert in seen))
        advert = seen[-1]
        assert (advert.local_name, advert.rssi) == ("RB", -66)
        assert advert.manufacturer_data == {0xFFFF: b"RB\x01"}


@pytest.mark.both_paces
async def test_H1_changed_state_is_seen_within_one_packet(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        badge = await a_device(ether, BADGE)
        await advertise(badge, 30)
        seen = []
        async with BleakScanner(lambda _, advert: seen.append(advert), backend=radio.scanner):
            await until(lambda: len(seen) > 20)
            badge.controller.le_legacy_advertiser.advertising_data = ADVERT[:-1] + b"\x02"
            heard, before = ether.stats.adverts_received, len(seen)
            await until(lambda: ether.stats.adverts_received > heard and len(seen) > before)
        assert seen[before].manufacturer_data == {0xFFFF: b"RB\x02"}


async def test_service_filter_and_second_scan_start_afresh(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        await a_badge(ether, READ)
        scanner = BleakScanner(service_uuids=[SERVICE_UUID], backend=radio.scanner)
        async with scanner:
            await until(lambda: ether.stats.adverts_received > 3)
        assert scanner.discovered_devices == []
        await find(radio)


@given(st.lists(st.tuples(st.binary(max_size=31), st.booleans()), max_size=6))
def test_H8_adverts_of_strangers_never_raise(reports):
    device = HeardDevice(Address("11:22:33:44:55:66"))
    for data, is_scan_response in reports:
        if device.update(data, -60, is_scan_response):
            assert device.merged.rssi == -60


def test_H8_scan_response_is_merged_and_repeats_are_quiet():
    device = HeardDevice(Address("11:22:33:44:55:66"))
    assert not device.update(SCAN_RESPONSE, -60, True)  # no advert yet: nothing to merge with
    assert device.update(ADVERT, -60, False)
    assert device.merged.local_name is None
    assert device.update(SCAN_RESPONSE, -60, True)
    assert device.merged.local_name == "RB"
    assert not device.update(SCAN_RESPONSE, -60, True)
    assert device.update(ADVERT, -61, False)
    assert (device.merged.local_name, device.merged.rssi) == ("RB", -61)


@pytest.mark.both_paces
async def test_read_write_notify_and_mtu(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ | WRITE | NOTIFY, READ | QUICK)
        gone = []
        async with await client_of(radio, disconnected_callback=gone.append) as client:
            assert (client.name, client.mtu_size, client.is_connected) == ("RB", 256, True)
            (service,) = [s for s in client.services if s.uuid == SERVICE_UUID]
            assert [c.uuid for c in service.characteristics] == [VALUE_UUID, SECOND_UUID]
            value = value_of(client)
            assert value.properties == ["read", "write", "notify"]
            assert value.max_write_without_response_size == 253
            await client.write_gatt_char(VALUE_UUID, b"written", response=True)
            await client.write_gatt_char(SECOND_UUID, b"quick", response=False)
            assert await client.read_gatt_char(VALUE_UUID) == b"written"
            assert await client.read_gatt_char(SECOND_UUID) == b"quick"
            got = []
            await client.start_notify(VALUE_UUID, lambda _, data: got.append(bytes(data)))
            with pytest.raises(BleakError, match="already started"):
                await client.start_notify(VALUE_UUID, lambda *_: None)
            notification = firmware.of(frames.CONNECTED)[0][:2] + value.handle.to_bytes(
                2, "little"
            )
            firmware.radio.frame(frames.NOTIFY, notification + b"news")
            await until(lambda: got == [b"news"])
            await client.stop_notify(VALUE_UUID)
            with pytest.raises(BleakError, match="not started"):
                await client.stop_notify(VALUE_UUID)
        await until(lambda: gone == [client])
        assert not client.is_connected
        with pytest.raises(BleakError):
            await client.read_gatt_char(VALUE_UUID)


async def test_errors_of_the_peer_are_bleaks(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        await a_badge(ether, READ, WRITE | QUICK)
        async with await client_of(radio) as client:
            with pytest.raises(BleakGATTProtocolError) as error:
                await client.read_gatt_char(SECOND_UUID)
            assert error.value.code == 0x02
            with pytest.raises(BleakGATTProtocolError) as error:
                await client.write_gatt_char(VALUE_UUID, b"", response=True)
            assert error.value.code == 0x03
            with pytest.raises(BleakError, match="300 bytes do not fit"):
                await client.write_gatt_char(SECOND_UUID, bytes(300), response=False)
            with pytest.raises(BleakCharacteristicNotFoundError):
                await client.read_gatt_char("0000ffff-0000-1000-8000-00805f9b34fb")


async def test_services_argument_limits_discovery(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        await a_badge(ether, READ)
        async with await client_of(radio, services=[SERVICE_UUID]) as client:
            assert [service.uuid for service in client.services] == [SERVICE_UUID]


async def test_connect_times_out_and_the_radio_stays_usable(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ)
        device = await find(radio)
        await firmware.call(frames.ADVERTISE_STOP)
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await BleakClient(device, timeout=0.1, backend=radio.client).connect()
        await firmware.advertise(30)
        async with BleakClient(device, backend=radio.client) as client:
            assert client.is_connected


@pytest.mark.both_paces
async def test_H4_cancelled_connect_leaves_nothing_pending(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ)
        device = await find(radio)
        await firmware.call(frames.ADVERTISE_STOP)
        (controller,) = (c for c in ether.controllers if c.name == host_address(1))
        connecting = asyncio.create_task(BleakClient(device, backend=radio.client).connect())
        await until(lambda: controller.pending_le_connection)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
        assert controller.pending_le_connection is None
        await firmware.advertise(30)
        async with BleakClient(device, backend=radio.client):
            assert len(controller.le_connections) == 1


async def test_H4_many_clients_connect_one_at_a_time(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        for number in range(1, 9):
            await a_badge(ether, READ, number=number)
        devices = [await find(radio, number) for number in range(1, 9)]
        clients = [BleakClient(device, backend=radio.client) for device in devices]
        await asyncio.gather(*(client.connect() for client in clients))
        values = await asyncio.gather(*(client.read_gatt_char(VALUE_UUID) for client in clients))
        assert values == [b"value"] * 8
        await asyncio.gather(*(client.disconnect() for client in clients))
        await until(lambda: not ether.air_links)


async def test_unknown_address_is_not_found(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        client = BleakClient(badge_address(9), timeout=0.1, backend=radio.client)
        with pytest.raises(BleakDeviceNotFoundError):
            await client.connect()


async def test_address_alone_is_enough(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        await a_badge(ether, READ)
        async with BleakClient(BADGE.lower(), backend=radio.client) as client:
            assert await client.read_gatt_char(VALUE_UUID) == b"value"


@pytest.mark.both_paces
async def test_H6_peer_loses_power_in_the_middle_of_a_read(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ)
        client = await client_of(radio)
        await client.connect()
        firmware.is_answering = False
        reading = asyncio.create_task(client.read_gatt_char(VALUE_UUID))
        await until(lambda: firmware.of(frames.READ))
        firmware.radio.close()
        with pytest.raises(BleakError, match="lost"):
            await reading
        await a_badge(ether, READ)  # the battery is back in
        async with await client_of(radio) as client:
            assert await client.read_gatt_char(VALUE_UUID) == b"value"


async def test_peer_loses_power_while_its_services_are_read(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ)
        client = await client_of(radio)
        firmware.on_frame[frames.MTU_CHANGED] = firmware.radio.close
        connecting = asyncio.create_task(client.connect())
        with pytest.raises(BleakError):
            await connecting
        assert not client.is_connected


async def test_cancelled_read_does_not_answer_the_next_one(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ, READ)
        async with await client_of(radio) as client:
            first = value_of(client)
            firmware.values[first.handle] = b"stale"
            firmware.is_answering = False
            reading = asyncio.create_task(client.read_gatt_char(VALUE_UUID))
            await until(lambda: firmware.of(frames.READ))
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            firmware.is_answering = True
            next_read = asyncio.create_task(client.read_gatt_char(SECOND_UUID))
            number = firmware.of(frames.READ)[0][:2]
            firmware.radio.frame(frames.READ_DONE, number + b"\0" + b"stale")
            assert await next_read == b"value"


async def test_H10_error_in_a_notify_callback_is_reported_and_the_rest_arrives(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, NOTIFY)
        errors, got = [], []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))

        def callback(_, data):
            got.append(bytes(data))
            if data == b"1":
                raise ValueError("of the callback")

        async with await client_of(radio) as client:
            await client.start_notify(VALUE_UUID, callback)
            value = value_of(client)
            head = firmware.of(frames.CONNECTED)[0][:2] + value.handle.to_bytes(2, "little")
            for number in range(4):
                firmware.radio.frame(frames.NOTIFY, head + b"%d" % number)
            await until(lambda: len(got) == 4)
        assert [str(error) for error in errors] == ["of the callback"]


async def test_field_that_is_gone_ends_every_wait(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ)
        gone = asyncio.Event()
        device = await find(radio)
        client = BleakClient(device, lambda _: gone.set(), backend=radio.client)
        await client.connect()
        await firmware.advertise(10_000)
        firmware.is_answering = False
        waits = [
            asyncio.create_task(client.read_gatt_char(VALUE_UUID)),
            asyncio.create_task(BleakClient(device, backend=radio.client).connect()),
        ]
        await until(lambda: firmware.of(frames.READ))
        await ether.close()
        for wait in waits:
            with pytest.raises(BleakError):
                await wait
        async with asyncio.timeout(10):
            await gone.wait()
        async with an_ether() as ether:  # and a new field on the same socket
            await open_hci(ether, str(tmp_path / "hci"))
            await a_badge(ether, READ)
            async with await client_of(radio) as client:
                assert await client.read_gatt_char(VALUE_UUID) == b"value"
            await radio.close()


async def test_no_field_gives_one_clear_sentence(tmp_path):
    radio = backend(str(tmp_path / "nobody"))
    with pytest.raises(BleakBluetoothNotAvailableError, match="start the field first"):
        await BleakScanner.discover(timeout=1, backend=radio.scanner)


async def test_close_drops_connections_and_leaves_no_task(tmp_path):
    async with an_ether() as ether:
        async with a_host(ether, tmp_path) as radio:
            await a_badge(ether, READ)
            client = await client_of(radio)
            await client.connect()
        assert not client.is_connected
        await until(lambda: len(ether.controllers) == 1)
        assert (len(ether.air_links), ether.stats.timeouts) == (0, 0)  # the badge was told
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others


def test_H10_one_radio_in_two_event_loops(tmp_path):
    radio = backend(str(tmp_path / "hci"))

    async def once():
        async with an_ether() as ether:
            await open_hci(ether, str(tmp_path / "hci"))
            await a_badge(ether, READ)
            await find(radio)

    for _ in range(2):
        asyncio.run(once())


async def test_writes_without_response_wait_for_room(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        firmware = await a_badge(ether, READ | QUICK)
        async with await client_of(radio) as client:
            queue = (await radio.adapter()).device.host.le_acl_packet_queue
            assert queue is not None
            for number in range(100):
                await client.write_gatt_char(VALUE_UUID, b"%d" % number, response=False)
                assert queue.pending <= 24
            await until(lambda: len(firmware.of(frames.WRITTEN)) == 100)
        values = [int(payload[6:]) for payload in firmware.of(frames.WRITTEN)]
        assert values == list(range(100))


async def test_value_of_a_bumble_peripheral_is_read_whole(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        value = Characteristic(
            VALUE_UUID,
            Characteristic.Properties.READ,
            Characteristic.READABLE,
            bytes(range(200)) * 2,
        )
        badge = await a_device(ether, BADGE, value)
        badge.gatt_server.max_mtu = 23
        await advertise(badge, 30)
        async with await client_of(radio) as client:
            assert client.mtu_size == 23
            assert await client.read_gatt_char(VALUE_UUID) == bytes(range(200)) * 2
