"""The badge's own test: each step passes, fails by name, and never hangs."""

import asyncio
import json
import os
import time
import unittest

import alone
import analog
import bus
import flash_device
import motion
import opcodes
import pins
from flash_device import FlashDevice, format_and_mount, read_file, write_file

from redband_badge import app, limits, self_test
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_core import journal, numbers, settings_check
from redband_hal import accelerometer, board, system

PATH = "/flash/selftest"
SETTINGS = {
    "badge_id": 7,
    "player": "",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}
ALL = numbers.STEP_FLASH | numbers.STEP_BATTERY | numbers.STEP_LIGHTS | numbers.STEP_RADIO
HAND = numbers.STEP_BUTTON | numbers.STEP_IMPACT
SWITCH, OFF, ACCELEROMETER = 0, 1, 2


class Radio:
    def __init__(self, is_started=True):
        self.is_started = is_started


def options(impact=SWITCH):
    values = dict(SETTINGS, impact=settings_check.CHOICES[0][1][impact])
    return settings_check.check(values)


async def touch(pin, after_ms=15, for_ms=20):
    await asyncio.sleep_ms(after_ms)
    pins.drive(pin, 0)
    await asyncio.sleep_ms(for_ms)
    pins.drive(pin, opcodes.OPEN)


async def technician(pins):
    """Touch each of the pins when its light blinks."""
    for pin, lamp, *for_ms in pins:
        duties = bus.the_bus.line.duties
        while not duties.get(lamp):
            await asyncio.sleep_ms(1)
        await touch(pin, 15, *for_ms)
        while duties.get(lamp):
            await asyncio.sleep_ms(1)


GOOD_HANDS = (
    (board.PIN_BUTTON, board.PIN_LED_GREEN),
    (board.PIN_IMPACT, board.PIN_LED_RED),
)


class SelfTestTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(64)
        format_and_mount(self.device, "/flash")
        alone.new_board()
        analog.set_voltage(board.PIN_BATTERY_ADC, 2000)
        self.fed = 0

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def feed(self):
        self.fed += 1

    def run_test(self, hands=GOOD_HANDS, impact=SWITCH, radio=None):
        test = self_test.SelfTest("/flash", options(impact), radio or Radio(), self.feed)

        async def play():
            helper = asyncio.create_task(technician(hands))
            await test.run()
            helper.cancel()

        asyncio.run(play())
        return test

    def test_good_badge_passes_every_step(self):
        test = self.run_test()
        self.assertEqual((test.failed, test.tried), (0, ALL | HAND))
        self.assertTrue(self.fed > 10)
        for pin in (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION):
            self.assertEqual(bus.the_bus.line.duties[pin], 0)
        self.assertEqual(os.listdir("/flash"), [])

    def test_contact_is_open_again_when_the_test_ends(self):
        self.run_test((GOOD_HANDS[0], GOOD_HANDS[1] + (120,)))
        self.assertEqual(pins.Pin(board.PIN_IMPACT).value(), 1, "else it is a hit of the game")

    def test_nobody_there_is_two_steps_failed_and_no_hang(self):
        test = self.run_test(hands=())
        self.assertEqual(test.failed, HAND)

    def test_sensor_that_is_not_knocked_is_named_and_the_button_is_not(self):
        self.assertEqual(self.run_test(GOOD_HANDS[:1]).failed, numbers.STEP_IMPACT)

    def test_button_pressed_at_the_red_light_is_no_sensor(self):
        hands = (GOOD_HANDS[0], (board.PIN_BUTTON, board.PIN_LED_RED))
        self.assertEqual(self.run_test(hands).failed, numbers.STEP_IMPACT)

    def test_button_that_is_stuck_fails(self):
        pins.drive(board.PIN_BUTTON, 0)
        self.assertEqual(self.run_test(()).failed, HAND)

    def test_without_a_sensor_the_button_says_that_red_was_seen(self):
        hands = (GOOD_HANDS[0], (board.PIN_BUTTON, board.PIN_LED_RED))
        test = self.run_test(hands, OFF)
        self.assertEqual((test.failed, test.tried), (0, ALL | HAND))

    def test_empty_and_impossible_batteries_fail(self):
        for millivolts in (0, 1600, 2300):
            analog.set_voltage(board.PIN_BATTERY_ADC, millivolts)
            self.assertEqual(self.run_test().failed, numbers.STEP_BATTERY, millivolts)

    def test_short_of_an_output_fails_either_way(self):
        for pin in (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION):
            for level in (0, 1):
                pins.drive(pin, level)
                self.assertEqual(self.run_test().failed, numbers.STEP_LIGHTS)
            pins.drive(pin, opcodes.OPEN)

    def test_radio_that_did_not_start_fails_and_one_kept_off_is_not_tried(self):
        self.assertEqual(self.run_test(radio=Radio(False)).failed, numbers.STEP_RADIO)
        test = self_test.SelfTest("/flash", options(OFF), None, self.feed)
        asyncio.run(test.run())
        self.assertFalse(test.tried & numbers.STEP_RADIO)

    def test_flash_that_fails_or_forgets_fails(self):
        self.device.fail_at = self.device.operations
        self.device.fail_count = 10_000
        self.assertEqual(self.run_test().failed, numbers.STEP_FLASH)
        self.device.fail_at = None
        flash_device.vfs.umount("/flash")
        flash_device.vfs.mount(flash_device.vfs.VfsLfs2(self.device), "/flash")
        limits.SELF_TEST_FLASH_MAX_MS = -1
        try:
            self.assertEqual(self.run_test().failed, numbers.STEP_FLASH)
        finally:
            limits.SELF_TEST_FLASH_MAX_MS = 1000

    def test_journal_whose_records_do_not_go_in_place_fails(self):
        flash_device.flashbdev.bdev = None  # no device of our kind: each hit would erase a block
        self.assertEqual(self.run_test().failed, numbers.STEP_FLASH)
        self.assertEqual(os.listdir("/flash"), [])

    def test_what_a_test_that_was_cut_off_left_behind_goes(self):
        os.mkdir(PATH + ".log")
        write_file(PATH + ".log/00000000.seg", b"half a segment")
        self.assertEqual(self.run_test().failed, 0)
        self.assertEqual(os.listdir("/flash"), [])

    def test_accelerometer_that_is_not_there_fails_and_the_other_steps_go_on(self):
        test = self.run_test(impact=ACCELEROMETER)
        self.assertEqual(test.failed, numbers.STEP_SENSOR_CHIP)
        self.assertTrue(test.tried & numbers.STEP_SENSOR_CHIP)

    def test_accelerometer_that_answers_passes(self):
        alone.fit_accelerometer()
        test = self_test.SelfTest("/flash", options(ACCELEROMETER), Radio(), self.feed)
        asyncio.run(test.run())
        self.assertFalse(test.failed & numbers.STEP_SENSOR_CHIP)

    def test_blow_before_its_step_does_not_keep_the_sensor_from_passing(self):
        sensor = alone.fit_accelerometer()
        test = self_test.SelfTest("/flash", options(ACCELEROMETER), Radio(), self.feed)

        class Knocked(accelerometer.Accelerometer):
            def start(self):
                fault = super().start()
                time.sleep_us(100_000)
                sensor.feed(motion.blow_profile(12_000, 12_000, 0))
                time.sleep_us(50_000)
                return fault

        whole = accelerometer.Accelerometer
        accelerometer.Accelerometer = Knocked
        try:
            asyncio.run(test.run())
        finally:
            accelerometer.Accelerometer = whole
        self.assertEqual(pins.Pin(board.PIN_IMPACT).value(), 1, "free for the next blow")

    # What /selftest says at a start.

    def start(self, hands=GOOD_HANDS):
        """Start a badge as App does; return (its notes, its boot record, code shown)."""
        write_file("/flash/settings.json", json.dumps(SETTINGS).encode())
        with open(os.getenv("REDBAND_RULESET"), "rb") as file:
            write_file("/flash/ruleset.bin", file.read())
        boot = BootRecord("/flash/boot.cnt")
        badge = Badge("/flash", boot, 1, boot.begin(1))
        badge.load()

        async def play():
            helper = asyncio.create_task(technician(hands))
            await app.test_itself(badge, Radio(), self.feed)
            helper.cancel()

        asyncio.run(play())
        self.badge = badge
        badge.store.close()
        found = []
        badge.store.recover(lambda kind, _ms, payload: found.append((kind, payload)))
        badge.store.close()
        told = [journal.parse_note(data) for kind, data in found if kind == journal.NOTE]
        return told, boot

    def results(self, told):
        return [value for code, value in told if code == numbers.NOTE_SELF_TEST]

    def test_wish_of_the_installer_is_done_once_and_journalled(self):
        write_file(PATH, b"run")
        told, boot = self.start()
        self.assertEqual(self.results(told), [(ALL | HAND) << 16])
        self.assertEqual((boot.test_failed, boot.test_tried), (0, ALL | HAND))
        self.assertFalse("selftest" in os.listdir("/flash"))
        self.assertEqual(self.badge.state.code, 0)

    def test_failed_test_is_journalled_shown_and_not_done_again(self):
        write_file(PATH, b"run")
        started_ms = system.ticks_ms()
        told, boot = self.start(())
        self.assertTrue(
            system.ticks_diff(system.ticks_ms(), started_ms) >= 2 * limits.SELF_TEST_STEP_MS
        )
        game_ms = self.badge.clock.update(system.ticks_ms()) - self.badge.store.last_ms
        self.assertTrue(game_ms < 300, "game time stood still: %d" % game_ms)
        self.assertEqual(self.results(told), [HAND | (ALL | HAND) << 16])
        self.assertEqual(boot.test_failed, HAND)
        self.assertFalse("selftest" in os.listdir("/flash"))
        self.assertEqual(self.badge.state.code, numbers.CODE_SELF_TEST)

    def test_test_that_was_cut_off_is_not_done_again(self):
        write_file(PATH, b"begun")
        told, boot = self.start(())
        cut = numbers.STEP_CUT_OFF
        self.assertEqual(self.results(told), [cut | cut << 16])
        self.assertEqual(boot.test_failed, cut)
        self.assertFalse("selftest" in os.listdir("/flash"))

    def test_result_of_the_prompt_is_journalled(self):
        write_file(PATH, b"result 8 127 31")
        told, boot = self.start(())
        self.assertEqual(self.results(told), [8 | 127 << 16])
        self.assertIn((numbers.NOTE_SELF_TEST_FLASH_MS, 31), told)
        self.assertEqual((boot.test_failed, boot.test_tried), (8, 127))

    def test_garbage_in_the_file_tests_nothing_and_goes(self):
        for garbage in (b"", b"\xff" * 30, b"result", b"result a b c", b"runs"):
            write_file(PATH, garbage)
            told, boot = self.start(())
            self.assertEqual((self.results(told), boot.test_tried), ([], 0), garbage)
            self.assertFalse("selftest" in os.listdir("/flash"))

    def test_flash_that_fails_in_the_middle_does_not_keep_the_badge_from_its_game(self):
        write_file(PATH, b"run")
        whole_replace = self_test.files.replace

        def dies(path, data):
            if path == PATH:
                raise OSError(5)
            whole_replace(path, data)

        self_test.files.replace = dies
        try:
            _told, boot = self.start(())
        finally:
            self_test.files.replace = whole_replace
        self.assertEqual(boot.test_failed, numbers.STEP_FLASH)
        self.assertEqual(read_file(PATH), b"run")
