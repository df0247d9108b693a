"""The radio's lowest layer and its task: nothing is lost silently, nothing stops the game."""

import asyncio
import unittest

import bus
import cryptolib
import flash_device
import radio_frames
from flash_device import FlashDevice, format_and_mount
from lone_radio import CREDITS, LoneRadio

from redband.wire import advert as wire_advert
from redband.wire import frames as wire_frames
from redband.wire import keys as wire_keys
from redband_badge import limits
from redband_badge.adverts import Adverts, first_count
from redband_badge.boot_record import BootRecord
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.observer import Observer
from redband_badge.radio_task import RadioTask
from redband_badge.state import BadgeState
from redband_badge.supervisor import Beat
from redband_core import advert, frames, journal, numbers, opening, proofs
from redband_core import limits as core_limits
from redband_core.keys import Access
from redband_hal import radio as hal_radio
from redband_hal.event_loop import Wakeup
from redband_hal.radio import Radio


class Info:
    badge_id = 7
    role = 1
    install_id = 3
    boot_id = 4
    firmware_version = "0.1.0"
    ruleset_identity = bytes(8)


KEY = b"key of badge 7 b"
FILE = wire_keys.encode_key_file(b"GAME", bytes(range(48)), KEY * 4, 0, bytes(16))
UUID = "0" * 32
HOST_NONCE = b"host8byt"
MASTER = numbers.ROLE_GAME_MASTER


def shown(data):
    """Return the Advert in advertising data of the badge with FILE; fail when it is not ours."""
    decrypt = cryptolib.aes(FILE[5:21], 1).decrypt
    block = opening.opened(data[7:], FILE[21:37], decrypt)
    return wire_advert.decode_state(block)


class Boot:
    """Stands for the BootRecord."""

    def __init__(self, boot_count=5):
        self.boot_count = boot_count

    def save(self):
        self.saved = self.boot_count


def radio_task(radio, badge, log, access):
    """Return the task of a fake badge whose journal is `log`."""
    adverts = Adverts(badge.state, badge.info, access, badge.boot)
    observer = Observer(radio, badge.state, badge.note_queue, access, adverts)

    def make_link(link, connection):
        session = (badge.info, access, {})
        link.JournalPages = lambda _store, _release: log
        return link.Link(radio, connection, None, None, session, badge.state.radio_wakeup.set)

    return RadioTask(radio, badge.state, b"info", badge.note_queue, observer, make_link)


class FakeBadge:
    info = Info

    def __init__(self):
        self.state = BadgeState()
        self.note_queue = BoundedQueue(16, Wakeup())
        self.boot = Boot()


class Host:
    """What a host writes to a badge of FakeRadio, by hand."""

    def __init__(self, radio, connection):
        self.radio = radio
        self.connection = connection
        self.number = 0
        self.signed_number = 0
        self.key = b""

    def write(self, message):
        self.number += 1
        sealed = frames.seal(message)
        frame = frames.message_part(self.number, sealed, 0, 0, 244)
        self.radio.events.append((hal_radio.EVENT_WRITTEN, self.connection, frame))

    def ask(self, message):
        self.signed_number += 1
        self.write(proofs.signed(self.key, proofs.FROM_HOST, self.signed_number, message))

    def connect(self):
        self.radio.events.append((hal_radio.EVENT_CONNECTED, self.connection, 0))
        self.radio.events.append((hal_radio.EVENT_MTU, self.connection, 247))
        self.write(wire_frames.encode_hello(MASTER, HOST_NONCE))

    async def prove(self):
        """Connect and come in with the right key."""
        self.connect()
        await until(lambda: self.radio.sent)
        joined = frames.Joiner().add(self.radio.sent[-1][2])
        welcome = wire_frames.decode_welcome(joined[1])
        self.key = proofs.session_key(KEY, MASTER, 7, HOST_NONCE, welcome.nonce)
        self.write(wire_frames.encode_prove(proofs.host_proof(self.key)))
        await until(lambda: len(self.radio.sent) == 2)
        self.radio.sent = []


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


