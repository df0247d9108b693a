"""Blows to the accelerometer, through its pin and the input task, to hits."""

import errno

import alone
import machine
import motion
import pins
from check_accelerometer import Test
from input_bench import Bench

from redband_badge import impact_sensor
from redband_badge.impact_sensor import BlowContact
from redband_badge.input_task import InputTask
from redband_core import gestures, numbers
from redband_hal import board, system
from redband_hal.inputs import Contact


class Play(Test):
    """The input task on the chip's pin."""

    def setUp(self):
        super().setUp()
        self.bench = Bench(is_new=False)
        self.start(self.bench)

    def start(self, bench):
        self.watch = impact_sensor.ImpactSensor(4000, bench.state, bench.note_queue)
        self.watch.look()
        contact = BlowContact(Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW), self.watch)
        queues = (bench.queue, bench.note_queue)
        bench.task = InputTask(bench.clock, bench.button, contact, *queues, bench.state)

    def live(self, duration_ms, stall_ms=0):
        """Let badge and chip live; the interpreter runs nothing for the first `stall_ms`."""
        bench = self.bench
        now_ms = bench.now_ms()
        stalls = [(now_ms, now_ms + stall_ms)] if stall_ms else []
        bench.run_to(now_ms + duration_ms, stalls=stalls)

    def strike(self, peak_mg):
        self.sensor.feed(motion.blow_profile(peak_mg, 12_000, 0))

    def test_blow_is_one_hit_with_its_time(self):
        self.live(1000)
        for phase in range(10):
            self.live(1000 + phase)
            before_ms = self.bench.now_ms()
            self.strike(9000)
            self.live(600)
            found = self.bench.taken()
            self.assertEqual([code for code, _presses, _ms in found], [gestures.IMPACT])
            self.assertTrue(before_ms <= found[0][2] <= before_ms + 8, "%r" % found)

    def test_R4_blow_within_a_flash_write_is_not_missed(self):
        self.live(1000)
        self.strike(9000)
        self.live(600, stall_ms=400)
        self.assertEqual(len(self.bench.taken()), 1)

    def test_every_interrupt_lost_the_blow_still_counts(self):
        self.live(1000)
        machine.Pin(board.PIN_IMPACT).irq(None)
        self.strike(9000)
        self.live(600)
        self.assertEqual(len(self.bench.taken()), 1)

    def test_ringing_of_a_blow_is_one_hit(self):
        self.live(1000)
        profile = []
        for swing in range(12):
            size_mg = (14_000 - 900 * swing) * (1 if swing % 2 else -1)
            profile.append((swing * 6000, size_mg, 0, 1000))
        self.sensor.feed(profile + [(72_000, 0, 0, 1000)])
        self.live(1500)
        self.assertEqual(len(self.bench.taken()), 1)

    def test_R7_spikes_on_the_pin_with_nothing_behind_them_are_no_hit_even_in_a_stall(self):
        self.live(1000)
        for _spike in range(20):
            self.bench.spike(board.PIN_IMPACT)
            self.live(100, stall_ms=80)
        self.assertEqual(self.bench.taken(), [])

    def test_G9_own_motor_with_strong_coupling_is_no_hit(self):
        self.sensor = alone.fit_accelerometer(motor_mg=9000)
        self.start(self.bench)
        self.live(1000)
        self.bench.state.set_motor(True, system.ticks_ms())
        self.sensor.set_motor(True)
        self.live(300)
        self.bench.state.set_motor(False, system.ticks_ms())
        self.sensor.set_motor(False)
        self.live(2000)
        self.assertEqual(self.bench.taken(), [])
        self.assertTrue(
            numbers.NOTE_IMPACTS_IGNORED in [code for code, _value in self.bench.notes()]
        )
        self.strike(9000)
        self.live(500)
        self.assertEqual(len(self.bench.taken()), 1)

    def test_chip_that_dies_costs_the_button_no_hit_and_its_pin_is_stuck_at_last(self):
        self.live(1000)
        self.strike(9000)
        self.sensor.fault = errno.ETIMEDOUT
        self.live(600)
        self.assertEqual(len(self.bench.taken()), 1)
        pins.drive(board.PIN_BUTTON, 0)
        self.live(100)
        pins.drive(board.PIN_BUTTON, 1)
        self.live(1000)
        codes = [code for code, _presses, _ms in self.bench.taken()]
        self.assertEqual(codes, [gestures.PRESS])
        self.live(31_000)
        self.assertEqual(self.bench.taken(), [])
        self.assertTrue((numbers.NOTE_INPUT_STUCK, 1) in self.bench.notes())
        self.sensor.fault = 0
        self.watch._fault = numbers.SENSOR_BUS
        self.watch.look()
        self.live(500)
        self.assertTrue((numbers.NOTE_INPUT_STUCK, -2) in self.bench.notes())
        self.strike(9000)
        self.live(500)
        self.assertEqual(len(self.bench.taken()), 1)
