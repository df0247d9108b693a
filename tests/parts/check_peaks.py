"""Peaks as the calibration measures them are what the interrupt would have judged."""

import unittest
from time import sleep_us

import alone
import motion

from redband_core import numbers
from redband_hal import board, peaks
from redband_hal.accelerometer import Accelerometer
from redband_hal.inputs import Contact


class Test(unittest.TestCase):
    def setUp(self):
        alone.new_board()
        self.sensor = alone.fit_accelerometer()

    def meter(self):
        meter = peaks.Peaks()
        self.assertEqual(meter.start(), numbers.SENSOR_GOOD)
        return meter

    def test_lying_still_is_a_few_mg(self):
        noise_mg = self.meter().strongest_mg(2000)
        self.assertTrue(noise_mg < 150, "%d" % noise_mg)

    def test_the_interrupt_comes_below_the_peak_and_not_above(self):
        # The shorter a blow, the more it matters when the samples come.
        for blow_mg, duration_us, about_mg in (
            (3000, 12_000, 200),
            (9000, 12_000, 300),
            (9000, 30_000, 200),
            (6000, 6000, 600),
        ):
            meter = self.meter()
            self.sensor.feed(motion.blow_profile(blow_mg, duration_us, 0))
            peak_mg = meter.strongest_mg(300)
            for threshold_mg, wanted in ((peak_mg - about_mg, 1), (peak_mg + about_mg, 0)):
                driver = Accelerometer(threshold_mg)
                driver.start()
                contact = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW)
                sleep_us(200_000)
                self.sensor.feed(motion.blow_profile(blow_mg, duration_us, 0))
                sleep_us(200_000)
                what = "%d mg, %d us: %d" % (blow_mg, duration_us, peak_mg)
                self.assertEqual(contact.take_edges()[0], wanted, what)

    def test_every_axis_and_direction_counts_the_same(self):
        found = []
        for axis in range(3):
            for sign in (1, -1):
                meter = self.meter()
                self.sensor.feed(motion.blow_profile(sign * 8000, 12_000, axis))
                found.append(meter.strongest_mg(300))
        self.assertTrue(max(found) - min(found) < 300, "%r" % found)

    def test_blows_come_one_by_one_and_none_is_none(self):
        meter = self.meter()
        for blow_mg in (6000, 9000):
            self.sensor.feed([(50_000, 0, 0, 1000)])
            self.sensor.feed(motion.blow_profile(blow_mg, 12_000, 0))
            found_mg = meter.blow_mg(2000, 1000)
            self.assertTrue(blow_mg * 6 // 10 < found_mg <= blow_mg, "%d" % found_mg)
        self.assertEqual(meter.blow_mg(2000, 500), 0)
