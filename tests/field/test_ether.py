"""The virtual controller: each fault of stock Bumble 0.0.236 that is corrected, by its symptom."""

from __future__ import annotations

import asyncio

import pytest
from bumble import core, hci
from bumble.att import ATT_Error, ErrorCode
from bumble.device import AdvertisingType, Peer
from bumble.gatt import Characteristic
from bumble.pairing import PairingConfig, PairingDelegate
from tests.support.ether import (
    ADVERT,
    READ,
    SCAN_RESPONSE,
    VALUE_UUID,
    WRITE,
    AnsweringFirmware,
    a_device,
    advertise,
    an_ether,
    badge_address,
    connect,
    host_address,
)
from tests.support.waiting import until

from redband.errors import RedbandUserError
from redband.virtual.radio.gatt_table import (
    READ_AUTHENTICATED,
    READ_ENCRYPTED,
    WRITE_AUTHENTICATED,
    WRITE_ENCRYPTED,
)

BADGE, HOST = badge_address(1), host_address(1)
ReportType = hci.HCI_LE_Advertising_Report_Event.EventType


def a_value(properties: Characteristic.Properties) -> Characteristic:
    allowed = Characteristic.READABLE | Characteristic.WRITEABLE
    return Characteristic(VALUE_UUID, properties, allowed, b"value")


NOTIFYING = Characteristic.Properties.NOTIFY | Characteristic.Properties.READ


async def reports_of(ether, kind, is_active=True, count=6, **scan):
    """Return the first reports a host gets of one advertiser."""
    badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
    reports = []
    host.host.on("advertising_report", reports.append)
    await host.start_scanning(active=is_active, own_address_type=hci.OwnAddressType.PUBLIC, **scan)
    await advertise(badge, kind=kind)
    await until(lambda: len(reports) >= count)
    return reports


async def test_every_advert_comes_at_minus_50_dbm():
    async with an_ether() as ether:
        ether.set_rssi(BADGE, HOST, -71)
        reports = await reports_of(ether, AdvertisingType.UNDIRECTED)
        assert {report.rssi for report in reports} == {-71}


async def test_scan_response_is_the_advert_once_more():
    async with an_ether() as ether:
        reports = await reports_of(ether, AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE)
        data = {report.event_type: bytes(report.data) for report in reports}
        assert data == {ReportType.ADV_IND: ADVERT, ReportType.SCAN_RSP: SCAN_RESPONSE}


async def test_passive_scan_gets_scan_responses():
    async with an_ether() as ether:
        kind = AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
        reports = await reports_of(ether, kind, is_active=False)
        assert {report.event_type for report in reports} == {ReportType.ADV_IND}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (AdvertisingType.UNDIRECTED, {ReportType.ADV_NONCONN_IND}),
        (
            AdvertisingType.UNDIRECTED_SCANNABLE,
            {ReportType.ADV_SCAN_IND, ReportType.SCAN_RSP},
        ),
    ],
)
async def test_adverts_that_are_not_connectable_are_never_sent(kind, expected):
    async with an_ether() as ether:
        reports = await reports_of(ether, kind)
        assert {report.event_type for report in reports} == expected


async def test_advertising_runs_at_five_eighths_of_its_rate():
    async with an_ether() as ether:
        badge = await a_device(ether, BADGE)
        await advertise(badge, interval_ms=100)
        await until(lambda: ether.stats.adverts >= 1)
        started_ms, first = ether.now_ms(), ether.stats.adverts
        await until(lambda: ether.stats.adverts >= first + 20)
        mean_ms = (ether.now_ms() - started_ms) / 20
        assert 100 <= mean_ms < 140  # stock: 160


async def test_directed_advertising_is_silently_not_sent():
    async with an_ether() as ether:
        badge = await a_device(ether, BADGE)
        with pytest.raises(hci.HCI_Error):
            await badge.start_advertising(
                advertising_type=AdvertisingType.DIRECTED_CONNECTABLE_LOW_DUTY,
                target=hci.Address(HOST, hci.Address.PUBLIC_DEVICE_ADDRESS),
                own_address_type=hci.OwnAddressType.PUBLIC,
            )


