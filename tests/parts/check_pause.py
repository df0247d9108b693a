"""Pauses by broadcast and command: time stands still, a press hurts nobody, all is written."""

import unittest

import game_bench
from game_bench import HIT, GameBench, MemoryStore

from redband.wire import journal as wire_journal
from redband_badge import commands
from redband_badge.raw_game import RawGame
from redband_core import gestures, journal, numbers
from redband_core.advert import FLAG_FAULT

HITS = game_bench.ruleset("hits")
WOUNDS = game_bench.ruleset("wounds")
PRESS = gestures.PRESS
DEATH_MS = 900_000
PLAYER = 0


def dying(**options):
    """Return a badge of a player at 0 hits, one second into the game."""
    bench = GameBench(HITS, **options)
    bench.run(1000)
    for _hit in range(3):
        bench.play(PRESS)
    return bench


class Paused(unittest.TestCase):
    def test_timers_stand_for_hours_and_go_on_where_they_stood(self):
        for ticks_ms in (0, (1 << 30) - 5000, (1 << 29) - 1):
            bench = dying(ticks_ms=ticks_ms)
            bench.run(10_000)
            left_ms = bench.state.timer_left_ms
            self.assertEqual(left_ms, DEATH_MS - 10_000)
            self.assertEqual(bench.command(commands.PAUSE, 5), numbers.ANSWER_DONE)
            self.assertTrue(bench.state.is_paused)
            for _hour in range(50):
                bench.turn(3_600_000)
                self.assertEqual(bench.wake(), 1000)
                self.assertEqual(bench.state.timer_left_ms, left_ms)
            self.assertEqual(bench.command(commands.RESUME, 6), numbers.ANSWER_DONE)
            self.assertFalse(bench.state.is_paused)
            self.assertEqual(bench.state.timer_left_ms, left_ms)
            bench.run(left_ms - 1)
            self.assertEqual(bench.state.timer_left_ms, 1)
            bench.run(1)
            self.assertEqual(bench.state.timer_left_ms, -1)

    def test_a_long_pause_writes_nothing(self):
        bench = dying()
        bench.command(commands.PAUSE, 1)
        count = len(bench.store.records)
        bench.run(600_000)
        self.assertTrue(len(bench.store.records) <= count + 1)  # one checkpoint may be due

    def test_pause_is_written_before_it_is_shown(self):
        bench = dying()
        bench.store.fail_at = bench.store.writes
        bench.commands.put((commands.PAUSE, 1, None))
        with self.assertRaises(OSError):
            bench.wake()
        self.assertFalse(bench.state.is_paused)
        self.assertEqual(bench.answers, [])

    def test_pause_again_writes_nothing_and_is_answered(self):
        bench = dying()
        answers = [bench.command(commands.PAUSE, number) for number in (1, 2, 3)]
        answers += [bench.command(commands.RESUME, number) for number in (4, 5)]
        self.assertEqual(answers, [numbers.ANSWER_DONE] * 5)
        self.assertEqual(bench.count(journal.PAUSE), 1)
        self.assertEqual(bench.count(journal.RESUME), 1)
        self.assertEqual([number for number, _answer in bench.answers], [1, 2, 3, 4, 5])

    def test_the_state_at_both_ends_is_the_same_and_the_fold_agrees(self):
        bench = dying()
        bench.run(5000)
        before = bench.shown()
        bench.command(commands.PAUSE, 1)
        bench.run(90_000)
        bench.command(commands.RESUME, 2)
        self.assertEqual(bench.shown(), before)
        bench.run(12_345)
        self.assertEqual(game_bench.folded(bench), bench.game_journal.engine.snapshot())


