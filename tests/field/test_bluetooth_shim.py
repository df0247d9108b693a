"""What a program sees of `bluetooth` on a virtual badge, held against MicroPython's documentation.

Each program runs on the real interpreter and prints one line per event; the host side is bleak.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from tests.support.ether import SECOND_UUID, SERVICE_UUID, VALUE_UUID, WAIT_S
from tests.support.waiting import until

from redband.virtual.radio import badge_frames

SILICON = Path(badge_frames.__file__).parent.parent / "silicon"


def test_frames_of_badge_and_owner_are_the_same():
    ours = {}
    exec((SILICON / "radio_frames.py").read_text(), ours)
    theirs = vars(badge_frames)
    assert {k: v for k, v in ours.items() if k.isupper()} == {
        k: v for k, v in theirs.items() if k.isupper()
    }


async def test_a_connection_in_the_order_of_the_documentation(run):
    bench = await run("""
value, = start((FIRST, READ | WRITE | NOTIFY))
ble.gap_advertise(30000, ADVERT, resp_data=b"\\x03\\x09RB")
say("mac", ble.config("mac"))
asyncio.run(forever())
""")
    async with await bench.client() as client:
        await client.write_gatt_char(VALUE_UUID, b"one", response=True)
        await client.write_gatt_char(VALUE_UUID, b"two", response=True)
        assert client.mtu_size == 256
    await until(lambda: bench.events(2))
    host = bytes.fromhex("F0DE00000001")
    mac, connect, mtu, first, second, gone = bench.lines
    assert mac == ("mac", (0, bytes.fromhex("C0DE00000001")))
    handle = connect[1]
    assert connect == (1, handle, 0, host)
    assert mtu == (21, handle, 256)
    assert first == second == (3, handle, first[2])
    assert gone == (2, handle, 0, host)


async def test_B2_connection_handle_is_never_0_and_changes(run):
    bench = await run("""
value, = start((FIRST, READ | NOTIFY))
def irq(event, data):
    trace(event, data)
    if event == 2:
        ble.gap_advertise(30000, ADVERT)
        say("late", attempt(ble.gatts_notify, data[0], value, b"late"))
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    for _ in range(3):
        async with await bench.client():
            pass
    await until(lambda: len(bench.events(2)) == 3)
    handles = [event[0] for event in bench.events(1)]
    assert len(set(handles)) == 3
    assert 0 not in handles
    await until(lambda: len(bench.events("late")) == 3)
    assert set(bench.events("late")) == {(("OSError", -128),)}


