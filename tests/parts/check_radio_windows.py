"""A radio that is switched off and on: when, what is left of its last life, and what it leaks."""

import asyncio
import gc
import os
import unittest

import alone
import radio_frames
from check_radio import (
    FILE,
    HOST_NONCE,
    MASTER,
    UUID,
    FakeBadge,
    Log,
    frame_of,
    radio_task,
    shown,
)
from lone_radio import NO_HANDLE, LoneRadio

from redband.wire import frames as wire_frames
from redband_badge import limits, radio_windows
from redband_badge.radio_windows import WINDOW_MS, WINDOW_PERIOD_MS, Windows
from redband_core import numbers
from redband_core.advert import FLAG_FAULT
from redband_core.keys import Access
from redband_hal import radio as hal_radio
from redband_hal import system
from redband_hal.radio import Radio

STEP_MS = 50
TURNS = 10_000 if os.getenv("REDBAND_PROOF") == "1" else 2_000
REST_MS = radio_windows.AFTER_CHANGE_MS + 10_000  # by then nothing keeps the radio on


class Sleeper:
    needs_radio = True
    is_usb = False


class Bench:
    """A radio task with the real Radio; its owner and its peers are the test's."""

    def __init__(self, is_windowed=True):
        self.air = LoneRadio()
        self.radio = Radio(*[UUID] * 4)
        badge = self.badge = FakeBadge()
        self.state = badge.state
        self.log = Log(3)
        self.task = radio_task(self.radio, badge, self.log, Access(FILE))
        self.observer = self.task._observer
        self.sleeper = Sleeper()
        if is_windowed:
            self.task.windows = Windows(badge.state, self.observer, self.sleeper)
        self.now_ms = 0
        self._start_us = alone.now_us()

    def turn(self):
        alone.run_until(self._start_us + self.now_ms * 1000)
        self.task.turn(self.now_ms)
        self.now_ms += STEP_MS

    def run(self, for_ms):
        """Run; return the ms in which the radio was on, as (from, until) pairs."""
        spans = []
        end_ms = self.now_ms + for_ms
        while self.now_ms < end_ms:
            at_ms = self.now_ms
            self.turn()
            if self.air.is_active:
                if spans and spans[-1][1] == at_ms:
                    spans[-1] = (spans[-1][0], self.now_ms)
                else:
                    spans.append((at_ms, self.now_ms))
        return spans

    def rest(self):
        """Run until nothing keeps the radio on and it has just been switched off."""
        self.run(REST_MS)
        while not self.air.is_active:
            self.turn()
        while self.air.is_active:
            self.turn()


class WindowsTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()

    def test_radio_is_on_for_a_minute_behind_the_start_then_in_windows(self):
        spans = self.bench.run(120_000)
        self.assertTrue(0 <= spans[0][1] - radio_windows.AFTER_CHANGE_MS <= 2 * WINDOW_MS)
        for first_ms, last_ms in spans[1:-1]:
            self.assertTrue(WINDOW_MS <= last_ms - first_ms <= WINDOW_MS + 3 * STEP_MS)
        starts = [first_ms for first_ms, _last_ms in spans[1:]]
        gaps = [starts[at + 1] - starts[at] for at in range(len(starts) - 1)]
        self.assertTrue(len(gaps) >= 9)
        for gap_ms in gaps:
            self.assertTrue(WINDOW_PERIOD_MS <= gap_ms <= WINDOW_PERIOD_MS + 4 * STEP_MS, gap_ms)

    def test_each_window_says_something_new_and_fast(self):
        bench = self.bench
        bench.rest()
        counts = set()
        for _window in range(5):
            while not bench.air.is_active:
                bench.turn()
            self.assertEqual(bench.air.interval_ms, radio_windows.WINDOW_INTERVAL_MS)
            counts.add(shown(bench.air.advert).count)
            while bench.air.is_active:
                bench.turn()
        self.assertEqual(len(counts), 5)

    def test_it_listens_all_the_time_in_a_window_and_not_between(self):
        bench = self.bench
        bench.rest()
        self.assertIsNone(bench.air.scan)
        while bench.air.scan is None:
            bench.turn()
        full_us = limits.OBSERVE_FULL_MS * 1000
        bench.turn()
        self.assertEqual(bench.air.scan[1:3], (full_us, full_us))
        self.assertEqual(bench.state.faults, 0)

    def test_sleep_is_allowed_between_windows_only(self):
        bench = self.bench
        bench.rest()
        self.assertFalse(bench.sleeper.needs_radio)
        for _turn in range(400):
            bench.turn()
            self.assertEqual(bench.sleeper.needs_radio, bench.air.is_active)

    def test_G16_short_heap_keeps_the_radio_on_and_with_it_its_memory(self):
        bench = self.bench
        bench.rest()
        is_short, system.is_heap_short = system.is_heap_short, lambda: True
        try:
            while not bench.air.is_active:
                bench.turn()
            spans = bench.run(10 * WINDOW_PERIOD_MS)
            self.assertEqual(len(spans), 1)
            self.assertEqual(spans[0][1] - spans[0][0], 10 * WINDOW_PERIOD_MS)
        finally:
            system.is_heap_short = is_short
        bench.run(2 * WINDOW_MS)
        self.assertFalse(bench.air.is_active)

    def assert_on(self, for_ms):
        """Fail unless the radio comes on in the next turn and stays on, for about so long."""
        bench = self.bench
        bench.turn()
        bench.turn()
        self.assertTrue(bench.air.is_active)
        spans = bench.run(for_ms + 2 * WINDOW_PERIOD_MS)
        self.assertTrue(for_ms - 200 <= spans[0][1] - spans[0][0] <= for_ms + 1000, spans)
        self.assertTrue(len(spans) >= 2)

    def test_change_and_input_keep_it_on_for_a_minute(self):
        for change in ("revision", "acknowledged", "refused", "identified"):
            self.bench.rest()
            setattr(self.bench.state, change, getattr(self.bench.state, change) + 1)
            self.assert_on(radio_windows.AFTER_CHANGE_MS)

    def test_usb_emergency_broadcast_and_tap_keep_it_on(self):
        bench = self.bench

        def usb(is_there):
            bench.sleeper.is_usb = is_there

        def emergency(is_there):
            bench.state.is_emergency = is_there  # without the touch() that comes with it

        def tap(is_there):
            bench.observer.tap = is_there or None

        def call(is_there):
            if is_there:
                bench.observer.call(bytes(24), 30_000)
            else:
                bench.observer.hush(bytes(24))

        for reason in (usb, emergency, tap, call):
            bench.rest()
            reason(True)
            bench.turn()
            bench.turn()
            spans = bench.run(20_000)
            self.assertEqual(len(spans), 1)
            self.assertEqual(spans[0][1] - spans[0][0], 20_000)
            reason(False)
            bench.run(2 * WINDOW_PERIOD_MS)
            bench.rest()

    def test_who_waits_for_an_answer_keeps_it_on_so_long(self):
        self.bench.rest()
        self.bench.observer.listen(8000)
        self.assert_on(8000)

    def test_connection_keeps_it_on_and_a_moment_longer(self):
        bench = self.bench
        bench.rest()
        while not bench.air.is_active:
            bench.turn()
        bench.air.connect(5)
        spans = bench.run(4000)
        self.assertEqual(len(spans), 1)
        self.assertTrue(bench.state.is_connected)
        bench.air.leave(5)
        self.assert_on(radio_windows.AFTER_LINK_MS)

    def test_continuous_mode_is_never_switched_off(self):
        bench = Bench(is_windowed=False)
        self.assertEqual(len(bench.run(200_000)), 1)
        self.assertEqual((bench.air.starts, bench.air.stops), (1, 0))
        self.assertEqual(bench.air.interval_ms, limits.ADVERT_IDLE_INTERVAL_MS)

    def test_B9_window_whose_start_fails_is_tried_again_and_still_a_whole_one(self):
        bench = self.bench
        bench.rest()
        bench.air.fail[radio_frames.POWER_ON] = 2
        spans = bench.run(2 * WINDOW_PERIOD_MS)
        self.assertEqual(bench.state.radio_failures, 2)
        self.assertTrue(spans[0][1] - spans[0][0] >= WINDOW_MS, spans)
        self.assertEqual(bench.state.faults, 0)

    def test_B9_radio_that_never_starts_again_shows_it_and_is_not_hammered(self):
        bench = self.bench
        bench.rest()
        bench.air.fail[radio_frames.POWER_ON] = 100_000
        bench.run(120_000)
        tries = 100_000 - bench.air.fail[radio_frames.POWER_ON]
        self.assertEqual(bench.state.radio_failures, tries)
        self.assertTrue(6 <= tries <= 16, tries)
        self.assertEqual(bench.state.flags, FLAG_FAULT)
        self.assertEqual(bench.badge.note_queue.front(), (numbers.NOTE_RADIO_OFF, 110))
        bench.air.fail[radio_frames.POWER_ON] = 0
        bench.run(40_000)
        self.assertEqual(bench.state.flags, 0)