class Events:
    """What the controller says, which wakes the radio task as an interrupt does."""

    def __init__(self, radio):
        self.radio = radio
        self.waiting = []

    def append(self, event):
        self.waiting.append(event)
        if self.radio.wakeup is not None:
            self.radio.wakeup.set()


class FakeRadio:
    """Stands for redband_hal.radio. `failing`: numbers of advertise calls that raise."""

    def __init__(self):
        self.is_started = True
        self.start_failures = 0
        self.wakeup = None
        self.events = Events(self)
        self.failing = []
        self.advertise_calls = 0
        self.adverts = []
        self.intervals = []
        self.disconnected = []
        self.sent = []
        self.room = 1000
        self.battery_pct = None
        self.observe_calls = 0
        self.stop_calls = 0
        self.deaf = ()  # numbers of observe calls that raise
        self.observed = None
        self.heard = []

    def start(self, name, version):
        if self.start_failures:
            self.start_failures -= 1
            raise OSError(19)
        self.is_started = True

    def observe(self, window_ms, interval_ms, heads):
        self.observe_calls += 1
        if self.observe_calls in self.deaf:
            raise OSError(5)
        self.observed = (window_ms, interval_ms, heads)

    def stop_observing(self):
        self.observed = None

    def take_heard(self):
        return self.heard.pop(0) if self.heard else None

    def stop(self):
        self.is_started = False
        self.stop_calls += 1

    def set_info(self, data):
        self.info = data

    def set_battery_pct(self, battery_pct):
        self.battery_pct = battery_pct

    def take_event(self):
        waiting = self.events.waiting
        return waiting.pop(0) if waiting else None

    def advertise(self, interval_ms, data, response):
        self.advertise_calls += 1
        if self.advertise_calls in self.failing:
            raise OSError(12)
        self.adverts.append(bytes(data))
        self.intervals.append(interval_ms)

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
        limits.RADIO_SEND_WAIT_MS = 1
        limits.RADIO_RETRY_FIRST_MS = 2
        limits.RADIO_RETRY_LONGEST_MS = 8
        limits.BLOCKED_TIMEOUT_MS = 60
        self.radio = FakeRadio()
        self.badge = FakeBadge()
        self.state = self.badge.state
        self.log = Log(count)
        self.notes = self.badge.note_queue
        self.access = Access(FILE)
        self.task = radio_task(self.radio, self.badge, self.log, self.access)

    def run(self, play):
        async def both():
            task = asyncio.create_task(self.task.run(Beat(4, lambda number: None)))
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
        self.assertEqual(shown(bench.radio.adverts[1]).signal, 3)

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
        self.assertEqual(bench.notes.front(), (numbers.NOTE_RADIO_OFF, 19))

    def test_adverts_that_are_always_refused_show_a_fault_and_are_not_hammered(self):
        bench = Bench()
        bench.radio.failing = range(1, 10000)

        async def play():
            await asyncio.sleep_ms(100)

        bench.run(play)
        self.assertEqual(bench.state.flags, advert.FLAG_FAULT)
        self.assertTrue(6 <= bench.radio.advertise_calls < 30)
        self.assertEqual(bench.state.radio_failures, bench.radio.advertise_calls)
        self.assertEqual(bench.radio.stop_calls, bench.radio.advertise_calls // 6)

    def test_B1_no_room_in_the_stack_loses_and_repeats_nothing(self):
        bench = Bench(count=6)

        async def play():
            radio = bench.radio
            host = Host(radio, 3)
            await host.prove()
            host.ask(wire_frames.encode_fetch(0))
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

        async def play():
            bench.radio.room = 0
            Host(bench.radio, 2).connect()
            await until(lambda: bench.radio.disconnected == [2])
            await until(lambda: len(bench.radio.adverts) >= 1)

        bench.run(play)
        self.assertEqual(bench.log.released, 0)

    def test_B2_handles_come_from_events_and_a_late_write_of_an_old_link_is_ignored(self):
        bench = Bench(count=2)
        hello = frame_of(1, wire_frames.encode_hello(MASTER, HOST_NONCE))

        async def play():
            events = bench.radio.events
            events.append((hal_radio.EVENT_CONNECTED, 3, 0))
            events.append((hal_radio.EVENT_DISCONNECTED, 3, 0))
            events.append((hal_radio.EVENT_CONNECTED, 1, 0))
            events.append((hal_radio.EVENT_WRITTEN, 3, hello))
            await asyncio.sleep_ms(20)
            self.assertEqual(bench.radio.sent, [])
            self.assertTrue(bench.state.is_connected)
            events.append((hal_radio.EVENT_WRITTEN, 1, hello))
            await until(lambda: bench.radio.sent)

        bench.run(play)
        self.assertEqual({sent[0] for sent in bench.radio.sent}, {1})

    def test_G12_guesses_are_journalled_once_a_minute_and_the_badge_advertises_on(self):
        bench = Bench(count=2)

        async def play():
            for number in range(6):
                host = Host(bench.radio, number)
                host.connect()
                # Held back for half a second after a wrong one, so the peer goes first.
                host.write(wire_frames.encode_prove(bytes((number,)) * 16))
                host.write(wire_frames.encode_fetch(0))
                await asyncio.sleep_ms(4)
                bench.radio.adverts = []
                bench.radio.events.append((hal_radio.EVENT_DISCONNECTED, number, 0))
                await until(lambda: bench.radio.adverts)

        bench.run(play)
        self.assertTrue(bench.access.refused_count >= 1)
        self.assertEqual(bench.notes.front(), (numbers.NOTE_AUTH_REFUSED, 1))
        bench.notes.remove_front()
        self.assertIsNone(bench.notes.front())
        self.assertEqual(bench.log.released, 0)
        self.assertEqual([data for _link, channel, data in bench.radio.sent if channel == 2], [])

    def test_nonces_differ_from_session_to_session(self):
        bench = Bench()
        nonces = set()

        async def play():
            for number in range(4):
                bench.radio.sent = []
                Host(bench.radio, number).connect()
                await until(lambda: bench.radio.sent)
                nonces.add(bytes(bench.radio.sent[0][2][-18:-2]))
                bench.radio.events.append((hal_radio.EVENT_DISCONNECTED, number, 0))
                await asyncio.sleep_ms(4)

        bench.run(play)
        self.assertEqual(len(nonces), 4)

    def test_B12_second_host_is_turned_away_while_one_is_served(self):
        bench = Bench()

        async def play():
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 1, 0))
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 2, 0))
            await asyncio.sleep_ms(10)

        bench.run(play)
        self.assertEqual(bench.radio.disconnected, [2])

    def test_emergency_is_said_beside_a_link_and_the_link_goes_on(self):
        bench = Bench()

        async def play():
            await Host(bench.radio, 1).prove()
            bench.radio.adverts = []
            await asyncio.sleep_ms(5)
            self.assertEqual(bench.radio.adverts, [])
            bench.state.is_emergency = True
            bench.state.touch()
            await until(lambda: bench.radio.adverts)
            self.assertTrue(shown(bench.radio.adverts[-1]).is_emergency)
            # A second host came in by it, and ended it: it is turned away, and it is said again.
            bench.radio.adverts = []
            bench.radio.events.append((hal_radio.EVENT_CONNECTED, 2, 0))
            await until(lambda: bench.radio.adverts)
            bench.radio.adverts = []
            bench.state.is_emergency = False
            bench.state.touch()
            await until(lambda: bench.radio.adverts)
            self.assertFalse(shown(bench.radio.adverts[-1]).is_emergency)

        bench.run(play)
        self.assertEqual(bench.radio.disconnected, [2])
        self.assertEqual(bench.radio.intervals[-2], limits.ADVERT_FAST_INTERVAL_MS)

    def test_B6_emergency_ends_a_link_beside_which_nothing_can_be_said(self):
        bench = Bench()

        async def play():
            await Host(bench.radio, 1).prove()
            calls = bench.radio.advertise_calls
            bench.radio.failing = range(calls + 1, calls + 2)
            bench.state.is_emergency = True
            bench.state.touch()
            bench.radio.adverts = []
            await until(lambda: bench.radio.adverts)

        bench.run(play)
        self.assertEqual(bench.radio.disconnected, [1])
        self.assertTrue(shown(bench.radio.adverts[-1]).is_emergency)
        self.assertEqual(bench.state.flags, 0)

    def test_broadcast_goes_on_beside_a_link(self):
        bench = Bench()
        word = bytes((advert.MAGIC, advert.form(advert.KIND_BROADCAST))) + bytes(22)
        limits.ADVERT_TURN_MS = 2

        async def play():
            await Host(bench.radio, 1).prove()
            bench.radio.adverts = []
            bench.task._observer.call(word, 60)
            await until(lambda: len(bench.radio.adverts) >= 4)

        bench.run(play)
        kinds = [data[8] & 15 for data in bench.radio.adverts[:4]]
        self.assertEqual(kinds, [3, 0, 3, 0])
        self.assertEqual(bench.radio.disconnected, [])

    def test_it_listens_while_a_host_is_served_and_again_after_a_failure_of_its_own(self):
        bench = Bench()

        async def play():
            await Host(bench.radio, 1).prove()

        bench.run(play)
        usual = (limits.OBSERVE_WINDOW_MS, limits.OBSERVE_PERIOD_MS)
        self.assertEqual(bench.radio.observed[:2], usual)
        self.assertEqual(bench.radio.observe_calls, 1)

        async def idle():
            await asyncio.sleep_ms(5)

        bench.run(idle)
        self.assertEqual(bench.radio.observe_calls, 2)


