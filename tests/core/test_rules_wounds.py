"""The wounds system, rule by rule (docs: RULES.md W1 to W12, and G1 to G4 where they touch it)."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import MIN, Player, S

from redband_core import led

SHOT, BLOW, MUTANT, PYROTECHNICS = 0, 1, 2, 3
BUTTON, SENSOR, STAFF = 0, 1, 2
SELF, OTHER = 0, 1
ALL, ONE = 0, 1
AMNESIA = [(0, 30 * MIN)]
EVERYTHING = (
    ("hit", SHOT, BUTTON),
    ("kit", SELF),
    ("treat",),
    ("escort",),
    ("fight_over", ALL),
    ("admit",),
    ("discharge",),
    ("sudden", 0, 5),
    ("sudden_end", 0),
    ("place", 1),
    ("foul", 0, 0),
)


class Fighter(Player):
    """A player of the wounds system."""

    def __init__(self, **params):
        Player.__init__(self, "wounds", **params)

    def wound(self):
        """Return the state of the wound."""
        return self.state("wound")


def light(**params):
    """Return a player who has just got a light wound."""
    player = Fighter(**params)
    player.do("hit", SHOT, BUTTON)
    return player


def patched(**params):
    """Return a player who got a light wound and a first-aid kit."""
    player = light(**params)
    player.do("kit", SELF)
    return player


def heavy(**params):
    """Return a player who has just got a heavy wound."""
    player = Fighter(**params)
    player.do("hit", PYROTECHNICS, BUTTON)
    return player


def armband(**params):
    """Return a heavily wounded player whose wait is over."""
    player = heavy(**params)
    player.do("fight_over", ONE)
    return player


def escorted():
    """Return a heavily wounded player on the way with a medic."""
    player = heavy()
    player.do("escort")
    return player


def in_hospital():
    """Return a wounded player who has been admitted."""
    player = armband()
    player.do("admit")
    return player


class LightWound(unittest.TestCase):
    def test_W1_shot_blow_and_touch_give_a_light_wound(self):
        for cause in (SHOT, BLOW, MUTANT):
            for source in (BUTTON, SENSOR, STAFF):
                player = Fighter()
                self.assertEqual(player.do("hit", cause, source), "applied")
                self.assertEqual((player.wound(), player.signal()), ("light", "light"))
                self.assertEqual(player.count("wounds"), 1)

    def test_W1_other_causes_are_refused(self):
        player = Fighter()
        self.assertEqual(player.do("hit", 4, BUTTON), "bad_arguments")
        self.assertEqual(player.wound(), "none")

    def test_W2_the_lightly_wounded_stay_on_the_spot(self):
        player = light()
        self.assertEqual(player.do("admit"), "must_stay")
        self.assertEqual(player.do("escort"), "not_heavy")
        self.assertEqual((player.wound(), player.signal()), ("light", "light"))

    def test_W3_a_second_hit_makes_it_heavy(self):
        for cause in (SHOT, BLOW, MUTANT, PYROTECHNICS):
            player = light()
            player.wait(MIN)
            self.assertEqual(player.do("hit", cause, SENSOR), "applied")
            self.assertEqual((player.wound(), player.count("wounds")), ("heavy", 2))

    def test_W3_the_second_hit_is_heavy_also_where_a_patched_wound_is_not(self):
        player = light(patched_hit_is_heavy=0)
        player.do("hit", SHOT, SENSOR)
        self.assertEqual(player.wound(), "heavy")

    def test_W4_without_a_kit_in_ten_minutes_it_becomes_heavy(self):
        player = light()
        player.wait(10 * MIN - 1)
        self.assertEqual((player.wound(), player.left("wound")), ("light", 1))
        self.assertEqual(player.wait(1), 1)
        self.assertEqual((player.wound(), player.left("wound")), ("heavy", 5 * MIN))

    def test_W4_the_time_for_a_kit_is_shown(self):
        player = light()
        player.wait(4 * MIN)
        self.assertEqual(player.engine.shown_timer_left_ms(), 6 * MIN)

    def test_W4_only_a_light_wound_without_a_kit_takes_one(self):
        for player in (Fighter(), patched(), heavy(), armband(), escorted(), in_hospital()):
            before = player.view()
            self.assertEqual(player.do("kit", SELF), "no_light_wound")
            self.assertEqual(player.view(), before)

    def test_W4_the_time_is_a_param(self):
        player = light(kit_ms=2 * S)
        player.wait(2 * S)
        self.assertEqual(player.wound(), "heavy")

    def test_W5_a_kit_in_time_brings_back_to_the_fight(self):
        for by in (SELF, OTHER):
            player = light()
            player.wait(10 * MIN - 1)
            self.assertEqual(player.do("kit", by), "applied")
            self.assertEqual((player.wound(), player.left("wound")), ("patched", -1))
            self.assertEqual(player.signal(), "patched")

    def test_W5_the_consequences_stay_until_a_medic_has_intervened(self):
        player = patched()
        player.wait(600 * MIN)
        self.assertEqual(player.wound(), "patched")
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual((player.wound(), player.signal()), ("none", "healthy"))

    def test_W5_the_next_hit_is_heavy_at_once(self):
        player = patched()
        player.do("hit", SHOT, BUTTON)
        self.assertEqual(player.wound(), "heavy")

    def test_W5_a_ruleset_may_say_otherwise(self):
        player = patched(patched_hit_is_heavy=0)
        player.do("hit", SHOT, BUTTON)
        self.assertEqual((player.wound(), player.left("wound")), ("light", 10 * MIN))
        player.do("kit", SELF)
        player.do("hit", PYROTECHNICS, BUTTON)
        self.assertEqual(player.wound(), "heavy")

    def test_W5_a_medic_brings_the_kit_along(self):
        player = light()
        self.assertEqual(player.do("treat"), "applied")
        self.assertEqual(player.wound(), "none")

    def test_W5_the_healthy_need_no_medic(self):
        self.assertEqual(Fighter().do("treat"), "nothing_to_treat")


class HeavyWound(unittest.TestCase):
    def test_W6_pyrotechnics_wound_heavily_at_once(self):
        self.assertEqual((heavy().wound(), heavy().count("wounds")), ("heavy", 1))

    def test_W6_a_repeated_hit_and_a_wound_that_got_worse_are_heavy(self):
        player = light()
        player.do("hit", BLOW, SENSOR)
        self.assertEqual(player.wound(), "heavy")
        player = light()
        player.wait(10 * MIN)
        self.assertEqual(player.wound(), "heavy")

    def test_W6_more_hits_change_nothing_but_have_a_reason_to_log(self):
        for player in (heavy(), armband(), escorted(), in_hospital()):
            player.wait(MIN)
            before = player.view()
            self.assertEqual(player.do("hit", PYROTECHNICS, SENSOR), "already_heavy")
            self.assertEqual(player.view(), before)

    def test_W7_five_minutes_on_the_spot_then_the_red_armband(self):
        player = heavy()
        player.wait(5 * MIN - 1)
        self.assertEqual((player.wound(), player.signal()), ("heavy", "heavy"))
        self.assertEqual(player.engine.shown_timer_left_ms(), 1)
        player.wait(1)
        self.assertEqual((player.wound(), player.signal()), ("armband", "armband"))
        self.assertEqual(player.lights(), (led.STEADY, led.OFF, led.OFF))

    def test_W7_nobody_is_admitted_before_the_wait_is_over(self):
        player = heavy()
        player.wait(4 * MIN)
        self.assertEqual(player.do("admit"), "must_stay")
        player.wait(MIN)
        self.assertEqual(player.do("admit"), "applied")
        self.assertEqual((player.wound(), player.signal()), ("hospital", "in_hospital"))

    def test_W7_the_armband_waits_for_the_hospital_without_end(self):
        player = armband()
        player.wait(24 * 60 * MIN)
        self.assertEqual(player.wound(), "armband")

    def test_W7_back_from_the_hospital_healthy(self):
        player = in_hospital()
        self.assertEqual(player.do("discharge"), "applied")
        self.assertEqual((player.wound(), player.signal()), ("none", "healthy"))
        self.assertEqual(player.do("discharge"), "not_in_hospital")

    def test_W7_the_wait_is_a_param(self):
        player = heavy(wait_ms=10 * MIN)
        player.wait(10 * MIN - 1)
        self.assertEqual(player.wound(), "heavy")
        player.wait(1)
        self.assertEqual(player.wound(), "armband")

    def test_W8_only_the_light_signal_is_left(self):
        player = heavy()
        red, _green, vibration = player.lights()
        self.assertTrue(red != led.OFF and vibration != led.OFF)
        for event in (("kit", SELF), ("kit", OTHER), ("treat",), ("admit",)):
            self.assertTrue(player.do(*event) != "applied")
        self.assertEqual(player.wound(), "heavy")

    def test_W8_a_heavy_wound_is_not_treated_in_the_field(self):
        for player in (heavy(), armband(), escorted()):
            self.assertEqual(player.do("treat"), "needs_hospital")

    def test_W9_the_property_stays_with_the_wounded_until_admission(self):
        # Texts of the states say it (tests/host/test_rules_texts.py); the record tells the moment.
        for player in (armband(), escorted()):
            self.assertEqual(player.do("admit"), "applied")
            self.assertEqual(player.wound(), "hospital")
            self.assertEqual(player.do("admit"), "not_admitted")

    def test_W9_a_patched_wound_can_be_brought_to_the_hospital_too(self):
        player = patched()
        self.assertEqual(player.do("admit"), "applied")
        self.assertEqual(player.wound(), "hospital")

    def test_W10_the_record_marks_thirty_minutes_before_a_heavy_wound(self):
        player = heavy()
        self.assertEqual(player.engine.notes, AMNESIA)
        player = light()
        self.assertEqual(player.engine.notes, [])
        player.do("hit", SHOT, BUTTON)
        self.assertEqual(player.engine.notes, AMNESIA)

    def test_W10_also_when_a_light_wound_got_worse(self):
        player = light()
        self.assertTrue(player.engine.advance_one(player.engine.now_ms + 10 * MIN) >= 0)
        self.assertEqual(player.engine.notes, AMNESIA)

    def test_W10_the_window_is_a_param(self):
        self.assertEqual(heavy(amnesia_ms=MIN).engine.notes, [(0, MIN)])

    def test_W11_the_end_of_the_fight_ends_the_wait_for_all_or_for_one(self):
        for whom in (ALL, ONE):
            player = heavy()
            player.wait(MIN)
            self.assertEqual(player.do("fight_over", whom), "applied")
            self.assertEqual((player.wound(), player.left("wound")), ("armband", -1))

    def test_W11_it_means_nothing_to_the_others(self):
        for player in (Fighter(), light(), patched(), armband(), escorted(), in_hospital()):
            before = player.view()
            self.assertEqual(player.do("fight_over", ALL), "not_waiting")
            self.assertEqual(player.view(), before)

    def test_W12_a_medic_brings_the_heavily_wounded_to_the_hospital_early(self):
        player = heavy()
        player.wait(MIN)
        self.assertEqual(player.do("escort"), "applied")
        self.assertEqual((player.wound(), player.left("wound")), ("escorted", -1))
        self.assertEqual(player.lights(), armband().lights())
        self.assertEqual(player.do("admit"), "applied")
        self.assertEqual(player.wound(), "hospital")

    def test_W12_only_the_heavily_wounded_are_escorted(self):
        for player in (Fighter(), light(), patched(), escorted(), in_hospital()):
            self.assertEqual(player.do("escort"), "not_heavy")


class Voiding(unittest.TestCase):
    def test_a_blow_on_a_shield_is_taken_back_within_ten_seconds(self):
        player = Fighter()
        player.do("hit", SHOT, SENSOR)
        player.wait(10 * S)
        self.assertEqual(player.do("void", 1, SENSOR), "applied")
        self.assertEqual((player.wound(), player.count("wounds")), ("none", 0))
        self.assertEqual(player.engine.next_deadline_ms(), -1)

    def test_a_voided_second_hit_gives_the_light_wound_back_with_its_time(self):
        player = light()
        player.wait(3 * MIN)
        player.do("hit", SHOT, SENSOR)
        player.wait(5 * S)
        player.do("void", 1)
        self.assertEqual((player.wound(), player.left("wound")), ("light", 7 * MIN - 5 * S))


class Common(unittest.TestCase):
    def test_G1_a_foul_wounds_nobody(self):
        player = Fighter()
        self.assertEqual(player.do("foul", 0, 12), "applied")
        self.assertEqual((player.wound(), player.count("fouls")), ("none", 1))

    def test_G2_no_hits_out_of_combat(self):
        player = Fighter()
        player.do("place", 1)
        self.assertEqual(player.signal(), "safe")
        self.assertEqual(player.do("hit", PYROTECHNICS, SENSOR), "not_in_combat")
        self.assertEqual(player.do("place", 1), "already_there")
        player.do("place", 0)
        self.assertEqual(player.do("place", 0), "already_there")
        self.assertEqual(player.do("hit", SHOT, SENSOR), "applied")

    def test_G2_in_the_hospital_no_hits_are_counted(self):
        self.assertEqual(in_hospital().do("hit", SHOT, SENSOR), "already_heavy")

    def test_G3_exclusion_equals_death_and_nothing_undoes_it(self):
        for player in (Fighter(), light(), patched(), heavy(), armband(), in_hospital()):
            self.assertEqual(player.do("exclude"), "applied")
            self.assertEqual((player.wound(), player.state("conduct")), ("dead", "excluded"))
            self.assertEqual(player.signal(), "excluded")
            for event in EVERYTHING:
                self.assertEqual(player.do(*event), "excluded")
            self.assertEqual(player.do("exclude"), "excluded")
            player.do("void", 1)
            player.wait(600 * MIN)
            self.assertEqual((player.wound(), player.signal()), ("dead", "excluded"))

    def test_G3_exclusion_ends_a_sudden_state(self):
        player = Fighter()
        self.assertEqual(player.do("sudden_end", 0), "no_sudden_state")
        player.do("sudden", 0, 5)
        player.do("exclude")
        self.assertEqual((player.state("mind"), player.count("sudden_kind")), ("calm", 0))

    def test_G4_a_sudden_state_lies_over_the_wound(self):
        player = patched()
        player.do("sudden", 0, 5)
        self.assertEqual((player.signal(), player.wound()), ("sudden", "patched"))
        player.wait(5 * MIN)
        self.assertEqual((player.signal(), player.count("sudden_kind")), ("patched", 0))
        player.do("sudden", 1, 0)
        self.assertEqual(player.do("sudden_end", 1), "applied")
        self.assertEqual(player.signal(), "patched")

    def test_a_heavy_wound_is_shown_before_a_sudden_state(self):
        player = heavy()
        player.do("sudden", 0, 0)
        self.assertEqual(player.signal(), "heavy")

    def test_gestures_of_the_button(self):
        ruleset = Fighter().ruleset
        events = Fighter().names.EVENTS
        self.assertEqual(ruleset.gesture_event(1), (events.index("hit"), (SHOT, BUTTON)))
        self.assertEqual(ruleset.gesture_event(2), (events.index("hit"), (SHOT, SENSOR)))
        self.assertEqual(ruleset.gesture_event(3), (events.index("kit"), (SELF,)))
        self.assertEqual(ruleset.gesture_event(0x22), (0, (1, SENSOR)))
        self.assertEqual(
            ruleset.gesture_event(0x23), (events.index("hit"), (PYROTECHNICS, BUTTON))
        )


if __name__ == "__main__":
    unittest.main()
