"""The observer: only calls leave the interrupt, each is taken once, a deaf radio is shown."""

import unittest

import bus
from lone_radio import LoneRadio

from redband.wire import keys as wire_keys
from redband_badge import limits
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.observer import AGAIN, NOT_OURS, TAKEN, Observer, observing
from redband_badge.state import BadgeState
from redband_core import advert, keys, numbers
from redband_core.errors import ProtocolError
from redband_hal import radio as hal_radio
from redband_hal.event_loop import Wakeup
from redband_hal.radio import Radio

UUID = "0" * 32
FILE = wire_keys.encode_key_file(b"GAME", bytes(48), bytes(64), 0, bytes(16))


def call(kind=advert.KIND_BROADCAST, mark=0):
    """Return an advertisement of a kind, told apart by `mark`."""
    payload = bytes((advert.MAGIC, advert.form(kind))) + bytes((mark,)) * 22
    return advert.advertising_data(payload)


class Radios:
    """The radio's observing half, with what is heard put in by hand."""

    def __init__(self):
        self.heard = []
        self.calls = []
        self.failures = 0

    def observe(self, window_ms, interval_ms, heads):
        if self.failures:
            self.failures -= 1
            raise OSError(5)
        self.calls.append((window_ms, interval_ms))
        self.heads = heads

    def stop_observing(self):
        self.calls.append(None)

    def take_heard(self):
        return self.heard.pop(0) if self.heard else None


class FakeAdverts:
    def __init__(self):
        self.guests = []

    def broadcast(self, payload, until_ms):
        self.guests.append((payload, until_ms))

    def hush(self, payload):
        self.guests = [guest for guest in self.guests if guest[0] != payload]


class FakeBadge:
    def __init__(self):
        self.state = BadgeState()
        self.note_queue = BoundedQueue(16, Wakeup())
        self.parts = (self.state, self.note_queue)


class ObserverTest(unittest.TestCase):
    def setUp(self):
        self.radio = Radios()
        self.badge = FakeBadge()
        self.adverts = FakeAdverts()
        self.observer = Observer(self.radio, *self.badge.parts, keys.Access(FILE), self.adverts)
        self.taken = []
        self.result = TAKEN
        self.observer.takers[advert.KIND_BROADCAST] = self._take

    def _take(self, payload, rssi_dbm, now_ms):
        self.taken.append((payload, rssi_dbm, now_ms))
        if self.result is None:
            raise ProtocolError("rubbish")
        return self.result

    def hear(self, *advertisements):
        self.radio.heard = [(one, -60) for one in advertisements]

    def test_call_said_again_is_taken_once(self):
        self.hear(call(), call(mark=1))
        self.observer.poll(10)
        self.hear(call())
        self.observer.poll(60)
        self.assertEqual(self.taken, [(call()[7:], -60, 10), (call(mark=1)[7:], -60, 10)])

    def test_G12_rubbish_with_a_copied_proof_does_not_keep_the_call_away(self):
        for result in (NOT_OURS, None):
            self.result = result
            self.hear(call(mark=9))
            self.observer.poll(0 if result == NOT_OURS else 50)
        self.result = TAKEN
        self.hear(call(mark=9))
        self.observer.poll(100)
        self.hear(call(mark=9))
        self.observer.poll(150)
        self.assertEqual(len(self.taken), 3)

    def test_who_wants_each_packet_gets_it(self):
        self.result = AGAIN
        for now_ms in range(0, 200, 50):
            self.hear(call())
            self.observer.poll(now_ms)
        self.assertEqual(len(self.taken), 4)

    def test_flood_of_calls_costs_a_bounded_number_of_proofs(self):
        self.result = NOT_OURS
        self.hear(*[call(mark=mark) for mark in range(100)])
        for now_ms in range(0, 1000, 50):
            self.observer.poll(now_ms)
        self.assertEqual(len(self.taken), 20 * limits.OBSERVE_CALLS_PER_TAKE)

    def test_proofs_remembered_are_bounded_and_the_newest(self):
        marks = list(range(100))
        for mark in marks:
            self.hear(call(mark=mark))
            self.observer.poll(mark * limits.OBSERVE_TAKE_MS)
        self.assertEqual(len(self.observer._taken), limits.OBSERVE_REMEMBERED)
        for mark in marks[-limits.OBSERVE_REMEMBERED :]:
            self.hear(call(mark=mark))
            self.observer.poll((mark + 100) * limits.OBSERVE_TAKE_MS)
        self.assertEqual(len(self.taken), 100)

    def test_it_listens_by_the_policy_and_asks_the_controller_only_for_changes(self):
        for now_ms in range(0, 1000, 50):
            self.observer.poll(now_ms)
        self.observer.listen(8000)
        for now_ms in range(1000, 12000, 50):
            self.observer.poll(now_ms)
        self.observer.is_radio_on = False
        self.observer.poll(12000)
        self.observer.poll(12050)
        usual = (limits.OBSERVE_WINDOW_MS, limits.OBSERVE_PERIOD_MS)
        full = (limits.OBSERVE_FULL_MS, limits.OBSERVE_FULL_MS)
        self.assertEqual(self.radio.calls, [usual, full, usual, None])

    def test_policy(self):
        self.assertEqual(observing(True, False, False), (0, 0))
        self.assertEqual(observing(True, True, True)[0], observing(True, True, True)[1])
        usual, saving = observing(False, True, False), observing(False, True, True)
        self.assertEqual(usual, (60, 300))
        self.assertTrue(saving[1] > usual[1])

    def test_scan_that_ended_unnoticed_begins_again(self):
        for now_ms in range(0, 3 * limits.OBSERVE_RENEW_MS, 1000):
            self.observer.poll(now_ms)
        self.assertEqual(len(self.radio.calls), 3)

    def test_B11_scan_that_is_refused_is_tried_again_shown_and_noted_once(self):
        self.radio.failures = 6
        shown = []
        for now_ms in range(0, 60_000, 50):
            self.observer.poll(now_ms)
            shown.append(self.badge.state.faults & numbers.FAULT_OBSERVER != 0)
        self.assertEqual(self.radio.failures, 0)
        self.assertEqual(self.radio.calls[0], (limits.OBSERVE_WINDOW_MS, limits.OBSERVE_PERIOD_MS))
        self.assertTrue(True in shown)
        self.assertFalse(shown[-1])
        self.assertEqual(self.badge.note_queue.front(), (numbers.NOTE_OBSERVER_OFF, 5))
        self.badge.note_queue.remove_front()
        self.assertIsNone(self.badge.note_queue.front())

    def test_B11_that_is_always_refused_is_not_hammered(self):
        self.radio.failures = 10000
        for now_ms in range(0, 120_000, 50):
            self.observer.poll(now_ms)
        self.assertTrue(3 <= 10000 - self.radio.failures < 15, self.radio.failures)

    def test_badge_without_keys_never_listens(self):
        observer = Observer(self.radio, *self.badge.parts, keys.Access(), self.adverts)
        observer.poll(0)
        self.assertEqual(self.radio.calls, [])

    def test_call_goes_to_the_adverts_with_its_end(self):
        self.observer.poll(1000)
        self.observer.call(b"x" * 24, 5000)
        self.assertEqual(self.adverts.guests, [(b"x" * 24, 6000)])
        self.observer.hush(b"x" * 24)
        self.assertEqual(self.adverts.guests, [])