class AdvertsTest(unittest.TestCase):
    def setUp(self):
        self.state = BadgeState()
        self.boot = Boot(5)
        self.access = Access(FILE)
        self.adverts = Adverts(self.state, Info, self.access, self.boot)

    def say(self, now_ms):
        """Say what is due, as the radio task does; return the advertising data or None."""
        if not self.adverts.is_due(now_ms):
            return None
        data = self.adverts.make()
        self.adverts.said(now_ms)
        return data

    def test_every_advert_has_a_higher_count_also_after_a_restart(self):
        counts = []
        for now_ms in range(0, 60000, 50):
            data = self.say(now_ms)
            if data is not None:
                counts.append(shown(data).count)
                self.assertEqual(self.access.advert_count, counts[-1])
        restarted = Adverts(self.state, Info, self.access, Boot(6))
        counts.append(shown(restarted.make()).count)
        self.assertEqual(counts, sorted(set(counts)))
        self.assertEqual(counts[0], (5 << 18) + 1)

    def test_no_two_adverts_are_equal_although_nothing_changes(self):
        said = [self.say(now_ms) for now_ms in range(0, 120000, 50)]
        said = [data[7:] for data in said if data is not None]
        self.assertEqual(len(set(said)), len(said))
        self.assertTrue(len(said) >= 12)

    def test_something_new_is_said_within_ten_seconds(self):
        times = [now_ms for now_ms in range(0, 300000, 50) if self.say(now_ms) is not None]
        gaps = [times[at] - times[at - 1] for at in range(1, len(times))]
        self.assertTrue(max(gaps) <= limits.ADVERT_RENEW_MS, max(gaps))

    def test_count_used_up_raises_the_count_of_starts(self):
        self.access.advert_count = first_count(6) - 1
        self.assertEqual(shown(self.adverts.make()).count, first_count(6) + 1)
        self.assertEqual(self.boot.saved, 6)

    def test_count_used_up_is_on_the_flash_for_the_next_start(self):
        format_and_mount(FlashDevice(16), "/flash")
        try:
            boot = BootRecord("/flash/boot.cnt")
            boot.begin(numbers.CAUSE_POWER_ON)
            adverts = Adverts(self.state, Info, self.access, boot)
            self.access.advert_count = first_count(2) - 1
            self.assertEqual(shown(adverts.make()).count, first_count(2) + 1)
            again = BootRecord("/flash/boot.cnt")
            again.begin(numbers.CAUSE_POWER_ON)
            self.assertEqual(again.boot_count, 3)
        finally:
            flash_device.vfs.umount("/flash")

    def test_change_is_said_at_once_and_fast_then_slower_and_slowly_at_rest(self):
        self.say(0)
        self.state.signal = 3
        self.state.touch()
        self.assertEqual(shown(self.say(70_000)).signal, 3)
        found = []
        for now_ms in range(70_000, 200_000, 500):
            interval_ms = self.adverts.interval_ms(now_ms)
            if not found or found[-1][1] != interval_ms:
                found.append((now_ms - 70_000, interval_ms))
        self.assertEqual(found, [(0, 100), (5000, 200), (60_000, 1000)])
        self.state.timer_left_ms = 9000
        self.assertEqual(self.adverts.interval_ms(200_000), 200)

    def test_new_record_is_said_at_once(self):
        self.say(0)
        self.assertIsNone(self.say(100))
        self.state.last_seq = 7
        self.assertEqual(shown(self.say(150)).last_seq, 7)

    def test_low_battery_is_quiet_and_an_emergency_is_not(self):
        self.state.is_critical = True
        self.state.touch()
        self.assertEqual(self.adverts.interval_ms(0), limits.ADVERT_IDLE_INTERVAL_MS)
        self.state.is_critical = False
        self.state.is_saving = True
        self.assertEqual(self.adverts.interval_ms(0), limits.ADVERT_NORMAL_INTERVAL_MS)
        self.state.is_emergency = True
        self.assertEqual(self.adverts.interval_ms(99_000), limits.ADVERT_FAST_INTERVAL_MS)
        self.assertTrue(shown(self.adverts.make()).is_emergency)

    def test_running_timer_is_said_each_five_seconds(self):
        self.state.timer_left_ms = 5000
        times = [now_ms for now_ms in range(0, 20000, 100) if self.say(now_ms) is not None]
        self.assertEqual(times, [0, 5000, 10000, 15000])
        self.assertEqual(shown(self.adverts.make()).timer_s, 5)

    def test_values_too_large_for_the_advert_are_capped(self):
        self.state.counters = (1000, 300)
        self.state.timer_left_ms = 10**9
        self.state.signal = 200
        self.state.is_paused = True
        found = shown(self.adverts.make())
        self.assertEqual((found.counter_a, found.counter_b, found.timer_s), (255, 255, 0xFFFE))
        self.assertEqual((found.signal, found.is_paused), (127, True))

    def test_badge_without_keys_says_nothing_of_the_game_not_even_when(self):
        self.adverts = Adverts(self.state, Info, Access(), self.boot)
        said = set()
        times = []
        for now_ms in range(0, 60000, 100):
            self.state.touch()
            self.state.last_seq += 1
            data = self.say(now_ms)
            self.assertEqual(self.adverts.interval_ms(now_ms), limits.ADVERT_IDLE_INTERVAL_MS)
            if data is not None:
                said.add(data)
                times.append(now_ms)
        self.assertEqual(times, list(range(0, 60000, 10000)))
        self.assertEqual(said, {advert.advertising_data(advert.encode_unkeyed(7, 0))})

    def test_broadcast_takes_turns_with_the_state_until_its_time_is_over(self):
        call = bytes((advert.MAGIC, advert.form(advert.KIND_WANTED))) + bytes(22)
        self.say(0)
        self.adverts.broadcast(call, 3000)
        said = [self.say(now_ms) for now_ms in range(300, 6000, 50)]
        kinds = [data[8] & 15 for data in said if data is not None]
        self.assertEqual(kinds[:4], [1, 0, 1, 0])
        self.assertEqual(kinds.count(1), 5)
        self.assertEqual(kinds[-1], 0)

    def test_broadcasts_take_turns_and_the_oldest_makes_room(self):
        self.say(0)
        calls = [
            bytes((advert.MAGIC, advert.form(advert.KIND_WANTED), mark)) + bytes(21)
            for mark in range(limits.ADVERT_GUESTS_MAX + 1)
        ]
        for call in calls + calls[-1:]:
            self.adverts.broadcast(call, 60_000)
        said = [self.say(now_ms) for now_ms in range(300, 20_000, 50)]
        marks = [data[9] for data in said if data is not None and data[8] & 15 == 1]
        self.assertEqual(set(marks), set(range(1, limits.ADVERT_GUESTS_MAX + 1)))
        self.assertTrue(marks.count(1) >= 5 and marks.count(4) >= 5)
        self.adverts.hush(calls[1])
        said = [self.say(now_ms) for now_ms in range(20_000, 30_000, 50)]
        marks = [data[9] for data in said if data is not None and data[8] & 15 == 1]
        self.assertTrue(1 not in marks and 2 in marks)

    def test_emergency_is_fast_on_a_battery_that_is_nearly_empty(self):
        self.state.is_critical = True
        self.state.is_emergency = True
        self.assertEqual(self.adverts.interval_ms(99_000), limits.ADVERT_FAST_INTERVAL_MS)


