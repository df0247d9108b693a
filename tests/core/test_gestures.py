"""redband_core.gestures: presses to gestures, each press at once and in one gesture at most."""

import unittest

from redband_core import limits
from redband_core.gestures import EMERGENCY, HOLD, IMPACT, PRESS, TAPS, TAPS_HOLD, Gestures

HOLD_MS = limits.HOLD_MS
GAP_MS = limits.TAP_GAP_MS


def play(script, end_ms, poll_ms=10):
    """Press and release at the times of the script; return [(when reported, report)]."""
    gestures = Gestures()
    reports = []
    moves = list(script)
    for now_ms in range(0, end_ms + 1, poll_ms):
        while moves and moves[0] <= now_ms:
            at_ms = moves.pop(0)
            if (len(script) - len(moves)) % 2 == 1:
                gestures.press(at_ms)
            else:
                gestures.release(at_ms)
        report = gestures.poll(now_ms)
        while report is not None:
            reports.append((now_ms, report))
            report = gestures.poll(now_ms)
    return reports


def taps(count, start_ms=100, period_ms=200, down_ms=80):
    script = []
    for number in range(count):
        script += [start_ms + number * period_ms, start_ms + number * period_ms + down_ms]
    return script


class Codes(unittest.TestCase):
    def test_codes_are_those_of_compiled_rulesets(self):
        self.assertEqual((PRESS, IMPACT, HOLD, TAPS, TAPS_HOLD), (1, 2, 3, 0x10, 0x20))

    def test_five_quick_presses_and_a_hold_are_the_emergency(self):
        reports = play(taps(5) + [1100, 4000], 6000)
        self.assertEqual(reports[-1], (1100 + HOLD_MS, (EMERGENCY, 6, 100)))
        self.assertEqual(EMERGENCY, 0x25)


class Presses(unittest.TestCase):
    def test_a_press_is_reported_at_once_and_only_once(self):
        self.assertEqual(play([100, 180], 3000), [(100, (PRESS, 1, 100))])

    def test_slow_presses_are_no_row(self):
        script = [100, 180, 180 + GAP_MS, 700]
        reports = play(script, 3000)
        self.assertEqual([report for _, report in reports], [(PRESS, 1, 100), (PRESS, 1, 580)])

    def test_hits_in_a_fight_are_no_gesture(self):
        reports = play(taps(120, period_ms=83, down_ms=40), 12000, poll_ms=1)
        self.assertEqual(len(reports), 120)
        self.assertTrue(all(report[0] == PRESS for _, report in reports))


class Holds(unittest.TestCase):
    def test_a_hold_is_reported_while_it_is_held(self):
        reports = play([100, 5000], 6000)
        self.assertEqual(reports, [(100, (PRESS, 1, 100)), (100 + HOLD_MS, (HOLD, 1, 100))])

    def test_a_press_just_short_of_a_hold_is_a_press(self):
        self.assertEqual(len(play([100, 100 + HOLD_MS - 1], 6000, poll_ms=1)), 1)

    def test_a_hold_that_nobody_polled_is_reported_at_its_release(self):
        gestures = Gestures()
        gestures.press(100)
        gestures.release(100 + HOLD_MS)
        self.assertEqual(gestures.poll(5000), (PRESS, 1, 100))
        self.assertEqual(gestures.poll(5000), (HOLD, 1, 100))
        self.assertIsNone(gestures.poll(5000))

    def test_after_a_hold_a_new_row_begins(self):
        reports = play([100, 2000, 2100, 2180], 6000)
        self.assertEqual(
            [report for _, report in reports],
            [(PRESS, 1, 100), (HOLD, 1, 100), (PRESS, 1, 2100)],
        )

    def test_a_hold_after_many_hits_is_a_hold_of_the_last_press(self):
        script = taps(12, period_ms=100, down_ms=40) + [1300, 4000]
        reports = play(script, 6000)
        self.assertEqual(reports[-1], (1300 + HOLD_MS, (HOLD, 1, 1300)))
        self.assertEqual(len(reports), 14)


class Rows(unittest.TestCase):
    def test_rows_of_two_to_nine(self):
        for count in range(2, 10):
            reports = play(taps(count), 6000)
            presses = [(100 + 200 * n, (PRESS, 1, 100 + 200 * n)) for n in range(count)]
            end_ms = 100 + 200 * (count - 1) + 80 + GAP_MS
            self.assertEqual(reports, presses + [(end_ms, (TAPS + count, count, 100))])

    def test_rows_of_ten_are_hits(self):
        self.assertEqual(len(play(taps(10), 6000)), 10)

    def test_taps_then_a_hold(self):
        for count in range(1, 10):
            held_ms = 100 + 200 * count
            reports = play(taps(count) + [held_ms, held_ms + 4000], held_ms + 6000)
            last = (held_ms + HOLD_MS, (TAPS_HOLD + count, count + 1, 100))
            self.assertEqual(reports[-1], last)
            self.assertEqual(len(reports), count + 2)

    def test_a_row_that_nobody_polled_ends_before_the_next_press(self):
        gestures = Gestures()
        for at_ms in (100, 300, 2000):
            gestures.press(at_ms)
            gestures.release(at_ms + 80)
        reports = [gestures.poll(2100) for _ in range(5)]
        self.assertEqual(
            reports,
            [(PRESS, 1, 100), (PRESS, 1, 300), (TAPS + 2, 2, 100), (PRESS, 1, 2000), None],
        )


class Robust(unittest.TestCase):
    def test_a_press_while_down_implies_a_release_but_no_hold(self):
        gestures = Gestures()
        gestures.press(100)
        gestures.press(2000)
        reports = [gestures.poll(2010) for _ in range(3)]
        self.assertEqual(reports, [(PRESS, 1, 100), (PRESS, 1, 2000), None])

    def test_a_release_while_up_is_ignored(self):
        gestures = Gestures()
        gestures.release(50)
        self.assertIsNone(gestures.poll(60))
        self.assertEqual(gestures.next_deadline_ms(), -1)

    def test_reports_nobody_takes_are_bounded_and_counted(self):
        gestures = Gestures()
        for number in range(limits.REPORTS_MAX + 5):
            gestures.press(number * 1000)
            gestures.release(number * 1000 + 50)
        self.assertEqual(gestures.dropped_count, 5)

    def test_the_deadline_is_when_poll_has_something_new(self):
        gestures = Gestures()
        gestures.press(100)
        gestures.poll(100)
        self.assertEqual(gestures.next_deadline_ms(), 100 + HOLD_MS)
        gestures.release(200)
        self.assertEqual(gestures.next_deadline_ms(), 200 + GAP_MS)
        gestures.press(300)
        gestures.release(350)
        gestures.poll(350)
        self.assertIsNone(gestures.poll(350 + GAP_MS - 1))
        self.assertEqual(gestures.poll(350 + GAP_MS), (TAPS + 2, 2, 100))
        self.assertEqual(gestures.next_deadline_ms(), -1)
        gestures.press(9000)
        gestures.poll(9000 + HOLD_MS)
        gestures.poll(9000 + HOLD_MS)
        self.assertEqual(gestures.next_deadline_ms(), -1)


if __name__ == "__main__":
    unittest.main()
