"""The radio's lowest layer and its task: nothing is lost silently, nothing stops the game."""

import asyncio
import unittest

import bluetooth

from redband_badge import limits
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.radio_task import RadioTask, advert_of
from redband_badge.state import BadgeState
from redband_badge.supervisor import Beat
from redband_badge.wakeup import Wakeup
from redband_core import advert, frames, host_frames, journal
from redband_hal import radio as hal_radio
from redband_hal.radio import Radio


class Info:
    badge_id = 7
    role = 1
    install_id = 3
    boot_id = 4
    firmware_version = "0.1.0"
    ruleset_identity = bytes(8)


def frame_of(number, message):
    """Return a short message of the host as the one frame it fits into."""
    return frames.message_part(number, frames.seal(message), 0, 0, 20)


class Log:
    """A journal of a few records, as a session reads it."""

    def __init__(self, count=0):
        records = [
            journal.encode_record(seq, journal.EVENT, 5, b"\x01\x02") for seq in range(count)
        ]
        self.records = records
        self.oldest_seq = 0
        self.next_seq = count
        self.released = 0

    def read(self, from_seq, limit_bytes):
        if from_seq >= self.next_seq:
            return None
        return (from_seq, 5 * from_seq, self.records[from_seq])

    def release(self, before_seq):
        self.released = before_seq


class FakeRadio:
    """Stands for redband_hal.radio. `failing`: numbers of advertise calls that raise."""

    def __init__(self):
        self.is_started = True
        self.start_failures = 0
        self.events = []
        self.failing = []
        self.advertise_calls = 0
        self.adverts = []
        self.disconnected = []
        self.sent = []
        self.room = 1000
        self.battery_pct = None

    def start(self, name, version):
        if self.start_failures:
            self.start_failures -= 1
            raise OSError(19)
        self.is_started = True

    def set_info(self, data):
        self.info = data

    def set_battery_pct(self, battery_pct):
        self.battery_pct = battery_pct

    def take_event(self):
        return self.events.pop(0) if self.events else None

    def advertise(self, interval_ms, data, response):
        self.advertise_calls += 1
        if self.advertise_calls in self.failing:
            raise OSError(12)
        self.adverts.append(bytes(data))

    def notify(self, connection, channel, data):
        if not self.room:
            return False
        self.room -= 1
        self.sent.append((connection, channel, bytes(data)))
        return True

    def disconnect(self, connection):
        self.disconnected.append(connection)
        self.events.append((hal_radio.EVENT_DISCONNECTED, connection, 0))


class Bench:
    def __init__(self, count=0):
        limits.RADIO_IDLE_POLL_MS = 1
        limits.RADIO_CONNECTED_POLL_MS = 1
        limits.RADIO_RETRY_FIRST_MS = 2
        limits.RADIO_RETRY_LONGEST_MS = 8
        limits.BLOCKED_TIMEOUT_MS = 60
        self.radio = FakeRadio()
        self.state = BadgeState()
        self.log = Log(count)
        self.notes = BoundedQueue(16, Wakeup())
        self.task = RadioTask(self.radio, self.state, Info, self.log, self.notes)

    def run(self, play):
        async def both():
            task = asyncio.create_task(self.task.run(Beat(4)))
            await play()
            task.cancel()

        asyncio.run(both())


async def until(condition):
    for _wait in range(400):
        if condition():
            return
        await asyncio.sleep_ms(1)
    raise AssertionError("never came")


