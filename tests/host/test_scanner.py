"""Scanning: ours are heard, strangers do not matter, and trouble is said in one sentence."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from bleak.backends.device import BLEDevice
from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakBluetoothNotAvailableReason,
    BleakError,
)
from tests.host.fake_radio import FakeAir, device

from redband.errors import RedbandUserError
from redband.radio import Heard, ScanCounts, scan
from redband.radio.scanner import QUEUE_MAX
from redband_core import advert

WOUNDED = advert.Advert(42, 7, 3, 2, 1, 300, 1234, 87, 1, 16)


class Listener:
    """What a scan has heard; lets a test wait for it."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.counts = ScanCounts()

    async def settle(self) -> None:
        """Let the scan's task take what is queued."""
        for _ in range(3):
            await asyncio.sleep(0)


@asynccontextmanager
async def listening(air: FakeAir):
    """Run a scan for the length of a block."""
    listener = Listener()
    started = asyncio.Event()
    task = asyncio.create_task(scan(listener.heard.append, air, listener.counts, started.set))
    await started.wait()
    try:
        yield listener
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_badge_is_heard_with_its_state_and_signal_strength():
    air = FakeAir()
    async with listening(air) as listener:
        air.advertise(advert.encode(WOUNDED), device(42))
        await listener.settle()
    assert [(h.advert, h.rssi_dbm, h.device.address) for h in listener.heard] == [
        (WOUNDED, -60, "C0:DE:00:00:00:2A")
    ]
    assert air.scanning is None, "the scan goes on after its task was cancelled"


async def test_strangers_and_broken_adverts_raise_nothing_and_are_counted():
    air = FakeAir()
    good = advert.encode(WOUNDED)
    async with listening(air) as listener:
        for number in range(200):
            air.advertise(bytes((number,)) * 9, device(number), company=0x004C)
        for payload in (None, b"", b"R", b"XX" + good[2:]):
            air.advertise(payload)
        for payload in (b"RB", good[:-1], good + b"\0", b"RB\x09" + good[3:]):
            air.advertise(payload)
        air.advertise(good, company=0x1234)
        await listener.settle()
    assert listener.heard == []
    assert (listener.counts.strangers, listener.counts.broken) == (205, 4)


async def test_change_after_1000_equal_adverts_is_heard_in_the_next():
    air = FakeAir()
    async with listening(air) as listener:
        for _ in range(1000):
            air.advertise(advert.encode(WOUNDED))
        air.advertise(advert.encode(WOUNDED._replace(signal=4, revision=8)))
        await listener.settle()
    assert listener.heard[-1].advert.signal == 4
    assert len({h.advert.badge_id for h in listener.heard}) == 1


async def test_same_badge_by_address_and_by_macos_uuid_is_one_badge():
    air = FakeAir()
    uuid = BLEDevice("6F3A2B1C-0000-4000-8000-00000000002A", None, None)
    async with listening(air) as listener:
        air.advertise(advert.encode(WOUNDED), device(42))
        air.advertise(advert.encode(WOUNDED), uuid)
        await listener.settle()
    assert {h.advert.badge_id for h in listener.heard} == {42}
    assert len({h.device.address for h in listener.heard}) == 2


async def test_flood_is_bounded_and_the_newest_are_kept():
    air = FakeAir()
    async with listening(air) as listener:
        for number in range(QUEUE_MAX + 10):
            air.advertise(advert.encode(WOUNDED._replace(last_seq=number)))
        await listener.settle()
    assert listener.counts.dropped == 10
    assert listener.heard[-1].advert.last_seq == QUEUE_MAX + 9


async def test_error_in_the_consumer_ends_the_scan_visibly():
    def fail(_heard: Heard) -> None:
        raise LookupError("no such row")

    air = FakeAir()
    started = asyncio.Event()
    task = asyncio.create_task(scan(fail, air, on_started=started.set))
    await started.wait()
    air.advertise(advert.encode(WOUNDED))
    with pytest.raises(LookupError):
        await task
    assert air.scanning is None


@pytest.mark.parametrize(
    "error",
    [
        BleakError("No Bluetooth adapters found."),
        BleakBluetoothNotAvailableError("off", BleakBluetoothNotAvailableReason.POWERED_OFF),
        FileNotFoundError(2, "No such file or directory"),  # no D-Bus: a bare container
    ],
)
async def test_no_bluetooth_is_one_sentence(error: Exception):
    air = FakeAir()
    air.fail["scan"] = error
    with pytest.raises(RedbandUserError, match="^Bluetooth cannot be used") as caught:
        await scan(lambda heard: None, air)
    assert caught.value.exit_code != 0
    assert "\n" not in str(caught.value)
    assert not {"<", "[", "'"} & set(str(caught.value)), "this is no text for people"