async def test_scan_window_is_ignored():
    async with an_ether() as ether:
        await reports_of(
            ether,
            AdvertisingType.UNDIRECTED,
            count=10,
            scan_interval=100,
            scan_window=25,
        )
        assert ether.stats.adverts > 20  # a quarter is heard, so about 40 are needed for 10


async def test_duplicate_filter_is_ignored():
    async with an_ether() as ether:
        reports = await reports_of(
            ether, AdvertisingType.UNDIRECTED, count=1, filter_duplicates=True
        )
        await until(lambda: ether.stats.adverts >= 10)
        assert len(reports) == 1


async def test_hci_reset_leaves_the_radio_advertising():
    async with an_ether() as ether:
        badge = await a_device(ether, BADGE)
        await advertise(badge)
        await until(lambda: ether.stats.adverts)
        await badge.host.send_sync_command(hci.HCI_Reset_Command())
        assert not badge.controller.le_legacy_advertiser.enabled


async def test_connect_that_timed_out_blocks_every_later_one():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        for _ in range(2):
            with pytest.raises(core.TimeoutError):
                await connect(host, BADGE, timeout=0.05)
        await advertise(badge)
        assert (await connect(host, BADGE)).peer_address.to_string(False) == BADGE


async def test_two_centrals_are_connected_by_one_advert():
    async with an_ether() as ether:
        badge = await a_device(ether, BADGE)
        hosts = [await a_device(ether, host_address(number)) for number in (1, 2)]
        connecting = [asyncio.create_task(connect(host, BADGE)) for host in hosts]
        await until(lambda: all(h.controller.pending_le_connection for h in hosts))
        await advertise(badge)
        await asyncio.wait(connecting, return_when=asyncio.FIRST_COMPLETED)
        await until(lambda: badge.connections)
        assert (len(badge.connections), ether.stats.connections) == (1, 1)
        await advertise(badge)
        await asyncio.gather(*connecting)
        assert ether.stats.connections == 2


async def test_peripheral_is_told_invented_connection_parameters():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        await advertise(badge)
        central = await connect(host, BADGE)
        await until(lambda: badge.connections)
        (peripheral,) = badge.connections.values()
        assert peripheral.parameters == central.parameters
        assert peripheral.parameters.connection_interval == 30
        assert peripheral.parameters.supervision_timeout == 720


async def test_peer_without_power_stays_connected_for_ever():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        await advertise(badge)
        connection = await connect(host, BADGE)
        ends = []
        connection.on("disconnection", lambda reason: ends.append((reason, ether.now_ms())))
        cut_ms = ether.now_ms()
        badge.controller.power_off()
        await until(lambda: ends)
        ((reason, ended_ms),) = ends
        assert reason == hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR
        passed_ms = ended_ms - cut_ms
        assert passed_ms == pytest.approx(connection.parameters.supervision_timeout)
        assert not ether.air_links


async def test_disconnect_reaches_a_peer_that_is_out_of_range():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        await advertise(badge)
        connection = await connect(host, BADGE)
        await until(lambda: badge.connections)
        (peripheral,) = badge.connections.values()
        reasons = []
        peripheral.on("disconnection", reasons.append)
        ether.set_rssi(BADGE, HOST, None)
        await connection.disconnect()
        assert not reasons
        await until(lambda: reasons)
        assert reasons == [hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR]


async def test_stale_handle_reaches_the_next_connection():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        handles = []
        for _ in range(3):
            await advertise(badge)
            connection = await connect(host, BADGE)
            handles.append(connection.handle)
            await connection.disconnect()
            await until(lambda: not badge.connections)
        assert len(set(handles)) == 3
        assert 0 not in handles


