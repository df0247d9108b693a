"""The engine's laws on a ruleset made for it (tests/core/data/lab.toml), on both Pythons."""

import sys
import unittest

try:
    import micropython
except ImportError:
    micropython = None

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import Player, S, compiled

from redband_core.engine import ALWAYS_ROUNDS, Engine
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_core.ruleset_codes import BAD_ARGUMENTS, UNKNOWN_EVENT
from redband_core.snapshot import HISTORY_LIMIT
from redband_core.state import TIMER_LIMIT_MS


def lab(**params):
    """Return a player of the lab ruleset."""
    return Player("lab", **params)


class Counters(unittest.TestCase):
    def test_start_and_bounds_follow_the_params(self):
        self.assertEqual(lab(cap=20).count("score"), 10)
        self.assertEqual(lab(cap=20).engine.counter_range(0), (0, 20))

    def test_counters_stay_in_their_bounds(self):
        player = lab()
        player.do("add", 50, 0)
        self.assertEqual(player.count("score"), 10)
        player.do("add", -50, 0)
        self.assertEqual(player.count("score"), 0)

    def test_effects_of_a_rule_see_those_above_them(self):
        player = lab()
        player.do("swap")
        self.assertEqual((player.count("score"), player.count("debt")), (7, -1))

    def test_guards_see_the_state_before_the_event(self):
        player = lab()
        player.do("guards")
        self.assertEqual((player.count("score"), player.count("debt")), (0, 1))
        player.do("guards")
        self.assertEqual(player.count("debt"), 1)

    def test_params_are_checked(self):
        ruleset = Ruleset.from_bytes(compiled("lab"))
        for params in ([1], [1, 2, 3], [101, 10], [-1, 10]):
            with self.assertRaises(RulesError):
                Engine(ruleset, params)


class Tracks(unittest.TestCase):
    def test_first_transition_of_a_track_wins_and_other_effects_are_done(self):
        player = lab()
        player.do("twice")
        self.assertEqual((player.state("lamp"), player.count("debt")), ("on", 1))

    def test_refusal_is_named_and_changes_nothing(self):
        player = lab()
        player.do("switch")
        player.do("open_for", 5 * S)
        before = player.view()
        self.assertEqual(player.do("switch"), "stuck")
        self.assertEqual(player.view(), before)

    def test_first_refusal_in_the_file_wins(self):
        player = lab()
        player.do("smash")
        for event in player.names.EVENTS[1:]:
            count = player.ruleset.event_args[player.names.EVENTS.index(event)]
            self.assertEqual(player.do(event, *([0] * count)), "broken")

    def test_leaving_a_state_ends_its_timer(self):
        player = lab()
        player.do("switch")
        player.do("smash")
        self.assertEqual(player.left("lamp"), -1)
        player.wait(60 * S)
        self.assertEqual(player.state("lamp"), "broken")


class Totality(unittest.TestCase):
    def test_unknown_events_and_wrong_arguments_are_refused(self):
        engine = lab().engine
        for event in (-1, 999, 1 << 40):
            self.assertEqual(engine.step(0, event), UNKNOWN_EVENT)
        for args in ((), (1,), (1, 2, 3), (51, 0), (1, 4), (1 << 70, 0), (-(1 << 70), 0)):
            self.assertEqual(engine.step(0, 1, args), BAD_ARGUMENTS)
        for args in ((), (0,), (-1,), (HISTORY_LIMIT + 1,), (1, 2, 3)):
            self.assertEqual(engine.step(0, 0, args), BAD_ARGUMENTS)

    def test_endless_always_rules_refuse_the_event_and_undo_it(self):
        player = lab()
        before = player.view()
        self.assertEqual(player.do("loop"), "endless")
        self.assertEqual(player.view(), before)
        self.assertEqual((player.engine.notes, player.engine.next_deadline_ms()), ([], 4 * S))

    def test_always_rules_run_until_nothing_changes(self):
        player = lab()
        self.assertEqual(player.do("chain"), "applied")
        self.assertEqual((player.count("debt"), player.count("score")), (-2, 1))
        self.assertTrue(ALWAYS_ROUNDS >= 3)

    def test_time_that_goes_back_counts_as_now(self):
        engine = lab().engine
        engine.step(9000, 1, (1, 0))
        engine.step(5000, 1, (1, 0))
        engine.advance(1000)
        self.assertEqual(engine.advance_one(1000), -1)
        self.assertEqual(engine.now_ms, 9000)


