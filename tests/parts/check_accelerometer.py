"""The accelerometer's driver against the register model of a LIS3DH: set up, blows, faults."""

import errno
import time
import unittest
from time import sleep_us

import alone
import i2c
import machine
import motion

from redband_badge import impact_sensor
from redband_badge.state import BadgeState
from redband_core import numbers
from redband_core.advert import FLAG_FAULT
from redband_hal import board
from redband_hal.accelerometer import Accelerometer
from redband_hal.inputs import Contact

SAMPLE_US = 744


class Notes(list):
    def put(self, note):
        self.append(note)
        return True


class OtherChip:
    """A chip with another identity and other registers, as a bus device."""

    fault = 0

    def __init__(self, identity_register, identity):
        self.registers = {identity_register: identity}
        self.written = []

    def receive(self, data):
        self.pointer = data[0]
        for value in data[1:]:
            self.written.append((data[0], value))
            self.registers[data[0]] = value

    def transmit(self, count):
        return bytes([self.registers.get(self.pointer, 0)] * count)


class Test(unittest.TestCase):
    def setUp(self):
        alone.new_board()
        self.sensor = alone.fit_accelerometer()

    def unplug(self):
        i2c.wires.clear()

    def plug(self, device, address=0x19):
        i2c.attach(board.PIN_ACCELEROMETER_SDA, board.PIN_ACCELEROMETER_SCL, address, device)

    def contact(self, threshold_mg):
        self.driver = Accelerometer(threshold_mg)
        self.assertEqual(self.driver.start(), numbers.SENSOR_GOOD)
        contact = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW)
        contact.is_active()
        sleep_us(50_000)
        return contact

    def blow(self, peak_mg, duration_us=12_000, axis=0):
        self.sensor.feed(motion.blow_profile(peak_mg, duration_us, axis))
        sleep_us(duration_us + 100_000)


class Pin(Test):
    def test_set_up_chip_leaves_the_pin_open(self):
        contact = self.contact(4000)
        self.assertFalse(contact.is_active())
        self.assertTrue(contact.is_quiet())

    def test_at_the_lowest_threshold_gravity_and_set_up_are_no_blow(self):
        edges = []
        pin = machine.Pin(board.PIN_IMPACT)
        pin.irq(lambda pin: edges.append(pin.value()), 3)
        self.assertEqual(Accelerometer(200).start(), numbers.SENSOR_GOOD)
        sleep_us(3_000_000)
        self.assertEqual(edges, [1])  # from idle low to the polarity that was set

    def test_blow_over_the_threshold_closes_the_contact_on_any_axis_either_way(self):
        for axis in range(3):
            for sign in (1, -1):
                contact = self.contact(4000)
                self.blow(sign * 9000, axis=axis)
                self.assertEqual(contact.take_edges()[0], 1)
                self.assertTrue(contact.is_active())
                self.assertTrue(self.driver.take())
                self.assertFalse(contact.is_active())
                self.assertFalse(self.driver.take())

    def test_blow_under_the_threshold_does_not(self):
        contact = self.contact(4000)
        self.blow(3000)
        self.assertEqual(contact.take_edges()[0], 0)

    def test_threshold_is_the_one_of_the_setting(self):
        for threshold_mg, weak_mg, strong_mg in ((1000, 800, 2500), (8000, 7000, 15_000)):
            contact = self.contact(threshold_mg)
            self.blow(weak_mg)
            self.assertEqual(contact.take_edges()[0], 0)
            self.blow(strong_mg)
            self.assertEqual(contact.take_edges()[0], 1)

    def test_thresholds_beyond_the_register_are_its_ends(self):
        for threshold_mg, steps in ((0, 1), (186, 1), (200, 1), (4000, 22), (16_000, 86)):
            Accelerometer(threshold_mg).start()
            self.assertEqual(self.sensor.registers()[0x32], steps)
        Accelerometer(60_000).start()
        self.assertEqual(self.sensor.registers()[0x32], 127)

    def test_swinging_arm_is_no_blow(self):
        # 3 g, twice a second: more than the threshold, but slower than any blow.
        contact = self.contact(2000)
        swing = []
        for step in range(100):
            offset = (step + 12) % 50
            height = offset if offset < 25 else 50 - offset
            swing.append((step * 10_000, height * 240 - 3000, 0, 1000))
        self.sensor.feed(swing + [(1_000_000, 0, 0, 1000)])
        sleep_us(1_200_000)
        self.assertEqual(contact.take_edges()[0], 0)

    def test_R7_single_sample_spikes_are_no_blow_and_a_pulse_of_30_ms_is_one(self):
        contact = self.contact(4000)
        for _spike in range(20):
            self.sensor.feed([(0, 16_000, 0, 1000), (SAMPLE_US, 0, 0, 1000)])
            sleep_us(100_000)
        self.assertEqual(contact.take_edges()[0], 0)
        self.blow(9000, 30_000)
        self.assertEqual(contact.take_edges()[0], 1)


