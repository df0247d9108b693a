"""Distance, loss and pace of the ether, and that data survive all of it."""

from __future__ import annotations

import asyncio

import pytest
from bleak import BleakClient, BleakScanner
from bumble.hci import OwnAddressType
from tests.support.ether import (
    NOTIFY,
    READ,
    VALUE_UUID,
    AnsweringFirmware,
    a_device,
    a_host,
    advertise,
    an_ether,
    badge_address,
    connect,
    host_address,
)
from tests.support.waiting import until

from redband.errors import RedbandUserError
from redband.virtual.radio import Ether
from redband.virtual.radio import badge_frames as frames

BADGE, HOST = badge_address(1), host_address(1)
COUNT = 60
VALUE_BYTES = 240


class Stream:
    """A badge that sends numbered notifications as fast as its credits allow."""

    def __init__(self, firmware: AnsweringFirmware, handle: int) -> None:
        connection = firmware.of(frames.CONNECTED)[0][:2]
        self._head = connection + handle.to_bytes(2, "little")
        self.firmware = firmware
        self.sent = 0
        self.refused = 0

    async def run(self, count: int = COUNT) -> None:
        credits = lambda: 12 + sum(p[0] for p in self.firmware.of(frames.CREDIT))  # noqa: E731
        while self.sent < count:
            await until(lambda: credits() > self.sent)
            value = self.sent.to_bytes(2, "big") + bytes(VALUE_BYTES - 2)
            self.firmware.radio.frame(frames.NOTIFY, self._head + value)
            self.sent += 1


async def stream_to(radio, ether, got):
    """Connect a host to a new badge; return the client and the badge's stream."""
    firmware = AnsweringFirmware(ether)
    (handle,) = await firmware.start(READ | NOTIFY)
    await firmware.advertise(30)
    device = await BleakScanner.find_device_by_address(BADGE, timeout=10, backend=radio.scanner)
    assert device is not None
    client = BleakClient(device, backend=radio.client)
    await client.connect()
    await client.start_notify(
        VALUE_UUID, lambda _, data: got.append(int.from_bytes(data[:2], "big"))
    )
    ether.stats.reset()
    return client, Stream(firmware, handle)