class Timers(unittest.TestCase):
    def test_due_timers_fire_before_an_event_at_the_same_time(self):
        player = lab()
        player.do("switch")
        player.wait(10 * S - 1)
        player.engine.step(10 * S, player.names.EVENTS.index("switch"))
        self.assertEqual((player.state("lamp"), player.left("lamp")), ("on", 10 * S))

    def test_timers_fire_in_the_order_of_their_deadlines_then_of_tracks(self):
        player = lab(wait_ms=8 * S)
        player.do("switch")
        player.do("open_for", 5 * S)
        fired = []
        while True:
            track = player.engine.advance_one(8 * S)
            if track < 0:
                break
            fired.append((player.names.TRACKS[track], player.engine.now_ms))
        expected = [("pulse", 4 * S), ("door", 5 * S), ("lamp", 8 * S), ("pulse", 8 * S)]
        self.assertEqual(fired, expected)

    def test_no_timer_fires_late_or_twice_however_time_is_cut(self):
        for step_ms in (1, 7, 1000, 3999, 4001, 40000):
            player = lab()
            fired = 0
            for now_ms in range(0, 40001, step_ms):
                fired += player.engine.advance(now_ms)
            fired += player.engine.advance(40000)
            self.assertEqual((fired, player.engine.next_deadline_ms()), (10, 44 * S))

    def test_duration_of_the_transition_goes_before_the_states_own(self):
        player = lab()
        player.do("open_for", 3 * S)
        self.assertEqual(player.left("door"), 3 * S)

    def test_duration_of_zero_is_no_timer(self):
        player = lab()
        player.do("open_for", 0)
        self.assertEqual((player.state("door"), player.left("door")), ("open", -1))

    def test_extend_shorten_and_end(self):
        player = lab()
        player.do("switch")
        player.do("lengthen", 5 * S)
        self.assertEqual(player.left("lamp"), 15 * S)
        player.do("lengthen", -14 * S)
        self.assertEqual(player.left("lamp"), S)
        player.do("lengthen", -S)
        self.assertEqual((player.state("lamp"), player.left("lamp")), ("on", -1))
        player.do("lengthen", 5 * S)
        self.assertEqual(player.left("lamp"), -1)

    def test_set_and_stop(self):
        player = lab()
        player.do("switch")
        player.do("set_timer", 3 * S)
        self.assertEqual(player.left("lamp"), 3 * S)
        player.do("stop")
        self.assertEqual(player.left("lamp"), -1)

    def test_a_timer_has_a_longest_time(self):
        player = lab()
        player.do("set_timer", 1000000000000)
        self.assertEqual(player.left("lamp"), TIMER_LIMIT_MS)

    def test_paused_timer_stands_still_and_goes_on(self):
        player = lab()
        player.do("switch")
        player.wait(4 * S)
        player.do("pause")
        player.wait(100 * S)
        self.assertEqual((player.state("lamp"), player.left("lamp")), ("on", 6 * S))
        player.do("pause")
        player.do("resume")
        player.do("resume")
        player.wait(6 * S - 1)
        self.assertEqual((player.state("lamp"), player.left("lamp")), ("on", 1))
        player.wait(1)
        self.assertEqual(player.state("lamp"), "off")

    def test_paused_timer_can_be_extended_and_stays_paused(self):
        player = lab()
        player.do("switch")
        player.do("pause")
        player.do("lengthen", 5 * S)
        player.wait(60 * S)
        self.assertEqual(player.left("lamp"), 15 * S)
        player.do("set_timer", 2 * S)
        player.wait(60 * S)
        self.assertEqual(player.left("lamp"), 2 * S)

    def test_pausing_what_does_not_run_does_nothing(self):
        player = lab()
        player.do("pause")
        player.do("resume")
        self.assertEqual(player.left("lamp"), -1)

    def test_a_timer_whose_rules_do_not_fit_ends_and_is_over(self):
        player = lab()
        for _ in range(3):
            player.do("guards")
            player.do("add", 1, 0)
        self.assertEqual(player.count("debt"), 3)
        self.assertEqual(player.wait(4 * S), 1)
        self.assertEqual((player.state("pulse"), player.left("pulse")), ("tick", -1))
        self.assertEqual(player.wait(60 * S), 0)

    def test_wrap_of_the_chips_clock_does_not_matter(self):
        player = lab()
        player.engine.advance((1 << 30) - 5 * S)
        player.do("switch")
        player.wait(10 * S)
        self.assertEqual((player.state("lamp"), player.engine.now_ms), ("off", (1 << 30) + 5 * S))


