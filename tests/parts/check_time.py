"""Game time over wraps, stalls and weeks: what the game does, it does as from 0 (R1, G1, R17)."""

import unittest

import game_bench
from game_bench import GameBench, MemoryStore, folded

from redband_badge import commands, limits
from redband_core import gestures, journal, numbers
from redband_core.clock import TICKS_PERIOD
from redband_core.limits import CHECKPOINT_MS

HITS = game_bench.ruleset("hits")
WOUNDS = game_bench.ruleset("wounds")
PRESS = gestures.PRESS
IMPACT = gestures.IMPACT
HOLD = gestures.HOLD
S = 1000
HOUR_MS = 3600 * S
DAY_MS = 24 * HOUR_MS
# Values of a counter at which some badge somewhere has gone wrong; the two last as game time.
POWERS = (15, 16, 24, 29, 30, 31, 32)
NEAR = (-65_000, -3_000, -1_001, -1_000, -999, -501, -401, -51, -11, -1, 0, 1, 10, 500)
AMNESIA_MS = 1_800_000


def starts():
    """Return tick values just before each wrap, and shortly after it."""
    found = []
    for power in POWERS:
        for near in NEAR:
            ticks_ms = ((1 << power) + near) % TICKS_PERIOD
            if ticks_ms not in found:
                found.append(ticks_ms)
    return found


def hits_script(bench):
    """Play each timer of the hits, gestures that take presses back, a pause and a restart."""
    bench.run(500)
    bench.play(PRESS)
    bench.run(80)
    bench.play(PRESS)
    bench.run(3 * S)
    bench.play(gestures.TAPS_HOLD + 4)  # knocked down for 15 s
    bench.run(1500)
    bench.play(HOLD, 1500)  # treated: 15 min in two halves
    bench.run(16 * S)
    bench.command(commands.PAUSE, 1)
    bench.run(40 * S)
    bench.play(PRESS)
    bench.command(commands.RESUME, 2)
    bench.run(450 * S)
    bench = bench.again()
    bench.run(2 * S)
    bench.play(PRESS)
    bench.run(300)
    bench.play(PRESS)
    bench.run(300)
    bench.play(PRESS)  # dying
    bench.run(5 * S)
    bench.command(
        commands.EVENT, 3, (3, (), numbers.ROLE_GAME_MASTER)
    )  # unconscious for a minute over it
    bench.turn(400)
    bench.wake()
    bench.turn(8 * S)
    bench.wake()
    bench.run(901 * S)  # dead
    bench.play(PRESS)
    return bench


def wounds_script(bench):
    """Play the wounds: a kit in time, none in time, a stall of hours over two timers."""
    bench.run(700)
    bench.play(IMPACT)
    bench.run(20 * S)
    bench.play(HOLD, 1500)  # a kit
    bench.run(5 * S)
    bench.command(commands.EVENT, 1, (3, (), numbers.ROLE_GAME_MASTER))  # treated
    bench.run(1 * S)
    bench.play(PRESS)
    bench.turn(3 * HOUR_MS)  # the light wound became heavy, and the wait is over
    bench.wake()
    bench = bench.again()
    bench.run(60 * S)
    return bench


def journal_of(bench, from_ms):
    """Return all records, times from `from_ms` on; snapshots hold absolute times: no bytes."""
    found = []
    for kind, game_ms, payload in bench.store.records:
        found.append((kind, game_ms - from_ms, b"" if kind == journal.SNAPSHOT else payload))
    return found


def outcome(rules, script, ticks_ms, from_ms=0):
    """Play a script from a tick value and a game time on; return all that came of it."""
    store = MemoryStore(40)
    if from_ms:
        first = GameBench(rules, store)
        first.run(0)
        first.game_journal.tick(from_ms)  # nobody pressed anything for so long
        first.game_journal.note(from_ms, numbers.NOTE_TASK_SILENT, 0)
    bench = script(GameBench(rules, store, ticks_ms=ticks_ms))
    begin = 0
    while from_ms and store.records[begin][1] < from_ms:
        begin += 1
    del store.records[:begin]
    return journal_of(bench, from_ms), bench.shown()