async def test_pace_is_packets_per_event_and_interval(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        got: list[int] = []
        _, stream = await stream_to(radio, ether, got)
        started_ms = ether.now_ms()
        await stream.run()
        await until(lambda: len(got) == COUNT)
        ideal_ms = COUNT / 4 * 30
        assert ideal_ms - 30 <= ether.now_ms() - started_ms < ideal_ms * 1.5
        assert got == list(range(COUNT))
        assert ether.stats.acl_packets == COUNT
        assert ether.stats.acl_bytes == COUNT * (VALUE_BYTES + 3 + 4)


async def test_time_factor_divides_the_pace(tmp_path):
    async with an_ether(time_factor=10) as ether, a_host(ether, tmp_path) as radio:
        got: list[int] = []
        _, stream = await stream_to(radio, ether, got)
        loop = asyncio.get_running_loop()
        started_s = loop.time()
        await stream.run()
        await until(lambda: len(got) == COUNT)
        assert loop.time() - started_s < COUNT / 4 * 0.030  # real time at factor 1
        assert got == list(range(COUNT))


async def test_lost_packets_are_sent_again_in_order(tmp_path):
    async with an_ether(time_factor=10) as ether, a_host(ether, tmp_path) as radio:
        got: list[int] = []
        client, stream = await stream_to(radio, ether, got)
        ether.packet_loss = 0.3
        await stream.run()
        await until(lambda: len(got) == COUNT)
        assert got == list(range(COUNT))
        assert client.is_connected
        stats = ether.stats
        assert stats.retransmissions > COUNT * 0.2
        assert stats.acl_packets >= COUNT + stats.retransmissions


async def test_short_walk_out_of_range_loses_nothing(tmp_path):
    async with an_ether() as ether, a_host(ether, tmp_path) as radio:
        got: list[int] = []
        client, stream = await stream_to(radio, ether, got)
        running = asyncio.create_task(stream.run())
        await until(lambda: len(got) >= 10)
        ether.set_rssi(BADGE, HOST, None)
        away_ms = ether.now_ms()
        heard = len(got)
        await until(lambda: ether.now_ms() - away_ms > 200)  # the timeout is 720 ms
        assert len(got) <= heard + 4  # what the socket still held
        ether.set_rssi(BADGE, HOST, -90)
        await running
        await until(lambda: len(got) == COUNT)
        assert got == list(range(COUNT))
        assert client.is_connected
        assert ether.stats.timeouts == 0


@pytest.mark.parametrize("cause", ["range", "loss", "too weak"])
async def test_out_of_range_for_good_ends_both_ends(tmp_path, cause):
    async with an_ether(time_factor=5) as ether, a_host(ether, tmp_path) as radio:
        client, stream = await stream_to(radio, ether, [])
        if cause == "loss":
            ether.packet_loss = 1.0
        else:
            ether.set_rssi(BADGE, HOST, None if cause == "range" else -100)
        await until(lambda: not client.is_connected)
        await until(lambda: stream.firmware.of(frames.DISCONNECTED))
        assert not ether.air_links
        running = asyncio.create_task(stream.run(40))  # nobody is there, and credits come back
        await running


async def test_advert_loss_and_strength_are_per_pair():
    async with an_ether(time_factor=20) as ether:
        badges = [await a_device(ether, badge_address(number)) for number in (1, 2, 3)]
        host = await a_device(ether, HOST)
        ether.set_rssi(badge_address(1), HOST, -40)
        ether.set_rssi(HOST, badge_address(2), -80)
        ether.set_rssi(badge_address(3), HOST, None)
        heard: dict[str, list[int]] = {}
        host.host.on(
            "advertising_report",
            lambda report: heard.setdefault(report.address.to_string(False), []).append(
                report.rssi
            ),
        )
        await host.start_scanning(active=False, own_address_type=OwnAddressType.PUBLIC)
        for badge in badges:
            await advertise(badge, 30)
        await until(lambda: ether.stats.adverts > 100)
        assert {address: set(strengths) for address, strengths in heard.items()} == {
            badge_address(1): {-40},
            badge_address(2): {-80},
        }
        ether.adv_loss = 0.5
        ether.stats.reset()
        await until(lambda: ether.stats.adverts > 400)
        share = ether.stats.adverts_received / (ether.stats.adverts * 2 / 3)
        assert 0.4 < share < 0.6


async def test_jitter_spreads_the_strength():
    async with an_ether(time_factor=20) as ether:
        ether.rssi_jitter_db = 4
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        strengths = []
        host.host.on("advertising_report", lambda report: strengths.append(report.rssi))
        await host.start_scanning(active=False, own_address_type=OwnAddressType.PUBLIC)
        await advertise(badge, 30)
        await until(lambda: len(strengths) > 200)
        assert len(set(strengths)) > 8
        assert -63 < sum(strengths) / len(strengths) < -57


async def test_same_seed_same_losses():
    counts = []
    for seed in (7, 7, 8):
        async with an_ether(seed=seed) as ether:
            counts.append([ether.random.random() for _ in range(5)])
    assert counts[0] == counts[1] != counts[2]


async def test_badge_out_of_range_cannot_be_connected():
    async with an_ether(time_factor=20) as ether:
        badge, host = await a_device(ether, BADGE), await a_device(ether, HOST)
        ether.set_rssi(BADGE, HOST, None)
        await advertise(badge, 30)
        connecting = asyncio.create_task(connect(host, BADGE))
        await until(lambda: ether.stats.adverts > 20)
        assert not badge.connections
        ether.set_rssi(BADGE, HOST, -70)
        await connecting


async def test_power_off_in_the_middle_of_a_call_is_quiet():
    async with an_ether() as ether:
        firmware = AnsweringFirmware(ether)
        errors = []
        asyncio.get_running_loop().set_exception_handler(lambda _, c: errors.append(c))
        firmware.radio.frame(frames.POWER_ON, b"\0\1")
        while not ether.controllers:  # noqa: ASYNC110 (the call is not over when there is one)
            await asyncio.sleep(0)
        firmware.radio.close()
        await until(lambda: not ether.controllers)
        for _ in range(20):
            await asyncio.sleep(0)
        assert errors == []
        await firmware.start(READ)


def test_time_factor_must_be_above_zero():
    with pytest.raises(RedbandUserError, match="above 0"):
        Ether(time_factor=0)