class RadioTaskTest(unittest.TestCase):
    def test_state_is_advertised_and_again_at_each_change(self):
        bench = Bench()

        async def play():
            await until(lambda: len(bench.radio.adverts) == 1)
            bench.state.signal = 3
            bench.state.touch()
            await until(lambda: len(bench.radio.adverts) == 2)
            await asyncio.sleep_ms(10)

        bench.run(play)
        self.assertEqual(len(bench.radio.adverts), 2)
        self.assertEqual(host_frames.decode_advert(bench.radio.adverts[1][7:]).signal, 3)

    def test_running_timer_is_advertised_each_second(self):
        limits.ADVERT_REFRESH_MS = 20
        bench = Bench()
        bench.state.timer_left_ms = 5000

        async def play():
            await until(lambda: len(bench.radio.adverts) >= 4)

        bench.run(play)
        limits.ADVERT_REFRESH_MS = 1000
        self.assertEqual(host_frames.decode_advert(bench.radio.adverts[0][7:]).timer_s, 5)

    def test_B6_advertising_comes_back_after_each_of_100_connections(self):
        bench = Bench()
        bench.radio.failing = [7, 8]

        async def play():
            for cycle in range(100):
                bench.radio.adverts = []
                connection = cycle % 4
                bench.radio.events.append((hal_radio.EVENT_CONNECTED, connection, 0))
                await asyncio.sleep_ms(2)
                bench.radio.events.append((hal_radio.EVENT_DISCONNECTED, connection, 0))
                await until(lambda: bench.radio.adverts)

        bench.run(play)
        self.assertTrue(bench.radio.advertise_calls >= 102)
        self.assertEqual(bench.state.flags, 0)

    def test_B9_radio_that_starts_at_the_third_try_is_no_fault_afterwards(self):
        bench = Bench()
        bench.radio.is_started = False
        bench.radio.start_failures = 4
        flags = []

        async def play():
            await until(lambda: bench.state.flags)
            flags.append(bench.state.flags)
            await until(lambda: bench.radio.adverts)

        bench.run(play)
        self.assertEqual(flags, [advert.FLAG_FAULT])
        self.assertEqual(bench.state.flags, 0)
        self.assertEqual(bench.notes.front(), (journal.NOTE_RADIO_OFF, 19))

    def test_adverts_that_are_always_refused_show_a_fault_and_are_not_hammered(self):
        bench = Bench()
        bench.radio.failing = range(1, 10000)

        async def play():
            await asyncio.sleep_ms(100)

        bench.run(play)
        self.assertEqual(bench.state.flags, advert.FLAG_FAULT)
        self.assertTrue(3 <= bench.radio.advertise_calls < 30)

    def test_B1_no_room_in_the_stack_loses_and_repeats_nothing(self):
        bench = Bench(count=6)
        hello = frame_of(1, host_frames.encode_hello())
        fetch = frame_of(2, host_frames.encode_fetch(0))

        async def play():
            radio = bench.radio
            radio.events.append((hal_radio.EVENT_CONNECTED, 3, 0))
            radio.events.append((hal_radio.EVENT_MTU, 3, 185))
            radio.events.append((hal_radio.EVENT_WRITTEN, 3, hello))
            radio.events.append((hal_radio.EVENT_WRITTEN, 3, fetch))
            radio.room = 0
            for _grant in range(40):
                await asyncio.sleep_ms(2)
                radio.room = 1

        bench.run(play)
        sent = [data for _connection, channel, data in bench.radio.sent if channel == 2]
        self.assertEqual(len(sent), len(set(sent)))
        for record in bench.log.records:
            self.assertEqual(len([1 for data in sent if record in data]), 1)

    def test_B1_stack_that_never_has_room_ends_the_link(self):
        bench = Bench(count=6)
        hello = frame_of(1, host_frames.encode_hello())

        async def play():
            bench.radio.room = 0
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 2, 0))
            bench.radio.events.append((hal_radio.EVENT_WRITTEN, 2, hello))
            await until(lambda: bench.radio.disconnected == [2])
            await until(lambda: len(bench.radio.adverts) >= 1)

        bench.run(play)
        self.assertEqual(bench.log.released, 0)

    def test_B2_handles_come_from_events_and_a_late_write_of_an_old_link_is_ignored(self):
        bench = Bench(count=2)
        hello = frame_of(1, host_frames.encode_hello())

        async def play():
            events = bench.radio.events
            events.append((hal_radio.EVENT_CONNECTED, 3, 0))
            events.append((hal_radio.EVENT_DISCONNECTED, 3, 0))
            events.append((hal_radio.EVENT_CONNECTED, 1, 0))
            events.append((hal_radio.EVENT_WRITTEN, 3, hello))
            await asyncio.sleep_ms(20)
            self.assertEqual(bench.radio.sent, [])
            events.append((hal_radio.EVENT_WRITTEN, 1, hello))
            await until(lambda: bench.radio.sent)

        bench.run(play)
        self.assertEqual({sent[0] for sent in bench.radio.sent}, {1})

    def test_B12_second_host_is_turned_away_while_one_is_served(self):
        bench = Bench()

        async def play():
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 1, 0))
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 2, 0))
            await asyncio.sleep_ms(10)

        bench.run(play)
        self.assertEqual(bench.radio.disconnected, [2])

    def test_values_too_large_for_the_advert_are_capped(self):
        state = BadgeState()
        state.counters = (1000, 300)
        state.timer_left_ms = 10**9
        found = advert_of(state, Info)
        advert.encode(found)
        self.assertEqual((found.counter_a, found.counter_b, found.timer_s), (255, 255, 0xFFFE))