class RadioTest(unittest.TestCase):
    def setUp(self):
        self.air = LoneRadio()
        self.radio = Radio(*[UUID] * 4)
        self.radio.start("Redband", "0.1.0")
        self.ble = self.air.ble
        self.control = self.radio._handles[1]

    def test_B3_write_buffer_holds_the_longest_write_of_the_preferred_mtu(self):
        size_bytes = self.ble._values[self.control].size_bytes
        self.assertEqual(size_bytes, hal_radio.PREFERRED_MTU - 3)
        self.assertTrue(size_bytes >= core_limits.FRAME_MAX_BYTES)
        self.air.write(1, self.control, bytes(200))
        bus.dispatch()
        self.assertEqual(len(self.radio.take_event()[2]), 200)

    def test_B4_eight_events_before_the_task_runs_are_all_there(self):
        self.air.connect(1)
        for number in range(6):
            self.air.write(1, self.control, bytes((number,)))
        self.air.leave(1)
        bus.dispatch()
        codes = []
        event = self.radio.take_event()
        while event is not None:
            codes.append(event[0])
            event = self.radio.take_event()
        self.assertEqual(codes, [1, 3, 3, 3, 3, 3, 3, 2])

    def test_A2_flood_of_writes_is_counted_and_a_disconnect_still_fits(self):
        for number in range(100):
            self.air.write(1, self.control, bytes((number,)))
        self.air.leave(1)
        bus.dispatch()
        kept = hal_radio.RING_SIZE - hal_radio.RING_KEPT_FOR_LINKS
        self.assertEqual(self.radio.dropped_count, 100 - kept)
        events = [self.radio.take_event() for _ in range(kept + 1)]
        self.assertEqual(events[-1][0], hal_radio.EVENT_DISCONNECTED)
        self.assertIsNone(self.radio.take_event())

    def test_B5_kept_data_is_a_copy(self):
        buffer = bytearray(b"first")
        self.ble._values[self.control].data = memoryview(buffer)
        self.radio._on_event(3, (1, self.control))
        buffer[:] = b"later"
        self.assertEqual(self.radio.take_event()[2], b"first")

    def test_no_room_is_told_apart_from_a_gone_link(self):
        self.air.connect(1)
        bus.dispatch()
        self.air.has_room = False
        for _credit in range(CREDITS):
            self.assertTrue(self.radio.notify(1, hal_radio.CHANNEL_LOG, b"x"))
        self.assertFalse(self.radio.notify(1, hal_radio.CHANNEL_LOG, b"x"))
        self.air.make_room(1)
        self.assertTrue(self.radio.notify(1, hal_radio.CHANNEL_LOG, b"x"))
        with self.assertRaises(OSError):
            self.radio.notify(2, hal_radio.CHANNEL_LOG, b"x")

    def test_failed_start_can_be_tried_again(self):
        self.air.fail[radio_frames.POWER_ON] = 2
        radio = Radio(*[UUID] * 4)
        for _try in range(2):
            with self.assertRaises(OSError):
                radio.start("Redband", "0.1.0")
            self.assertFalse(radio.is_started)
        radio.start("Redband", "0.1.0")
        self.assertTrue(radio.is_started)
