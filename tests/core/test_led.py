"""redband_core.led: levels, times of change, and that no two patterns look alike."""

import unittest

from redband_core import led
from redband_core.errors import UsageError

CODES = range(len(led.PATTERN_NAMES))
WINDOW_MS = 6000  # a whole number of cycles of every pattern


def wave(pattern):
    return bytes([led.level(pattern, phase_ms) for phase_ms in range(WINDOW_MS)])


def flashes_of(levels):
    """Return how often the light goes on in the window, seen as a ring."""
    return sum([1 for i in range(len(levels)) if levels[i] and not levels[i - 1]])


class Levels(unittest.TestCase):
    def test_codes_and_names(self):
        self.assertEqual(len(set(led.PATTERN_NAMES)), 8)
        for code, name in (
            (led.OFF, "off"),
            (led.STEADY, "steady"),
            (led.SLOW_BLINK, "slow_blink"),
            (led.FAST_BLINK, "fast_blink"),
            (led.DOUBLE_FLASH, "double_flash"),
            (led.SHORT_FLASH, "short_flash"),
            (led.HEARTBEAT, "heartbeat"),
            (led.TRIPLE_FLASH, "triple_flash"),
        ):
            self.assertEqual(led.PATTERN_NAMES[code], name)
        self.assertEqual([led.OFF, led.STEADY, led.TRIPLE_FLASH], [0, 1, 7])

    def test_golden_flashes(self):
        for pattern, expected in (
            (led.OFF, [(0, 0), (59, 0), (5000, 0)]),
            (led.STEADY, [(0, 1), (999, 1), (5000, 1)]),
            (led.SLOW_BLINK, [(0, 1), (499, 1), (500, 0), (999, 0), (1000, 1)]),
            (led.FAST_BLINK, [(0, 1), (124, 1), (125, 0), (249, 0), (250, 1)]),
            (led.SHORT_FLASH, [(0, 1), (59, 1), (60, 0), (1999, 0), (2000, 1)]),
            (led.DOUBLE_FLASH, [(0, 1), (80, 0), (250, 1), (330, 0), (1499, 0), (1500, 1)]),
            (led.HEARTBEAT, [(0, 1), (80, 0), (200, 1), (499, 1), (500, 0), (1000, 1)]),
            (led.TRIPLE_FLASH, [(80, 0), (250, 1), (500, 1), (579, 1), (580, 0), (1500, 1)]),
        ):
            for phase_ms, level in expected:
                self.assertEqual((phase_ms, led.level(pattern, phase_ms)), (phase_ms, level))

    def test_every_light_begins_with_light(self):
        for pattern in CODES:
            self.assertEqual(led.level(pattern, 0), 0 if pattern == led.OFF else 1)

    def test_a_phase_of_weeks(self):
        week_ms = 7 * 24 * 3600 * 1000  # a multiple of every cycle
        for pattern in CODES:
            for phase_ms in (0, 70, 130, 260, 700, 1999):
                self.assertEqual(
                    led.level(pattern, phase_ms), led.level(pattern, 5 * week_ms + phase_ms)
                )

    def test_unknown_codes_are_refused(self):
        for code in (-1, 8, 255):
            with self.assertRaises(UsageError):
                led.level(code, 0)
            with self.assertRaises(UsageError):
                led.next_change_ms(code, 0)


class Changes(unittest.TestCase):
    def test_next_change_is_when_the_level_changes_and_not_before(self):
        for pattern in CODES:
            levels = wave(pattern)
            for phase_ms in range(0, WINDOW_MS // 2, 7):
                wait_ms = led.next_change_ms(pattern, phase_ms)
                if pattern in (led.OFF, led.STEADY):
                    self.assertEqual(wait_ms, -1)
                    continue
                now = levels[phase_ms]
                self.assertTrue(wait_ms >= 1)
                stretch = levels[phase_ms : phase_ms + wait_ms]
                self.assertEqual(stretch, bytes([now]) * wait_ms)
                self.assertEqual(levels[phase_ms + wait_ms], 1 - now)

    def test_cycles_fit_the_window(self):
        for pattern in CODES:
            cycle_ms = led.cycle_ms(pattern)
            self.assertTrue(cycle_ms == 0 or WINDOW_MS % cycle_ms == 0)


class Look(unittest.TestCase):
    """A player who sees no colour tells them apart: by count of flashes or by share of light."""

    def test_no_two_patterns_have_the_same_timing(self):
        waves = [wave(pattern) for pattern in CODES]
        for one in CODES:
            for other in range(one):
                ring = waves[other] + waves[other]
                self.assertFalse(waves[one] in ring, led.PATTERN_NAMES[one])

    def test_no_two_patterns_look_alike(self):
        looks = [(flashes_of(wave(pattern)), sum(wave(pattern))) for pattern in CODES]
        for one in CODES:
            for other in range(one):
                flashes, light_ms = looks[one]
                other_flashes, other_light_ms = looks[other]
                few, many = sorted((flashes, other_flashes))
                dim, bright = sorted((light_ms, other_light_ms))
                is_clear = many * 4 >= few * 5 and many > few or bright > 2 * dim
                self.assertTrue(is_clear, led.PATTERN_NAMES[one] + led.PATTERN_NAMES[other])

    def test_every_flash_is_long_enough_to_see(self):
        for pattern in CODES:
            phase_ms = 0
            while led.cycle_ms(pattern) and phase_ms < WINDOW_MS:
                wait_ms = led.next_change_ms(pattern, phase_ms)
                self.assertTrue(wait_ms >= 60)
                phase_ms += wait_ms


if __name__ == "__main__":
    unittest.main()