class Table(Test):
    def test_another_part_needs_only_a_table(self):
        other = OtherChip(0x0D, 0x44)
        self.unplug()
        self.plug(other, 0x1D)
        part = (
            (0x1C, 0x1D),
            (0x0D, 0x44),
            (0x15, 63, 255),
            0x0E,
            (0x80, 8),
            ((0x2A, 0x00), (0x2B, 0x12)),
            (0x2D, 0x04),
            (0x2F, 0x01),
        )
        driver = Accelerometer(4000, part)
        self.assertEqual(driver.start(), numbers.SENSOR_GOOD)
        expected = [(0x2A, 0x00), (0x2B, 0x12), (0x15, 63), (0x2D, 0x04)]
        self.assertEqual(other.written, expected)
        self.assertEqual(driver.check(), numbers.SENSOR_GOOD)
        other.registers[0x2D] = 0
        self.assertEqual(driver.check(), numbers.SENSOR_RESET)

    def test_either_address_is_found(self):
        for address in (0x18, 0x19):
            alone.fit_accelerometer(address=address)
            self.assertEqual(Accelerometer(4000).start(), numbers.SENSOR_GOOD)

    def test_a_stranger_at_the_first_address_does_not_hide_the_chip(self):
        self.plug(OtherChip(0x0F, 0x77), 0x18)
        self.assertEqual(Accelerometer(4000).start(), numbers.SENSOR_GOOD)

    def test_missing_wrong_and_stuck_are_three_faults(self):
        self.sensor.fault = errno.ETIMEDOUT
        self.assertEqual(Accelerometer(4000).start(), numbers.SENSOR_BUS)
        self.unplug()
        self.assertEqual(Accelerometer(4000).start(), numbers.SENSOR_MISSING)
        self.plug(OtherChip(0x0F, 0x77))
        self.assertEqual(Accelerometer(4000).start(), numbers.SENSOR_WRONG_CHIP)

    def test_start_holds_the_other_tasks_up_for_less_than_a_task_may(self):
        started_ms = time.ticks_ms()
        Accelerometer(4000).start()
        self.assertTrue(0 < time.ticks_diff(time.ticks_ms(), started_ms) <= 20)


class Watch(Test):
    def setUp(self):
        super().setUp()
        self.state = BadgeState()
        self.notes = Notes()

    def watch(self):
        watch = impact_sensor.ImpactSensor(4000, self.state, self.notes)
        watch.look()
        return watch

    def is_faulty(self):
        self.assertEqual(bool(self.state.faults & numbers.FAULT_SENSOR), bool(self.state.flags))
        return bool(self.state.flags & FLAG_FAULT)

    def test_healthy_chip_is_not_mentioned(self):
        watch = self.watch()
        watch.look()
        self.assertEqual(self.notes, [])
        self.assertFalse(self.is_faulty())

    def test_missing_chip_is_named_once_and_found_when_it_comes(self):
        self.unplug()
        watch = self.watch()
        watch.look()
        self.assertEqual(self.notes, [(numbers.NOTE_SENSOR, numbers.SENSOR_MISSING)])
        self.assertTrue(self.is_faulty())
        self.assertFalse(watch.take())
        self.plug(self.sensor)
        watch.look()
        self.assertEqual(
            self.notes,
            [
                (numbers.NOTE_SENSOR, numbers.SENSOR_MISSING),
                (numbers.NOTE_SENSOR, numbers.SENSOR_GOOD),
            ],
        )
        self.assertFalse(self.is_faulty())

    def test_bus_that_fails_later_is_named_and_a_blow_is_believed_meanwhile(self):
        watch = self.watch()
        self.sensor.fault = errno.ETIMEDOUT
        self.assertTrue(watch.take())
        watch.look()
        self.assertEqual(self.notes, [(numbers.NOTE_SENSOR, numbers.SENSOR_BUS)])
        self.assertTrue(watch.take())
        self.sensor.fault = 0
        watch.look()
        self.assertEqual(self.notes[1:], [(numbers.NOTE_SENSOR, numbers.SENSOR_GOOD)])

    def test_chip_that_lost_its_supply_is_set_up_again_and_its_pin_is_no_blow(self):
        watch = self.watch()
        new = alone.fit_accelerometer()  # the same wires, power-on registers: its pin is low
        self.assertFalse(watch.take())
        self.assertEqual(
            self.notes,
            [
                (numbers.NOTE_SENSOR, numbers.SENSOR_RESET),
                (numbers.NOTE_SENSOR, numbers.SENSOR_GOOD),
            ],
        )
        self.assertEqual(new.registers()[0x22], 0x40)
        self.assertFalse(self.is_faulty())

    def test_the_same_is_found_without_a_blow(self):
        watch = self.watch()
        alone.fit_accelerometer()
        watch.look()
        self.assertEqual(
            self.notes,
            [
                (numbers.NOTE_SENSOR, numbers.SENSOR_RESET),
                (numbers.NOTE_SENSOR, numbers.SENSOR_GOOD),
            ],
        )