class Wraps(unittest.TestCase):
    def test_R1_every_timer_and_gesture_behaves_as_from_0_at_every_start(self):
        for rules, script in ((HITS, hits_script), (WOUNDS, wounds_script)):
            expected = outcome(rules, script, 0)
            self.assertTrue(len(expected[0]) > 12)
            for ticks_ms in starts():
                self.assertEqual(outcome(rules, script, ticks_ms), expected, "from %d" % ticks_ms)

    def test_G1_game_time_itself_may_pass_any_power_of_two(self):
        for rules, script in ((HITS, hits_script), (WOUNDS, wounds_script)):
            expected = None
            for power in POWERS:
                for near in (-901 * S, -10 * S, -1, 0, 1):
                    from_ms = (1 << power) + near
                    if from_ms < DAY_MS:
                        continue
                    found = outcome(rules, script, 0, from_ms)
                    expected = expected or found
                    self.assertEqual(found, expected, "game time %d" % from_ms)

    def test_both_scripts_come_to_every_state_they_are_meant_to(self):
        bench = hits_script(GameBench(HITS))
        self.assertEqual(bench.count(journal.PAUSE), 1)
        self.assertEqual(bench.count(journal.BOOT), 2)
        self.assertTrue(bench.count(journal.REFUSED) >= 2)
        self.assertEqual(HITS.signals[bench.state.signal], (1, 0, 0))  # dead: steady red
        bench = wounds_script(GameBench(WOUNDS))
        self.assertEqual(WOUNDS.signals[bench.state.signal], (1, 0, 0))  # the red armband


class Stalls(unittest.TestCase):
    def test_R4_a_press_before_a_timer_counts_before_it_whatever_stalled(self):
        for stall_ms in (400, 8 * S, 5 * HOUR_MS):
            for ticks_ms in (0, TICKS_PERIOD - 10 * S, (1 << 29) - 10 * S):
                bench = GameBench(WOUNDS, ticks_ms=ticks_ms)
                bench.run(1000)
                bench.play(PRESS)
                bench.run(600 * S - 50)
                bench.turn(stall_ms)
                bench.put(PRESS, stall_ms)  # 50 ms before the wound gets worse by itself
                bench.wake()
                hits = [game_ms for game_ms, _payload in bench.of(journal.EVENT)]
                self.assertEqual(hits, [S, 601 * S - 50])
                fired = [game_ms for game_ms, _payload in bench.of(journal.CHECKPOINT)]
                self.assertFalse(601 * S in fired)
                self.assertEqual(
                    bench.notes_of(numbers.NOTE_OF_RULES), [(601 * S - 50, AMNESIA_MS)]
                )

    def test_no_timer_is_late_by_more_than_the_stall(self):
        for stall_ms in (400, 8 * S, 3 * HOUR_MS):
            bench = GameBench(HITS)
            bench.run(1000)
            for _hit in range(3):
                bench.play(PRESS)
            bench.run(900 * S - 1)
            bench.turn(stall_ms)
            bench.wake()
            self.assertEqual(bench.of(journal.CHECKPOINT)[-1][0], 901 * S)
            self.assertEqual(HITS.signals[bench.state.signal], (1, 0, 0))

    def test_many_timers_in_one_wake_up_let_the_others_run_in_between(self):
        bench = GameBench(WOUNDS)
        kept, limits.TIMERS_PER_WAKE_UP = limits.TIMERS_PER_WAKE_UP, 1
        bench.run(1000)
        bench.play(PRESS)
        bench.turn(HOUR_MS)
        bench.put(PRESS)
        self.assertEqual(bench.wake(), 0)
        self.assertIsNotNone(bench.queue.front())  # the press waits for the timers before it
        wait_ms = 0
        for _wake in range(4):
            wait_ms = bench.wake()
        limits.TIMERS_PER_WAKE_UP = kept
        self.assertEqual(wait_ms, limits.GAME_WAIT_MS)
        self.assertIsNone(bench.queue.front())
        fired = [ms for ms, _payload in bench.of(journal.CHECKPOINT)]
        self.assertEqual(fired, [601 * S, 901 * S])

    def test_forty_days_with_naps_of_any_length(self):
        for ticks_ms in (0, TICKS_PERIOD - 1, (1 << 29) - 77):
            bench = GameBench(HITS, MemoryStore(400), ticks_ms=ticks_ms)
            passed_ms, number = 0, 7
            while passed_ms < 40 * DAY_MS:
                number = (number * 1103515245 + 12345) & 0x7FFFFFFF
                nap_ms = (1, 400, 8 * S, 990, HOUR_MS, 5 * HOUR_MS, 6 * DAY_MS)[(number >> 9) % 7]
                bench.turn(nap_ms)
                passed_ms += nap_ms
                bench.wake()
                self.assertEqual(bench.game_journal.engine.now_ms, passed_ms)
                self.assertEqual(bench.state.game_ms, passed_ms)
            bench.play(PRESS)
            self.assertEqual(bench.of(journal.EVENT), [(passed_ms, b"\x01\x02\x00")])