class RadioTest(unittest.TestCase):
    def setUp(self):
        self.air = LoneRadio()
        self.radio = Radio(*[UUID] * 4)
        self.radio.start("Redband", "0.1.0")
        self.heads = (call()[3:9],)

    def take_heard(self):
        bus.dispatch()
        return self.radio.take_heard()

    def test_handler_keeps_calls_and_leaves_everything_else(self):
        self.radio.observe(60, 300, self.heads)
        self.assertEqual(self.air.scan, (0, 300_000, 60_000, False))
        for data in (
            call(advert.KIND_STATE),
            call(advert.KIND_WANTED),
            b"",
            b"\x02\x01\x06",
            bytes(31),
            call()[:8],
            call()[7:],
        ):
            self.air.advertise(data, -50)
        self.assertIsNone(self.take_heard())
        self.air.advertise(call(), -77)
        self.assertEqual(self.take_heard(), (call(), -77))
        self.assertIsNone(self.take_heard())

    def test_B5_what_was_heard_is_a_copy(self):
        self.radio.observe(60, 300, self.heads)
        self.air.advertise(call(mark=1), -50)
        self.air.advertise(call(mark=2), -51)
        self.assertEqual(self.take_heard(), (call(mark=1), -50))
        self.assertEqual(self.take_heard(), (call(mark=2), -51))

    def test_B4_burst_beyond_the_ring_is_counted_and_costs_no_link_event(self):
        self.radio.observe(60, 300, self.heads)
        for mark in range(30):
            self.air.advertise(call(mark=mark), -50)
        self.air.connect(1)
        bus.dispatch()
        self.assertEqual(self.radio.heard_dropped_count, 30 - hal_radio.HEARD_SIZE)
        self.assertEqual(self.radio.take_event()[0], hal_radio.EVENT_CONNECTED)
        count = 0
        while self.take_heard() is not None:
            count += 1
        self.assertEqual(count, hal_radio.HEARD_SIZE)
        self.air.advertise(call(), -50)
        self.assertIsNotNone(self.take_heard())

    def test_nothing_is_kept_before_it_was_asked_for(self):
        self.air.advertise(call(), -50)
        self.assertIsNone(self.take_heard())