class RadioTest(unittest.TestCase):
    def setUp(self):
        bluetooth.BLE.failures = 0
        self.radio = Radio("1", "2", "3", "4")
        self.radio.start("Redband", "0.1.0")
        self.ble = self.radio._ble
        self.control = self.radio._handles[1]

    def test_B3_write_buffer_holds_the_longest_write_of_the_preferred_mtu(self):
        self.assertEqual(self.ble.sizes[self.control], hal_radio.PREFERRED_MTU - 3)
        self.ble.peer_writes(1, self.control, bytes(200))
        self.assertEqual(len(self.radio.take_event()[2]), 200)

    def test_B4_eight_events_before_the_task_runs_are_all_there(self):
        self.ble.handler(1, (1, 0, b"123456"))
        for number in range(6):
            self.ble.peer_writes(1, self.control, bytes((number,)))
        self.ble.handler(2, (1, 0, b"123456"))
        codes = []
        event = self.radio.take_event()
        while event is not None:
            codes.append(event[0])
            event = self.radio.take_event()
        self.assertEqual(codes, [1, 3, 3, 3, 3, 3, 3, 2])

    def test_A2_flood_of_writes_is_counted_and_a_disconnect_still_fits(self):
        for number in range(100):
            self.ble.peer_writes(1, self.control, bytes((number,)))
        self.ble.handler(2, (1, 0, b"123456"))
        kept = hal_radio.RING_SIZE - hal_radio.RING_KEPT_FOR_LINKS
        self.assertEqual(self.radio.dropped_count, 100 - kept)
        events = [self.radio.take_event() for _ in range(kept + 1)]
        self.assertEqual(events[-1][0], hal_radio.EVENT_DISCONNECTED)
        self.assertIsNone(self.radio.take_event())

    def test_B5_kept_data_is_a_copy(self):
        buffer = bytearray(b"first")
        self.ble.values[self.control] = memoryview(buffer)
        self.ble.handler(3, (1, self.control))
        buffer[:] = b"later"
        self.assertEqual(self.radio.take_event()[2], b"first")

    def test_no_room_is_told_apart_from_a_gone_link(self):
        self.ble.full_count = 1
        self.assertFalse(self.radio.notify(1, hal_radio.CHANNEL_LOG, b"x"))
        self.assertTrue(self.radio.notify(1, hal_radio.CHANNEL_LOG, b"x"))

    def test_failed_start_can_be_tried_again(self):
        bluetooth.BLE.failures = 2
        radio = Radio("1", "2", "3", "4")
        for _try in range(2):
            with self.assertRaises(OSError):
                radio.start("Redband", "0.1.0")
            self.assertFalse(radio.is_started)
        radio.start("Redband", "0.1.0")
        self.assertTrue(radio.is_started)
