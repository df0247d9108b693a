"""A whole Badge object over the real littlefs: what a start restores, whatever came before it."""

import json
import os
import unittest

import flash_device
import machine
from flash_device import FlashDevice, format_and_mount, write_file

from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_core import gestures, journal, numbers
from redband_core.ruleset import Ruleset
from redband_hal import system

with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    RULESET = file.read()
PARAMS = list(Ruleset.from_bytes(RULESET).defaults())
SETTINGS = {
    "badge_id": 7,
    "player": "Anna",
    "role": "player",
    "radio": True,
    "params": PARAMS,
    "ruleset": "/ruleset.bin",
}
DEATH_MS = 1  # its place among the params of the hits
CAUSES = (
    machine.PWRON_RESET,
    machine.HARD_RESET,
    machine.WDT_RESET,
    machine.DEEPSLEEP_RESET,
    machine.SOFT_RESET,
    99,
)


def params_with(death_ms):
    return PARAMS[:DEATH_MS] + [death_ms] + PARAMS[DEATH_MS + 1 :]


def write_settings(**changes):
    write_file("/flash/settings.json", json.dumps(dict(SETTINGS, **changes)).encode())


def state_of(badge):
    """What the rules know, less the time: notes let it pass, too."""
    engine = badge.game_journal.engine
    tracks = [engine.track_state(track) for track in range(len(engine.ruleset.state_counts))]
    return tracks, [engine.counter(index) for index in range(engine.ruleset.counter_count)]


class BadgeTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(64)
        format_and_mount(self.device, "/flash")
        write_file("/flash/ruleset.bin", RULESET)
        write_settings()
        self.badge = None

    def tearDown(self):
        self.pull()
        flash_device.vfs.umount("/flash")

    def pull(self):
        if self.badge is not None:
            self.badge.store.close()

    def start(self, cause=machine.PWRON_RESET, wake_reason=0):
        self.pull()
        machine.set_facts(cause, wake_reason, bytes(6))
        number = system.reset_cause()
        boot = BootRecord("/flash/boot.cnt")
        self.badge = Badge("/flash", boot, number, boot.begin(number))
        self.badge.load()
        return self.badge

    def press(self, count=1):
        game_journal = self.badge.game_journal
        for _ in range(count):
            now_ms = self.badge.store.last_ms + 1000
            game_journal.tick(now_ms)
            game_journal.take_gesture(gestures.PRESS, now_ms, now_ms)

    def records(self):
        found = []
        store = self.badge.store
        self.badge.store.close()
        store.recover(lambda kind, game_ms, payload: found.append((kind, payload)))
        return found

    def notes(self):
        return [journal.parse_note(data) for kind, data in self.records() if kind == journal.NOTE]

    # R11.

    def test_R11_each_reset_cause_restores_the_same_state_and_is_recorded(self):
        self.start()
        self.press(2)
        wanted = self.badge.game_journal.snapshot()
        for cause in CAUSES:
            badge = self.start(cause)
            self.assertEqual(badge.game_journal.snapshot(), wanted, cause)
            self.assertEqual(badge.reason, 0)
            boots = [
                journal.parse_boot(data) for kind, data in self.records() if kind == journal.BOOT
            ]
            known = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
            self.assertEqual(boots[-1][2], known.get(cause, 0))
            badge.be_healthy()

    # R8, R10.

    def test_R8_record_after_a_watchdog_reset_says_which_task(self):
        self.start().mark_running(numbers.TASK_LED)
        self.start(machine.WDT_RESET)
        self.assertIn((numbers.NOTE_HUNG_TASK, numbers.TASK_LED), self.notes())

    def test_R10_no_rtc_memory_changes_the_state(self):
        self.start()
        self.press(2)
        wanted = self.badge.game_journal.snapshot()
        good = machine.RTC().memory()
        for garbage in (b"", bytes(7), b"\xff" * 7, os.urandom(7), good, good[:1] + b"\xff" * 6):
            machine.RTC().memory(garbage)
            for cause in CAUSES:
                self.assertEqual(self.start(cause).game_journal.snapshot(), wanted, garbage)
                self.badge.be_healthy()

    # G13.

    def test_G13_wound_time_that_the_rules_refuse_is_the_last_good_one(self):
        write_settings(params=params_with(200_000))
        self.start()
        self.press()
        provisioned = self.badge.game_journal.snapshot()
        for death_ms in (0, -1, 10**12, 999):
            write_settings(params=params_with(death_ms), badge_id=9)
            badge = self.start()
            self.assertEqual(badge.reason, numbers.REASON_SETTINGS, death_ms)
            self.assertEqual(badge.info.badge_id, 7)
            self.assertEqual(badge.options.params[DEATH_MS], 200_000)
            self.assertEqual(badge.game_journal.snapshot(), provisioned)
            refused = [value for code, value in self.notes() if code == 9]
            is_checked = death_ms == 10**12
            problem = numbers.PROBLEM_VALUE if is_checked else numbers.PROBLEM_RULES
            self.assertEqual(refused[-1], problem)
            self.assertEqual(badge.state.code, numbers.REASON_SETTINGS)

    def test_G13_refused_numbers_without_a_good_copy_are_the_rulesets_own(self):
        write_settings(params=params_with(0))
        badge = self.start()
        self.assertEqual(badge.reason, numbers.REASON_SETTINGS)
        self.assertEqual(badge.info.badge_id, 7)
        self.assertEqual(badge.options.params, ())
        self.press()
        self.assertEqual(badge.state.acknowledged, 1)

    # Safe mode forgives nothing, not even when it is over.

    def test_segment_begun_in_safe_mode_does_not_make_the_next_start_a_new_game(self):
        self.start()
        self.press()
        wanted = self.badge.game_journal.snapshot()
        os.remove("/flash/settings.good")
        for damage in (b"", b"\xff" * 20, b'{"badge_id": 7'):
            write_file("/flash/settings.json", damage)
            badge = self.start()
            self.assertEqual(badge.reason, numbers.REASON_SETTINGS)
            badge.store.force_segment()
            badge.game_journal.note(badge.store.last_ms, numbers.NOTE_INPUT_DROPPED, 1)
            write_settings()
            badge = self.start()
            self.assertEqual(badge.reason, 0)
            self.assertEqual(badge.game_journal.snapshot(), wanted)
            os.remove("/flash/settings.good")

    def test_flash_that_takes_no_write_gives_safe_mode_with_the_state_and_its_timer(self):
        self.start()
        self.press()
        self.badge.game_journal.take_gesture(gestures.HOLD, 3000, 3000)
        wanted = state_of(self.badge)
        self.pull()
        self.device.fail_at = self.device.operations
        self.device.fail_count = 1 << 30
        badge = self.start()
        self.assertEqual(badge.reason, numbers.REASON_JOURNAL)
        self.assertEqual(badge.state.code, numbers.REASON_JOURNAL)
        self.assertEqual(state_of(badge), wanted)
        counted = badge.state.acknowledged
        self.press(2)
        self.assertTrue(badge.state.acknowledged > counted)
        before = state_of(badge)
        deadline_ms = badge.game_journal.engine.next_deadline_ms()
        self.assertTrue(deadline_ms > 0)
        badge.game_journal.tick(deadline_ms)
        self.assertNotEqual(state_of(badge), before)
        self.device.fail_at = None
        self.assertEqual(state_of(self.start()), wanted)

    def test_missing_ruleset_keeps_the_state_for_the_start_that_has_it(self):
        self.start()
        self.press()
        wanted = state_of(self.badge)
        os.remove("/flash/ruleset.bin")
        badge = self.start()
        self.assertEqual(badge.reason, numbers.REASON_RULESET)
        self.press(3)
        badge.store.force_segment()
        badge.game_journal.note(badge.store.last_ms, numbers.NOTE_INPUT_DROPPED, 1)
        write_file("/flash/ruleset.bin", RULESET)
        badge = self.start()
        self.assertEqual((badge.reason, state_of(badge)), (0, wanted))

    def test_badge_that_was_never_provisioned_is_in_no_game_and_may_switch_itself_off(self):
        for name in ("settings.json", "ruleset.bin"):
            os.remove("/flash/" + name)
        for _start in range(2):
            badge = self.start()
            self.assertEqual(badge.reason, numbers.REASON_SETTINGS)
            self.assertFalse(badge.state.is_in_game)
            badge.store.force_segment()
            badge.game_journal.note(badge.store.last_ms, numbers.NOTE_INPUT_DROPPED, 1)
        write_settings()
        write_file("/flash/ruleset.bin", RULESET)
        self.assertTrue(self.start().state.is_in_game)

    def test_badge_that_lost_its_files_in_a_game_stays_in_it(self):
        self.start()
        self.press()
        for name in ("settings.json", "settings.good", "ruleset.bin"):
            os.remove("/flash/" + name)
        for _start in range(2):
            badge = self.start()
            self.assertNotEqual(badge.reason, 0)
            self.assertTrue(badge.state.is_in_game)
            badge.store.force_segment()
            badge.game_journal.note(badge.store.last_ms, numbers.NOTE_INPUT_DROPPED, 1)

    def test_G5_restoring_repeats_no_sign_of_what_was_played(self):
        self.start()
        self.press(3)
        self.badge.game_journal.take_gesture(gestures.HOLD, 4000, 4000)
        self.assertTrue(self.badge.state.acknowledged)
        for _start in range(2):
            state = self.start().state
            said = (state.acknowledged, state.refused, state.identified, state.lights_once_count)
            self.assertEqual(said, (0, 0, 0, 0))
            self.assertFalse(state.is_motor_on)

    def test_failed_self_test_is_shown_at_each_start_until_one_is_passed(self):
        self.start().boot.keep_self_test(8, 127)
        badge = self.start()
        self.assertEqual(badge.state.code, numbers.CODE_SELF_TEST)
        badge.boot.keep_self_test(0, 127)
        badge = self.start()
        self.assertEqual((badge.state.code, badge.state.faults), (0, 0))

    def test_press_that_woke_the_chip_is_known(self):
        self.assertFalse(self.start().woke_by_button)
        by_pin, by_time = 7, machine.TIMER_WAKE
        self.assertTrue(self.start(machine.DEEPSLEEP_RESET, by_pin).woke_by_button)
        self.assertFalse(self.start(machine.DEEPSLEEP_RESET, by_time).woke_by_button)
        self.assertFalse(self.start(machine.WDT_RESET, by_pin).woke_by_button)