class Restart(unittest.TestCase):
    def test_G10_a_badge_restarted_in_a_pause_is_still_paused(self):
        bench = dying()
        bench.run(7000)
        bench.command(commands.PAUSE, 1)
        shown = bench.shown()
        for _pull in range(5):
            bench.run(60_000)
            bench = bench.again()
            self.assertEqual(bench.shown(), shown)
        bench.play(PRESS)
        self.assertEqual(bench.shown(), shown)
        bench.command(commands.RESUME, 2)
        self.assertEqual(bench.shown()[:4], shown[:4])
        bench.run(1000)
        self.assertEqual(bench.state.timer_left_ms, DEATH_MS - 8000)
        self.assertFalse(bench.again().state.is_paused)

    def test_a_press_right_at_the_restart_in_a_pause_does_not_hurt(self):
        bench = GameBench(HITS)
        bench.command(commands.PAUSE, 1)
        bench = bench.again()
        bench.put(PRESS)
        bench.turn(50)  # the game task comes later than the input task
        bench.wake()
        self.assertEqual(bench.state.counters[0], 3)
        self.assertEqual(bench.count(journal.REFUSED), 1)

    def test_a_new_segment_in_a_pause_says_it_again_at_every_cut(self):
        for cut in range(30):
            bench = dying(store=MemoryStore(segment_records=12))
            bench.command(commands.PAUSE, 1)
            bench.store.fail_at = bench.store.writes + cut
            try:
                for _press in range(40):
                    bench.play(PRESS)
            except OSError:
                pass
            bench.store.fail_at = None
            segments = bench.count(journal.SNAPSHOT)
            self.assertTrue(bench.again().state.is_paused, "cut at %d" % cut)
        self.assertTrue(segments > 2)

    def test_write_errors_neither_lose_nor_repeat_a_pause(self):
        for skip in range(3):
            for is_late in (False, True):
                bench = dying()
                bench.store.fail_at = bench.store.writes + skip
                bench.store.is_late = is_late
                for kind, number in ((commands.PAUSE, 1), (commands.RESUME, 2)):
                    bench.commands.put((kind, number, None))
                bench.put(PRESS)
                for _try in range(3):
                    try:
                        bench.wake()
                    except OSError:
                        bench.task._recover()
                self.assertEqual(bench.answers, [(1, 0), (2, 0)])
                self.assertEqual(bench.count(journal.RESUME), 1)
                self.assertFalse(bench.state.is_paused)
                # The press came first: it was refused by the rules, and written once.
                self.assertEqual(bench.count(journal.REFUSED), 1)


class Pressing(unittest.TestCase):
    def test_a_press_in_a_pause_does_not_hurt_and_is_written(self):
        bench = GameBench(HITS)
        bench.command(commands.PAUSE, 1)
        before = bench.shown()
        for gesture in (PRESS, gestures.IMPACT, gestures.HOLD, gestures.TAPS_HOLD + 4):
            bench.run(3000)
            bench.play(gesture)
        self.assertEqual(bench.shown(), before)
        refused = [
            wire_journal.parse_refused(payload) for _ms, payload in bench.of(journal.REFUSED)
        ]
        self.assertEqual(
            [reason for reason, _event, _args in refused], [numbers.REFUSED_PAUSED] * 4
        )
        self.assertEqual(bench.state.refused, 4)
        self.assertEqual(bench.state.acknowledged, 0)
        self.assertEqual(game_bench.folded(bench), bench.game_journal.engine.snapshot())

    def test_a_press_counts_at_the_moment_of_its_contact(self):
        # ms before the end of the pause at which the contact closed -> does it count?
        for age_ms, hits in ((1, 3), (4999, 3), (5001, 2), (0, 2)):
            bench = GameBench(HITS)
            bench.run(60_000)
            bench.command(commands.PAUSE, 1)
            bench.turn(5000)
            bench.commands.put((commands.RESUME, 2, None))
            bench.wake()
            bench.play(PRESS, age_ms)
            self.assertEqual(bench.state.counters[0], hits, "%d ms" % age_ms)

    def test_a_press_that_waited_for_the_flash_while_the_pause_came_counts(self):
        bench = GameBench(HITS)
        bench.run(1000)
        bench.put(PRESS)
        bench.turn(400)
        bench.commands.put((commands.PAUSE, 1, None))
        bench.wake()
        self.assertEqual(bench.state.counters[0], 2)
        self.assertTrue(bench.state.is_paused)

    def test_a_hold_begun_before_the_pause_ends_in_it_and_takes_its_press_back(self):
        bench = GameBench(HITS)
        bench.run(1000)
        bench.play(PRESS)
        bench.turn(10_000)
        bench.play(PRESS)
        bench.turn(300)
        bench.command(commands.PAUSE, 1)
        bench.turn(1200)
        bench.play(gestures.HOLD, 1500)
        self.assertEqual(bench.state.counters[0], 2)
        self.assertEqual(bench.state.timer_left_ms, 450_000)  # being treated, and standing

    def test_safe_mode_without_rules_pauses_too(self):
        bench = GameBench(HITS, kind=RawGame)
        bench.command(commands.PAUSE, 1)
        bench.play(PRESS)
        self.assertTrue(bench.state.is_paused)
        self.assertEqual(
            [value for _ms, value in bench.notes_of(numbers.NOTE_RAW_GESTURE)], [PRESS]
        )
        self.assertTrue(GameBench(HITS, bench.store).state.is_paused)


