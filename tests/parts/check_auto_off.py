"""Switching off by itself: never in a game, never without a warning, and the journal says so."""

import unittest

from game_bench import GameBench, MemoryStore, ruleset
from power_bench import MINUTE_MS, make_task

from redband_badge.game import Game
from redband_badge.raw_game import RawGame
from redband_core import gestures, numbers


class AutoOff(unittest.TestCase):
    def setUp(self):
        self.badge, self.task = make_task()
        self.badge.state.is_in_game = False
        self.ticks_ms = 0

    def minutes(self, count):
        """Let minutes pass; return what auto_off() said at the end."""
        kind = 0
        for _ in range(count * 60):
            kind = kind or self.second()
        return kind

    def second(self):
        self.ticks_ms = (self.ticks_ms + 1000) % (1 << 30)
        return self.task.look(self.ticks_ms)

    def test_off_after_the_set_minutes_with_a_warning_before(self):
        state = self.badge.state
        seconds = 0
        warned_at = None
        while not self.second():
            seconds += 1
            if state.is_off_warned and warned_at is None:
                warned_at = seconds
        self.assertTrue(3595 <= seconds <= 3605)
        self.assertTrue(9 <= seconds - warned_at <= 11)

    def test_never_in_a_game(self):
        self.badge.state.is_in_game = True
        self.assertEqual(self.minutes(24 * 60), 0)
        self.assertFalse(self.badge.state.is_off_warned)

    def test_game_that_begins_in_the_warning_ends_it(self):
        state = self.badge.state
        while not state.is_off_warned:
            self.second()
        state.is_in_game = True
        self.assertEqual(self.second(), 0)
        self.assertFalse(state.is_off_warned)
        state.is_in_game = False
        self.assertEqual(self.minutes(59), 0)

    def test_never_when_set_to_0(self):
        self.task._auto_off_min = 0
        self.assertEqual(self.minutes(300), 0)

    def test_a_press_in_the_warning_keeps_it_awake(self):
        state = self.badge.state
        while not state.is_off_warned:
            self.assertEqual(self.second(), 0)
        state.acknowledged += 1
        self.assertEqual(self.second(), 0)
        self.assertFalse(state.is_off_warned)
        self.assertEqual(self.minutes(59), 0)
        self.assertEqual(self.minutes(2), numbers.SLEEP_AUTO_OFF)

    def test_a_refused_press_and_a_contact_that_moves_count_as_use(self):
        for change in ("refused", "is_input_busy"):
            self.setUp()
            self.assertEqual(self.minutes(59), 0)
            setattr(self.badge.state, change, 1)
            self.second()
            self.badge.state.is_input_busy = False
            self.assertEqual(self.minutes(59), 0)

    def test_a_connection_a_running_timer_and_an_emergency_keep_it_awake(self):
        state, game_journal = self.badge.state, self.badge.game_journal
        state.is_connected = True
        self.assertEqual(self.minutes(120), 0)
        state.is_connected = False
        game_journal.deadline_ms = 5000
        self.assertEqual(self.minutes(120), 0)
        game_journal.deadline_ms = -1
        state.is_emergency = True
        self.assertEqual(self.minutes(120), 0)
        state.is_emergency = False
        self.assertEqual(self.minutes(61), numbers.SLEEP_AUTO_OFF)

    def test_across_the_wrap_of_the_ticks(self):
        self.ticks_ms = (1 << 30) - 30 * MINUTE_MS
        self.task._uptime.start(self.ticks_ms)
        self.assertEqual(self.minutes(59), 0)
        self.assertEqual(self.minutes(2), numbers.SLEEP_AUTO_OFF)


class RealTreatments(unittest.TestCase):
    def test_timer_of_a_game_keeps_it_awake_and_a_badge_without_rules_has_none(self):
        for kind, is_awake in ((Game, True), (RawGame, False)):
            bench = GameBench(ruleset("hits"), MemoryStore(), kind=kind)
            badge, task = make_task()
            task._game_journal = bench.game_journal
            badge.state.is_in_game = False
            self.assertEqual(self.hour(task), numbers.SLEEP_AUTO_OFF)
            for _ in range(6):  # dying, which has a timer
                bench.turn(1000)
                bench.play(gestures.PRESS)
            badge.state.acknowledged += 1
            self.assertEqual(self.hour(task) == 0, is_awake)

    def hour(self, task):
        from_ms = task._uptime.now_ms
        kind = 0
        for second in range(3700):
            kind = kind or task.look(from_ms + second * 1000)
        return kind


class EndOfTheGame(unittest.TestCase):
    """The badge may switch itself off when the game is over, and the journal says so."""

    def bench(self, store=None):
        return GameBench(ruleset("hits"), store or MemoryStore(segment_records=12))

    def test_end_and_begin_are_kept_over_a_restart_and_over_new_segments(self):
        bench = self.bench()
        self.assertTrue(bench.state.is_in_game)
        bench.notes.put((numbers.NOTE_GAME_ENDED, 0))
        bench.wake()
        self.assertFalse(bench.state.is_in_game)
        for _ in range(40):  # more than three segments
            bench.turn(1000)
            bench.play(gestures.PRESS)
        self.assertEqual(bench.again().state.is_in_game, False)
        self.assertTrue(len(bench.notes_of(numbers.NOTE_GAME_ENDED)) > 3)
        bench.notes.put((numbers.NOTE_GAME_BEGUN, 0))
        bench.wake()
        self.assertTrue(bench.state.is_in_game)
        self.assertTrue(bench.again().state.is_in_game)

    def test_it_ends_only_when_the_journal_has_it(self):
        bench = self.bench()
        bench.wake()
        bench.store.fail_at = bench.store.writes
        bench.notes.put((numbers.NOTE_GAME_ENDED, 0))
        with self.assertRaises(OSError):
            bench.wake()
        self.assertTrue(bench.state.is_in_game)
        self.assertTrue(bench.again().state.is_in_game)
