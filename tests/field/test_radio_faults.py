"""The radio's failures on virtual badges: first that the simulator has them, then what a badge
with the real firmware makes of them: hits count, timers run, the fault is shown."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from bleak import BleakClient
from bleak.exc import BleakError
from tests.support.badge_journal import kinds, noted
from tests.support.host_radio import Observer
from tests.support.radio_programs import PRELUDE, RadioBench
from tests.support.taps import hit, lit
from tests.support.waiting import WAIT_S, until

from redband.build.firmware import firmware_directory
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband_core import advert, journal, numbers

BADGE = "C0:DE:00:00:00:01"
FOREVER = 1_000_000
pytestmark = pytest.mark.timeout(180)


# The simulator.


async def test_B9_start_fails_as_often_as_told(run):
    bench = await run("""
async def main():
    while True:
        await asyncio.sleep_ms(20)
        say(attempt(ble.active, True), ble.active())
        if ble.active():
            ble.active(False)
asyncio.run(main())
""")
    bench.ether.faults_of(BADGE).starts = 2
    refused = (("OSError", 110), False)
    await until(lambda: bench.lines.count(refused) == 2)
    await until(lambda: bench.lines[-1] == (True, True))


async def test_B6_connect_that_fails_half_way_is_a_disconnect_without_a_connect(run):
    bench = await run("""
start((FIRST, READ))
def irq(event, data):
    trace(event, data)
    if event == 2:
        ble.gap_advertise(30000, ADVERT)
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    device = await bench.find()
    bench.ether.faults_of(BADGE).connects = 1
    client = BleakClient(device, backend=bench.radio.client, timeout=WAIT_S)
    with pytest.raises(BleakError):
        await client.connect()
    await until(lambda: bench.events(2) == [(0xFFFF, 0xFF, bytes(6))])
    assert bench.events(1) == []
    async with BleakClient(device, backend=bench.radio.client):
        await until(lambda: len(bench.events(1)) == 1)


async def test_B11_scan_beside_adverts_is_an_eio_when_told(run):
    bench = await run("""
start((FIRST, READ))
ble.gap_advertise(30000, ADVERT)
async def main():
    while True:
        await asyncio.sleep_ms(20)
        say(attempt(ble.gap_scan, 0, 30000, 30000))
        ble.gap_scan(None)
asyncio.run(main())
""")
    await until(lambda: (None,) in bench.lines)
    bench.ether.faults_of(BADGE).is_scan_refused = True
    await until(lambda: (("OSError", 5),) in bench.lines)
    bench.ether.faults_of(BADGE).is_scan_refused = False
    await until(lambda: (None,) in bench.lines[-2:])  # a scan's end is said, too


async def test_B6_advertising_fails_as_often_as_told(run):
    bench = await run("""
start((FIRST, READ))
async def main():
    while True:
        await asyncio.sleep_ms(20)
        say(attempt(ble.gap_advertise, 30000, ADVERT))
asyncio.run(main())
""")
    await until(lambda: (None,) in bench.lines)
    bench.ether.faults_of(BADGE).adverts = 3
    await until(lambda: bench.lines.count((("OSError", 12),)) == 3 and bench.lines[-1] == (None,))


async def test_B5_event_tuple_dies_with_the_handler(run):
    bench = await run("""
start((FIRST, READ))
kept = []
def irq(event, data):
    kept.append(data)
    handle, kind, address = data if event == 1 else (0, 0, 0)
    if event == 1:
        say("in time", len(data), kind)
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
async def main():
    while not kept:
        await asyncio.sleep_ms(5)
    say("too late", attempt(lambda: kept[0][0])[0])
asyncio.run(main())
""")
    async with await bench.client():
        await bench.said("too late", "IndexError")
    assert bench.events("in time") == [(3, 0)]


def radio_files() -> dict[str, bytes]:
    """Return the lowest layer of the badge's radio, for a program of its own."""
    source = (firmware_directory() / "lib" / "redband_hal" / "radio.py").read_bytes()
    return {"/radio.py": source}


TURNS = 300


async def test_300_times_off_and_on_leave_nothing_behind_at_the_owner(tmp_path: Path):
    """What the radio's owner holds for a badge is no more after the last turn than before."""
    field = Field(tmp_path / "field")
    await field.start()
    program = f"""
from radio import Radio
radio = Radio(*["{BADGE_UUID}"] * 4)
async def main():
    for turn in range({TURNS + 1}):
        radio.start("Redband", "0.1.0")
        radio.set_info(b"info")
        radio.advertise(30, ADVERT, b"")
        radio.observe(30, 30, (b"",))
        await asyncio.sleep_ms(5)
        if turn % 50 == 0:
            gc.collect()
            say("turn", turn, gc.mem_alloc())
            await asyncio.sleep_ms(200)
        radio.stop()
    say("end")
    await forever()
import gc
asyncio.run(main())
"""
    files = (("/main.py", (PRELUDE + program).encode()), *radio_files().items())
    try:
        badge = await field.add_badge(BadgeSpec(1, with_firmware=False, files=files))
        bench = RadioBench(field, badge, backend(field.hci_path))
        held: list[tuple[int, int, int, int]] = []
        for turn in range(0, TURNS + 1, 50):
            async with asyncio.timeout(60):
                while turn not in [line[0] for line in bench.events("turn")]:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            held.append(held_by_owner(field, badge))
        assert badge.console.log.count(b"Traceback") == 0
    finally:
        await field.stop()
    tasks, controllers, links, objects = zip(*held[1:], strict=True)
    assert max(tasks) - min(tasks) <= 4  # answers on their way
    assert (set(controllers), set(links)) == ({1}, {0})
    # Of 50 turns each; one leaked device alone has hundreds of objects.
    assert max(objects) - min(objects) < 1500, objects
    memory = [line[1] for line in bench.events("turn")]
    assert max(memory[1:]) - min(memory[1:]) <= 512, memory


