"""redband_core.clock: game time grows by what passed, from any tick, for weeks (R1, G1)."""

import unittest

from redband_core.clock import TICKS_PERIOD, GameClock
from redband_core.errors import UsageError

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
STARTS = [0]
for _power in (15, 16, 24, 29, 30):
    for _near in (-65000, -1000, -999, -401, -12, -11, -10, -2, -1, 0, 1, 10, 400):
        STARTS.append(((1 << _power) + _near) % TICKS_PERIOD)
STALLS_MS = (0, 1, 10, 400, 8000, HOUR_MS, 5 * HOUR_MS, 6 * DAY_MS)


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


class FortyDays(unittest.TestCase):
    """Any row of naps and stamps, from any start: what plain integers give."""

    def _play(self, clock, raw, seed):
        """Play 40 days on a counter that shows raw() ms; return what the clock should show."""
        expected_ms = floor_ms = clock.now_ms
        passed_ms = 0
        while passed_ms < 40 * DAY_MS:
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            nap_ms = STALLS_MS[(seed >> 9) % len(STALLS_MS)]
            passed_ms += nap_ms
            expected_ms += nap_ms
            self.assertEqual(clock.update(raw(passed_ms)), expected_ms)
            for age_ms in (0, 7, 400):
                stamp_ms = max(floor_ms, expected_ms - age_ms)
                self.assertEqual(clock.at(raw(passed_ms - age_ms)), stamp_ms)
        return expected_ms

    def test_R1_every_start_near_a_wrap(self):
        for number, first in enumerate(STARTS):
            clock = started(first, 1000 * number)
            self._play(clock, lambda ms, first=first: (first + ms) % TICKS_PERIOD, number)

    def test_G1_game_time_beyond_31_and_32_bits(self):
        for power in (29, 30, 31, 32, 40):
            for near in (-10 * DAY_MS, -400, -1, 0, 1):
                now_ms = (1 << power) + near
                if now_ms >= 0:
                    clock = started(5, now_ms)
                    self._play(clock, lambda ms: (5 + ms) % TICKS_PERIOD, power)

    def test_G1_counters_of_other_widths_are_read_the_same(self):
        # The 64-bit port counts to 2**62; a port might count in 32 bits.
        for width in (31, 32, 62):
            for power in (15, 16, 24, 29, 30, 31, 32):
                for near in (-65000, -1, 0, 1):
                    first = (1 << power) + near
                    clock = started(first % (1 << width))
                    self._play(clock, lambda ms, f=first, w=width: (f + ms) % (1 << w), power)


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
