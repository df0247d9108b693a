"""The hits system, rule by rule (docs: RULES.md H1 to H17, and G1 to G4 where they touch it)."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import MIN, Player, S

from redband_core import led

BUTTON, SENSOR, STAFF = 0, 1, 2
ORDINARY, RADICAL = 0, 1
SUCCESS, DEATH = 0, 1
PHYSICAL, MENTAL = 0, 1
LASTS, CURABLE = 0, 1
EVERYTHING = (
    ("hit", 1, BUTTON),
    ("stun",),
    ("knock_out",),
    ("treat",),
    ("bandage",),
    ("operation_start", ORDINARY),
    ("operation", ORDINARY, SUCCESS),
    ("trauma", 0),
    ("diagnose", PHYSICAL, 1, CURABLE),
    ("treat_trauma", PHYSICAL),
    ("sudden", 0, 5),
    ("sudden_end", 0),
    ("place", 1),
)


def dying(**params):
    """Return a player who has just lost the last hit."""
    player = Player(**params)
    player.do("hit", 9, BUTTON)
    return player


def wounded(**params):
    """Return a player with one hit lost."""
    player = Player(**params)
    player.do("hit", 1, BUTTON)
    return player


def resting(**params):
    """Return a wounded player whose rest has just begun."""
    player = wounded(**params)
    player.do("treat")
    return player


class Hits(unittest.TestCase):
    def test_H1_maximum_is_set_for_each_player(self):
        self.assertEqual(Player(max_hits=7).count(), 7)
        self.assertEqual(Player(max_hits=1).count(), 1)

    def test_H1_treatment_never_gives_more_than_the_maximum(self):
        player = resting(max_hits=2)
        player.wait(8 * MIN)
        player.do("bandage")
        player.wait(8 * MIN)
        self.assertEqual((player.count(), player.state()), (2, "healthy"))

    def test_H2_a_hit_is_counted_from_button_sensor_and_staff(self):
        player = Player(max_hits=4)
        for source in (BUTTON, SENSOR, STAFF):
            self.assertEqual(player.do("hit", 1, source), "applied")
        self.assertEqual(player.count(), 1)

    def test_H3_ordinary_weapon_takes_one(self):
        self.assertEqual(wounded(max_hits=3).count(), 2)

    def test_H3_red_ribbon_takes_two(self):
        player = Player(max_hits=3)
        player.do("hit", 2, BUTTON)
        self.assertEqual((player.count(), player.state()), (1, "wounded"))

    def test_H3_a_hit_of_no_hits_is_refused(self):
        player = Player()
        self.assertEqual(player.do("hit", 0, BUTTON), "bad_arguments")
        self.assertEqual(player.do("hit", 10, BUTTON), "bad_arguments")
        self.assertEqual(player.do("hit", 1, 3), "bad_arguments")
        self.assertEqual(player.do("hit", 1), "bad_arguments")
        self.assertEqual((player.count(), player.state()), (3, "healthy"))

    def test_H5_all_hits_is_healthy_some_is_wounded_none_is_dying(self):
        player = Player(max_hits=2)
        self.assertEqual(player.state(), "healthy")
        player.do("hit", 1, BUTTON)
        self.assertEqual(player.state(), "wounded")
        player.do("hit", 1, BUTTON)
        self.assertEqual((player.count(), player.state()), (0, "dying"))

    def test_H5_hits_never_go_below_zero(self):
        player = Player(max_hits=1)
        player.do("hit", 2, BUTTON)
        self.assertEqual((player.count(), player.state()), (0, "dying"))

    def test_H5_more_hits_at_zero_change_nothing_but_have_a_reason_to_log(self):
        player = dying()
        player.wait(MIN)
        before = player.view()
        self.assertEqual(player.do("hit", 2, BUTTON), "no_hits_left")
        self.assertEqual(player.view(), before)
        self.assertEqual((player.count(), player.left()), (0, 14 * MIN))

    def test_H6_wounded_is_shown(self):
        self.assertEqual(wounded().signal(), "wounded")


class Death(unittest.TestCase):
    def test_H7_dies_after_fifteen_minutes_without_help(self):
        player = dying()
        player.wait(15 * MIN - 1)
        self.assertEqual((player.state(), player.left()), ("dying", 1))
        self.assertEqual(player.wait(1), 1)
        self.assertEqual((player.state(), player.signal()), ("dead", "dead"))

    def test_H7_death_is_final(self):
        player = dying()
        player.wait(15 * MIN)
        for event in EVERYTHING:
            self.assertEqual(player.do(*event), "dead")
        player.wait(60 * MIN)
        self.assertEqual((player.state(), player.count()), ("dead", 0))

    def test_H7_time_to_death_is_a_param(self):
        player = dying(death_ms=2 * S)
        player.wait(2 * S)
        self.assertEqual(player.state(), "dead")

    def test_H17_dying_is_unmistakable(self):
        player = Player(max_hits=1)
        player.do("hit", 1, SENSOR)
        red, _green, vibration = player.lights()
        self.assertEqual((player.signal(), red), ("dying", led.FAST_BLINK))
        self.assertTrue(vibration != led.OFF)

    def test_H17_no_other_signal_looks_like_dying(self):
        player = dying()
        shown = player.lights()
        self.assertEqual([s for s in player.ruleset.signals if s == shown], [shown])
        fast = [s for s in player.ruleset.signals if led.FAST_BLINK in s]
        self.assertEqual(fast, [shown])

    def test_H17_dying_goes_before_unconscious_and_knockdown(self):
        for event in ("knock_out", "stun"):
            player = dying()
            player.do(event)
            self.assertEqual(player.signal(), "dying")


class Overlay(unittest.TestCase):
    def test_H8_unconscious_for_one_minute(self):
        player = Player()
        player.do("knock_out")
        player.wait(MIN - 1)
        self.assertEqual(
            (player.state("overlay"), player.signal()), ("unconscious", "unconscious")
        )
        player.wait(1)
        self.assertEqual((player.state("overlay"), player.signal()), ("awake", "healthy"))

    def test_H9_knockdown_for_fifteen_seconds(self):
        player = Player()
        player.do("stun")
        player.wait(15 * S - 1)
        self.assertEqual((player.state("overlay"), player.signal()), ("knockdown", "knockdown"))
        player.wait(1)
        self.assertEqual(player.state("overlay"), "awake")

    def test_H9_a_second_stun_starts_the_fifteen_seconds_again(self):
        player = Player()
        player.do("stun")
        player.wait(10 * S)
        player.do("stun")
        self.assertEqual(player.left("overlay"), 15 * S)

    def test_H9_a_stun_does_not_wake_the_unconscious(self):
        player = Player()
        player.do("knock_out")
        player.wait(10 * S)
        self.assertEqual(player.do("stun"), "already_there")
        self.assertEqual(
            (player.state("overlay"), player.left("overlay")), ("unconscious", 50 * S)
        )

    def test_H10_the_state_beneath_goes_on_counting(self):
        player = dying()
        player.do("knock_out")
        player.wait(MIN)
        self.assertEqual((player.state("overlay"), player.left()), ("awake", 14 * MIN))

    def test_H10_hits_are_lost_while_unconscious(self):
        player = Player(max_hits=3)
        player.do("knock_out")
        player.do("hit", 1, BUTTON)
        self.assertEqual((player.count(), player.state()), (2, "wounded"))
        player.wait(MIN)
        self.assertEqual(player.signal(), "wounded")

    def test_H10_death_ends_what_lies_over_it(self):
        player = dying(death_ms=10 * S)
        player.do("knock_out")
        player.wait(10 * S)
        self.assertEqual((player.state("overlay"), player.left("overlay")), ("awake", -1))


class Treatment(unittest.TestCase):
    def test_H11_fifteen_minutes_of_rest_restore_all_hits(self):
        player = Player(max_hits=5)
        player.do("hit", 2, BUTTON)
        player.do("hit", 1, BUTTON)
        self.assertEqual(player.do("treat"), "applied")
        player.wait(8 * MIN)
        self.assertEqual(player.do("bandage"), "applied")
        player.wait(7 * MIN - 1)
        self.assertEqual((player.state(), player.count()), ("rested", 2))
        player.wait(1)
        self.assertEqual((player.state(), player.count()), ("healthy", 5))

    def test_H11_the_healthy_cannot_be_treated(self):
        self.assertEqual(Player().do("treat"), "nothing_to_treat")

    def test_H11_a_second_treatment_does_not_start_the_rest_again(self):
        player = resting()
        player.wait(MIN)
        self.assertEqual(player.do("treat"), "resting")
        self.assertEqual(player.left(), 15 * MIN // 2 - MIN)

    def test_H12_the_badge_asks_for_the_bandage_in_the_middle(self):
        player = resting()
        player.wait(15 * MIN // 2 - 1)
        self.assertEqual((player.state(), player.signal()), ("resting", "resting"))
        player.wait(1)
        self.assertEqual((player.state(), player.signal()), ("bandage_due", "bandage_due"))
        self.assertTrue(player.lights()[2] != led.OFF)

    def test_H12_too_early_a_change_is_refused(self):
        self.assertEqual(resting().do("bandage"), "bandage_not_due")

    def test_H12_without_the_change_the_rest_is_extended_until_it_is_logged(self):
        player = resting()
        player.wait(40 * MIN)
        self.assertEqual((player.state(), player.count()), ("bandage_overdue", 2))
        self.assertEqual(player.signal(), "bandage_due")
        self.assertEqual(player.do("bandage"), "applied")
        self.assertEqual((player.state(), player.count()), ("healthy", 3))

    def test_H12_a_second_change_has_nothing_to_change(self):
        player = resting()
        player.wait(8 * MIN)
        player.do("bandage")
        self.assertEqual(player.do("bandage"), "no_bandage")

    def test_H12_a_hit_during_rest_cancels_it(self):
        for minutes in (1, 8, 16):
            player = resting()
            player.wait(minutes * MIN)
            player.do("hit", 1, BUTTON)
            self.assertEqual((player.state(), player.count()), ("wounded", 1))
            player.wait(60 * MIN)
            self.assertEqual((player.state(), player.count()), ("wounded", 1))

    def test_H12_a_hit_after_the_change_cancels_the_rest_too(self):
        player = resting()
        player.wait(8 * MIN)
        player.do("bandage")
        player.do("hit", 2, BUTTON)
        self.assertEqual((player.state(), player.left()), ("dying", 15 * MIN))

    def test_H12_holding_the_button_logs_the_change_in_an_open_game(self):
        player = resting()
        player.wait(10 * MIN)
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual((player.state(), player.left()), ("rested", 5 * MIN))


class Operations(unittest.TestCase):
    def test_H13_at_zero_hits_treatment_is_an_operation(self):
        player = dying()
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual((player.state(), player.left()), ("recovering", 25 * MIN))

    def test_H13_only_the_dying_are_operated_on(self):
        self.assertEqual(wounded().do("operation_start", ORDINARY), "not_dying")
        self.assertEqual(Player().do("operation", RADICAL, SUCCESS), "not_dying")

    def test_H13_radical_measure_gives_a_trauma_and_no_death(self):
        for outcome in (SUCCESS, DEATH):
            player = dying()
            self.assertEqual(player.do("operation", RADICAL, outcome), "applied")
            self.assertEqual((player.state(), player.count("traumas_new")), ("recovering", 1))

    def test_H13_radical_measure_does_not_kill_with_all_traumas(self):
        player = dying()
        for _ in range(5):
            player.do("trauma", 0)
        player.do("operation", RADICAL, SUCCESS)
        self.assertEqual((player.state(), player.count("traumas_new")), ("recovering", 5))

    def test_H14_the_medic_gives_the_outcome_of_an_ordinary_operation(self):
        player = dying()
        player.do("operation", ORDINARY, SUCCESS)
        self.assertEqual((player.state(), player.count("traumas_new")), ("recovering", 0))
        player = dying()
        player.do("operation", ORDINARY, DEATH)
        self.assertEqual(player.state(), "dead")

    def test_H14_starting_either_stops_the_death_timer(self):
        for kind in (ORDINARY, RADICAL):
            player = dying()
            player.wait(14 * MIN)
            self.assertEqual(player.do("operation_start", kind), "applied")
            self.assertEqual((player.left(), player.signal()), (10 * MIN, "operation"))
            player.wait(10 * MIN - 1)
            self.assertEqual(player.do("operation", kind, SUCCESS), "applied")
            self.assertEqual(player.state(), "recovering")
            self.assertEqual(player.count("traumas_new"), kind)

    def test_H14_death_runs_on_from_where_it_stood_when_an_operation_is_not_finished_in_time(self):
        for kind in (ORDINARY, RADICAL):
            player = dying(operation_ms=2 * MIN)
            player.wait(14 * MIN)
            player.do("operation_start", kind)
            player.wait(2 * MIN - 1)
            self.assertEqual(player.signal(), "operation")
            player.wait(1)
            self.assertEqual((player.state(), player.left()), ("dying", MIN))
            player.wait(MIN)
            self.assertEqual(player.state(), "dead")

    def test_H14_death_runs_on_from_where_it_stood_when_the_medic_breaks_off(self):
        for kind in (ORDINARY, RADICAL):
            player = dying()
            player.wait(14 * MIN)
            player.do("operation_start", kind)
            player.wait(5 * MIN)
            self.assertEqual(player.do("operation_break_off"), "applied")
            self.assertEqual((player.state(), player.left()), ("dying", MIN))
            self.assertEqual(player.do("operation_break_off"), "no_operation")
            self.assertEqual(player.do("operation_start", kind), "applied")
            player.wait(MIN)
            player.do("operation_break_off")
            player.wait(MIN)
            self.assertEqual(player.state(), "dead")
        for other in (Player(), wounded(), resting()):
            self.assertEqual(other.do("operation_break_off"), "no_operation")

    def test_H14_an_operation_ends_as_the_kind_it_was_begun(self):
        player = dying()
        player.do("operation_start", RADICAL)
        self.assertEqual(player.do("operation", ORDINARY, SUCCESS), "other_operation")
        player = dying()
        player.do("operation_start", ORDINARY)
        self.assertEqual(player.do("operation", RADICAL, SUCCESS), "other_operation")

    def test_H15_twenty_five_minutes_of_rest_restore_all_hits(self):
        player = dying(max_hits=4)
        player.do("operation", ORDINARY, SUCCESS)
        player.wait(25 * MIN - 1)
        self.assertEqual((player.state(), player.count()), ("recovering", 0))
        player.wait(1)
        self.assertEqual((player.state(), player.count()), ("healthy", 4))

    def test_H15_a_hit_during_that_rest_finds_no_hits(self):
        player = dying()
        player.do("treat")
        self.assertEqual(player.do("hit", 1, BUTTON), "no_hits_left")

    def test_H15_a_game_may_say_that_a_hit_ends_that_rest(self):
        player = dying(hit_ends_recovery=1)
        player.do("treat")
        self.assertEqual(player.do("hit", 1, BUTTON), "applied")
        self.assertEqual((player.state(), player.left()), ("dying", 15 * MIN))


class Voiding(unittest.TestCase):
    def test_H4_a_sensor_hit_can_be_voided_within_ten_seconds(self):
        player = Player()
        player.do("hit", 1, SENSOR)
        player.wait(10 * S)
        self.assertEqual(player.do("void", 1), "applied")
        self.assertEqual((player.count(), player.state()), (3, "healthy"))

    def test_H4_not_after_ten_seconds(self):
        player = Player()
        player.do("hit", 1, SENSOR)
        player.wait(10 * S + 1)
        self.assertEqual(player.do("void", 1), "nothing_to_void")
        self.assertEqual(player.count(), 2)

    def test_H4_a_voided_hit_never_started_the_death_timer(self):
        player = wounded(max_hits=2)
        player.do("hit", 1, SENSOR)
        player.wait(5 * S)
        player.do("void", 1)
        self.assertEqual((player.state(), player.left()), ("wounded", -1))
        self.assertEqual(player.engine.next_deadline_ms(), -1)

    def test_H4_a_voided_hit_gives_the_rest_back_with_the_time_that_passed(self):
        player = resting()
        player.wait(MIN)
        player.do("hit", 1, SENSOR)
        player.wait(4 * S)
        player.do("void", 1)
        self.assertEqual((player.state(), player.left()), ("resting", 15 * MIN // 2 - MIN - 4 * S))

    def test_H4_timers_due_meanwhile_fire_as_if_the_hit_had_not_happened(self):
        player = resting()
        player.wait(15 * MIN // 2 - 2 * S)
        player.do("hit", 1, SENSOR)
        player.wait(5 * S)
        player.do("void", 1)
        self.assertEqual((player.state(), player.left()), ("bandage_due", 15 * MIN // 2 - 3 * S))

    def test_H4_only_the_sensor_hit_goes_when_a_press_came_after_it(self):
        player = Player(max_hits=9)
        player.do("hit", 2, SENSOR)
        player.do("hit", 1, BUTTON)
        self.assertEqual(player.do("void", 1, SENSOR), "applied")
        self.assertEqual(player.count(), 8)
        self.assertEqual(player.do("void", 1, SENSOR), "nothing_to_void")

    def test_press_that_became_a_hold_costs_nothing_although_an_impact_came_between(self):
        player = Player(max_hits=3)
        player.do("hit", 1, BUTTON)
        player.wait(300)
        player.do("hit", 1, SENSOR)
        player.wait(1200)
        player.do("void", 1, BUTTON)
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual((player.count(), player.state()), (2, "resting"))

    def test_refused_press_of_the_dying_leaves_nothing_to_take_back(self):
        player = dying()
        player.wait(11 * S)
        self.assertEqual(player.do("hit", 1, BUTTON), "no_hits_left")
        self.assertEqual(player.do("void", 1), "nothing_to_void")
        self.assertEqual((player.state(), player.left()), ("dying", 15 * MIN - 11 * S))

    def test_two_presses_and_hold_with_one_hit_left_cost_nothing(self):
        player = wounded(max_hits=2)
        player.wait(20 * S)
        outcomes = [player.do("hit", 1, BUTTON), player.do("hit", 1, BUTTON)]
        self.assertEqual(outcomes, ["applied", "no_hits_left"])
        player.do("void", 1, BUTTON)  # the badge counts the presses that were applied
        self.assertEqual((player.state(), player.count(), player.left()), ("wounded", 1, -1))

    def test_H4_what_happened_after_a_voided_hit_happens_to_the_state_without_it(self):
        player = Player(max_hits=1)
        player.do("hit", 1, SENSOR)
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual(player.state(), "recovering")
        player.do("void", 1)
        self.assertEqual((player.state(), player.count(), player.left()), ("healthy", 1, -1))

    def test_H4_several_hits_at_once(self):
        player = Player(max_hits=9)
        for _ in range(4):
            player.do("hit", 1, BUTTON)
            player.wait(200)
        player.do("void", 3)
        self.assertEqual(player.count(), 8)
        player.do("void", 9)
        self.assertEqual(player.count(), 9)


class Traumas(unittest.TestCase):
    def test_H16_up_to_five(self):
        player = Player()
        for _ in range(5):
            self.assertEqual(player.do("trauma", 0), "applied")
        self.assertEqual((player.state(), player.count("traumas_new")), ("healthy", 5))

    def test_H16_the_sixth_kills(self):
        player = Player()
        for _ in range(6):
            player.do("trauma", 1)
        self.assertEqual((player.state(), player.count("traumas_new")), ("dead", 5))

    def test_H16_a_ruleset_may_say_otherwise(self):
        player = Player(extra_trauma_kills=0, trauma_limit=1)
        player.do("trauma", 1)
        self.assertEqual(player.do("trauma", 1), "trauma_limit")
        self.assertEqual((player.state(), player.count("traumas_new")), ("healthy", 1))

    def test_H16_diagnosis_names_the_kind(self):
        player = Player()
        player.do("trauma", 0)
        player.do("trauma", 1)
        self.assertEqual(player.do("diagnose", PHYSICAL, 7, CURABLE), "applied")
        self.assertEqual(player.do("diagnose", MENTAL, 3, CURABLE), "applied")
        self.assertEqual(player.do("diagnose", MENTAL, 3, CURABLE), "nothing_to_diagnose")
        found = [player.count("traumas_" + word) for word in ("new", "physical", "mental")]
        self.assertEqual(found, [0, 1, 1])

    def test_H16_persists_until_treated(self):
        for kind, counter in ((PHYSICAL, "traumas_physical"), (MENTAL, "traumas_mental")):
            player = Player()
            player.do("trauma", 0)
            self.assertEqual(player.do("treat_trauma", kind), "no_such_trauma")
            player.do("diagnose", kind, 1, CURABLE)
            player.wait(600 * MIN)
            self.assertEqual((player.count(counter), player.signal()), (1, "trauma"))
            self.assertEqual(player.do("treat_trauma", 1 - kind), "no_such_trauma")
            self.assertEqual(player.do("treat_trauma", kind), "applied")
            self.assertEqual((player.count(counter), player.signal()), (0, "healthy"))

    def test_H16_one_that_cannot_be_healed_stays(self):
        for kind, counter in ((PHYSICAL, "traumas_physical"), (MENTAL, "traumas_mental")):
            player = Player()
            for curable in (LASTS, CURABLE):
                player.do("trauma", 0)
                player.do("diagnose", kind, 1, curable)
            self.assertEqual(player.do("treat_trauma", kind), "applied")
            self.assertEqual(player.do("treat_trauma", kind), "cannot_be_healed")
            self.assertEqual(player.count(counter), 1)


class Common(unittest.TestCase):
    def test_G1_a_foul_costs_no_hits(self):
        player = Player()
        self.assertEqual(player.do("foul", 0, 12), "applied")
        self.assertEqual((player.count(), player.count("fouls")), (3, 1))

    def test_G2_no_hits_out_of_combat(self):
        player = Player()
        player.do("place", 1)
        self.assertEqual(player.signal(), "safe")
        self.assertEqual(player.do("hit", 1, SENSOR), "not_in_combat")
        self.assertEqual(player.do("place", 1), "already_there")
        player.do("place", 0)
        player.do("hit", 1, SENSOR)
        self.assertEqual(player.count(), 2)

    def test_G2_treatment_goes_on_out_of_combat(self):
        player = wounded()
        player.do("place", 1)
        self.assertEqual(player.do("treat"), "applied")

    def test_G3_exclusion_equals_death_and_nothing_undoes_it(self):
        player = Player()
        player.do("hit", 1, SENSOR)
        self.assertEqual(player.do("exclude"), "applied")
        self.assertEqual((player.state(), player.state("conduct")), ("dead", "excluded"))
        self.assertEqual(player.signal(), "excluded")
        for event in EVERYTHING:
            self.assertEqual(player.do(*event), "excluded")
        self.assertEqual(player.do("exclude"), "excluded")
        player.do("void", 1)
        player.wait(600 * MIN)
        self.assertEqual((player.state(), player.state("conduct")), ("dead", "excluded"))

    def test_G4_a_sudden_state_ends_by_master_treatment_or_time(self):
        for by in (0, 1):
            player = Player()
            player.do("sudden", 1, 0)
            self.assertEqual((player.signal(), player.count("sudden_kind")), ("sudden", 2))
            player.wait(24 * 60 * MIN)
            self.assertEqual(player.do("sudden_end", by), "applied")
            self.assertEqual((player.signal(), player.count("sudden_kind")), ("healthy", 0))
        player = Player()
        player.do("sudden", 0, 5)
        player.wait(5 * MIN)
        self.assertEqual((player.state("mind"), player.count("sudden_kind")), ("calm", 0))
        self.assertEqual(player.do("sudden_end", 0), "no_sudden_state")

    def test_signals_are_told_apart_without_colour(self):
        looks = []
        for red, green, vibration in Player().ruleset.signals[1:]:
            looks.append((sorted([red, green]), vibration))
        for look in looks:
            self.assertEqual(looks.count(look), 1)

    def test_H17_gestures_of_the_button(self):
        ruleset = Player().ruleset
        events = Player().names.EVENTS
        self.assertEqual(ruleset.gesture_event(1), (events.index("hit"), (1, BUTTON)))
        self.assertEqual(ruleset.gesture_event(2), (events.index("hit"), (1, SENSOR)))
        self.assertEqual(ruleset.gesture_event(3), (events.index("treat"), ()))
        self.assertEqual(ruleset.gesture_event(0x22), (0, (1, SENSOR)))
        self.assertIsNone(ruleset.gesture_event(0x29))


if __name__ == "__main__":
    unittest.main()
