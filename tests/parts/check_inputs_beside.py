"""The input task beside other things: own motor, stuck contacts, sensors that are not there."""

import sys
import unittest

import alone
import machine
import pins
from input_bench import Bench

from redband_badge import loading
from redband_core import gestures, limits, numbers
from redband_core.advert import FLAG_INPUT_STUCK
from redband_hal import board, inputs, system

PRESS, IMPACT, HOLD = gestures.PRESS, gestures.IMPACT, gestures.HOLD


class Motor(unittest.TestCase):
    def run_motor(self, bench, from_ms, to_ms):
        bench.run_to(from_ms)
        bench.state.set_motor(True, system.ticks_ms())
        return to_ms

    def stop_motor(self, bench):
        bench.state.set_motor(False, system.ticks_ms())

    def test_G9_sensor_reacts_to_our_own_motor_300_ms_are_no_hit(self):
        bench = Bench()
        self.run_motor(bench, 1000, 1300)
        bench.blow([1010 + 9 * number for number in range(32)], 1300)
        self.stop_motor(bench)
        bench.blow([1310, 1340], 3000)
        self.assertEqual(bench.taken(), [])
        self.assertEqual(bench.notes(), [(numbers.NOTE_IMPACTS_IGNORED, 1)])

    def test_G9_a_strong_blow_meanwhile_is_ignored_noted_and_never_replayed(self):
        bench = Bench()
        self.run_motor(bench, 1000, 1300)
        bench.run_to(1300)
        self.stop_motor(bench)
        bench.blow([1300 + limits.VIBRATION_HOLD_OFF_MS - 20, 1300 + 490], 5000)
        self.assertEqual(bench.taken(), [])
        self.assertEqual(bench.notes(), [(numbers.NOTE_IMPACTS_IGNORED, 1)])

    def test_G9_a_blow_after_the_hold_off_counts(self):
        bench = Bench()
        self.run_motor(bench, 1000, 1300)
        bench.run_to(1300)
        self.stop_motor(bench)
        at_ms = 1300 + limits.VIBRATION_HOLD_OFF_MS + 20
        bench.blow([at_ms, at_ms + 20], 5000)
        self.assertEqual(bench.taken(), [(IMPACT, 1, at_ms)])

    def test_G9_the_button_counts_while_the_motor_runs(self):
        bench = Bench()
        self.run_motor(bench, 1000, 1300)
        bench.run_to(3000, [1100, 1180])
        self.assertEqual(bench.taken(), [(PRESS, 1, 1100)])

    def test_R4_a_blow_before_the_motor_started_counts_though_it_is_looked_at_later(self):
        bench = Bench()
        bench.run_to(1000)
        bench.go_to(1003)
        pins.drive(board.PIN_IMPACT, 0)
        bench.go_to(1005)
        bench.state.set_motor(True, system.ticks_ms())
        bench.blow([1030], 1300)
        self.assertEqual(bench.taken(), [(IMPACT, 1, 1003)])

    def test_a_short_buzz_between_two_looks_is_held_off_too(self):
        bench = Bench()
        bench.run_to(1000)
        bench.go_to(1002)
        bench.state.set_motor(True, system.ticks_ms())
        bench.go_to(1006)
        bench.state.set_motor(False, system.ticks_ms())
        bench.blow([1020, 1040], 3000)
        self.assertEqual(bench.taken(), [])


class Stuck(unittest.TestCase):
    def test_a_clamped_button_is_one_hit_is_reported_and_then_costs_no_looks(self):
        bench = Bench()
        bench.run_to(60_000, [100])
        self.assertEqual([code for code, _presses, _ms in bench.taken()], [PRESS, HOLD])
        self.assertEqual(bench.notes(), [(numbers.NOTE_INPUT_STUCK, 0)])
        self.assertEqual(bench.state.flags & FLAG_INPUT_STUCK, FLAG_INPUT_STUCK)
        before = bench.sampled_count
        bench.run_to(120_000)
        self.assertEqual(bench.sampled_count, before)

    def test_a_stuck_sensor_costs_the_button_no_hit(self):
        bench = Bench()
        bench.blow([100], 60_000)
        bench.taken()
        bench.run_to(62_000, [60_500, 60_580])
        self.assertEqual(bench.taken(), [(PRESS, 1, 60_500)])

    def test_free_again_is_reported_and_the_next_press_counts(self):
        bench = Bench()
        bench.run_to(60_000, [100])
        bench.taken()
        bench.notes()
        bench.run_to(70_000, [65_000])
        self.assertEqual(bench.notes(), [(numbers.NOTE_INPUT_STUCK, -1)])
        self.assertEqual(bench.state.flags & FLAG_INPUT_STUCK, 0)
        bench.run_to(80_000, [75_003, 75_083])
        self.assertEqual(bench.taken(), [(PRESS, 1, 75_003)])

    def test_a_wet_contact_that_chatters_for_a_minute_is_one_hit_and_stuck(self):
        bench = Bench()
        edges = []
        at_ms = 100
        while at_ms < 60_000:
            edges += [at_ms, at_ms + 4]
            at_ms += 9
        bench.run_to(60_000, edges)
        self.assertEqual(len([one for one in bench.taken() if one[0] == PRESS]), 1)
        self.assertEqual(bench.notes()[0], (numbers.NOTE_INPUT_STUCK, 0))


