"""Which starts lead to safe mode: failed ones, never a player's switch."""

import unittest

import flash_device
import machine
from flash_device import FlashDevice, format_and_mount, power_cut, write_file

from redband_badge import boot_record, limits
from redband_badge.boot_record import BootRecord
from redband_core import numbers
from redband_hal import system

PATH = "/flash/boot.cnt"


def begin(cause=numbers.CAUSE_POWER_ON):
    record = BootRecord(PATH)
    return record, record.begin(cause)


class BootRecordTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(16)
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_starts_are_counted(self):
        for count in range(1, 4):
            record, reason = begin()
            self.assertEqual((record.boot_count, reason), (count, 0))

    def test_R12_app_that_raises_at_start_three_times_gets_safe_mode(self):
        cause = numbers.CAUSE_POWER_ON
        for _ in range(limits.FAILED_BOOTS_MAX):
            record, reason = begin(cause)
            self.assertEqual(reason, 0)
            record.mark_failed(numbers.REASON_BOOTS)
            cause = numbers.CAUSE_RESET
        self.assertEqual(begin(cause)[1], numbers.REASON_BOOTS)

    def test_B9_panic_before_the_app_is_well_counts_as_a_failed_start(self):
        begin(numbers.CAUSE_POWER_ON)
        self.assertEqual(begin(numbers.CAUSE_RESET)[1], 0)
        self.assertEqual(begin(numbers.CAUSE_WATCHDOG)[1], 0)
        self.assertEqual(begin(numbers.CAUSE_RESET)[1], numbers.REASON_BOOTS)

    def test_R12_player_who_flips_the_switch_ten_times_stays_in_the_game(self):
        for _ in range(10):
            self.assertEqual(begin(numbers.CAUSE_POWER_ON)[1], 0)

    def test_soft_resets_of_a_technician_are_no_failures(self):
        for _ in range(10):
            record, reason = begin(numbers.CAUSE_SOFT_RESET)
            self.assertEqual(reason, 0)

    def test_tasks_that_keep_failing_send_the_next_start_to_safe_mode(self):
        record, _reason = begin()
        record.mark_healthy(False)
        record.mark_failed(numbers.REASON_TASKS)
        self.assertEqual(begin(numbers.CAUSE_RESET)[1], numbers.REASON_TASKS)

    def test_safe_mode_stays_over_resets_and_a_new_battery_gives_one_try(self):
        record, _reason = begin()
        record.mark_failed(numbers.REASON_TASKS)
        record, reason = begin(numbers.CAUSE_RESET)
        record.mark_healthy(True)
        self.assertEqual(begin(numbers.CAUSE_RESET)[1], numbers.REASON_TASKS)
        record, reason = begin(numbers.CAUSE_POWER_ON)
        self.assertEqual(reason, 0)
        record.mark_failed(numbers.REASON_BOOTS)
        self.assertTrue(begin(numbers.CAUSE_RESET)[1] != 0)

    def test_healthy_start_forgets_the_failures_before_it(self):
        record, _reason = begin()
        record.mark_failed(numbers.REASON_BOOTS)
        record, _reason = begin(numbers.CAUSE_RESET)
        record.mark_healthy(False)
        self.assertEqual(BootRecord(PATH).failures, 0)

    def test_R10_garbage_in_the_file_is_taken_for_a_new_badge(self):
        for data in (b"", b"\xff" * 14, bytes(14), b"\x02" * 14, b"\x02" * 40, b"\x01" * 12):
            write_file(PATH, data)
            record, reason = begin(numbers.CAUSE_RESET)
            self.assertEqual((record.boot_count, reason), (1, 0))

    def test_R8_start_after_the_watchdog_knows_the_task_that_ran_last(self):
        record, _reason = begin()
        for number in (1, 2, 1, 3):
            record.mark_running(number)
        record, _reason = begin(numbers.CAUSE_WATCHDOG)
        self.assertEqual(record.hung_task, 3)
        record, _reason = begin(numbers.CAUSE_WATCHDOG)
        self.assertEqual(record.hung_task, numbers.TASK_NONE)

    def test_R8_task_that_is_silent_is_the_suspect_whoever_runs_meanwhile(self):
        record, _reason = begin()
        record.mark_silent(5)
        for number in (1, 2, 4):
            record.mark_running(number)
        record.mark_silent(4)
        self.assertEqual(begin(numbers.CAUSE_WATCHDOG)[0].hung_task, 5)

    def test_R8_task_that_reports_again_is_no_suspect_any_more(self):
        record, _reason = begin()
        record.mark_silent(5)
        record.mark_running(1)
        record.mark_running(5)
        record.mark_running(2)
        self.assertEqual(begin(numbers.CAUSE_WATCHDOG)[0].hung_task, 2)

    def test_R11_no_other_reset_accuses_a_task(self):
        for cause in (
            numbers.CAUSE_POWER_ON,
            numbers.CAUSE_RESET,
            numbers.CAUSE_DEEP_SLEEP,
            numbers.CAUSE_SOFT_RESET,
            numbers.CAUSE_UNKNOWN,
        ):
            record, _reason = begin()
            record.mark_running(3)
            self.assertEqual(begin(cause)[0].hung_task, boot_record.NO_TASK)

    def test_R8_technician_who_stays_at_the_prompt_too_long_accuses_no_task(self):
        record, _reason = begin()
        record.mark_running(3)
        record.stop_for_prompt(system.Watchdog(8000), [])
        self.assertEqual(begin(numbers.CAUSE_WATCHDOG)[0].hung_task, boot_record.NO_TASK)

    def test_R10_garbage_in_the_rtc_memory_says_nothing(self):
        record, _reason = begin()
        record.mark_running(3)
        good = machine.RTC().memory()
        foreign = good[:3] + (77).to_bytes(4, "little")
        torn = good[:1] + b"\x04" + good[2:]
        old_version = bytes((1,)) + good[1:]
        for garbage in (b"", bytes(7), b"\xff" * 7, bytes(64), foreign, torn, old_version):
            write_file(PATH, b"")
            record, _reason = begin()
            machine.RTC().memory(garbage)
            record, reason = begin(numbers.CAUSE_WATCHDOG)
            self.assertEqual((record.hung_task, reason), (numbers.TASK_NONE, 0), garbage)

    def test_result_of_the_self_test_is_kept(self):
        record, _reason = begin()
        record.keep_self_test(8, 127)
        record.mark_healthy(False)
        record, _reason = begin()
        self.assertEqual((record.test_failed, record.test_tried), (8, 127))

    def test_flash_that_fails_does_not_stop_the_start(self):
        self.device.fail_at = self.device.operations
        self.device.fail_count = 1000
        _record, reason = begin()
        self.assertEqual(reason, 0)
        self.assertTrue(self.device.fail_count < 1000)

    def test_power_cut_while_writing_keeps_the_old_or_the_new_count(self):
        cut_at = 0
        was_cut = True
        while was_cut:
            flash_device.vfs.umount("/flash")
            device = FlashDevice(16)
            format_and_mount(device, "/flash")
            begin()
            device.operations = 0
            device.cut_at = cut_at
            begin()
            was_cut = device.is_dead
            power_cut(device, "/flash", [])
            self.assertIn(BootRecord(PATH).boot_count, (1, 2))
            cut_at += 1
        self.assertTrue(cut_at > 3)