class Notes(unittest.TestCase):
    """What the rules note is in the journal, after its cause, whatever fires in one wake-up."""

    def test_W10_amnesia_is_noted_when_the_wound_becomes_heavy(self):
        bench = GameBench(WOUNDS)
        bench.run(1000)
        bench.play(PRESS)
        bench.run(1000)
        bench.play(PRESS)
        self.assertEqual(bench.notes_of(numbers.NOTE_OF_RULES), [(2000, AMNESIA_MS)])

    def test_W10_a_later_timer_of_the_same_wake_up_does_not_overwrite_it(self):
        bench = GameBench(WOUNDS)
        bench.run(1000)
        bench.play(PRESS)
        bench.turn(HOUR_MS)
        bench.wake()
        self.assertEqual(bench.notes_of(numbers.NOTE_OF_RULES), [(601 * S, AMNESIA_MS)])
        fired = [ms for ms, _payload in bench.of(journal.CHECKPOINT)]
        self.assertEqual(fired, [601 * S, 901 * S])
        self.assertEqual(folded(bench), bench.game_journal.engine.snapshot())

    def test_a_cut_between_the_event_and_its_note_is_mended_at_the_next_start(self):
        for segment_records in (100, 9, 8, 7, 6):
            for cut in range(12):
                bench = GameBench(WOUNDS, MemoryStore(segment_records))
                bench.run(1000)
                bench.play(PRESS)
                bench.run(1000)
                bench.store.fail_at = bench.store.writes + cut
                try:
                    bench.play(PRESS)
                    bench.run(S)
                except OSError:
                    pass
                bench.store.fail_at = None
                bench = bench.again().again()
                hits = bench.state.counters[0]
                noted = [value for _ms, value in bench.notes_of(numbers.NOTE_OF_RULES)]
                self.assertEqual(noted, [AMNESIA_MS] * (hits - 1), "cut at %d" % cut)

    def test_write_errors_note_once(self):
        for skip in range(4):
            for is_late in (False, True):
                bench = GameBench(WOUNDS)
                bench.run(1000)
                bench.play(PRESS)
                bench.store.fail_at = bench.store.writes + skip
                bench.store.is_late = is_late
                bench.put(PRESS)
                for _try in range(4):
                    try:
                        bench.wake()
                    except OSError:
                        bench.task._recover()
                self.assertEqual(bench.state.counters[0], 2)
                self.assertEqual(
                    [value for _ms, value in bench.notes_of(numbers.NOTE_OF_RULES)], [AMNESIA_MS]
                )

    def test_write_errors_while_a_hold_takes_its_press_back(self):
        for skip in range(4):
            for is_late in (False, True):
                bench = GameBench(HITS)
                bench.run(1000)
                bench.play(PRESS)
                bench.run(11 * S)
                bench.play(PRESS)
                bench.turn(1500)
                bench.store.fail_at = bench.store.writes + skip
                bench.store.is_late = is_late
                bench.put(HOLD, 1500)
                for _try in range(4):
                    try:
                        bench.wake()
                    except OSError:
                        bench.task._recover()
                where = "write %d late %r" % (skip, is_late)
                self.assertEqual(bench.state.counters[0], 2, where)
                self.assertEqual(bench.state.timer_left_ms, 450 * S, where)  # treated


