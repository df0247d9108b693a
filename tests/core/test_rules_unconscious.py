"""The Unconscious condition, rule by rule (docs: RULES.md P1 to P7, and G2 to G4 with it)."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import MIN, Player

from redband_core import led

LETHAL, NONLETHAL = 0, 1
YES, NO = 0, 1
SLEEP, EFFECT, MAGIC = 0, 1, 2
HEALING, REST = 0, 1
LOUD, QUIET = 0, 1
EACH_SLEEP = (("asleep", SLEEP), ("effect", EFFECT), ("magic", MAGIC))


def awake(**params):
    """Return a player with all Hit Points."""
    return Player("unconscious", **params)


def sleeper(by=SLEEP, **params):
    """Return a player who has just fallen asleep or unconscious above 0 HP."""
    player = awake(**params)
    player.do("sleep", by, YES, YES)
    return player


def dying(**params):
    """Return a player who has just lost the last Hit Point."""
    player = awake(**params)
    player.do("damage", 999, LETHAL, YES, YES)
    return player


def stable(**params):
    """Return a player unconscious at 0 HP and not dying."""
    player = awake(**params)
    player.do("damage", 999, NONLETHAL, YES, YES)
    return player


def each_unconscious():
    """Return a player in each state of being unconscious."""
    return [sleeper(by) for _state, by in EACH_SLEEP] + [dying(), stable()]


def mind(player):
    """Return the state of consciousness."""
    return player.state("awareness")


class Condition(unittest.TestCase):
    def test_P1_the_unconscious_cannot_act(self):
        for player in each_unconscious():
            before = player.view()
            self.assertEqual(player.do("stand_up"), "unconscious")
            self.assertEqual(player.do("pick_up"), "unconscious")
            self.assertEqual(player.view(), before)

    def test_P1_penalty_of_four_while_unconscious(self):
        for player in each_unconscious():
            self.assertEqual(player.count("penalty"), 4)
        self.assertEqual(awake().count("penalty"), 0)

    def test_P1_the_penalty_ends_with_the_condition(self):
        player = sleeper()
        player.do("interact")
        self.assertEqual(player.count("penalty"), 0)
        player = dying()
        player.do("heal", 1, HEALING)
        self.assertEqual(player.count("penalty"), 0)

    def test_P1_the_penalty_is_a_param_and_stays_for_the_deeper_sleep(self):
        player = sleeper(status_penalty=2)
        player.do("sleep", MAGIC, YES, YES)
        self.assertEqual((mind(player), player.count("penalty")), ("magic", 2))

    def test_P1_the_penalty_is_shown_as_a_number_on_every_badge(self):
        player = awake()
        shown = [player.names.COUNTERS[i] for i in player.ruleset.shown_counters]
        self.assertEqual(shown, ["hp", "penalty"])

    def test_P1_each_way_of_being_unconscious_is_shown(self):
        signals = [player.signal() for player in each_unconscious()]
        self.assertEqual(signals, ["asleep", "asleep", "magic", "dying", "stable"])
        self.assertEqual(awake().signal(), "healthy")

    def test_P1_no_two_signals_look_alike_without_colour(self):
        looks = []
        for red, green, vibration in awake().ruleset.signals:
            lights = sorted([light for light in (red, green) if light != led.OFF])
            self.assertTrue((lights, vibration) not in looks)
            looks.append((lights, vibration))

    def test_P2_falls_prone_and_drops_what_is_held(self):
        for player in each_unconscious():
            self.assertEqual(player.state("posture"), "prone")
            self.assertEqual(player.state("hands"), "dropped")

    def test_P2_unless_the_effect_or_the_master_says_otherwise(self):
        for falls, drops in ((YES, NO), (NO, YES), (NO, NO)):
            for event in (("sleep", EFFECT), ("damage", 999, LETHAL), ("damage", 999, NONLETHAL)):
                player = awake()
                self.assertEqual(player.do(*event + (falls, drops)), "applied")
                posture = "standing" if falls else "prone"
                self.assertEqual(player.state("posture"), posture)
                self.assertEqual(player.state("hands"), "holding" if drops else "dropped")

    def test_P2_only_on_gaining_it(self):
        player = awake()
        player.do("sleep", SLEEP, NO, NO)
        player.do("sleep", EFFECT, YES, YES)
        player.do("damage", 999, LETHAL, YES, YES)
        self.assertEqual((mind(player), player.state("posture")), ("dying", "standing"))
        self.assertEqual(player.state("hands"), "holding")

    def test_P2_damage_that_leaves_hit_points_knocks_nobody_down(self):
        player = awake(max_hp=10)
        player.do("damage", 9, LETHAL, YES, YES)
        self.assertEqual((mind(player), player.count("hp")), ("awake", 1))
        self.assertEqual((player.state("posture"), player.state("hands")), ("standing", "holding"))

    def test_P2_awake_one_stands_up_and_picks_up(self):
        player = sleeper()
        player.do("interact")
        self.assertEqual(player.signal(), "prone")
        self.assertEqual(player.do("stand_up"), "applied")
        self.assertEqual(player.signal(), "dropped")
        self.assertEqual(player.do("pick_up"), "applied")
        self.assertEqual(player.signal(), "healthy")
        self.assertEqual(player.do("stand_up"), "already_so")
        self.assertEqual(player.do("pick_up"), "already_so")


class AtZero(unittest.TestCase):
    def test_P3_lethal_damage_to_zero_is_dying(self):
        player = awake(max_hp=7)
        self.assertEqual(player.do("damage", 7, LETHAL, YES, YES), "applied")
        self.assertEqual((mind(player), player.count("hp")), ("dying", 0))

    def test_P3_the_dying_do_not_wake_at_zero(self):
        player = dying()
        before = player.view()
        for event in (("interact",), ("noise", 1, LOUD), ("turn", 20), ("master_wakes",)):
            self.assertEqual(player.do(*event), "dying")
        self.assertEqual(player.do("heal", 5, REST), "dying")
        self.assertEqual(player.do("sleep", SLEEP, YES, YES), "at_zero")
        self.assertEqual(player.view(), before)

    def test_P3_the_dying_do_not_wake_by_time(self):
        player = dying()
        player.wait(24 * 60 * MIN)
        self.assertEqual((mind(player), player.count("hp")), ("dying", 0))

    def test_P3_one_hit_point_by_healing_ends_dying_and_unconscious(self):
        player = dying()
        self.assertEqual(player.do("heal", 1, HEALING), "applied")
        self.assertEqual((mind(player), player.count("hp")), ("waking", 1))
        self.assertEqual(player.signal(), "waking")

    def test_P3_acts_normally_from_the_next_turn(self):
        player = dying()
        player.do("heal", 3, HEALING)
        self.assertEqual(player.do("stand_up"), "next_turn")
        self.assertEqual(player.do("pick_up"), "next_turn")
        self.assertEqual(player.do("turn", 1), "applied")
        self.assertEqual(mind(player), "awake")
        self.assertEqual(player.do("stand_up"), "applied")

    def test_P3_more_damage_to_the_dying_changes_nothing(self):
        player = dying()
        self.assertEqual(player.do("damage", 5, LETHAL, YES, YES), "no_hp_left")
        self.assertEqual(player.count("hp"), 0)

    def test_P3_healing_gives_no_more_than_the_maximum(self):
        player = dying(max_hp=12)
        player.do("heal", 500, HEALING)
        self.assertEqual(player.count("hp"), 12)

    def test_P3_one_who_has_just_come_round_can_lose_it_again(self):
        player = dying()
        player.do("heal", 1, HEALING)
        player.do("damage", 1, LETHAL, YES, YES)
        self.assertEqual((mind(player), player.count("penalty")), ("dying", 4))

    def test_P4_nonlethal_damage_to_zero_is_not_dying(self):
        player = stable()
        self.assertEqual((mind(player), player.count("hp")), ("stable", 0))

    def test_P4_after_enough_time_regains_one_and_wakes(self):
        player = stable()
        player.wait(10 * MIN - 1)
        self.assertEqual((mind(player), player.left("awareness")), ("stable", 1))
        self.assertEqual(player.wait(1), 1)
        self.assertEqual((mind(player), player.count("hp")), ("awake", 1))
        self.assertEqual(player.count("penalty"), 0)

    def test_P4_the_master_sets_the_time(self):
        for minutes in (10, 45, 6 * 60, 12 * 60):
            player = stable()
            player.wait(5 * MIN)
            self.assertEqual(player.do("set_time", minutes), "applied")
            self.assertEqual(player.left("awareness"), minutes * MIN)
            player.wait(minutes * MIN - 1)
            self.assertEqual(mind(player), "stable")
            player.wait(1)
            self.assertEqual((mind(player), player.count("hp")), ("awake", 1))

    def test_P4_the_time_is_ten_minutes_to_several_hours(self):
        for minutes in (0, 9, 721):
            player = stable()
            self.assertEqual(player.do("set_time", minutes), "bad_arguments")
            self.assertEqual(player.left("awareness"), 10 * MIN)

    def test_P4_nobody_else_has_such_a_time(self):
        for player in (awake(), sleeper(), dying()):
            self.assertEqual(player.do("set_time", 30), "no_time_runs")

    def test_P4_healing_before_that_ends_it(self):
        player = stable()
        player.do("set_time", 60)
        player.wait(MIN)
        self.assertEqual(player.do("heal", 2, HEALING), "applied")
        self.assertEqual((mind(player), player.count("hp")), ("waking", 2))
        self.assertEqual(player.left("awareness"), -1)
        player.do("turn", 1)
        self.assertEqual(mind(player), "awake")

    def test_P4_nothing_else_wakes_at_zero(self):
        player = stable()
        for event in (("interact",), ("noise", 1, LOUD), ("turn", 20), ("master_wakes",)):
            self.assertEqual(player.do(*event), "at_zero")
        self.assertEqual(player.do("heal", 5, REST), "at_zero")
        self.assertEqual((mind(player), player.left("awareness")), ("stable", 10 * MIN))

    def test_P4_the_dying_can_be_made_stable(self):
        player = dying()
        self.assertEqual(player.do("stabilise"), "applied")
        self.assertEqual((mind(player), player.left("awareness")), ("stable", 10 * MIN))
        self.assertEqual(player.do("stabilise"), "not_dying")

    def test_P4_lethal_damage_is_dying_again_and_stops_the_time(self):
        player = stable()
        self.assertEqual(player.do("damage", 1, NONLETHAL, YES, YES), "no_hp_left")
        self.assertEqual(player.do("damage", 1, LETHAL, YES, YES), "applied")
        self.assertEqual((mind(player), player.left("awareness")), ("dying", -1))


class AboveZero(unittest.TestCase):
    def test_P5a_damage_that_leaves_hit_points_wakes(self):
        for state, by in EACH_SLEEP:
            player = sleeper(by)
            self.assertEqual(mind(player), state)
            player.do("damage", 3, LETHAL, YES, YES)
            self.assertEqual((mind(player), player.count("hp")), ("awake", 17))

    def test_P5a_damage_to_zero_keeps_unconscious_and_adds_dying(self):
        for _state, by in EACH_SLEEP:
            player = sleeper(by, max_hp=3)
            player.do("damage", 3, LETHAL, YES, YES)
            self.assertEqual((mind(player), player.count("penalty")), ("dying", 4))

    def test_P5a_nonlethal_damage_to_zero_keeps_unconscious(self):
        player = sleeper(max_hp=3)
        player.do("damage", 9, NONLETHAL, YES, YES)
        self.assertEqual((mind(player), player.count("hp")), ("stable", 0))

    def test_P5b_healing_wakes(self):
        for _state, by in EACH_SLEEP:
            player = sleeper(by)
            player.do("heal", 1, HEALING)
            self.assertEqual((mind(player), player.count("hp")), ("awake", 20))

    def test_P5b_natural_rest_heals_but_does_not_wake(self):
        player = awake()
        player.do("damage", 10, LETHAL, YES, YES)
        player.do("sleep", SLEEP, YES, YES)
        self.assertEqual(player.do("heal", 4, REST), "applied")
        self.assertEqual((mind(player), player.count("hp")), ("asleep", 14))

    def test_P5c_someone_who_interacts_wakes(self):
        for _state, by in EACH_SLEEP:
            player = sleeper(by)
            self.assertEqual(player.do("interact"), "applied")
            self.assertEqual(mind(player), "awake")
        self.assertEqual(awake().do("interact"), "is_awake")

    def test_P5d_perception_with_the_penalty_against_the_noise(self):
        for roll, state in ((13, "asleep"), (14, "awake")):
            player = sleeper(perception=5)
            self.assertEqual(player.do("noise", 15, LOUD), "applied")
            self.assertEqual((mind(player), player.signal()), ("asleep", "noise"))
            self.assertEqual(player.do("turn", roll), "applied")
            self.assertEqual(mind(player), state)

    def test_P5d_the_check_is_in_the_log(self):
        player = sleeper(perception=5)
        player.do("noise", 30, LOUD)
        player.do("turn", 11)
        self.assertEqual(player.engine.notes, [(0, 11 + 5 - 4)])

    def test_P5d_the_lowest_dc_of_several(self):
        for dcs in ((25, 12, 30), (12, 25, 30), (30, 25, 12)):
            player = sleeper(EFFECT, perception=0)
            for dc in dcs:
                player.do("noise", dc, LOUD)
            self.assertEqual(player.count("lowest_dc"), 12)
            player.do("turn", 15)
            self.assertEqual((mind(player), player.count("lowest_dc")), ("effect", 0))
            player.do("noise", 12, LOUD)
            player.do("turn", 16)
            self.assertEqual(mind(player), "awake")

    def test_P5d_quiet_creatures_are_heard_against_their_stealth_dc(self):
        player = sleeper(perception=0)
        player.do("noise", 22, QUIET)
        player.do("turn", 20)
        self.assertEqual(mind(player), "asleep")
        player.do("noise", 22, QUIET)
        player.do("noise", 16, QUIET)
        player.do("turn", 20)
        self.assertEqual(mind(player), "awake")

    def test_P5d_each_turn_has_its_own_noises(self):
        player = sleeper()
        player.do("noise", 20, LOUD)
        player.do("turn", 1)
        self.assertEqual(player.do("turn", 20), "is_quiet")
        self.assertEqual((mind(player), player.signal()), ("asleep", "asleep"))

    def test_P5d_a_noise_forgotten_on_waking_does_not_wake_the_next_sleep(self):
        player = sleeper()
        player.do("noise", 1, LOUD)
        player.do("interact")
        self.assertEqual(player.count("lowest_dc"), 0)
        player.do("sleep", SLEEP, YES, YES)
        self.assertEqual(player.do("turn", 20), "is_quiet")

    def test_P5d_a_die_has_twenty_sides(self):
        player = sleeper()
        player.do("noise", 1, LOUD)
        self.assertEqual(player.do("turn", 0), "bad_arguments")
        self.assertEqual(player.do("turn", 21), "bad_arguments")
        self.assertEqual(mind(player), "asleep")

    def test_P5d_the_awake_need_no_check(self):
        self.assertEqual(awake().do("noise", 10, LOUD), "is_awake")
        self.assertEqual(awake().do("turn", 10), "is_awake")

    def test_P5e_the_master_ends_a_plain_sleep_only(self):
        player = sleeper()
        self.assertEqual(player.do("master_wakes"), "applied")
        self.assertEqual(mind(player), "awake")
        for by in (EFFECT, MAGIC):
            player = sleeper(by)
            self.assertEqual(player.do("master_wakes"), "not_plain_sleep")
            self.assertTrue(mind(player) != "awake")
        self.assertEqual(awake().do("master_wakes"), "not_plain_sleep")

    def test_P5_time_alone_ends_no_sleep(self):
        for state, by in EACH_SLEEP:
            player = sleeper(by)
            player.wait(24 * 60 * MIN)
            self.assertEqual(mind(player), state)

    def test_P6_a_magical_sleep_forbids_the_check(self):
        player = sleeper(MAGIC)
        self.assertEqual(player.do("noise", 1, LOUD), "no_check")
        self.assertEqual(player.do("turn", 20), "no_check")
        self.assertEqual((mind(player), player.count("lowest_dc")), ("magic", 0))

    def test_P6_the_deeper_sleep_counts(self):
        player = sleeper(SLEEP)
        player.do("noise", 5, LOUD)
        self.assertEqual(player.do("sleep", MAGIC, YES, YES), "applied")
        self.assertEqual(player.do("turn", 20), "no_check")
        self.assertEqual(player.count("lowest_dc"), 0)
        self.assertEqual(player.do("sleep", SLEEP, YES, YES), "already_so")
        self.assertEqual(player.do("sleep", EFFECT, YES, YES), "already_so")
        self.assertEqual(mind(player), "magic")

    def test_P7_exactly_one_hit_point_is_treated_as_above_zero(self):
        for event in (("interact",), ("heal", 1, HEALING), ("master_wakes",)):
            player = awake(max_hp=8)
            player.do("damage", 7, LETHAL, YES, YES)
            player.do("sleep", SLEEP, YES, YES)
            self.assertEqual((mind(player), player.count("hp")), ("asleep", 1))
            self.assertEqual(player.do(*event), "applied")
            self.assertEqual(mind(player), "awake")

    def test_P7_damage_that_leaves_exactly_one_wakes(self):
        player = sleeper(max_hp=8)
        player.do("damage", 7, LETHAL, YES, YES)
        self.assertEqual((mind(player), player.count("hp")), ("awake", 1))

    def test_P7_noise_wakes_at_exactly_one(self):
        player = awake(max_hp=8)
        player.do("damage", 7, LETHAL, YES, YES)
        player.do("sleep", EFFECT, YES, YES)
        player.do("noise", 10, LOUD)
        player.do("turn", 20)
        self.assertEqual((mind(player), player.count("hp")), ("awake", 1))


class Common(unittest.TestCase):
    def test_G2_no_damage_in_a_safe_place(self):
        player = sleeper()
        player.do("place", 1)
        self.assertEqual(player.do("damage", 99, LETHAL, YES, YES), "not_in_combat")
        self.assertEqual((mind(player), player.count("hp")), ("asleep", 20))

    def test_G3_exclusion_is_final(self):
        player = dying()
        player.do("exclude")
        for event in (("heal", 9, HEALING), ("stabilise",), ("stand_up",), ("turn", 20)):
            self.assertEqual(player.do(*event), "excluded")
        self.assertEqual(player.signal(), "excluded")

    def test_G4_a_sudden_state_is_shown_to_the_awake(self):
        player = awake()
        player.do("sudden", 0, 5)
        self.assertEqual(player.signal(), "sudden")
        player.do("sleep", EFFECT, YES, YES)
        self.assertEqual((player.signal(), player.state("mind")), ("asleep", "sudden"))
        player.wait(5 * MIN)
        self.assertEqual((mind(player), player.state("mind")), ("effect", "calm"))


class Gestures(unittest.TestCase):
    def test_P5c_holding_the_sleepers_button_wakes(self):
        ruleset = awake().ruleset
        events = awake().names.EVENTS
        self.assertEqual(ruleset.gesture_event(3), (events.index("interact"), ()))

    def test_P5a_damage_by_a_press_that_began_a_hold_is_taken_back(self):
        player = sleeper(max_hp=1)
        player.do("damage", 1, LETHAL, YES, YES)
        self.assertEqual(mind(player), "dying")
        self.assertEqual(player.do("void", 1), "applied")
        self.assertEqual((mind(player), player.count("hp")), ("asleep", 1))


if __name__ == "__main__":
    unittest.main()
