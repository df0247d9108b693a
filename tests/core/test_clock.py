"""redband_core.clock: game time grows by what passed, from any tick, for weeks (R1, G1)."""

import unittest

from redband_core.clock import TICKS_PERIOD, GameClock
from redband_core.errors import UsageError

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
STARTS = [0]
for _power in (15, 16, 24, 29, 30):
    STARTS += [(1 << _power) - 1 - _back for _back in (0, 1, 9, 10, 11, 999, 65000)]


def started(ticks_ms, now_ms=0):
    clock = GameClock(now_ms)
    clock.start(ticks_ms)
    return clock


class Wrap(unittest.TestCase):
    def test_R1_time_jumps_after_twelve_days(self):
        for first in STARTS:
            clock = started(first)
            for step_ms in (1, 10, 10, 0, 1000, 70000, 3 * DAY_MS, 10):
                before_ms = clock.now_ms
                first += step_ms
                self.assertEqual(clock.update(first % TICKS_PERIOD), before_ms + step_ms)

    def test_R1_forty_days_of_hourly_readings(self):
        for first in (0, TICKS_PERIOD - 65000, TICKS_PERIOD // 2 - 1):
            clock = started(first % TICKS_PERIOD, 5)
            for hour in range(1, 40 * 24 + 1):
                now_ms = clock.update((first + hour * HOUR_MS) % TICKS_PERIOD)
                self.assertEqual(now_ms, 5 + hour * HOUR_MS)

    def test_longest_gap_that_is_right(self):
        longest_ms = TICKS_PERIOD // 2 - 1
        for first in STARTS:
            clock = started(first)
            self.assertEqual(clock.update((first + longest_ms) % TICKS_PERIOD), longest_ms)


class Backwards(unittest.TestCase):
    def test_an_older_reading_changes_nothing(self):
        for first in STARTS:
            clock = started(first)
            clock.update((first + 100) % TICKS_PERIOD)
            self.assertEqual(clock.update((first + 40) % TICKS_PERIOD), 100)
            self.assertEqual(clock.update((first + 110) % TICKS_PERIOD), 110)

    def test_stamps_of_interrupts_lie_before_the_update(self):
        for first in STARTS:
            clock = started(first, 1000)
            clock.update((first + 100) % TICKS_PERIOD)
            self.assertEqual(clock.at((first + 93) % TICKS_PERIOD), 1093)
            self.assertEqual(clock.at((first + 104) % TICKS_PERIOD), 1104)
            self.assertEqual(clock.now_ms, 1100)
            # Before the start there was no game time.
            self.assertEqual(clock.at((first - 50) % TICKS_PERIOD), 1000)


class Pause(unittest.TestCase):
    def test_paused_time_does_not_pass(self):
        for first in STARTS:
            clock = started(first, 7)
            clock.update((first + 100) % TICKS_PERIOD)
            clock.pause()
            self.assertTrue(clock.is_paused)
            self.assertEqual(clock.update((first + 5000) % TICKS_PERIOD), 107)
            self.assertEqual(clock.at((first + 5050) % TICKS_PERIOD), 107)
            clock.update((first + 9000) % TICKS_PERIOD)
            clock.resume()
            self.assertFalse(clock.is_paused)
            self.assertEqual(clock.at((first + 8000) % TICKS_PERIOD), 107)
            self.assertEqual(clock.update((first + 9010) % TICKS_PERIOD), 117)

    def test_pause_twice_resume_twice(self):
        clock = started(0)
        clock.resume()
        clock.pause()
        clock.pause()
        clock.update(50)
        clock.resume()
        clock.resume()
        self.assertEqual(clock.update(60), 10)

    def test_a_pause_of_forty_days(self):
        clock = started(TICKS_PERIOD - 1)
        clock.pause()
        for day in range(1, 41):
            clock.update((TICKS_PERIOD - 1 + day * DAY_MS) % TICKS_PERIOD)
        clock.resume()
        self.assertEqual(clock.update((TICKS_PERIOD + 9 + 40 * DAY_MS) % TICKS_PERIOD), 10)


class Start(unittest.TestCase):
    def test_goes_on_from_the_time_before_the_restart(self):
        clock = started(123, 8 * DAY_MS)
        self.assertEqual(clock.update(124), 8 * DAY_MS + 1)

    def test_refuses_use_before_the_first_reading(self):
        with self.assertRaises(UsageError):
            GameClock().update(0)
        with self.assertRaises(UsageError):
            GameClock().at(0)
        with self.assertRaises(UsageError):
            GameClock(-1)


if __name__ == "__main__":
    unittest.main()