class Events(unittest.TestCase):
    def test_events_are_applied_or_refused_and_answered(self):
        bench = GameBench(HITS)
        bench.run(100)
        self.assertEqual(
            bench.command(commands.EVENT, 1, (HIT, (2, 2), numbers.ROLE_GAME_MASTER)), 0
        )
        self.assertEqual(bench.state.counters[0], 1)
        self.assertEqual(
            bench.command(commands.EVENT, 2, (HIT, (99, 2), numbers.ROLE_GAME_MASTER)), 2
        )
        self.assertEqual(bench.command(commands.EVENT, 3, (99, (), numbers.ROLE_GAME_MASTER)), 3)
        self.assertEqual(bench.count(journal.REFUSED), 2)
        self.assertEqual(game_bench.folded(bench), bench.game_journal.engine.snapshot())

    def test_what_no_journal_can_hold_is_refused_without_a_record(self):
        bench = GameBench(HITS)
        for value in ((-1, (), 3), (1 << 20, (), 3), (HIT, (1 << 60, 0), 3), (HIT, (1,) * 40, 3)):
            self.assertEqual(bench.command(commands.EVENT, 1, value), numbers.ANSWER_UNKNOWN)
        self.assertEqual(bench.command(77, 1), numbers.ANSWER_UNKNOWN)
        self.assertEqual(bench.count(journal.REFUSED), 0)

    def test_in_a_pause_staff_may_set_things_right_and_others_wait(self):
        bench = dying()
        bench.command(commands.PAUSE, 1)
        left_ms = bench.state.timer_left_ms
        bench.run(60_000)
        for role in (PLAYER, numbers.ROLE_MEDIC):
            answer = bench.command(commands.EVENT, 2, (HIT, (1, 0), role))
            self.assertEqual(answer, numbers.ANSWER_PAUSED)
        self.assertEqual(bench.state.timer_left_ms, left_ms)
        self.assertEqual(bench.command(commands.EVENT, 3, (0, (1,), numbers.ROLE_GAME_MASTER)), 0)
        self.assertEqual(bench.state.counters[0], 1)

    def test_without_rules_nobody_pretends(self):
        bench = GameBench(HITS, kind=RawGame)
        answer = bench.command(commands.EVENT, 1, (HIT, (1, 0), numbers.ROLE_GAME_MASTER))
        self.assertEqual(answer, numbers.ANSWER_NO_RULES)

    def test_write_errors_apply_an_event_once_and_answer_once(self):
        for skip in range(3):
            for is_late in (False, True):
                bench = GameBench(HITS)
                bench.store.fail_at = bench.store.writes + skip
                bench.store.is_late = is_late
                bench.commands.put((commands.EVENT, 8, (HIT, (1, 2), numbers.ROLE_GAME_MASTER)))
                for _try in range(3):
                    try:
                        bench.wake()
                    except OSError:
                        bench.task._recover()
                self.assertEqual(bench.answers, [(8, 0)])
                self.assertEqual(bench.count(journal.EVENT), 1)
                self.assertEqual(bench.state.counters[0], 2)

    def test_dead_flash_in_safe_mode_still_obeys(self):
        for kind, number, value in (
            (commands.PAUSE, 1, None),
            (commands.EVENT, 1, (HIT, (1, 2), numbers.ROLE_GAME_MASTER)),
        ):
            bench = GameBench(HITS)
            bench.store.fail_at = bench.store.writes
            bench.commands.put((kind, number, value))
            with self.assertRaises(OSError):
                bench.wake()
            bench.game_journal.go_on_without_flash()
            bench.wake()
            self.assertEqual(bench.answers, [(1, numbers.ANSWER_DONE)])
            self.assertTrue(bench.state.flags & FLAG_FAULT)
            self.assertEqual(
                (bench.state.is_paused, bench.state.counters[0] == 2),
                (value is None, value is not None),
            )

    def test_roles_are_those_of_the_ruleset(self):
        for event, mask in enumerate(HITS.event_roles):  # the first is void
            allowed = [commands.may_send(HITS, event, role) for role in range(-1, 6)]
            self.assertEqual(allowed, [False] + [mask >> role & 1 == 1 for role in range(6)])
        self.assertTrue(12 in HITS.event_roles)  # one that players and medics may not send
        self.assertFalse(commands.may_send(HITS, len(HITS.event_roles), numbers.ROLE_GAME_MASTER))
        self.assertFalse(commands.may_send(HITS, -1, numbers.ROLE_GAME_MASTER))
