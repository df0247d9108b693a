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
from tests.core.data.aes import encryptor
from tests.support.fake_radio import FakeAir, device

from redband.errors import RedbandUserError
from redband.keys import GameKeys
from redband.radio import AdvertReader, Heard, ScanCounts, Verdict, scan
from redband.radio.scanner import DEVICES_MAX, QUEUE_MAX
from redband.wire import advert as wire_advert
from redband_core import advert
from redband_core.sealing import seal

KEYS = GameKeys(bytes(range(32)))
WOUNDED = wire_advert.Advert(42, 7, 3, 2, 1, 300, 1234, 87, 1, 16, False, False)


def aes(keys: GameKeys):
    """Return the game's AES."""
    return encryptor(keys.advert_encrypt)


def sealed(state: wire_advert.Advert, keys: GameKeys = KEYS) -> bytes:
    """Return the payload of a badge in this state."""
    return seal(advert.KIND_STATE, advert.encode_state(state), keys.advert_proof, aes(keys))


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
async def listening(air: FakeAir, reader: AdvertReader | None = None):
    """Run a scan for the length of a block."""
    reader = reader or AdvertReader(KEYS)
    listener = Listener()
    started = asyncio.Event()
    task = asyncio.create_task(
        scan(listener.heard.append, reader, air, listener.counts, started.set)
    )
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
        air.advertise(sealed(WOUNDED), device(42))
        await listener.settle()
    assert [(h.advert, h.rssi_dbm, h.device.address) for h in listener.heard] == [
        (WOUNDED, -60, "C0:DE:00:00:00:2A")
    ]
    assert air.scanning is None, "the scan goes on after its task was cancelled"


async def test_strangers_and_broken_adverts_raise_nothing_and_are_counted():
    air = FakeAir()
    good = sealed(WOUNDED)
    async with listening(air) as listener:
        for number in range(200):
            air.advertise(bytes((number,)) * 9, device(number), company=0x004C)
        for payload in (None, b"", b"R", b"XX" + good[2:]):
            air.advertise(payload)
        for payload in (good[:2], good[:-1], good + b"\0", b"\x52\x29" + good[2:]):
            air.advertise(payload)
        air.advertise(good, company=0x1234)
        await listener.settle()
    assert listener.heard == []
    packets = listener.counts.packets
    assert (packets[Verdict.STRANGER], packets[Verdict.BROKEN]) == (205, 4)


async def test_G12_what_another_game_or_a_forger_sends_is_counted_and_never_heard():
    air = FakeAir()
    good = sealed(WOUNDED)
    async with listening(air) as listener:
        air.advertise(sealed(WOUNDED, GameKeys.new()), device(1))
        for index in range(2, 24):
            air.advertise(good[:index] + bytes((good[index] ^ 1,)) + good[index + 1 :], device(2))
        air.advertise(advert.encode_unkeyed(9, 0), device(3))
        air.advertise(b"RB\x01" + bytes(15), device(4))
        air.advertise(seal(advert.KIND_WANTED, bytes(16), KEYS.advert_proof, aes(KEYS)))
        await listener.settle()
    counts = listener.counts
    assert listener.heard == []
    assert {verdict: number for verdict, number in counts.packets.items() if number} == {
        Verdict.FOREIGN: 23,
        Verdict.UNKEYED: 1,
        Verdict.OTHER_VERSION: 1,
        Verdict.CALL: 1,
    }
    assert (len(counts.foreign), len(counts.unkeyed)) == (2, 1)


async def test_without_keys_badges_are_but_counted():
    air = FakeAir()
    async with listening(air, AdvertReader(None)) as listener:
        air.advertise(sealed(WOUNDED))
        air.advertise(advert.encode_unkeyed(9, 0), device(3))
        await listener.settle()
    assert (listener.heard, len(listener.counts.foreign)) == ([], 1)


async def test_forger_with_made_up_addresses_fills_no_memory():
    air = FakeAir()
    forged = sealed(WOUNDED, GameKeys.new())
    async with listening(air) as listener:
        for number in range(DEVICES_MAX + 50):
            air.advertise(forged, BLEDevice(f"FF:{number}", None, None))
        await listener.settle()
    assert len(listener.counts.foreign) == DEVICES_MAX


async def test_G12_recorded_advert_is_heard_as_doubtful_and_not_as_a_state():
    air = FakeAir()
    recorded = sealed(WOUNDED)
    async with listening(air) as listener:
        air.advertise(recorded)
        air.advertise(sealed(WOUNDED._replace(count=8, signal=4)))
        air.advertise(recorded)
        await listener.settle()
    assert [heard.is_doubtful for heard in listener.heard] == [False, False, True]


async def test_change_after_1000_equal_adverts_is_heard_in_the_next():
    air = FakeAir()
    async with listening(air) as listener:
        for _ in range(1000):
            air.advertise(sealed(WOUNDED))
        air.advertise(sealed(WOUNDED._replace(signal=4, count=8)))
        await listener.settle()
    assert listener.heard[-1].advert.signal == 4
    assert len({h.advert.badge_id for h in listener.heard}) == 1


async def test_same_badge_by_address_and_by_macos_uuid_is_one_badge():
    air = FakeAir()
    uuid = BLEDevice("6F3A2B1C-0000-4000-8000-00000000002A", None, None)
    async with listening(air) as listener:
        air.advertise(sealed(WOUNDED), device(42))
        air.advertise(sealed(WOUNDED), uuid)
        await listener.settle()
    assert {h.advert.badge_id for h in listener.heard} == {42}
    assert len({h.device.address for h in listener.heard}) == 2


async def test_flood_is_bounded_and_the_newest_are_kept():
    air = FakeAir()
    async with listening(air) as listener:
        for number in range(QUEUE_MAX + 10):
            air.advertise(sealed(WOUNDED._replace(last_seq=number, count=number)))
        await listener.settle()
    assert listener.counts.dropped == 10
    assert listener.heard[-1].advert.last_seq == QUEUE_MAX + 9


async def test_error_in_the_consumer_ends_the_scan_visibly():
    def fail(_heard: Heard) -> None:
        raise LookupError("no such row")

    air = FakeAir()
    started = asyncio.Event()
    task = asyncio.create_task(scan(fail, AdvertReader(KEYS), air, on_started=started.set))
    await started.wait()
    air.advertise(sealed(WOUNDED))
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
        await scan(lambda heard: None, AdvertReader(KEYS), air)
    assert caught.value.exit_code != 0
    assert "\n" not in str(caught.value)
    assert not {"<", "[", "'"} & set(str(caught.value)), "this is no text for people"