class Idle(unittest.TestCase):
    def test_an_idle_tick_allocates_nothing(self):
        """On MicroPython an allocation with a locked heap raises MemoryError."""
        player = Player("hits")
        player.do("hit", 9, 0)
        player.engine.signal()
        engine, now_ms = player.engine, player.engine.now_ms
        if micropython:
            micropython.heap_lock()
        try:
            for _ in range(100):
                now_ms += 20
                engine.advance_one(now_ms)
                engine.advance(now_ms)
                engine.next_deadline_ms()
                engine.signal()
                engine.shown_timer_left_ms()
        finally:
            if micropython:
                micropython.heap_unlock()
        self.assertEqual((player.left(), engine.now_ms), (15 * 60 * S - 2000, 2000))


class Outputs(unittest.TestCase):
    def test_first_signal_that_fits_is_shown(self):
        player = lab()
        self.assertEqual(player.signal(), "other")
        player.do("add", 1, 0)
        self.assertEqual(player.signal(), "rich")
        player.do("switch")
        self.assertEqual(player.signal(), "other")
        player.do("smash")
        self.assertEqual(player.signal(), "broken")

    def test_shown_timer_belongs_to_the_signal(self):
        player = lab()
        player.wait(S)
        self.assertEqual(player.engine.shown_timer_left_ms(), 3 * S)
        player.do("add", 1, 0)
        self.assertEqual(player.engine.shown_timer_left_ms(), -1)
        player.do("open_for", 9 * S)
        self.assertEqual(player.engine.shown_timer_left_ms(), 9 * S)
        player.do("smash")
        self.assertEqual(player.engine.shown_timer_left_ms(), -1)

    def test_notes_are_those_of_the_last_event_or_timer(self):
        player = lab()
        player.do("switch")
        player.wait(2 * S)
        player.do("remember")
        self.assertEqual(player.engine.notes, [(2, 8 * S), (3, 0)])
        player.do("pause")
        self.assertEqual(player.engine.notes, [])
        player.do("resume")
        player.wait(8 * S)
        self.assertEqual(player.engine.notes, [(0, 5)])

    def test_shown_counters_and_gestures(self):
        ruleset = lab().ruleset
        self.assertEqual(ruleset.shown_counters, (0, 1))
        self.assertEqual(ruleset.gesture_event(1), (1, (1, 0)))
        self.assertEqual(ruleset.gesture_event(0x22), (0, (1, 2)))
        self.assertIsNone(ruleset.gesture_event(2))