async def test_B3_writes_are_cut_at_20_bytes_until_the_buffer_is_set(run):
    bench = await run("""
small, large = start((FIRST, READ | WRITE), (SECOND, READ | WRITE))
ble.gatts_set_buffer(large, 60)
def irq(event, data):
    if event == 3:
        say("got", data[1] == large, ble.gatts_read(data[1]))
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    data = bytes(range(80))
    async with await bench.client() as client:
        await client.write_gatt_char(VALUE_UUID, data, response=True)
        await client.write_gatt_char(SECOND_UUID, data, response=True)
        assert await client.read_gatt_char(VALUE_UUID) == data[:20]
    assert bench.events("got") == [(False, data[:20]), (True, data[:60])]


async def test_append_buffer_adds_up_and_empties_at_a_local_read(run):
    bench = await run("""
value, = start((FIRST, READ | WRITE))
ble.gatts_set_buffer(value, 10, True)
ble.gap_advertise(30000, ADVERT)
async def main():
    while len(ble._values[value].data) < 10:
        await asyncio.sleep_ms(5)
    say(ble.gatts_read(value), ble.gatts_read(value))
asyncio.run(main())
""")
    async with await bench.client() as client:
        for _ in range(3):
            await client.write_gatt_char(VALUE_UUID, b"abcd", response=True)
        await bench.said(b"abcdabcdab", b"")


async def test_B1_full_stack_gives_enomem_and_nothing_is_lost(run):
    bench = await run(
        """
value, = start((FIRST, READ | WRITE | NOTIFY))
connections = []
def irq(event, data):
    if event == 3:
        connections.append(data[0])
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
async def main():
    refusals = 0
    while not connections:
        await asyncio.sleep_ms(5)
    for number in range(200):
        while True:
            try:
                ble.gatts_notify(connections[0], value, b"%d" % number)
                break
            except OSError as error:
                if error.errno != errno.ENOMEM:
                    raise
                refusals += 1
                await asyncio.sleep_ms(5)
    say("done", refusals > 10)
    await forever()
asyncio.run(main())
"""
    )
    got: list[int] = []
    async with await bench.client() as client:
        await client.start_notify(VALUE_UUID, lambda _, data: got.append(int(data)))
        await client.write_gatt_char(VALUE_UUID, b"go", response=True)
        await until(lambda: len(got) == 200)
    await bench.said("done", True)
    assert got == list(range(200))


async def test_B5_event_data_is_overwritten_by_the_next_event(run):
    bench = await run("""
start((FIRST, READ))
kept = []
def irq(event, data):
    if event == 1:
        kept.append(data[2])
        say("in time", bytes(data[2]))
    elif event == 5 and kept:
        say("too late", bytes(kept[0]) == bytes.fromhex("F0DE00000001"))
        ble.gap_scan(None)
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
async def main():
    while not kept:
        await asyncio.sleep_ms(5)
    ble.gap_scan(0, 30000, 30000)
    await forever()
asyncio.run(main())
""")
    await run("start()\nble.gap_advertise(30000, ADVERT)\nasyncio.run(forever())", badge_id=2)
    async with await bench.client():
        await bench.said("too late", False)
    assert bench.events("in time") == [(bytes.fromhex("F0DE00000001"),)]


@pytest.mark.both_paces
async def test_B6_advertising_stops_on_connect_and_comes_back_only_by_call(run):
    bench = await run("""
start((FIRST, READ))
def irq(event, data):
    if event == 2:
        say("gone")
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    async with await bench.client():
        sent = bench.ether.stats.adverts
    await bench.said("gone")
    seen = await BleakScanner.discover(timeout=0.3, backend=bench.radio.scanner)
    assert (seen, bench.ether.stats.adverts) == ([], sent)


async def test_B6_a_hundred_connects(run):
    bench = await run("""
value, = start((FIRST, READ))
def irq(event, data):
    if event == 2:
        ble.gap_advertise(30000)  # the data of before are kept
        say("gone")
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    bench.ether.conn_interval_ms = 0
    device = await bench.find()
    for _ in range(100):
        async with BleakClient(device, backend=bench.radio.client):
            pass
    await until(lambda: len(bench.events("gone")) == 100)
    assert (await bench.find()).name is None


async def test_B4_error_in_the_handler_is_printed_and_the_peer_is_answered(run):
    bench = await run("""
value, = start((FIRST, READ | WRITE))
def irq(event, data):
    if event == 3:
        say(ble.gatts_read(value))
        raise ValueError("of the handler")
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    async with await bench.client() as client:
        await client.write_gatt_char(VALUE_UUID, b"one", response=True)
        await client.write_gatt_char(VALUE_UUID, b"two", response=True)
    assert bench.lines == [(b"one",), (b"two",)]
    assert b"ValueError: of the handler" in bench.badge.console.log


async def test_writes_without_response_all_arrive_in_order(run):
    bench = await run("""
value, = start((FIRST, READ | QUICK))
ble.gatts_set_buffer(value, 100)
got = []
def irq(event, data):
    if event == 3:
        got.append(int(ble.gatts_read(value)))
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
async def main():
    while len(got) < 300:
        await asyncio.sleep_ms(20)
    say(got == list(range(300)))
asyncio.run(main())
""")
    async with await bench.client() as client:
        for number in range(300):
            await client.write_gatt_char(VALUE_UUID, b"%d" % number, response=False)
        await bench.said(True)


async def test_misuse_raises_what_the_c_module_raises(run):
    bench = await run("""
say(attempt(ble.gap_advertise, 100000, ADVERT), attempt(ble.gatts_register_services, ()))
say(attempt(ble.gatts_write, 1, b""), attempt(ble.config, "mtu"), attempt(ble.gap_scan, None))
say(attempt(ble.config, "x"), attempt(ble.irq, 1), attempt(ble.gap_advertise, None))
value, = start((FIRST, READ | NOTIFY))
say(attempt(ble.gatts_write, 999, b""), attempt(ble.gatts_set_buffer, 999, 1), ble.gatts_read(999))
say(attempt(ble.gatts_notify, 77, value, b""), ble.gap_disconnect(77))
say(attempt(ble.gap_advertise, 100000, bytes(32)), attempt(ble.gap_advertise, 10000, ADVERT))
say(attempt(ble.config, mtu=22), attempt(ble.config, gap_name="x" * 40), ble.config("gap_name"))
ble.gap_advertise(100000, ADVERT)
say(attempt(ble.gatts_register_services, ()), attempt(bluetooth.UUID, "12"))
ble.gap_scan(0)
say(attempt(ble.gap_scan, 0))
say(hasattr(ble, "gap_connect"), bytes(bluetooth.UUID(0x180F)), repr(bluetooth.UUID(0x180F)))
say("end")
""")
    await bench.said("end")
    inactive = ("OSError", 19)
    assert bench.lines[:-1] == [
        (inactive, inactive),
        (inactive, inactive, inactive),
        (("ValueError", "unknown config param"), ("ValueError", "invalid handler"), None),
        (("OSError", 22), ("OSError", 22), b""),
        (("OSError", -128), False),
        (("OSError", -18), ("OSError", -530)),
        (("OSError", 22), ("OSError", 22), b"MPY ESP32"),
        (("OSError", 16), ("ValueError", "UUID too short")),
        (("OSError", 114),),
        (False, b"\x0f\x18", "UUID(0x180f)"),
    ]


async def test_B9_active_false_really_stops_and_frees(run):
    bench = await run("""
value, = start((FIRST, READ | QUICK))
ble.gap_advertise(30000, ADVERT)
async def main():
    while ble.gatts_read(value) != b"off":
        await asyncio.sleep_ms(5)
    ble.active(False)
    say("off", ble.active(), attempt(ble.gatts_notify, 1, value, b""), ble.gatts_read(value))
    start((SECOND, READ))
    ble.gap_advertise(30000, ADVERT)
    await forever()
asyncio.run(main())
""")
    gone = asyncio.Event()
    client = await bench.client(disconnected_callback=lambda _: gone.set())
    await client.connect()
    await client.write_gatt_char(VALUE_UUID, b"off", response=False)
    async with asyncio.timeout(WAIT_S):
        await gone.wait()  # told at once: the supervision timeout would be 720 ms
    assert bench.ether.stats.timeouts == 0
    await bench.said("off", False, ("OSError", 19), b"")
    assert bench.events(2) == []  # no event reaches a program that has switched off
    async with await bench.client() as client:
        uuids = [
            c.uuid for s in client.services if s.uuid == SERVICE_UUID for c in s.characteristics
        ]
        assert uuids == [SECOND_UUID]


async def test_power_cut_is_noticed_by_the_supervision_timeout(run):
    bench = await run("""
start((FIRST, READ))
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    gone = asyncio.Event()
    client = await bench.client(disconnected_callback=lambda _: gone.set())
    await client.connect()
    await bench.badge.power_cut()
    async with asyncio.timeout(WAIT_S):
        await gone.wait()
    assert bench.ether.stats.timeouts == 1
    with pytest.raises(BleakError):
        await client.read_gatt_char(VALUE_UUID)


async def test_scan_results_and_end_of_scan(run):
    other = await run(
        """
start()
ble.gap_advertise(30000, ADVERT, resp_data=b"\\x03\\x09RB")
asyncio.run(forever())
""",
        badge_id=2,
    )
    other.ether.set_rssi(other.name, "C0:DE:00:00:00:01", -77)
    await until(lambda: other.ether.stats.adverts)
    bench = await run("""
ble.active(True)
heard = set()
def irq(event, data):
    if event == 5:
        heard.add((data[0], bytes(data[1]), data[2], data[3], bytes(data[4])))
    elif event == 6:
        say("scanned", sorted(heard))
ble.irq(irq)
ble.gap_scan(1000, 30000, 30000, True)
asyncio.run(forever())
""")
    await until(lambda: bench.events("scanned"))
    mac = bytes.fromhex("C0DE00000002")
    assert bench.events("scanned")[0] == (
        [
            (0, mac, 0, -77, bytes.fromhex("020106 04ffffff52")),
            (0, mac, 4, -77, b"\x03\x09RB"),
        ],
    )


@pytest.mark.both_paces
async def test_indication_is_confirmed_by_an_event(run):
    bench = await run("""
value, = start((FIRST, READ | INDICATE))
def irq(event, data):
    trace(event, data)
    if event == 21:
        ble.gatts_indicate(data[0], value, b"sure")
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    async with await bench.client():
        await until(lambda: bench.events(20))
        assert bench.events(20)[0][2] == 0


@pytest.mark.both_paces
async def test_read_request_can_change_or_refuse_the_value(run):
    bench = await run("""
value, secret = start((FIRST, READ), (SECOND, READ))
def irq(event, data):
    if event == 4:
        if data[1] == secret:
            return 0x80
        ble.gatts_write(value, b"fresh")
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    async with await bench.client() as client:
        assert await client.read_gatt_char(VALUE_UUID) == b"fresh"
        with pytest.raises(BleakError, match="128|0x80"):
            await client.read_gatt_char(SECOND_UUID)


@pytest.mark.both_paces
async def test_gatts_write_with_send_update_reaches_subscribers_only(run):
    bench = await run("""
value, = start((FIRST, READ | NOTIFY | WRITE))
def irq(event, data):
    if event == 3:
        ble.gatts_write(value, b"update", True)
ble.irq(irq)
ble.gap_advertise(30000, ADVERT)
asyncio.run(forever())
""")
    got = []
    async with await bench.client() as client:
        await client.write_gatt_char(VALUE_UUID, b"x", response=True)
        await client.read_gatt_char(VALUE_UUID)
        assert got == []
        await client.start_notify(VALUE_UUID, lambda _, data: got.append(bytes(data)))
        await client.write_gatt_char(VALUE_UUID, b"x", response=True)
        await until(lambda: got == [b"update"])
