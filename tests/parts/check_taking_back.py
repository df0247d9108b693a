"""Taking back on the badge means as if it had never been (H4), in its journal and after a pull."""

import unittest

import game_bench
from game_bench import GameBench, folded

from redband_core import gestures, journal, numbers
from redband_core.ruleset_codes import VOID

WOUNDS = game_bench.ruleset("wounds")
PRESS = gestures.PRESS
IMPACT = gestures.IMPACT
HOLD = gestures.HOLD
LIGHT, PATCHED, HEAVY = 1, 2, 3
S = 1000
AMNESIA_MS = 1_800_000


def wound(bench):
    """Return the state of the wound, the same after a pull of the battery and in the journal."""
    if folded(bench) != bench.game_journal.engine.snapshot():
        raise AssertionError("the journal tells another state")
    return bench.game_journal.engine.track_state(0)


def voids(bench):
    """Return the arguments of each taking back."""
    events = [journal.parse_event(payload) for _ms, payload in bench.of(journal.EVENT)]
    return [args for event, args in events if event == VOID]


def wounded():
    """Return a badge with a light wound, 60 s old."""
    bench = GameBench(WOUNDS)
    bench.run(S)
    bench.play(IMPACT)
    bench.run(60 * S)
    return bench


class TakingBack(unittest.TestCase):
    def test_a_real_blow_counts_that_was_refused_only_because_of_the_press_that_began_a_hold(self):
        bench = wounded()
        bench.play(PRESS)
        bench.run(500)
        bench.play(IMPACT)
        self.assertEqual(bench.state.refused, 1)
        bench.run(1000)
        bench.play(HOLD, 1500)
        self.assertEqual(wound(bench), HEAVY)
        self.assertEqual(bench.state.refused, 2, "no kit for a heavy wound")
        left_ms = bench.game_journal.engine.timer_left_ms(0)
        self.assertEqual(left_ms, 300 * S - 1000, "from the blow on, not from the press")
        note = numbers.NOTE_OF_RULES
        self.assertEqual(len(bench.notes_of(note)), 2)
        self.assertEqual(bench.notes_of(numbers.NOTE_RETRACTED)[0][1], AMNESIA_MS)

    def test_the_amnesia_of_a_wound_that_was_taken_back_is_retracted(self):
        bench = wounded()
        bench.play(PRESS)
        bench.run(1000)
        bench.play(HOLD, 1000)
        self.assertEqual(wound(bench), PATCHED)
        note = numbers.NOTE_OF_RULES
        self.assertEqual([value for _ms, value in bench.notes_of(note)], [AMNESIA_MS])
        self.assertEqual(
            [value for _ms, value in bench.notes_of(numbers.NOTE_RETRACTED)], [AMNESIA_MS]
        )

    def test_a_cut_between_the_void_and_its_notes_makes_them_good(self):
        whole = 0
        for fail_at in range(1, 12):
            bench = wounded()
            bench.play(PRESS)
            bench.run(1000)
            bench.store.fail_at = bench.store.writes + fail_at
            try:
                bench.play(HOLD, 1000)
                whole += 1
            except OSError:
                bench.again().wake()
            found = bench.notes_of(numbers.NOTE_RETRACTED)
            self.assertEqual(len(found), len(voids(bench)), "cut at write %d" % fail_at)
        self.assertTrue(0 < whole < 11)

    def test_refused_presses_of_a_gesture_never_count_when_the_blow_before_is_taken_back(self):
        bench = wounded()
        bench.play(IMPACT)
        self.assertEqual(wound(bench), HEAVY)
        for _press in range(3):
            bench.run(300)
            bench.play(PRESS)
        bench.run(900)
        bench.play(gestures.TAPS_HOLD + 2, 1500)  # the blow met a shield
        self.assertEqual(wound(bench), LIGHT)
        self.assertEqual(voids(bench), [(-3, 0), (1, 1)])

    def test_refused_presses_that_nothing_can_revive_write_no_taking_back(self):
        bench = wounded()
        bench.play(IMPACT)
        bench.run(60 * S)
        bench.play(PRESS)
        bench.run(1000)
        bench.play(HOLD, 1000)
        self.assertEqual((wound(bench), voids(bench)), (HEAVY, []))


if __name__ == "__main__":
    unittest.main()