class Void(unittest.TestCase):
    def test_only_as_many_as_there_are(self):
        player = lab(cap=100)
        player.do("add", 1, 0)
        self.assertEqual(player.do("void", 30), "applied")
        self.assertEqual(player.count("score"), 50)
        self.assertEqual(player.do("void", 1), "nothing_to_void")

    def test_the_latest_go_first(self):
        player = lab(cap=100)
        player.do("add", 7, 0)
        player.wait(S)
        player.do("add", 20, 0)
        player.do("void", 1)
        self.assertEqual(player.count("score"), 57)
        player.wait(9 * S)
        self.assertEqual(player.do("void", 1), "applied")
        self.assertEqual(player.count("score"), 50)

    def test_of_one_source(self):
        player = lab(cap=100)
        for source, n in ((1, 1), (2, 10), (1, 2)):
            player.do("add", n, source)
        player.do("void", 1, 2)
        self.assertEqual(player.count("score"), 53)
        self.assertEqual(player.do("void", 1, 3), "nothing_to_void")

    def test_events_between_stay(self):
        player = lab()
        player.do("add", 1, 0)
        player.do("switch")
        player.wait(2 * S)
        player.do("void", 1)
        self.assertEqual((player.count("score"), player.state("lamp")), (5, "on"))
        self.assertEqual(player.left("lamp"), 8 * S)

    def test_no_notes_are_told_again(self):
        player = lab()
        player.do("add", 1, 0)
        player.do("remember")
        player.do("void", 1)
        self.assertEqual(player.engine.notes, [])

    def test_the_oldest_of_too_many_can_no_longer_be_voided(self):
        player = lab(cap=100)
        for _ in range(HISTORY_LIMIT + 8):
            player.do("add", 1, 0)
        player.do("void", HISTORY_LIMIT)
        self.assertEqual(player.count("score"), 58)
        self.assertEqual(player.do("void", 1), "nothing_to_void")


class Snapshots(unittest.TestCase):
    def busy(self):
        """Return a player with timers running and paused, and hits that can be voided."""
        player = lab(cap=77, wait_ms=9 * S)
        player.do("switch")
        player.wait(2 * S)
        player.do("add", 3, 1)
        player.do("pause")
        player.wait(3 * S)
        player.do("open_for", 7 * S)
        player.do("add", 4, 2)
        player.wait(2 * S)
        return player

    def test_restored_engine_goes_on_as_if_it_had_never_stopped(self):
        player = self.busy()
        other = lab()
        other.engine.restore(player.engine.snapshot())
        self.assertEqual(other.engine.snapshot(), player.engine.snapshot())
        for event in (("void", 1, 1), ("resume",), ("switch",), ("add", 9, 0), ("void", 2)):
            for one in (player, other):
                one.do(*event)
                one.wait(1500)
            self.assertEqual(other.engine.snapshot(), player.engine.snapshot())
            self.assertEqual(other.signal(), player.signal())

    def test_the_bytes_are_the_same_on_both_pythons(self):
        # version; params 77, 9000; start 2000, now 5000 later; lamp, door, pulse, score, debt;
        # timers 7000, none, 2000; 4 events: add 3 by 1, pause, after 3000 open_for 7000, add 4
        expected = (
            "01" + "9a01d08c01" + "d00f8827" + "0200004c00" + "b06d01a01f"
            "04" + "00010602" + "0008" + "b81710b06d" + "b817010804"
        )
        found = self.busy().engine.snapshot()
        identity = found[1:9]
        self.assertEqual(identity, Ruleset.from_bytes(compiled("lab")).identity)
        self.assertEqual((found[:1] + found[9:]).hex(), expected)

    def test_what_is_no_snapshot_is_refused_and_changes_nothing(self):
        player = self.busy()
        good = player.engine.snapshot()
        bad = [b"", good[:-1], good + b"\0", b"\2" + good[1:], good[:9], bytes(60)]
        bad.append(good[:1] + bytes(8) + good[9:])
        for data in bad:
            with self.assertRaises(RulesError):
                player.engine.restore(data)
            self.assertEqual(player.engine.snapshot(), good)

    def test_no_damaged_byte_does_more_than_be_refused(self):
        good = self.busy().engine.snapshot()
        for place in range(len(good)):
            for value in (0, 1, 0x7F, 0x80, 0xFF):
                data = bytearray(good)
                data[place] = value
                player = lab()
                try:
                    player.engine.restore(bytes(data))
                except RulesError:
                    continue
                self.assertTrue(len(player.engine.snapshot()) > 9)
                self.assertTrue(0 <= player.count("score") <= 100)
                self.assertTrue(-5 <= player.count("debt") <= 5)

    def test_snapshot_of_another_ruleset_is_refused(self):
        with self.assertRaises(RulesError):
            lab().engine.restore(Player("hits").engine.snapshot())

    def test_snapshot_at_rest_is_small(self):
        self.assertTrue(len(Player("hits").engine.snapshot()) <= 56)


if __name__ == "__main__":
    unittest.main()
