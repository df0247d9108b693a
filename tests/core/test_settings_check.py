"""The check of a badge's settings, on both Pythons: host and badge must judge alike."""

import unittest

from redband_core import numbers, settings_check
from redband_core.settings_check import Settings, check

GOOD = {
    "badge_id": 7,
    "player": "Anna",
    "role": "medic",
    "radio": True,
    "ruleset": "/ruleset.bin",
}


def with_values(**changes):
    values = dict(GOOD)
    values.update(changes)
    return values


class SettingsCheckTest(unittest.TestCase):
    def test_good_settings_are_taken(self):
        found = check(with_values(params=[3, -5]))
        self.assertTrue(isinstance(found, Settings))
        self.assertEqual((found.badge_id, found.role, found.params), (7, 1, (3, -5)))
        self.assertEqual((found.problem, found.brightness_pct, found.impact), (0, 100, 0))

    def test_G13_whole_range_of_each_number_is_taken_and_nothing_beyond(self):
        rows = list(settings_check.NUMBERS) + [
            ("badge_id", 1, 1, settings_check.BADGE_ID_MAX),
        ]
        for name, _default, lowest, highest in rows:
            for value in (lowest, highest):
                self.assertEqual(getattr(check(with_values(**{name: value})), name), value)
            for value in (lowest - 1, highest + 1, -1, 10**12, True, False, None, "1", [1]):
                found = check(with_values(**{name: value}))
                self.assertEqual(found, numbers.PROBLEM_VALUE)

    def test_G13_words_are_those_of_the_table(self):
        for name, words in settings_check.CHOICES:
            for index, word in enumerate(words):
                self.assertEqual(getattr(check(with_values(**{name: word})), name), index)
            for word in ("", "no", 0, None, True, [words[0]]):
                found = check(with_values(**{name: word}))
                self.assertEqual(found, numbers.PROBLEM_VALUE)

    def test_G13_missing_and_extra_keys_are_told_apart_from_values(self):
        for name in settings_check.REQUIRED:
            values = with_values()
            del values[name]
            self.assertEqual(check(values), numbers.PROBLEM_KEYS)
        self.assertEqual(check(with_values(wound_time=0)), numbers.PROBLEM_KEYS)

    def test_what_is_no_object_is_named(self):
        for values in (None, 7, [], "x", True):
            self.assertEqual(check(values), numbers.PROBLEM_SYNTAX)

    def test_params_are_small_ints(self):
        good = [settings_check.PARAM_MIN, settings_check.PARAM_MAX, 0]
        self.assertEqual(check(with_values(params=good)).params, tuple(good))
        for params in ([1 << 30], [-(1 << 30) - 1], [True], ["1"], [None], (1,), 3, [0] * 33):
            found = check(with_values(params=params))
            self.assertEqual(found, numbers.PROBLEM_VALUE)

    def test_defaults_are_what_the_check_fills_in(self):
        bare = settings_check.defaults()
        filled = check(with_values())
        self.assertEqual(bare[7:], filled[7:])


if __name__ == "__main__":
    unittest.main()