async def test_long_notifications_are_cut_into_fragments_of_27_bytes():
    async with an_ether() as ether:
        value = a_value(NOTIFYING)
        badge, host = await a_device(ether, BADGE, value), await a_device(ether, HOST)
        await advertise(badge)
        peer = Peer(await connect(host, BADGE))
        await peer.request_mtu(247)
        await peer.discover_all()
        got = []
        await peer.subscribe(peer.get_characteristics_by_uuid(value.uuid)[0], got.append)
        ether.stats.reset()
        (connection,) = badge.connections.values()
        await badge.gatt_server.notify_subscriber(connection, value, bytes(240))
        await until(lambda: got)
        assert got == [bytes(240)]
        assert (ether.stats.acl_packets, ether.stats.acl_bytes) == (1, 240 + 3 + 4)


async def test_read_rssi_is_an_unknown_command():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        ether.set_rssi(BADGE, HOST, -83)
        await advertise(badge)
        assert await (await connect(host, BADGE)).get_rssi() == -83


async def test_set_data_length_is_an_unknown_command():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        await advertise(badge)
        await (await connect(host, BADGE)).set_data_length(251, 2120)


async def test_two_badges_with_one_address_are_one_radio():
    async with an_ether() as ether:
        await a_device(ether, BADGE)
        with pytest.raises(RedbandUserError, match=BADGE):
            await a_device(ether, BADGE)


async def test_packets_of_a_dead_connection_block_the_others():
    async with an_ether() as ether:
        values = [a_value(NOTIFYING | Characteristic.Properties.WRITE) for _ in range(2)]
        badges = [
            await a_device(ether, badge_address(number), values[number - 1]) for number in (1, 2)
        ]
        host = await a_device(ether, HOST)
        clients, handles = [], []
        for number, badge in enumerate(badges, 1):
            await advertise(badge)
            connection = await connect(host, badge_address(number))
            peer = Peer(connection)
            await peer.discover_all()
            handles.append(peer.get_characteristics_by_uuid(values[0].uuid)[0].handle)
            clients.append(connection.gatt_client)
        ether.set_rssi(badge_address(1), HOST, None)
        for _ in range(12):  # fills every buffer of the host's radio with packets for nobody
            await clients[0].write_value(handles[0], b"lost", with_response=False)
        async with asyncio.timeout(10):
            await clients[1].write_value(handles[1], b"heard", with_response=True)
        assert values[1].value == b"heard"


# -- access and pairing


async def firmware_and_peer(ether, *flags):
    firmware = AnsweringFirmware(ether)
    handles = await firmware.start(*flags)
    await firmware.advertise()
    host = await a_device(ether, HOST)
    return firmware, handles, host, await connect(host, BADGE)


@pytest.mark.parametrize(("flags", "is_readable"), [(READ, True), (WRITE, False)])
async def test_write_only_value_can_be_read(flags, is_readable):
    async with an_ether() as ether:
        _, (handle,), _, connection = await firmware_and_peer(ether, flags)
        if is_readable:
            assert await connection.gatt_client.read_value(handle) == b"value"
        else:
            with pytest.raises(ATT_Error) as error:
                await connection.gatt_client.read_value(handle)
            assert error.value.error_code == ErrorCode.READ_NOT_PERMITTED


async def test_read_only_value_can_be_written():
    async with an_ether() as ether:
        firmware, (handle,), _, connection = await firmware_and_peer(ether, READ)
        with pytest.raises(ATT_Error) as error:
            await connection.gatt_client.write_value(handle, b"x", with_response=True)
        assert error.value.error_code == ErrorCode.WRITE_NOT_PERMITTED
        await connection.gatt_client.write_value(handle, b"x", with_response=False)
        await connection.gatt_client.read_value(handle)
        assert not firmware.values


async def refused(connection, handle):
    with pytest.raises(ATT_Error) as error:
        await connection.gatt_client.read_value(handle)
    return error.value.error_code