class CycleTest(unittest.TestCase):
    """What one life of the controller leaves for the next."""

    def setUp(self):
        self.bench = Bench()
        self.bench.rest()
        self.air = self.bench.air

    def open(self):
        while not self.air.is_active:
            self.bench.turn()
        self.bench.turn()

    def test_B2_handles_are_those_of_the_new_registration(self):
        bench = self.bench
        before = bench.radio._handles
        self.open()
        after = bench.radio._handles
        self.assertTrue(set(before) != set(after))
        values = self.air.ble._values
        self.assertEqual(values[after[1]].size_bytes, hal_radio.WRITE_BUFFER_BYTES)
        self.assertEqual(values[after[5]].data, b"Redband")
        self.assertEqual(values[after[0]].data, b"info")
        self.assertEqual(values[after[3]].data, b"\x64")
        self.air.connect(3)
        self.air.write(3, after[1], frame_of(1, wire_frames.encode_hello(MASTER, HOST_NONCE)))
        bench.turn()
        self.assertEqual({sent[1] for sent in self.air.notified}, {after[1]})

    def test_no_event_of_the_last_life_is_left(self):
        bench = self.bench
        late = bench.radio._on_event  # as late as can be: the controller is off
        late(1, (3, 0, b"123456"))
        late(21, (3, 100))
        self.open()
        self.assertFalse(bench.state.is_connected)
        self.assertIsNone(bench.radio.take_event())

    def test_interrupts_are_ours_again(self):
        self.air.ble.irq(None)
        self.open()
        self.air.connect(4)
        self.bench.turn()
        self.assertTrue(self.bench.state.is_connected)

    def test_controller_that_is_off_although_we_did_not_is_started_again(self):
        bench = Bench(is_windowed=False)
        bench.run(2000)
        bench.air.ble.active(False)  # a reset of the controller: from now on ENODEV
        bench.state.touch()
        bench.run(3000)
        self.assertTrue(bench.air.is_active)
        self.assertEqual(bench.air.starts, 2)
        self.assertIsNotNone(bench.air.advert)
        self.assertTrue(bench.state.radio_failures >= 1)
        self.assertEqual(bench.state.faults, 0)

    def test_adverts_refused_again_and_again_end_in_a_fresh_start_that_helps(self):
        bench = Bench(is_windowed=False)
        bench.run(1000)
        bench.air.fail[radio_frames.ADVERTISE] = limits.RADIO_RESTART_FAILURES
        bench.state.touch()
        bench.run(60_000)
        self.assertEqual((bench.air.starts, bench.air.stops), (2, 1))
        self.assertEqual(bench.state.radio_failures, limits.RADIO_RESTART_FAILURES)
        self.assertEqual(bench.state.faults, 0)

    def test_switching_off_that_fails_is_counted_and_the_next_window_comes(self):
        bench = self.bench
        self.open()
        self.air.fail[radio_frames.POWER_OFF] = 1
        bench.run(WINDOW_PERIOD_MS + 500)
        self.assertEqual(bench.state.radio_failures, 1)
        self.assertTrue(self.air.is_active)
        self.assertIsNotNone(self.air.advert)

    def test_turns_leak_nothing(self):
        bench = self.bench
        # A turn of off and on, without the rests between.
        radio_windows.WINDOW_MS, radio_windows.WINDOW_PERIOD_MS = 2 * STEP_MS, 3 * STEP_MS
        used = []
        bench.air.starts = bench.air.stops = 0
        try:
            while bench.air.stops < TURNS:
                for _turn in range(TURNS // 10):
                    stops = bench.air.stops
                    while bench.air.stops == stops:
                        bench.turn()
                        if bench.air.is_active:
                            bench.air.advertise(bytes(31), -60)
                            bench.air.leave(NO_HANDLE)
                gc.collect()
                gc.collect()
                used.append(gc.mem_alloc())
        finally:
            radio_windows.WINDOW_MS, radio_windows.WINDOW_PERIOD_MS = 700, 5000
        self.assertEqual((bench.air.starts, bench.air.stops), (TURNS, TURNS))
        self.assertEqual(len(bench.air.ble._values), 0)
        self.assertEqual(bench.state.radio_failures, 0)
        # The first round may still grow a ring or a table; the others may not.
        self.assertTrue(max(used[2:]) - min(used[2:]) <= 512, used)
        self.assertTrue(used[-1] - used[2] <= 256, used)


class RunTest(unittest.TestCase):
    def test_task_begun_anew_by_the_supervisor_takes_the_radio_up_again(self):
        bench = Bench()
        bench.run(1000)

        class Beat:
            def report(self):
                raise ValueError("of the test")

        with self.assertRaises(ValueError):
            asyncio.run(bench.task.run(Beat()))
        bench.run(1000)
        self.assertEqual(bench.air.starts, 1)
        self.assertIsNotNone(bench.air.advert)
