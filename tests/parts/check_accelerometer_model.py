"""The LIS3DH that the other tests trust, against its data sheet (DocID 17530) and AN3308."""

import errno
import unittest
from time import sleep_us

import alone
import motion
from machine import I2C, Pin, SoftI2C

ADDRESS = 0x19
ALL_AXES = 0x07
HIGH_RESOLUTION = 0x08
LATCHED = 0x08
ACTIVE_LOW = 0x02
HIGH_EVENTS = 0x2A
# Data sheet table 4: mg per digit of the right-aligned word, by full scale.
SENSITIVITY = {"normal": (4, 8, 16, 48), "low power": (16, 32, 64, 192), "high": (1, 2, 4, 12)}
SHIFT = {"normal": 6, "low power": 8, "high": 4}
THRESHOLD_MG = (16, 32, 62, 186)
READ_US = 92  # of one register, on a bus of 400 kHz
ODR_PERIOD_US = {1: 1000000, 2: 100000, 3: 40000, 4: 20000, 5: 10000, 6: 5000, 7: 2500, 9: 744}


class Test(unittest.TestCase):
    def setUp(self):
        alone.new_board()
        self.sensor = alone.fit_accelerometer()
        self.wire = I2C(0, scl=Pin(21), sda=Pin(20), freq=400000)
        self.pin = Pin(5, Pin.IN, Pin.PULL_UP)
        self.edges = []
        self.pin.irq(lambda pin: self.edges.append(pin.value()), 3)

    def write(self, register, *values):
        self.wire.writeto_mem(ADDRESS, register | 0x80, bytes(values))

    def read(self, register, count=1):
        return self.wire.readfrom_mem(ADDRESS, register | 0x80, count)

    def words(self):
        data = self.read(0x28, 6)
        words = [data[i] | data[i + 1] << 8 for i in (0, 2, 4)]
        return [word - (word >> 15 << 16) for word in words]

    def listen(self, threshold, control4=0x00, latch=0, duration=0, rate=7, high_pass=0):
        self.write(0x21, high_pass)
        self.write(0x22, 0x40)
        self.write(0x23, control4)
        self.write(0x24, latch)
        self.write(0x25, ACTIVE_LOW)
        self.write(0x32, threshold, duration)
        self.write(0x30, HIGH_EVENTS)
        self.write(0x20, rate << 4 | ALL_AXES)
        sleep_us(1_000_000)

    def blow(self, peak_mg, duration_us, axis=0):
        self.sensor.feed(motion.blow_profile(peak_mg, duration_us, axis))
        sleep_us(duration_us + 30_000)

    # Identity and bus.

    def test_identity_and_power_on_values(self):
        self.assertEqual(self.read(0x0F), b"\x33")
        self.assertEqual(self.read(0x20, 7), b"\x07\0\0\0\0\0\0")
        self.assertEqual(self.read(0x30, 4), b"\0\0\0\0")
        self.assertEqual(self.read(0x3E), b"\0")

    def test_nobody_at_a_wrong_address_or_on_other_wires(self):
        for wire, address in (
            (self.wire, 0x18),
            (I2C(0), ADDRESS),
            (SoftI2C(scl=Pin(7), sda=Pin(6)), ADDRESS),
        ):
            with self.assertRaises(OSError) as caught:
                wire.readfrom_mem(address, 0x0F, 1)
            self.assertEqual(caught.exception.errno, errno.ENODEV)
        self.assertEqual(self.wire.scan(), [ADDRESS])
        self.assertEqual(SoftI2C(scl=Pin(21), sda=Pin(20)).readfrom_mem(ADDRESS, 15, 1), b"3")

    def test_stuck_bus_times_out_in_every_call(self):
        self.sensor.fault = errno.ETIMEDOUT
        buffer = bytearray(1)
        for call in (
            lambda: self.wire.writeto(ADDRESS, b"\x0f"),
            lambda: self.wire.readfrom(ADDRESS, 1),
            lambda: self.wire.readfrom_mem_into(ADDRESS, 15, buffer),
            lambda: self.wire.writeto_mem(ADDRESS, 0x20, b"\x77"),
        ):
            with self.assertRaises(OSError) as caught:
                call()
            self.assertEqual(caught.exception.errno, errno.ETIMEDOUT)

    def test_wrong_arguments(self):
        with self.assertRaises(ValueError):
            I2C(1)
        with self.assertRaises(ValueError):
            self.wire.readfrom_mem(ADDRESS, 0, 1, addrsize=9)

    def test_sub_address_goes_on_only_with_its_highest_bit(self):
        self.wire.writeto(ADDRESS, b"\x0f")
        self.assertEqual(self.wire.readfrom(ADDRESS, 3), b"333")
        self.wire.writeto(ADDRESS, b"\x8f")
        self.assertEqual(self.wire.readfrom(ADDRESS, 3), b"3\0\0")

    def test_read_only_registers_keep_their_value(self):
        self.write(0x0F, 1)
        self.write(0x27, 0xFF)
        self.assertEqual(self.read(0x0F), b"\x33")
        self.assertEqual(self.read(0x27), b"\0")

    # Samples.

    def test_powered_down_it_feels_nothing(self):
        self.sensor.feed(motion.blow_profile(9000, 400_000, 0))
        sleep_us(300_000)
        self.assertEqual(self.words(), [0, 0, 0])
        self.assertEqual(self.read(0x27), b"\0")

    def test_first_sample_comes_after_the_turn_on_time(self):
        for control4, turn_on_us in ((0, 1600), (HIGH_RESOLUTION, 7 * 10_000)):
            self.setUp()
            self.write(0x23, control4)
            self.write(0x20, 5 << 4 | ALL_AXES)
            sleep_us(turn_on_us + 9_000)
            self.assertEqual(self.words(), [0, 0, 0])
            sleep_us(2_000)
            self.assertNotEqual(self.words()[2], 0)

    def test_one_new_sample_per_data_period(self):
        for rate, period_us in ODR_PERIOD_US.items():
            self.setUp()
            self.write(0x20, rate << 4 | ALL_AXES)
            first_us = alone.now_us() + 1600 + period_us
            alone.run_until(first_us)
            self.assertEqual(self.read(0x27)[0], 0x0F)
            self.words()
            self.assertEqual(self.read(0x27)[0], 0)
            alone.run_until(first_us + period_us - 10 - READ_US)
            self.assertEqual(self.read(0x27)[0], 0, rate)
            alone.run_until(first_us + period_us)
            self.assertEqual(self.read(0x27)[0], 0x0F, rate)
            sleep_us(3 * period_us)
            self.assertEqual(self.read(0x27)[0], 0xFF)

    def test_sensitivity_and_alignment_of_every_mode_and_scale(self):
        for mode in SENSITIVITY:
            for scale in range(4):
                self.setUp()
                self.write(0x23, scale << 4 | (HIGH_RESOLUTION if mode == "high" else 0))
                self.write(0x20, 7 << 4 | ALL_AXES | (8 if mode == "low power" else 0))
                sleep_us(100_000)
                for axis, word in enumerate(self.words()):
                    wanted_mg = 1000 if axis == 2 else 0
                    digits = word >> SHIFT[mode]
                    self.assertEqual(digits << SHIFT[mode], word)
                    got_mg = digits * SENSITIVITY[mode][scale]
                    self.assertTrue(abs(got_mg - wanted_mg) <= 45 + SENSITIVITY[mode][scale])

    def test_noise_and_offset_are_there(self):
        self.listen(127, HIGH_RESOLUTION)
        seen = set()
        for _ in range(20):
            sleep_us(2_500)
            seen.add(self.words()[0] >> 4)
        self.assertTrue(len(seen) > 3 and 0 not in seen, seen)

    def test_output_clips_at_the_scale(self):
        for scale, most in ((0, 2047 << 4), (3, 1365 << 4)):
            self.setUp()
            self.listen(127, HIGH_RESOLUTION | scale << 4)
            for peak_mg, wanted in ((40_000, most), (-40_000, -most - 16)):
                self.sensor.feed([(0, peak_mg, 0, 1000)])
                sleep_us(100_000)
                self.assertEqual(self.words()[0], wanted)

    def test_disabled_axis_stays_zero_and_raises_nothing(self):
        self.listen(80)
        self.write(0x20, 0x76)
        sleep_us(10_000)
        self.blow(1900, 40_000)
        self.assertEqual(self.words()[0], 0)
        self.assertEqual(self.edges, [1])  # the polarity

    def test_blow_between_two_samples_is_smaller_or_missed(self):
        for rate, is_seen in ((5, False), (7, True)):  # 100 Hz, 400 Hz
            self.setUp()
            self.listen(4000 // 186, 0x30, rate=rate)
            del self.edges[:]
            self.blow(9000, 4_000)
            self.assertEqual(bool(self.edges), is_seen)

    def test_high_resolution_is_too_slow_for_a_short_blow(self):
        for control4, is_seen in ((0x30, True), (0x30 | HIGH_RESOLUTION, False)):
            self.setUp()
            self.listen(4000 // 186, control4)
            del self.edges[:]
            self.blow(9000, 4_000)
            self.assertEqual(bool(self.edges), is_seen)

    # Interrupt 1.

    def test_line_is_low_until_the_driver_sets_its_polarity(self):
        self.assertEqual(self.pin.value(), 0)
        self.write(0x25, ACTIVE_LOW)
        self.assertEqual(self.pin.value(), 1)

    def test_threshold_step_of_every_scale(self):
        for scale in range(4):
            for extra_mg, is_over in ((-120, False), (220, True)):
                self.setUp()
                self.listen(80, scale << 4 | HIGH_RESOLUTION)
                self.sensor.feed([(0, 80 * THRESHOLD_MG[scale] + extra_mg, 0, 0)])
                sleep_us(100_000)
                self.assertEqual(bool(self.read(0x31)[0] & 0x40), is_over, scale)

    def test_line_follows_the_blow_when_not_latched(self):
        self.listen(21, 0x30)
        del self.edges[:]
        self.blow(8000, 20_000)
        self.assertEqual(self.edges, [0, 1])
        self.assertEqual(self.read(0x31)[0] & 0x40, 0)

    def test_latched_line_waits_for_the_source_to_be_read(self):
        self.listen(21, 0x30, LATCHED)
        del self.edges[:]
        self.blow(8000, 20_000)
        self.blow(8000, 20_000)
        self.assertEqual(self.edges, [0])
        self.assertEqual(self.read(0x31)[0], 0x42)
        sleep_us(0)  # the handler
        self.assertEqual(self.edges, [0, 1])
        self.assertEqual(self.read(0x31)[0], 0)

    def test_latched_line_falls_again_when_the_blow_still_lasts(self):
        self.listen(21, 0x30, LATCHED)
        del self.edges[:]
        self.sensor.feed([(0, 8000, 0, 1000)])
        sleep_us(30_000)
        self.read(0x31)
        sleep_us(5_000)
        self.assertEqual(self.edges, [0, 1, 0])

    def test_source_names_the_axis(self):
        for axis in range(3):
            self.setUp()
            self.listen(21, 0x30, LATCHED)
            self.blow(-9000, 20_000, axis)
            self.assertEqual(self.read(0x31)[0], 0x40 | 2 << 2 * axis)

    def test_duration_swallows_what_is_shorter(self):
        for duration, is_seen in ((0, True), (3, True), (9, False)):
            self.setUp()
            self.listen(21, 0x30, LATCHED, duration)
            self.blow(9000, 20_000)
            self.assertEqual(bool(self.read(0x31)[0] & 0x40), is_seen, duration)

    def test_all_of_the_events_together_when_asked(self):
        self.listen(21, 0x30)
        self.write(0x30, 0x80 | HIGH_EVENTS)
        self.sensor.feed([(0, 8000, 0, 1000), (20_000, 8000, 8000, 8000)])
        sleep_us(15_000)
        self.assertEqual(self.read(0x31)[0] & 0x40, 0)
        sleep_us(15_000)
        self.assertEqual(self.read(0x31)[0], 0x6A)

    def test_line_is_silent_without_the_route(self):
        self.listen(21, 0x30)
        self.write(0x22, 0)
        del self.edges[:]
        self.blow(9000, 20_000)
        self.assertEqual(self.edges, [])

    def test_gravity_needs_the_high_pass_filter(self):
        for high_pass, is_active in ((0, True), (0x01, False)):
            self.setUp()
            self.listen(40, high_pass=high_pass)  # 0.64 g
            sleep_us(2_000_000)
            self.assertEqual(bool(self.read(0x31)[0] & 0x40), is_active)

    def test_filter_settles_in_its_time_or_by_reading_reference(self):
        self.write(0x22, 0x40)
        self.write(0x21, 0x31)
        self.write(0x32, 40)
        self.write(0x30, HIGH_EVENTS)
        self.write(0x20, 0x77)
        sleep_us(20_000)
        self.assertEqual(self.read(0x31)[0] & 0x40, 0x40)
        self.read(0x26)
        sleep_us(20_000)
        self.assertEqual(self.read(0x31)[0] & 0x40, 0)

    def test_registers_survive_a_reset_of_the_processor(self):
        self.listen(21, 0x30, LATCHED)
        kept = self.sensor.registers()
        self.sensor = alone.fit_accelerometer()
        self.assertEqual(self.pin.value(), 0)
        self.sensor.restore(kept)
        self.assertEqual(self.pin.value(), 1)
        sleep_us(100_000)
        self.blow(9000, 20_000)
        self.assertEqual(self.pin.value(), 0)

    def test_motor_shakes_the_board_and_runs_down(self):
        sensor = alone.fit_accelerometer(motor_mg=3000)
        self.listen(1500 // 186, 0x30)
        del self.edges[:]
        sensor.set_motor(True)
        sleep_us(200_000)
        self.assertTrue(self.edges)
        sensor.set_motor(False)
        sleep_us(65_000)
        del self.edges[:]
        sleep_us(200_000)
        self.assertEqual(self.edges, [])

    def test_an_hour_of_rest_is_worked_out_at_once(self):
        self.listen(21, 0x30)
        sleep_us(3600 * 1_000_000)
        self.assertTrue(abs((self.words()[2] >> 6) * 48 - 1000) < 100)
        del self.edges[:]
        self.blow(9000, 20_000)
        self.assertEqual(self.edges, [0, 1])