async def test_just_works_bond_counts_as_authenticated():
    async with an_ether() as ether:
        firmware, handles, host, connection = await firmware_and_peer(
            ether, READ | READ_AUTHENTICATED, READ | READ_ENCRYPTED
        )
        authenticated, encrypted = handles
        assert await refused(connection, encrypted) == ErrorCode.INSUFFICIENT_ENCRYPTION
        await connection.pair()
        assert await connection.gatt_client.read_value(encrypted) == b"value"
        assert await refused(connection, authenticated) == ErrorCode.INSUFFICIENT_AUTHENTICATION
        await connection.disconnect()
        await until(lambda: not firmware.radio.is_advertising)
        await firmware.advertise()
        connection = await connect(host, BADGE)
        await connection.encrypt()  # with the key of the bond
        assert await connection.gatt_client.read_value(encrypted) == b"value"
        assert await refused(connection, authenticated) == ErrorCode.INSUFFICIENT_AUTHENTICATION


class ComparingDelegate(PairingDelegate):
    """Somebody who looks at both numbers."""

    def __init__(self):
        super().__init__(PairingDelegate.IoCapability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)

    async def compare_numbers(self, number, digits):
        return True


async def test_compared_numbers_do_count_as_authenticated():
    async with an_ether() as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        for device in (badge, host):
            device.pairing_config_factory = lambda _: PairingConfig(
                mitm=True,
                delegate=ComparingDelegate(),
                identity_address_type=PairingConfig.AddressType.PUBLIC,
            )
        await advertise(badge)
        connection = await connect(host, BADGE)
        await connection.pair()
        (peripheral,) = badge.connections.values()
        assert (peripheral.authenticated, connection.authenticated) == (True, True)
        await connection.disconnect()
        await until(lambda: not badge.connections)
        await advertise(badge)
        connection = await connect(host, BADGE)
        await connection.encrypt()
        (peripheral,) = badge.connections.values()
        assert (peripheral.authenticated, connection.authenticated) == (True, True)


@pytest.mark.parametrize(
    ("flag", "error", "pairs"),
    [
        (WRITE_ENCRYPTED, ErrorCode.INSUFFICIENT_ENCRYPTION, False),
        (WRITE_AUTHENTICATED, ErrorCode.INSUFFICIENT_AUTHENTICATION, True),
    ],
)
async def test_write_that_needs_a_better_link_gets_through(flag, error, pairs):
    async with an_ether() as ether:
        firmware, (handle,), _, connection = await firmware_and_peer(
            ether, READ | WRITE | 0x04 | flag
        )
        if pairs:
            await connection.pair()  # by Just Works, which proves nothing
        with pytest.raises(ATT_Error) as refusal:
            await connection.gatt_client.write_value(handle, b"x", with_response=True)
        assert refusal.value.error_code == error
        await connection.gatt_client.write_value(handle, b"x", with_response=False)
        assert await connection.gatt_client.read_value(handle) == b"value"
        assert not firmware.values
        if not pairs:
            await connection.pair()
            await connection.gatt_client.write_value(handle, b"x", with_response=True)
            assert firmware.values == {handle: b"x"}


async def test_connect_to_a_bonded_peer_that_is_away_never_ends():
    async with an_ether() as ether:
        firmware, _, host, connection = await firmware_and_peer(ether, READ)
        await connection.pair()
        await connection.disconnect()
        firmware.radio.close()
        with pytest.raises(core.TimeoutError):
            await connect(host, BADGE, timeout=0.3)
        again = AnsweringFirmware(ether)
        (handle,) = await again.start(READ)
        await again.advertise()
        connection = await connect(host, BADGE)  # the one before is not in the way
        assert await connection.gatt_client.read_value(handle) == b"value"


async def test_B8_bond_that_the_badge_forgot_is_an_error_and_no_way_in():
    async with an_ether() as ether:
        firmware, _, host, connection = await firmware_and_peer(ether, READ | READ_ENCRYPTED)
        await connection.pair()
        await connection.disconnect()
        firmware.radio.close()
        again = AnsweringFirmware(ether)
        (handle,) = await again.start(READ | READ_ENCRYPTED)
        await again.advertise()
        connection = await connect(host, BADGE)
        with pytest.raises((hci.HCI_Error, core.BaseBumbleError)):
            async with asyncio.timeout(5):
                await connection.encrypt()
        if connection.handle in host.connections:
            assert await refused(connection, handle) == ErrorCode.INSUFFICIENT_ENCRYPTION