class Parts(unittest.TestCase):
    def test_without_an_impact_sensor_its_pin_is_left_alone(self):
        bench = Bench(has_impact=False)
        self.assertIsNone(machine.Pin(board.PIN_IMPACT)._handler)
        bench.run_to(500, [100, 180])
        self.assertEqual(bench.taken(), [(PRESS, 1, 100)])

    def test_an_idle_badge_is_not_sampled(self):
        bench = Bench()
        bench.run_to(5000)
        before = bench.sampled_count
        bench.run_to(60_000)
        self.assertEqual(bench.sampled_count, before)

    def test_gestures_that_nobody_took_are_noted(self):
        bench = Bench()
        bench.task._gestures.dropped_count = 3
        bench.run_to(3000, [100, 180])
        self.assertEqual(bench.notes(), [(numbers.NOTE_GESTURES_DROPPED, 3)])

    def test_a_noted_spike_that_was_a_bounce_after_all_does_not_keep_the_badge_awake(self):
        bench = Bench()
        found = bench.task._button.filter
        found.spike_count = 3
        bench.run_to(3000, [100, 180])
        self.assertEqual(bench.notes(), [(numbers.NOTE_INPUT_SPIKES, 3)])
        found.spike_count = 2
        bench.run_to(9000, [3100, 3180])
        self.assertEqual(bench.notes(), [])
        self.assertFalse(bench.task.is_busy)


class Options:
    impact = 0
    impact_threshold_mg = 4000


class Wired:
    """A badge as the wiring of inputs sees it, and its supervisor."""

    def __init__(self, impact, woke_by_button=False):
        bench = Bench(has_impact=False)
        alone.new_board()
        self.options = Options()
        self.options.impact = impact
        self.woke_by_button = woke_by_button
        self.clock, self.state = bench.clock, bench.state
        self.queue, self.note_queue = bench.queue, bench.note_queue
        self.tasks = []
        self.bench = bench
        loading._add_inputs(self, self)

    def add(self, number, factory):
        self.tasks.append(number)


class Wiring(unittest.TestCase):
    SWITCH, OFF, ACCELEROMETER = range(3)

    def test_a_badge_with_a_switch_loads_nothing_of_the_accelerometer(self):
        names = ("redband_hal.accelerometer", "redband_badge.impact_sensor")
        for name in names:
            sys.modules.pop(name, None)
        badge = Wired(self.SWITCH)
        self.assertEqual(badge.tasks, [numbers.TASK_INPUT])
        self.assertIsNotNone(machine.Pin(board.PIN_IMPACT)._handler)
        for name in names:
            self.assertFalse(name in sys.modules)

    def test_impact_off_leaves_its_pin_alone(self):
        badge = Wired(self.OFF)
        self.assertEqual(badge.tasks, [numbers.TASK_INPUT])
        self.assertIsNone(machine.Pin(board.PIN_IMPACT)._handler)

    def test_accelerometer_that_is_missing_is_a_fault_and_the_input_task_is_there(self):
        badge = Wired(self.ACCELEROMETER)
        self.assertEqual(badge.tasks, [numbers.TASK_SENSOR, numbers.TASK_INPUT])
        self.assertEqual(badge.bench.notes(), [(numbers.NOTE_SENSOR, 1)])
        self.assertTrue(badge.state.faults)

    def test_R13_press_that_woke_the_badge_is_latched(self):
        taken = []
        whole = inputs.Contact.latch
        inputs.Contact.latch = lambda contact: taken.append(contact)
        try:
            Wired(self.SWITCH, woke_by_button=True)
            Wired(self.SWITCH, woke_by_button=False)
        finally:
            inputs.Contact.latch = whole
        self.assertEqual(len(taken), 1)
