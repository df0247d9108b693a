"""What goes wrong at a radio, each by its name in PITFALLS: the badge sees it, and goes on.

The real Radio and radio task; the test answers for the controller.
"""

import unittest

import bus
import radio_frames
from check_radio import HOST_NONCE, KEY, MASTER, shown
from check_radio_windows import STEP_MS, Bench
from lone_radio import NO_HANDLE

from redband.wire import frames as wire_frames
from redband_badge import limits
from redband_core import frames, log_frames, proofs
from redband_core import limits as core_limits
from redband_core.advert import FLAG_FAULT
from redband_hal import radio as hal_radio

MTU = 247
BATTERY = 3  # whose notifications no session counts


class Host:
    """A central by hand, on connection number `connection`."""

    def __init__(self, bench, connection, mtu=MTU):
        self.bench = bench
        self.air = bench.air
        self.connection = connection
        self.mtu = mtu
        self.number = 0
        self.signed_number = 0
        self.key = b""
        self.seen = 0

    def write_frame(self, frame):
        control = self.bench.radio._handles[1]
        self.air.write(self.connection, control, frame)

    def frames_of(self, message):
        self.number += 1
        sealed = frames.seal(message)
        found = []
        at = part = 0
        while at < len(sealed):
            found.append(frames.message_part(self.number, sealed, at, part, self.mtu - 3))
            at += self.mtu - 3 - 2
            part += 1
        return found

    def write(self, message):
        for frame in self.frames_of(message):
            self.write_frame(frame)

    def ask(self, message):
        self.signed_number += 1
        self.write(proofs.signed(self.key, proofs.FROM_HOST, self.signed_number, message))

    def notified(self, channel):
        """Return what came since the last call on a channel."""
        new = self.air.notified[self.seen :]
        self.seen = len(self.air.notified)
        handle = self.bench.radio._handles[channel]
        return [data for link, got, data in new if got == handle and link == self.connection]

    def connect(self):
        self.air.connect(self.connection, self.mtu)

    def prove(self):
        """Connect and come in with the right key."""
        self.connect()
        self.write(wire_frames.encode_hello(MASTER, HOST_NONCE))
        self.bench.turn()
        joiner = frames.Joiner()
        joined = None
        for data in self.notified(1):
            joined = joiner.add(data) or joined
        nonce = wire_frames.decode_welcome(joined[1]).nonce
        self.key = proofs.session_key(KEY, MASTER, 7, HOST_NONCE, nonce)
        self.write(wire_frames.encode_prove(proofs.host_proof(self.key)))
        self.bench.turn()
        self.notified(1)

    def leave(self):
        self.air.leave(self.connection)


def body(frame):
    """Return the journal's bytes in a frame on LOG."""
    kind = frame[0] >> 6
    if kind == log_frames.RUN:
        at = 6
        while frame[at] & 0x80:
            at += 1
        return frame[at + 3 :]
    return frame[2:] if kind == log_frames.MORE else b""


def proven(bench, connection=1):
    host = Host(bench, connection)
    host.prove()
    return host


class FailuresTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(is_windowed=False)
        self.bench.log.__init__(40)
        self.air = self.bench.air
        self.bench.run(500)

    def advertises(self, within_ms):
        """Return whether the badge advertises again within a time."""
        self.air.advert = None
        self.bench.run(within_ms)
        return self.air.advert is not None

    def assert_all_came_once(self, host, calls=60):
        got = []
        for _turn in range(calls):
            self.air.make_room(1)
            self.bench.turn()
            got += host.notified(hal_radio.CHANNEL_LOG)
        joined = b"".join([body(frame) for frame in got])
        for record in self.bench.log.records:
            self.assertEqual(joined.count(record), 1)
        self.assertEqual([data[1] for data in got], list(range(len(got))))

    def fill_the_stack(self):
        self.air.has_room = False
        while self.bench.radio.notify(1, BATTERY, b"d"):
            pass

    def test_B1_room_for_one_at_a_time_loses_and_repeats_nothing(self):
        host = Host(self.bench, 1, mtu=23)
        host.prove()
        self.fill_the_stack()
        host.ask(wire_frames.encode_fetch(0))
        for _turn in range(3):
            self.bench.turn()
        self.assertEqual(host.notified(hal_radio.CHANNEL_LOG), [])
        self.assert_all_came_once(host)

    def test_B1_no_room_for_ever_ends_the_link_in_time_and_touches_no_record(self):
        host = proven(self.bench)
        self.fill_the_stack()
        host.ask(wire_frames.encode_fetch(0))
        tries = []
        radio = self.bench.radio
        notify, radio.notify = radio.notify, lambda *sent: tries.append(1) or notify(*sent)
        self.bench.run(limits.BLOCKED_TIMEOUT_MS - 500)
        self.assertEqual(self.air.connections, [1])
        turns = limits.BLOCKED_TIMEOUT_MS // STEP_MS
        self.assertTrue(0 < len(tries) <= turns)  # one vain call in each turn
        self.bench.run(1000)
        self.assertEqual(self.air.connections, [])
        self.assertEqual(self.bench.log.released, 0)
        self.assertTrue(self.advertises(limits.ADVERT_RENEW_MS))

    def test_B2_handles_3_then_1_and_a_late_send_to_3_goes_to_nobody(self):
        first = proven(self.bench, 3)
        first.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(first)
        first.leave()
        self.bench.turn()
        second = proven(self.bench, 1)
        before = len(self.air.notified)
        with self.assertRaises(OSError):
            self.bench.radio.notify(3, hal_radio.CHANNEL_LOG, b"late")
        self.assertEqual(len(self.air.notified), before)
        second.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(second)

    def test_B2_handle_used_again_at_once_is_a_new_session(self):
        first = proven(self.bench, 3)
        first.leave()
        second = Host(self.bench, 3)
        second.connect()
        second.key, second.signed_number = first.key, first.signed_number
        second.ask(wire_frames.encode_fetch(0))  # as if it were the first
        self.bench.run(200)
        self.assertEqual(second.notified(hal_radio.CHANNEL_LOG), [])
        self.assertEqual(self.bench.log.released, 0)

    def test_B3_a_buffer_of_20_bytes_lets_no_half_command_through(self):
        host = proven(self.bench)
        self.air.ble._values[self.bench.radio._handles[1]].size_bytes = 20
        host.ask(wire_frames.encode_fetch(0) + bytes(40))
        self.bench.run(500)
        self.assertEqual(host.notified(hal_radio.CHANNEL_LOG), [])
        self.assertEqual(self.air.connections, [1])

    def test_B4_A1_twelve_writes_before_the_task_runs_are_one_message(self):
        host = Host(self.bench, 1, mtu=23)
        host.prove()
        message = proofs.signed(host.key, proofs.FROM_HOST, 1, bytes((0x2F,)) + bytes(195))
        parts = host.frames_of(message)
        self.assertEqual(len(parts), 12)
        for frame in parts:
            host.write_frame(frame)
        bus.dispatch()
        self.assertEqual(self.bench.radio.dropped_count, 0)
        self.bench.turn()
        answers = host.notified(hal_radio.CHANNEL_CONTROL)
        self.assertEqual(answers[0][2:4], bytes((frames.REFUSED, frames.REFUSED_UNKNOWN)))

    def test_A1_flood_beyond_the_ring_is_counted_and_what_was_cut_is_not_taken(self):
        host = Host(self.bench, 1, mtu=23)
        host.prove()
        for _message in range(3):
            message = proofs.signed(host.key, proofs.FROM_HOST, 1, bytes((0x2F,)) + bytes(380))
            host.write(message)
        bus.dispatch()
        self.assertTrue(self.bench.radio.dropped_count > 30)
        self.bench.run(500)
        self.assertEqual(self.air.connections, [1])
        host.signed_number = 4
        host.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(host, calls=200)

    def test_A2_two_commands_before_the_task_runs_are_both_done(self):
        host = proven(self.bench)
        host.ask(wire_frames.encode_fetch(0))
        host.ask(wire_frames.encode_ack(host.number & 63, 0, 5))
        self.bench.turn()
        self.assertEqual(self.bench.log.released, 5)
        self.assertTrue(len(host.notified(hal_radio.CHANNEL_LOG)) > 0)

    def test_A5_nothing_in_a_write_is_ignored_and_counted(self):
        host = proven(self.bench)
        host.write_frame(b"")
        bus.dispatch()
        self.air.ble.gatts_read = lambda _handle: None
        host.write_frame(b"x")
        bus.dispatch()
        del self.air.ble.gatts_read
        self.assertEqual(self.bench.radio.dropped_count, 2)
        host.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(host)

    def test_A3_B6_advertising_fails_in_cycles_7_and_8_of_100(self):
        for cycle in range(100):
            if cycle in (7, 8):
                self.air.fail[radio_frames.ADVERTISE] = 1
            connection = 3 - cycle % 3
            self.air.connect(connection)
            self.bench.turn()
            self.air.leave(connection)
            failed_ms = limits.RADIO_RETRY_FIRST_MS if cycle in (7, 8) else 0
            self.assertTrue(self.advertises(failed_ms + 3 * STEP_MS), cycle)
        self.assertEqual(self.bench.state.radio_failures, 2)
        self.assertEqual(self.bench.state.faults, 0)
        self.assertEqual(self.air.starts, 1)

    def test_B6_disconnect_without_a_connect_brings_the_adverts_back(self):
        self.air.advert = None  # ended by the connect that failed half-way
        self.air.leave(NO_HANDLE)
        self.bench.run(3 * STEP_MS)
        self.assertIsNotNone(self.air.advert)
        self.assertFalse(self.bench.state.is_connected)

    def test_B7_mtu_of_every_size_and_a_change_in_mid_transfer(self):
        for mtu in (23, 24, 27, 64, 185, 247, 515, 517):
            host = Host(self.bench, 1, mtu)
            host.mtu = min(mtu, MTU)
            self.air.connect(1, mtu)
            host.connect = lambda: None
            host.prove()
            host.ask(wire_frames.encode_fetch(0))
            first = len(self.air.notified)
            self.assert_all_came_once(host, calls=40)
            longest = max([len(data) for _link, _handle, data in self.air.notified[first:]])
            self.assertTrue(longest <= min(mtu - 3, core_limits.FRAME_MAX_BYTES))
            host.leave()
            self.bench.run(200)

    def test_B7_mtu_from_23_to_185_in_mid_transfer(self):
        host = Host(self.bench, 1, 23)
        host.prove()
        host.ask(wire_frames.encode_fetch(0))
        self.bench.turn()
        first = host.notified(hal_radio.CHANNEL_LOG)
        self.air.set_mtu(1, 185)
        rest = []
        for _turn in range(20):
            self.bench.turn()
            rest += host.notified(hal_radio.CHANNEL_LOG)
        self.assertEqual(max([len(data) for data in first]), 20)
        self.assertTrue(20 < max([len(data) for data in rest]) <= 182)
        self.assertEqual([data[1] for data in first + rest], list(range(len(first + rest))))

    def test_notify_behind_a_disconnect_that_nobody_told_ends_the_session(self):
        host = proven(self.bench)
        self.air.connections.clear()
        self.air.ble._connections.clear()
        host.ask(wire_frames.encode_fetch(0))
        self.bench.run(limits.CLOSE_TIMEOUT_MS + 500)
        self.assertFalse(self.bench.state.is_connected)
        self.assertTrue(self.advertises(limits.ADVERT_RENEW_MS))
        self.assertEqual(self.bench.state.faults, 0)

    def test_B12_strangers_who_hold_links_and_say_nothing_are_dropped(self):
        for connection in (1, 2, 3, 4):
            self.air.connect(connection)
        self.bench.run(200)
        self.assertEqual(self.air.connections, [1])  # one host at a time, silent or not
        self.bench.run(5000)
        self.assertEqual(self.air.connections, [])
        self.assertTrue(self.advertises(limits.ADVERT_RENEW_MS))

    def test_B8_pairing_and_bonding_events_mean_nothing(self):
        host = proven(self.bench)
        bus.the_bus.line.say(radio_frames.ENCRYPTED, bytes((1, 0, 0, 0, 0, 0)))
        self.bench.radio._on_event(29, (1, None))
        self.bench.radio._on_event(30, (1, None, None))
        host.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(host)
        host.leave()
        self.bench.turn()
        again = proven(self.bench, 2)
        again.ask(wire_frames.encode_fetch(0))
        self.assert_all_came_once(again)

    def test_state_is_said_while_the_fault_is_shown(self):
        self.air.fail[radio_frames.SCAN] = 1_000_000  # B11: it may not listen beside its adverts
        self.bench.task._observer.forget()
        self.bench.run(20_000)
        self.assertEqual(shown(self.air.advert).flags, FLAG_FAULT)