class Checkpoints(unittest.TestCase):
    def _largest_gap_ms(self, bench):
        times = [game_ms for _kind, game_ms, _payload in bench.store.records]
        times.append(bench.game_journal.engine.now_ms)
        return max([times[i + 1] - times[i] for i in range(len(times) - 1)])

    def test_while_a_timer_runs_the_time_is_written_each_30_s(self):
        self.assertEqual(CHECKPOINT_MS, 30 * S)
        for ticks_ms in (0, TICKS_PERIOD - 100 * S):
            bench = GameBench(HITS, ticks_ms=ticks_ms)
            for _hit in range(3):
                bench.play(PRESS)
            bench.run(890 * S)
            self.assertEqual(self._largest_gap_ms(bench), CHECKPOINT_MS)
            self.assertTrue(29 <= bench.count(journal.CHECKPOINT) <= 30)

    def test_other_records_count_as_checkpoints_and_do_not_delay_them(self):
        bench = GameBench(HITS)
        for _hit in range(3):
            bench.play(PRESS)
        for second in range(880):
            bench.run(S)
            if second % 7 == 0:
                bench.play(PRESS)  # refused, and written
            if second % 100 == 50:
                bench.notes.put((numbers.NOTE_TASK_SILENT, 1))
                bench.run(60 * S)
            if bench.game_journal.engine.next_deadline_ms() < 0:
                break
        self.assertTrue(self._largest_gap_ms(bench) <= CHECKPOINT_MS)

    def test_in_a_pause_and_without_a_timer_nothing_is_due(self):
        bench = GameBench(HITS)
        bench.run(HOUR_MS)
        self.assertEqual(bench.count(journal.CHECKPOINT), 0)
        for _hit in range(3):
            bench.play(PRESS)
        bench.command(commands.PAUSE, 1)
        bench.run(HOUR_MS)
        self.assertEqual(bench.count(journal.CHECKPOINT), 0)
        bench.command(commands.RESUME, 2)
        bench.run(CHECKPOINT_MS)
        self.assertEqual(bench.count(journal.CHECKPOINT), 1)

    def test_a_pull_hours_later_does_not_let_a_hit_be_taken_back_again(self):
        window_ms = HITS.void_window_ms
        void = gestures.TAPS_HOLD + 2
        for wait_ms, hits in ((window_ms - 1, 3), (window_ms + 1, 2), (5 * HOUR_MS, 2)):
            bench = GameBench(HITS)
            bench.run(1000)
            bench.play(IMPACT)
            bench.run(wait_ms)
            for _pull in range(2):
                bench = bench.again()
            bench.play(void)
            self.assertEqual(bench.state.counters[0], hits, "after %d ms" % wait_ms)
            self.assertTrue(bench.count(journal.CHECKPOINT) <= 1)

    def test_a_new_segment_costs_a_restarted_badge_no_time(self):
        bench = GameBench(HITS, MemoryStore(9))
        for _hit in range(3):
            bench.play(PRESS)
        bench.run(17 * S)
        left_ms = bench.state.timer_left_ms
        for _press in range(20):
            bench.store.force_segment()
            bench.store.fail_at = bench.store.writes + 1  # after the snapshot
            try:
                bench.play(PRESS)
            except OSError:
                pass
            bench.store.fail_at = None
            bench = bench.again()
            self.assertEqual(bench.state.timer_left_ms, left_ms)
            bench.run(S)
            left_ms -= S
            self.assertEqual(bench.state.timer_left_ms, left_ms)
            bench.play(PRESS)  # refused and written, so the second is not lost to the next pull


if __name__ == "__main__":
    unittest.main()
