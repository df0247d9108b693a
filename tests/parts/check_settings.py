"""Settings: what is bad is refused, what was good is kept, at every point the power can fail."""

import json
import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut, read_file, write_file

from redband_badge.settings import SettingsStore
from redband_core import numbers, settings_check

GOOD = {
    "badge_id": 7,
    "player": "Anna",
    "role": "medic",
    "radio": True,
    "params": [3],
    "ruleset": "/ruleset.bin",
}


def text_of(**changes):
    values = dict(GOOD)
    values.update(changes)
    return json.dumps(values).encode()


class SettingsTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(32)
        format_and_mount(self.device, "/flash")
        self.store = SettingsStore("/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_good_settings_are_read(self):
        write_file("/flash/settings.json", text_of())
        found = self.store.load()
        self.assertEqual(found.problem, numbers.PROBLEM_NONE)
        self.assertEqual((found.badge_id, found.player, found.role), (7, "Anna", 1))
        self.assertEqual((found.has_radio, found.params), (True, (3,)))

    def test_badge_without_settings_says_so(self):
        found = self.store.load()
        self.assertEqual(found.problem, numbers.PROBLEM_MISSING)
        self.assertEqual(found.badge_id, 0)

    def test_keys_that_may_be_missing_have_defaults_and_take_their_whole_range(self):
        write_file("/flash/settings.json", text_of())
        found = self.store.load()
        for name, default, lowest, highest in settings_check.NUMBERS:
            self.assertEqual(getattr(found, name), default)
            for value in (lowest, highest):
                write_file("/flash/settings.json", text_of(**{name: value}))
                self.assertEqual(getattr(self.store.load(), name), value)
        for name, words in settings_check.CHOICES:
            self.assertEqual(getattr(found, name), 0)
            for index, word in enumerate(words):
                write_file("/flash/settings.json", text_of(**{name: word}))
                self.assertEqual(getattr(self.store.load(), name), index)

    def bad_texts(self):
        missing = dict(GOOD)
        del missing["player"]
        yield b""
        yield b"\xff" * 40
        for length in range(1, len(text_of())):
            yield text_of()[:length]
        yield b"[1, 2]"
        yield b"7"
        yield json.dumps(missing).encode()
        yield text_of(extra=1)
        yield text_of(wound_time=-1)
        for badge_id in (0, -1, 10**12, "7", True, None, 1.5):
            yield text_of(badge_id=badge_id)
        for player in (None, 7, "x" * 41):
            yield text_of(player=player)
        for role in ("king", 1, None):
            yield text_of(role=role)
        yield text_of(radio=1)
        for params in (3, [-(10**12)], [10**12], ["1"], [True], [1] * 33, {"1": 1}):
            yield text_of(params=params)
        for ruleset in ("ruleset.bin", None, 1):
            yield text_of(ruleset=ruleset)
        for name, _default, lowest, highest in settings_check.NUMBERS:
            for value in (lowest - 1, highest + 1, -1, 10**12, str(lowest), True, None, [1]):
                yield text_of(**{name: value})
        for name, _words in settings_check.CHOICES:
            for value in ("maybe", "", 0, True, None, ["open"]):
                yield text_of(**{name: value})

    def test_G13_R5_bad_values_fall_back_to_the_last_good_settings_and_the_file_stays(self):
        write_file("/flash/settings.json", text_of(brightness_pct=40))
        self.store.keep_as_good()
        count = 0
        for data in self.bad_texts():
            write_file("/flash/settings.json", data)
            found = self.store.load()
            self.assertTrue(found.problem != numbers.PROBLEM_NONE, data)
            self.assertEqual((found.badge_id, found.brightness_pct), (7, 40), data)
            self.assertEqual(read_file("/flash/settings.json"), data)
            self.assertEqual(self.store.good_bytes(), text_of(brightness_pct=40))
            self.store.keep_as_good()
            self.assertEqual(read_file("/flash/settings.good"), text_of(brightness_pct=40), data)
            count += 1
        print("settings: %d bad files" % count)

    def test_bad_settings_without_a_good_copy_give_defaults_and_no_crash(self):
        for data in self.bad_texts():
            write_file("/flash/settings.json", data)
            self.assertEqual(self.store.load().badge_id, 0, data)
            self.assertIsNone(self.store.good_bytes())

    def test_numbers_that_the_ruleset_refuses_are_those_of_the_last_good_settings(self):
        write_file("/flash/settings.json", text_of())
        self.store.keep_as_good()
        write_file("/flash/settings.json", text_of(badge_id=8, params=[0]))
        present = self.store.load()
        found = self.store.refused(present, True)
        self.assertEqual((found.badge_id, found.params), (7, (3,)))
        self.assertEqual(found.problem, numbers.PROBLEM_RULES)
        self.assertEqual(self.store.refused(present, False).params, ())
        os.remove("/flash/settings.good")
        found = self.store.refused(present, False)
        self.assertEqual((found.badge_id, found.params), (8, ()))

    def test_saving_bad_settings_changes_nothing(self):
        write_file("/flash/settings.json", text_of())
        problem = self.store.save(text_of(badge_id=0))
        self.assertEqual(problem, numbers.PROBLEM_VALUE)
        self.assertEqual(read_file("/flash/settings.json"), text_of())

    def test_R5_power_cut_while_saving_leaves_the_old_or_the_new_settings(self):
        for tears in (False, True):
            outcomes = set()
            cut_at = 0
            was_cut = True
            while was_cut:
                was_cut, found = self.save_and_cut(cut_at, tears)
                outcomes.add(found)
                cut_at += 1
            print("settings: %d cut points, torn writes: %s" % (cut_at, tears))
            self.assertEqual(outcomes, {7, 8})
            self.assertTrue(cut_at > 5)

    def save_and_cut(self, cut_at, tears):
        flash_device.vfs.umount("/flash")
        device = FlashDevice(32)
        format_and_mount(device, "/flash")
        write_file("/flash/settings.json", text_of())
        self.store.keep_as_good()
        device.operations = 0
        device.cut_at = cut_at
        device.tears = tears
        try:
            self.store.save(text_of(badge_id=8))
            self.store.keep_as_good()
        except OSError:
            pass
        was_cut = device.is_dead
        power_cut(device, "/flash", [])
        found = self.store.load()
        self.assertEqual(found.problem, numbers.PROBLEM_NONE)
        self.assertIn(found.badge_id, (7, 8))
        self.assertEqual((found.player, found.params), ("Anna", (3,)))
        os.remove("/flash/settings.json")
        self.assertIn(self.store.load().badge_id, (7, 8))  # the spare copy is whole, too
        return was_cut, found.badge_id

    def test_R5_write_error_while_saving_leaves_the_old_settings(self):
        write_file("/flash/settings.json", text_of())
        failed_count = 0
        for fail_at in range(20):
            self.device.operations = 0
            self.device.fail_at = fail_at
            self.device.fail_count = 1000
            try:
                self.store.save(text_of(badge_id=8))
            except OSError:
                failed_count += 1
            is_over = self.device.fail_count == 1000
            self.device.fail_at = None
            found = self.store.load()
            self.assertEqual(found.problem, numbers.PROBLEM_NONE)
            self.assertIn(found.badge_id, (7, 8))
            if is_over:
                break
            self.store.save(text_of())
        self.assertTrue(failed_count > 0)
