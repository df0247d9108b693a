"""Settings: what is bad is refused, what was good is kept, at every point the power can fail."""

import json
import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut, read_file, write_file

from redband_badge import settings
from redband_badge.settings import SettingsStore

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
        self.device = FlashDevice(16)
        format_and_mount(self.device, "/flash")
        self.store = SettingsStore("/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_good_settings_are_read(self):
        write_file("/flash/settings.json", text_of())
        found = self.store.load()
        self.assertEqual(found.problem, settings.OK)
        self.assertEqual((found.badge_id, found.player, found.role), (7, "Anna", 1))
        self.assertEqual((found.has_radio, found.params), (True, (3,)))

    def test_badge_without_settings_says_so(self):
        found = self.store.load()
        self.assertEqual(found.problem, settings.PROBLEM_MISSING)
        self.assertEqual(found.badge_id, 0)

    def test_G13_bad_values_fall_back_to_the_last_good_settings(self):
        write_file("/flash/settings.json", text_of())
        self.store.keep_as_good()
        missing = dict(GOOD)
        del missing["player"]
        bad = [
            b"",
            b"\xff" * 40,
            text_of()[:20],
            b"[1, 2]",
            b"7",
            json.dumps(missing).encode(),
            text_of(extra=1),
            text_of(badge_id=0),
            text_of(badge_id=-1),
            text_of(badge_id=10**12),
            text_of(badge_id="7"),
            text_of(badge_id=True),
            text_of(player=None),
            text_of(player="x" * 41),
            text_of(role="king"),
            text_of(role=1),
            text_of(radio=1),
            text_of(params=3),
            text_of(params=[-1]),
            text_of(params=[10**12]),
            text_of(params=["1"]),
            text_of(params=[1] * 33),
            text_of(ruleset="ruleset.bin"),
            text_of(ruleset=None),
        ]
        for data in bad:
            write_file("/flash/settings.json", data)
            found = self.store.load()
            self.assertTrue(found.problem != settings.OK, data)
            self.assertEqual(found.badge_id, 7, data)
            self.assertEqual(read_file("/flash/settings.json"), data)

    def test_saving_bad_settings_changes_nothing(self):
        write_file("/flash/settings.json", text_of())
        self.assertEqual(self.store.save(text_of(badge_id=0)), settings.PROBLEM_VALUE)
        self.assertEqual(read_file("/flash/settings.json"), text_of())

    def test_R5_power_cut_while_saving_leaves_the_old_or_the_new_settings(self):
        outcomes = set()
        cut_at = 0
        was_cut = True
        while was_cut:
            flash_device.vfs.umount("/flash")
            device = FlashDevice(16)
            format_and_mount(device, "/flash")
            write_file("/flash/settings.json", text_of())
            self.store.keep_as_good()
            device.operations = 0
            device.cut_at = cut_at
            try:
                self.store.save(text_of(badge_id=8))
                self.store.keep_as_good()
            except OSError:
                pass
            was_cut = device.is_dead
            power_cut(device, "/flash", [])
            found = self.store.load()
            self.assertEqual(found.problem, settings.OK)
            self.assertIn(found.badge_id, (7, 8))
            outcomes.add(found.badge_id)
            os.remove("/flash/settings.json")
            spare = self.store.load()
            self.assertIn(spare.badge_id, (7, 8))
            cut_at += 1
        print("settings: %d cut points" % cut_at)
        self.assertEqual(outcomes, {7, 8})
        self.assertTrue(cut_at > 5)