BADGE_UUID = "d3a70001-5b1e-4c8a-9f26-526564626e64"


def held_by_owner(field: Field, badge: VirtualBadge) -> tuple[int, int, int, int]:
    gc.collect()
    radio = badge.chip._radio
    assert radio is not None
    return (
        len(asyncio.all_tasks()),
        len(field.ether.controllers),
        len(field.ether.air_links),
        len([one for one in gc.get_objects() if str(type(one).__module__).startswith("bumble")]),
    )


# A badge with the firmware.


@pytest.mark.parametrize("failures", [2, FOREVER])
async def test_B9_radio_that_does_not_start_leaves_hits_and_timers_alone(
    field: Field, failures: int
):
    faults = field.ether.faults_of(BADGE)
    faults.starts = failures
    spec = BadgeSpec(1, "Anna", "wounds")
    badge = await field.add_badge(spec)
    await lit(badge)
    await hit(badge)  # from the first second on
    assert journal.EVENT in kinds(badge)
    observer = Observer(field)
    if failures == FOREVER:
        await until(lambda: noted(badge, numbers.NOTE_RADIO_OFF))
        assert not any(heard.advert.badge_id == 1 for heard in observer.heard)
        await hit(badge)
        faults.starts = 0
    await until(lambda: any(heard.advert.badge_id == 1 for heard in observer.heard))
    await until(lambda: not observer.heard[-1].advert.flags)
    assert kinds(badge).count(journal.BOOT) == 1  # no boot loop
    await observer.close()


async def test_B6_half_connects_and_refused_adverts_are_got_over(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    await lit(badge)
    observer = Observer(field)
    heard = await observer.next()
    faults = field.ether.faults_of(BADGE)
    faults.connects = 2
    faults.adverts = 4
    for _ in range(2):
        client = BleakClient(heard.device, backend=observer.radio.client, timeout=WAIT_S)
        with pytest.raises(BleakError):
            await client.connect()
    async with BleakClient(heard.device, backend=observer.radio.client, timeout=WAIT_S) as client:
        assert client.is_connected
    await hit(badge)
    await until(lambda: observer.heard[-1].advert.signal != heard.advert.signal)
    assert (faults.connects, faults.adverts) == (0, 0)
    await observer.close()


async def test_B11_badge_that_may_not_listen_says_so_and_plays_on(field: Field):
    faults = field.ether.faults_of(BADGE)
    faults.is_scan_refused = True
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    await lit(badge)
    observer = Observer(field)
    await observer.next()
    badge.set_battery_mv(3400)  # it listens more seldom from now on, and has to ask for that
    fault = advert.FLAG_FAULT
    await until(lambda: observer.heard[-1].advert.flags & fault)
    await badge.press()
    await until(lambda: journal.EVENT in kinds(badge))
    faults.is_scan_refused = False
    await until(lambda: not observer.heard[-1].advert.flags & fault)
    await observer.close()


async def test_B8_bond_that_the_badge_forgot_is_not_needed(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    await lit(badge)
    observer = Observer(field)
    heard = await observer.next()
    async with BleakClient(heard.device, backend=observer.radio.client, timeout=WAIT_S) as client:
        await client.pair()  # a host's system may do so, though nothing asks for it
    first = await observer.fetch(await observer.next(), field.keys)
    await badge.power_cut()  # and with it the bond
    await badge.power_on()
    await lit(badge)
    second = await observer.fetch(await observer.next(), field.keys)
    assert second.next_seq > first.next_seq
    await observer.close()


async def test_B12_a_fifth_connection_is_not_possible(run):
    bench = await run("""
start((FIRST, READ))
def irq(event, data):
    trace(event, data)
    if event == 1:
        say("again", attempt(ble.gap_advertise, 30000, ADVERT))
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    radios = [backend(bench.field.hci_path) for _ in range(4)]
    device = await bench.find()
    clients = [BleakClient(device, backend=radio.client, timeout=WAIT_S) for radio in radios]
    for count, client in enumerate(clients):
        await client.connect()
        await until(lambda count=count: len(bench.events("again")) == count + 1)
    assert bench.events("again") == [(None,)] * 3 + [(("OSError", 12),)]
    for client, radio in zip(clients, radios, strict=True):
        await client.disconnect()
        await radio.close()
