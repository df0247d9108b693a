"""The battery: what is measured, and what is concluded from it."""

import unittest

import analog
from power_bench import Cell, make_task

from redband_badge import limits
from redband_badge.power_task import charge_pct
from redband_core import numbers
from redband_core.advert import FLAG_LOW_BATTERY
from redband_hal import battery as hal_battery
from redband_hal import board
from redband_hal.battery import Battery


def low_notes(badge):
    return [value for code, value in badge.notes() if code == numbers.NOTE_LOW_BATTERY]


class Charge(unittest.TestCase):
    def test_points_of_the_curve(self):
        for millivolts, pct in (
            (0, 0),
            (3270, 0),
            (3440, 2),
            (3610, 5),
            (3690, 10),
            (3730, 20),
            (3770, 30),
            (3840, 50),
            (3950, 70),
            (4020, 80),
            (4110, 90),
            (4175, 97),
            (4200, 100),
            (5000, 100),
        ):
            self.assertEqual((millivolts, charge_pct(millivolts)), (millivolts, pct))

    def test_never_falls_while_the_voltage_rises(self):
        last_pct = 0
        for millivolts in range(3000, 4300):
            pct = charge_pct(millivolts)
            self.assertTrue(last_pct <= pct <= min(100, last_pct + 5))
            last_pct = pct


class Marks(unittest.TestCase):
    def test_R7_jitter_of_60_mV_around_the_low_mark_gives_one_warning(self):
        badge, task = make_task()
        task.take(3900)
        for turn in range(100):
            task.take(limits.BATTERY_LOW_MV + (60, -60, 20, -35)[turn % 4])
        self.assertEqual(low_notes(badge), [limits.BATTERY_LOW_MV - 60])
        self.assertTrue(badge.state.flags & FLAG_LOW_BATTERY)

    def test_R7_jitter_around_any_mark_changes_the_level_once_at_most(self):
        for mark_mv in (
            limits.BATTERY_LOW_MV,
            limits.BATTERY_FINE_MV,
            limits.BATTERY_CRITICAL_MV,
            limits.BATTERY_BETTER_MV,
        ):
            for start_mv in (4100, 3300):
                badge, task = make_task()
                task.take(start_mv)
                levels = []
                for turn in range(50):
                    task.take(mark_mv + (-60, 60)[turn % 2])
                    levels.append(task._level)
                changes = sum([levels[i] != levels[i - 1] for i in range(1, 50)])
                self.assertTrue(changes <= 1, (mark_mv, start_mv, levels))

    def test_R14_low_battery_saves_before_brownout_and_charging_ends_it(self):
        badge, task = make_task()
        state = badge.state
        task.take(4000)
        self.assertFalse(state.is_saving or state.is_critical)
        task.take(limits.BATTERY_LOW_MV - 1)
        self.assertTrue(state.is_saving)
        self.assertFalse(state.is_critical)
        task.take(limits.BATTERY_CRITICAL_MV - 1)
        self.assertTrue(state.is_saving and state.is_critical)
        task.take(limits.BATTERY_BETTER_MV + 1)
        self.assertTrue(state.is_saving)
        self.assertFalse(state.is_critical)
        task.take(limits.BATTERY_FINE_MV + 1)
        self.assertFalse(state.is_saving or state.is_critical)
        self.assertEqual(state.flags & FLAG_LOW_BATTERY, 0)
        expected = [
            (numbers.NOTE_LOW_BATTERY, limits.BATTERY_LOW_MV - 1),
            (numbers.NOTE_BATTERY_CRITICAL, limits.BATTERY_CRITICAL_MV - 1),
        ]
        self.assertEqual(badge.notes(), expected)

    def test_R14_critical_mark_leaves_the_regulator_its_drop(self):
        # 3.3 V, 150 mV of dropout at the radio's peaks, and 50 mV that the converter may be off.
        self.assertTrue(limits.BATTERY_CRITICAL_MV >= 3300 + 150 + 50)
        self.assertTrue(limits.BATTERY_LOW_MV >= limits.BATTERY_BETTER_MV + 60)

    def test_empty_at_once_is_noted_once_as_critical(self):
        badge, task = make_task()
        for _ in range(20):
            task.take(3300)
        self.assertEqual(badge.notes(), [(numbers.NOTE_BATTERY_CRITICAL, 3300)])

    def test_lights_are_told_of_a_change(self):
        badge, task = make_task()
        task.take(4000)
        revision = badge.state.revision
        task.take(3990)
        self.assertEqual(badge.state.revision, revision)
        task.take(3400)
        self.assertTrue(badge.state.revision != revision)


class Measuring(unittest.TestCase):
    def test_R7_full_scale_spikes_each_100_ms_change_nothing(self):
        # A spike of either sign lasts one sample; five samples take 8 ms.
        now = [0]
        gap_ms, hal_battery.GAP_MS = hal_battery.GAP_MS, 0

        class Adc:
            def read_uv(self):
                time_ms = now[0]
                now[0] += gap_ms
                if time_ms % 100 < gap_ms:
                    return (0, 2_500_000)[time_ms // 100 % 2]
                return 2_000_000

        badge, task = make_task(Battery())
        task._battery._adc = Adc()
        for start_ms in range(1000):
            now[0] = start_ms
            task.take(task._battery.read_mv())
            self.assertEqual(badge.state.battery_mv, 4000)
        hal_battery.GAP_MS = gap_ms
        self.assertEqual(badge.notes(), [])

    def test_converter_and_divider(self):
        analog.set_faults(bytes(6))  # no noise
        analog.set_voltage(board.PIN_BATTERY_ADC, 1850)
        self.assertEqual(Battery().read_mv(), 3700)

    def test_measured_at_once_and_then_each_ten_seconds(self):
        cell = Cell()
        _badge, task = make_task(cell)
        for second in range(31):
            task.look(second * 1000)
        self.assertEqual(cell.count, 4)

    def test_sag_under_the_motor_is_not_measured(self):
        cell = Cell()
        badge, task = make_task(cell)
        state = badge.state

        def at(ticks_ms):
            task.look(ticks_ms)
            return cell.count

        self.assertEqual(at(1000), 1)
        cell.millivolts = 3300
        state.set_motor(True, 10_990)
        self.assertEqual(at(11_000), 1)
        state.set_motor(False, 11_900)
        self.assertEqual(at(12_000), 1)  # the cell has not recovered
        cell.millivolts = 4000
        self.assertEqual(at(12_000 + limits.BATTERY_REST_MS), 2)
        self.assertEqual(badge.notes(), [])

    def test_motor_that_never_rests_is_measured_all_the_same(self):
        cell = Cell(3300)
        badge, task = make_task(cell)
        badge.state.set_motor(True, 0)
        for second in range(200):
            task.look(second * 1000)
        self.assertEqual(cell.count, 3)
        self.assertTrue(badge.state.is_critical)  # and so the motor is switched off

    def test_R1_motor_of_days_ago_does_not_hold_up_a_measurement(self):
        cell = Cell()
        badge, task = make_task(cell)
        badge.state.set_motor(True, 0)
        badge.state.set_motor(False, 100)
        for hour in range(6, 40 * 24, 6):
            # Steps that the ring of ticks can tell: a task runs each second in truth.
            for second in (0, 10):
                task.look((hour * 3600 + second) * 1000 % (1 << 30))
        self.assertEqual(cell.count, 2 * (40 * 4 - 1))
