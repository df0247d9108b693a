"""The Hospital, rule by rule (docs: RULES.md R1 to R12, and G1 to G4 where they touch it)."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import MIN, Player

from redband_core import led

HEAD, TORSO, RIGHT_ARM, LEFT_ARM, RIGHT_LEG, LEFT_LEG = 1, 2, 3, 4, 5, 6
ALL_ZONES = 7
ZONES = ("head", "torso", "right_arm", "left_arm", "right_leg", "left_leg")
INTACT, DAMAGED, INFECTED = 0, 1, 2
WOUNDS, OTHER_CAUSE = 0, 1
RESUSCITATION, OUT_OF_GAME = 0, 1
INSURANCE, MONEY, WORK = 0, 1, 2
MAKER, SOMEBODY = 0, 1
HOUR = 60 * MIN


class Patient(Player):
    """A player of the Hospital."""

    def __init__(self, **params):
        Player.__init__(self, "hospital", **params)

    def stay(self):
        """Return the state of the stay."""
        return self.state("stay")

    def zones(self):
        """Return the state of the six zones."""
        return [self.count(zone) for zone in ZONES]

    def minutes(self):
        """Return the minutes left of the stay, rounded down."""
        return self.left("stay") // MIN

    def prescribe(self, *found):
        """Examine the (zone, state) pairs, prescribe; return the minutes of the stay."""
        for zone, state in found:
            self.do("examine", zone, state)
        if self.do("prescribe", RESUSCITATION, 0) != "applied":
            return None
        return max(0, self.left("stay")) // MIN


def admitted(**params):
    """Return a patient of the rehabilitation whose time has just been fixed."""
    patient = Patient(**params)
    patient.do("admit")
    return patient


def dead(cause=OTHER_CAUSE, **params):
    """Return a patient of the mortuary whose time has just been fixed."""
    patient = Patient(**params)
    patient.do("game_death", cause)
    patient.do("admit")
    return patient


def time_over(patient=None):
    """Return a patient whose stay has ended."""
    patient = patient or admitted()
    patient.prescribe()
    patient.wait(24 * HOUR)
    return patient


class Arrival(unittest.TestCase):
    def test_R1_the_time_is_fixed_on_arrival_and_runs_from_there(self):
        patient = admitted()
        self.assertEqual((patient.stay(), patient.signal()), ("admitted", "admitted"))
        patient.wait(15 * MIN)
        self.assertEqual(patient.prescribe(), 60 - 15)

    def test_R1_the_chief_doctor_examines_and_prescribes(self):
        patient = admitted()
        self.assertEqual(patient.do("examine", HEAD, DAMAGED), "applied")
        self.assertEqual(patient.do("prescribe", RESUSCITATION, 0), "applied")
        self.assertEqual((patient.stay(), patient.minutes()), ("treatment", 70))

    def test_R1_a_second_arrival_does_not_fix_the_time_again(self):
        patient = admitted()
        for _ in range(2):
            before = patient.view()
            self.assertEqual(patient.do("admit"), "already_there")
            self.assertEqual(patient.view(), before)
            patient.prescribe()

    def test_R1_prescribed_is_prescribed(self):
        patient = admitted()
        patient.prescribe()
        self.assertEqual(patient.do("prescribe", OUT_OF_GAME, 0), "prescribed")
        self.assertEqual(patient.stay(), "treatment")

    def test_R2_a_patient_in_treatment_is_shown(self):
        patient = admitted()
        patient.prescribe()
        self.assertEqual(patient.signal(), "treatment")

    def test_R3_six_zones_intact_damaged_or_infected(self):
        patient = admitted()
        self.assertEqual(patient.zones(), [0] * 6)
        for zone in range(1, 7):
            for found in (DAMAGED, INFECTED, INTACT, zone % 3):
                self.assertEqual(patient.do("examine", zone, found), "applied")
                self.assertEqual(patient.count(ZONES[zone - 1]), found)
        self.assertEqual(patient.zones(), [1, 2, 0, 1, 2, 0])

    def test_R3_there_is_no_seventh_zone_and_no_fourth_state(self):
        patient = admitted()
        for args in ((0, 0), (7, 0), (1, 3)):
            self.assertEqual(patient.do("examine", *args), "bad_arguments")


class Tables(unittest.TestCase):
    def test_R4_ten_minutes_for_an_intact_zone_twenty_for_a_damaged_one(self):
        self.assertEqual(admitted().prescribe(), 6 * 10)
        self.assertEqual(admitted().prescribe((LEFT_ARM, DAMAGED)), 5 * 10 + 20)
        damaged = [(zone, DAMAGED) for zone in range(1, 7)]
        self.assertEqual(admitted().prescribe(*damaged), 6 * 20)

    def test_R4_an_infected_zone_counts_as_damaged_in_the_rehabilitation(self):
        self.assertEqual(admitted().prescribe((HEAD, INFECTED)), 5 * 10 + 20)

    def test_R4_the_table_is_a_param(self):
        patient = admitted(rehab_intact_ms=MIN, rehab_damaged_ms=3 * MIN)
        self.assertEqual(patient.prescribe((HEAD, DAMAGED), (TORSO, DAMAGED)), 4 + 6)

    def test_R5_worked_example_a_wound_in_the_left_arm_gives_ten_minutes(self):
        patient = dead(WOUNDS)
        self.assertEqual(patient.do("roll", LEFT_ARM), "applied")
        self.assertEqual(patient.zones(), [0, 0, 0, DAMAGED, 0, 0])
        self.assertEqual(patient.prescribe(), 10)

    def test_R5_worked_example_with_a_virus_twenty_minutes_for_each_damaged_zone(self):
        for zones in ((LEFT_ARM,), (LEFT_ARM, HEAD), (1, 2, 3, 4, 5, 6)):
            found = [(zone, DAMAGED) for zone in zones]
            patient = Patient()
            patient.do("infect")
            patient.do("game_death", OTHER_CAUSE)
            patient.do("admit")
            patient.do("identify")
            self.assertEqual(patient.prescribe(*found), 20 * len(zones))
            found = [(zone, INFECTED) for zone in zones]
            self.assertEqual(dead().prescribe(*found), 20 * len(zones))

    def test_R5_five_ten_and_twenty_when_all_zones_are_counted(self):
        patient = dead(mortuary_counts_all=1)
        found = ((HEAD, DAMAGED), (TORSO, INFECTED))
        self.assertEqual(patient.prescribe(*found), 4 * 5 + 10 + 20)

    def test_R6_the_mortuary_counts_affected_zones_the_rehabilitation_all(self):
        found = ((HEAD, DAMAGED), (TORSO, DAMAGED))
        self.assertEqual(dead().prescribe(*found), 2 * 10)
        self.assertEqual(admitted().prescribe(*found), 4 * 10 + 2 * 20)

    def test_R6_counted_is_a_param_of_each_table(self):
        found = ((HEAD, DAMAGED),)
        self.assertEqual(admitted(rehab_counts_all=0).prescribe(*found), 20)
        self.assertEqual(dead(mortuary_counts_all=1).prescribe(*found), 5 * 5 + 10)

    def test_R6_with_nothing_to_count_the_time_is_over_at_once(self):
        patient = dead()
        self.assertEqual(patient.prescribe(), 0)
        self.assertEqual((patient.stay(), patient.signal()), ("time_over", "time_over"))

    def test_all_examinations_give_the_sum_over_the_zones(self):
        for number in range(0, 729, 7):
            states = [number // 3**k % 3 for k in range(6)]
            found = [(k + 1, state) for k, state in enumerate(states)]
            expected = sum([(5, 10, 20)[state] for state in states])
            self.assertEqual(dead(mortuary_counts_all=1).prescribe(*found), expected)
            expected = sum([(10, 20, 20)[state] for state in states])
            self.assertEqual(admitted().prescribe(*found), expected)


class Infection(unittest.TestCase):
    def infected(self, identified):
        patient = Patient()
        self.assertEqual(patient.do("infect"), "applied")
        patient.do("admit")
        if identified:
            self.assertEqual(patient.do("identify"), "applied")
        return patient

    def test_R7_until_identified_it_has_no_effect_on_the_time(self):
        patient = self.infected(identified=False)
        self.assertEqual(patient.state("infection"), "hidden")
        self.assertEqual(patient.prescribe((HEAD, DAMAGED)), 70)

    def test_R7_once_identified_the_rehabilitation_doubles(self):
        self.assertEqual(self.infected(identified=True).prescribe((HEAD, DAMAGED)), 140)

    def test_R7_identified_during_the_stay_it_doubles_too(self):
        patient = self.infected(identified=False)
        patient.prescribe((HEAD, DAMAGED))
        patient.wait(30 * MIN)
        self.assertEqual(patient.do("identify"), "applied")
        self.assertEqual((patient.minutes(), patient.count("stay_ms")), (110, 140 * MIN))

    def test_R7_recovery_uses_up_a_medical_resource(self):
        patient = time_over(self.infected(identified=True))
        patient.do("pay", MONEY)
        self.assertEqual(patient.do("discharge"), "needs_resource")
        self.assertEqual(patient.do("use_resource"), "applied")
        self.assertEqual(patient.count("resources"), 1)
        self.assertEqual(patient.do("use_resource"), "no_infection")
        self.assertEqual(patient.do("discharge"), "applied")
        self.assertEqual((patient.state("infection"), patient.count("resources")), ("none", 1))

    def test_R7_the_time_stays_doubled_when_the_resource_comes_first(self):
        patient = self.infected(identified=True)
        patient.do("use_resource")
        self.assertEqual(patient.prescribe(), 120)

    def test_R7_not_identified_it_leaves_with_the_patient(self):
        patient = time_over(self.infected(identified=False))
        patient.do("pay", WORK)
        self.assertEqual(patient.do("discharge"), "applied")
        self.assertEqual(patient.state("infection"), "hidden")

    def test_R7_the_resource_is_used_up_in_the_hospital_only(self):
        patient = Patient()
        patient.do("infect")
        patient.do("identify")
        self.assertEqual(patient.do("use_resource"), "no_start")

    def test_R7_the_infected_column_of_the_mortuary_does_not_double_again(self):
        patient = Patient()
        patient.do("infect")
        patient.do("identify")
        patient.do("game_death", OTHER_CAUSE)
        patient.do("admit")
        self.assertEqual(patient.prescribe((HEAD, INFECTED), (TORSO, DAMAGED)), 40)

    def test_R5_exposure_counts_in_the_mortuary_identified_or_not(self):
        for is_identified_first in (True, False):
            patient = Patient()
            patient.do("infect")
            patient.do("game_death", OTHER_CAUSE)
            patient.do("admit")
            if is_identified_first:
                patient.do("identify")
            self.assertEqual(patient.prescribe((LEFT_ARM, DAMAGED)), 20)
            patient.do("identify")
            self.assertEqual(patient.minutes(), 20)

    def test_R7_nothing_to_identify_in_the_healthy(self):
        patient = admitted()
        self.assertEqual(patient.do("identify"), "no_infection")
        self.assertEqual(patient.do("use_resource"), "no_infection")

    def test_R7_a_second_contact_changes_nothing(self):
        patient = Patient()
        patient.do("infect")
        self.assertEqual(patient.do("infect"), "already_there")


class Implants(unittest.TestCase):
    def test_R8_no_implants_the_general_times(self):
        self.assertEqual(admitted().prescribe((HEAD, DAMAGED)), 70)

    def test_R8_minutes_off_one_zone_only_as_much_as_it_counts(self):
        for minutes, expected in ((5, 65), (20, 50), (60, 50)):
            patient = admitted(implant_1_zone=HEAD, implant_1_less_ms=minutes * MIN)
            self.assertEqual(patient.prescribe((HEAD, DAMAGED)), expected)

    def test_R8_the_zone_is_the_implants_own(self):
        for zone in range(1, 7):
            patient = admitted(implant_1_zone=zone, implant_1_percent=0)
            self.assertEqual(patient.prescribe((zone, DAMAGED)), 50)
            patient = admitted(implant_2_zone=zone, implant_2_percent=0)
            self.assertEqual(patient.prescribe((1 + zone % 6, DAMAGED)), 60)

    def test_R8_a_factor_on_one_zone(self):
        patient = dead(implant_2_zone=LEFT_ARM, implant_2_percent=50)
        self.assertEqual(patient.prescribe((LEFT_ARM, INFECTED), (HEAD, DAMAGED)), 10 + 10)

    def test_R8_minutes_or_a_factor_on_all(self):
        patient = admitted(implant_1_zone=ALL_ZONES, implant_1_less_ms=25 * MIN)
        self.assertEqual(patient.prescribe(), 35)
        patient = admitted(implant_1_zone=ALL_ZONES, implant_1_percent=75)
        self.assertEqual(patient.prescribe(), 45)

    def test_R8_two_implants_work_one_after_the_other(self):
        patient = admitted(
            implant_1_zone=HEAD,
            implant_1_less_ms=10 * MIN,
            implant_2_zone=ALL_ZONES,
            implant_2_percent=50,
        )
        self.assertEqual(patient.prescribe((HEAD, DAMAGED)), (70 - 10) // 2)

    def test_R8_never_less_than_no_time(self):
        patient = admitted(implant_1_zone=ALL_ZONES, implant_1_less_ms=12 * HOUR)
        self.assertEqual(patient.prescribe(), 0)
        self.assertEqual(patient.stay(), "time_over")

    def test_R8_a_zone_that_is_not_counted_gives_nothing_to_shorten(self):
        patient = dead(implant_1_zone=HEAD, implant_1_less_ms=10 * MIN)
        self.assertEqual(patient.prescribe((TORSO, DAMAGED)), 10)

    def test_R8_a_broken_implant_has_no_effect_until_its_maker_repairs_it(self):
        for which in (1, 2):
            zone = f"implant_{which}_zone"
            percent = f"implant_{which}_percent"
            patient = Patient(**{zone: ALL_ZONES, percent: 50})
            self.assertEqual(patient.do("implant_broken", which), "applied")
            self.assertEqual(patient.do("implant_broken", which), "already_there")
            self.assertEqual(patient.do("implant_repaired", which, SOMEBODY), "only_the_maker")
            self.assertEqual(patient.do("implant_repaired", 3 - which, MAKER), "not_broken")
            patient.do("admit")
            self.assertEqual(patient.prescribe(), 60)
            patient = Patient(**{zone: ALL_ZONES, percent: 50})
            patient.do("implant_broken", which)
            self.assertEqual(patient.do("implant_repaired", which, MAKER), "applied")
            patient.do("admit")
            self.assertEqual(patient.prescribe(), 30)


class Mortuary(unittest.TestCase):
    def test_R9_game_death_is_clinical_death_until_the_mortuary(self):
        patient = Patient()
        self.assertEqual(patient.do("game_death", OTHER_CAUSE), "applied")
        self.assertEqual((patient.stay(), patient.signal()), ("clinical", "clinical"))
        patient.wait(48 * HOUR)
        self.assertEqual(patient.do("game_death", WOUNDS), "dead")
        self.assertEqual(patient.do("admit"), "applied")
        self.assertEqual((patient.stay(), patient.state("table")), ("admitted", "mortuary"))

    def test_R9_the_dead_do_nothing_else(self):
        patient = Patient()
        patient.do("game_death", WOUNDS)
        for event in (("infect",), ("place", 1), ("implant_broken", 1)):
            self.assertEqual(patient.do(*event), "dead")
        self.assertEqual(patient.do("discharge"), "not_in_hospital")
        self.assertEqual(patient.do("roll", 1), "no_roll")

    def test_R9_the_character_and_all_its_states_are_replaced(self):
        patient = Patient()
        patient.do("sudden", 0, 0)  # seen after the mortuary: the psychosis of the dead one
        patient.do("infect")
        patient.do("implant_broken", 1)
        patient.do("implant_broken", 2)
        patient.do("game_death", WOUNDS)
        patient.do("admit")
        patient.do("roll", TORSO)
        time_over(patient)
        patient.do("pay", MONEY)
        self.assertEqual(patient.do("discharge"), "applied")
        self.assertEqual(len(patient.engine.notes), 1)
        self.assertEqual((patient.zones(), patient.state("infection")), ([0] * 6, "none"))
        self.assertEqual((patient.state("mind"), patient.count("sudden_kind")), ("calm", 0))
        gone = ("broken_1", "broken_2", "paid", "die", "more_ms", "resources", "stay_ms")
        self.assertEqual([patient.count(name) for name in gone], [0] * len(gone))
        self.assertEqual(patient.engine.next_deadline_ms(), -1)

    def test_R9_the_rehabilitation_does_not_replace_the_character(self):
        patient = Patient()
        patient.do("implant_broken", 1)
        patient.do("admit")
        time_over(patient)
        patient.do("pay", MONEY)
        patient.do("discharge")
        self.assertEqual((patient.count("broken_1"), patient.engine.notes), (1, []))

    def test_R9_wounds_as_cause_need_the_die_for_the_zone(self):
        for zone in range(1, 7):
            patient = dead(WOUNDS)
            self.assertEqual(patient.do("prescribe", RESUSCITATION, 0), "roll_first")
            self.assertEqual(patient.do("roll", zone), "applied")
            self.assertEqual(patient.zones(), [int(k + 1 == zone) for k in range(6)])
            self.assertEqual(patient.do("roll", zone), "no_roll")
            self.assertEqual(patient.prescribe(), 10)

    def test_R9_the_die_does_not_make_an_infected_zone_better(self):
        patient = dead(WOUNDS)
        patient.do("examine", HEAD, INFECTED)
        patient.do("roll", HEAD)
        self.assertEqual(patient.count("head"), INFECTED)

    def test_R9_a_die_has_six_sides(self):
        for sides in (0, 7):
            self.assertEqual(dead(WOUNDS).do("roll", sides), "bad_arguments")

    def test_R9_no_die_for_another_cause(self):
        self.assertEqual(dead(OTHER_CAUSE).do("roll", 1), "no_roll")

    def test_R9_the_chief_doctor_sets_the_worsening(self):
        patient = dead()
        patient.do("examine", HEAD, DAMAGED)
        self.assertEqual(patient.do("prescribe", RESUSCITATION, 15), "applied")
        self.assertEqual(patient.minutes(), 25)

    def test_R10_only_the_chief_doctor_and_the_patient_act_inside(self):
        others = (
            ("game_death", WOUNDS),
            ("infect",),
            ("implant_broken", 1),
            ("implant_repaired", 1, MAKER),
            ("place", 1),
        )
        suspended = admitted()
        suspended.do("prescribe", OUT_OF_GAME, 0)
        treated = admitted()
        treated.prescribe()
        for patient in (admitted(), treated, suspended, time_over()):
            for event in others:
                self.assertEqual(patient.do(*event), "inside")

    def test_R10_the_hospitals_actions_belong_to_its_desk(self):
        patient = Patient()
        game_master = 1 << 3
        for name in ("examine", "prescribe", "roll", "pay", "identify", "use_resource"):
            roles = patient.ruleset.event_roles[patient.names.EVENTS.index(name)]
            self.assertEqual(roles, game_master)

    def test_R10_called_to_resuscitation_or_out_of_the_game_for_a_time(self):
        for step, state in ((RESUSCITATION, "treatment"), (OUT_OF_GAME, "suspended")):
            patient = admitted()
            patient.do("prescribe", step, 0)
            self.assertEqual((patient.stay(), patient.signal()), (state, state))
            patient.wait(HOUR - 1)
            self.assertEqual(patient.stay(), state)
            patient.wait(1)
            self.assertEqual(patient.stay(), "time_over")


class Discharge(unittest.TestCase):
    def test_R11_no_discharge_before_payment_is_recorded(self):
        patient = time_over()
        self.assertEqual(patient.do("discharge"), "not_paid")
        self.assertEqual(patient.stay(), "time_over")

    def test_R11_insurance_game_money_or_work(self):
        for by in (INSURANCE, MONEY, WORK):
            patient = time_over()
            self.assertEqual(patient.do("pay", by), "applied")
            self.assertEqual(patient.count("paid"), by + 1)
            self.assertEqual(patient.do("pay", MONEY), "already_there")
            self.assertEqual(patient.do("discharge"), "applied")
            self.assertEqual((patient.stay(), patient.signal()), ("outside", "healthy"))

    def test_R11_insurance_pays_for_the_insured_only(self):
        patient = time_over(admitted(insured=0))
        self.assertEqual(patient.do("pay", INSURANCE), "not_insured")
        self.assertEqual(patient.do("pay", WORK), "applied")

    def test_R11_nobody_pays_outside(self):
        self.assertEqual(Patient().do("pay", MONEY), "not_in_hospital")
        self.assertEqual(Patient().do("discharge"), "not_in_hospital")

    def test_R11_each_stay_is_paid_for_anew_and_begins_with_a_whole_body(self):
        patient = admitted()
        patient.do("examine", HEAD, DAMAGED)
        time_over(patient)
        patient.do("pay", MONEY)
        patient.do("discharge")
        self.assertEqual((patient.zones(), patient.count("paid")), ([0] * 6, 0))
        patient.do("admit")
        self.assertEqual(patient.prescribe(), 60)
        patient.wait(HOUR)
        self.assertEqual(patient.do("discharge"), "not_paid")

    def test_R11_payment_does_not_shorten_the_stay(self):
        patient = admitted()
        patient.do("pay", MONEY)
        self.assertEqual(patient.do("discharge"), "time_not_over")
        patient.prescribe()
        self.assertEqual(patient.do("discharge"), "time_not_over")
        patient.wait(HOUR)
        self.assertEqual(patient.do("discharge"), "applied")

    def test_R12_no_time_counts_without_a_fixed_start(self):
        patient = Patient(implant_1_zone=HEAD, implant_2_zone=ALL_ZONES)
        self.assertEqual(patient.do("examine", HEAD, DAMAGED), "no_start")
        self.assertEqual(patient.do("prescribe", RESUSCITATION, 0), "no_start")
        patient.do("game_death", WOUNDS)
        self.assertEqual(patient.do("roll", HEAD), "no_roll")
        self.assertEqual(patient.do("examine", HEAD, DAMAGED), "no_start")
        self.assertEqual(patient.do("prescribe", OUT_OF_GAME, 0), "no_start")
        self.assertEqual((patient.stay(), patient.left("stay")), ("clinical", -1))

    def test_R12_the_badge_shows_the_time_running_and_when_it_is_over(self):
        patient = admitted()
        patient.prescribe()
        patient.wait(20 * MIN)
        self.assertEqual(patient.engine.shown_timer_left_ms(), 40 * MIN)
        patient.wait(40 * MIN)
        self.assertEqual((patient.stay(), patient.signal()), ("time_over", "time_over"))
        self.assertTrue(patient.lights()[2] != led.OFF)

    def test_R12_waiting_longer_than_the_stay_uses_it_up(self):
        patient = admitted()
        patient.wait(2 * HOUR)
        self.assertEqual(patient.prescribe(), 0)
        self.assertEqual(patient.stay(), "time_over")

    def test_R9_nobody_leaves_unexamined_and_a_day_without_it_alerts_the_doctor(self):
        for patient in (admitted(), dead(WOUNDS)):
            patient.wait(24 * HOUR - 1)
            self.assertEqual(patient.signal(), "admitted")
            patient.wait(1)
            self.assertEqual((patient.stay(), patient.signal()), ("admitted", "unexamined"))
            patient.do("pay", MONEY)
            self.assertEqual(patient.do("discharge"), "time_not_over")
            patient.do("roll", HEAD)
            self.assertEqual((patient.prescribe(), patient.signal()), (0, "time_over"))
            self.assertEqual(patient.do("discharge"), "applied")

    def test_R9_the_zone_of_the_die_is_not_intact_whatever_is_found(self):
        for found, expected in ((INTACT, 1), (DAMAGED, 1), (INFECTED, 2)):
            for is_rolled_first in (True, False):
                patient = dead(WOUNDS)
                actions = [("roll", TORSO), ("examine", TORSO, found)]
                for action in actions if is_rolled_first else actions[::-1]:
                    patient.do(*action)
                self.assertEqual(patient.zones(), [0, expected, 0, 0, 0, 0])

    def test_R9_the_die_is_due_once_and_never_in_the_next_stay(self):
        patient = dead(WOUNDS)
        patient.do("roll", HEAD)
        time_over(patient)
        patient.do("pay", MONEY)
        patient.do("discharge")
        patient.do("admit")
        self.assertEqual(patient.do("roll", HEAD), "no_roll")
        patient.do("examine", HEAD, INTACT)
        self.assertEqual(patient.prescribe(), 60)


def permutations(items):
    """Return all orders of a list (MicroPython has no itertools)."""
    if not items:
        return [[]]
    found = []
    for at, item in enumerate(items):
        found += [[item] + rest for rest in permutations(items[:at] + items[at + 1 :])]
    return found


class AnyOrder(unittest.TestCase):
    """R7: the stay is one formula of the facts, in whatever order they come."""

    IMPLANT = {"implant_1_zone": 7, "implant_1_percent": 50}  # of the zones, not of the minutes

    def ends(self, patient_of, actions):
        """Return the ends that all orders of the actions lead to, a minute apart."""
        found = set()
        for order in permutations(actions):
            patient = patient_of()
            for action in order:
                self.assertEqual(patient.do(*action), "applied", action)
                patient.wait(MIN)
            found.add((patient.stay(), patient.left("stay"), patient.count("stay_ms")))
            patient.wait(24 * HOUR)
            patient.do("use_resource")
            self.assertEqual(patient.do("discharge"), "applied")
        return found

    def test_R7_any_order_of_the_desks_actions_gives_the_same_stay(self):
        for step, stay in ((RESUSCITATION, "treatment"), (OUT_OF_GAME, "suspended")):
            actions = [("identify",), ("examine", HEAD, DAMAGED), ("examine", LEFT_LEG, INFECTED)]
            actions += [("prescribe", step, 30), ("pay", MONEY)]
            for params, minutes in (({}, 2 * 80 + 30), (self.IMPLANT, 80 + 30)):
                self.check(params, (), actions, (stay, minutes))
                self.check(params, ("game_death", OTHER_CAUSE), actions, (stay, 0))

    def check(self, params, death, actions, end):
        def patient_of():
            patient = Patient(**params)
            patient.do("infect")
            if death:
                patient.do(*death)
            patient.do("admit")
            return patient

        stay, minutes = end
        if death:  # two zones, both infected
            minutes = 40 * params.get("implant_1_percent", 100) // 100 + 30
        left_ms = minutes * MIN - len(actions) * MIN
        self.assertEqual(self.ends(patient_of, actions), {(stay, left_ms, minutes * MIN)})

    def test_R7_a_later_fact_reopens_a_stay_that_was_over(self):
        for step, stay in ((RESUSCITATION, "treatment"), (OUT_OF_GAME, "suspended")):
            patient = Patient()
            patient.do("infect")
            patient.do("admit")
            patient.do("prescribe", step, 0)
            patient.wait(70 * MIN)
            self.assertEqual(patient.stay(), "time_over")
            patient.do("identify")
            self.assertEqual((patient.stay(), patient.minutes()), (stay, 120 - 70))
            patient.do("examine", HEAD, DAMAGED)
            self.assertEqual((patient.stay(), patient.minutes()), (stay, 140 - 70))
            patient.wait(70 * MIN)
            self.assertEqual(patient.stay(), "time_over")


class Common(unittest.TestCase):
    def test_G1_G2_G4_in_the_hospital(self):
        patient = admitted()
        self.assertEqual(patient.do("foul", 1, 2), "applied")
        self.assertEqual(patient.do("place", 1), "inside")
        self.assertEqual(patient.do("sudden", 1, 0), "applied")
        self.assertEqual(patient.signal(), "admitted")
        self.assertEqual((patient.count("fouls"), patient.count("sudden_kind")), (1, 2))

    def test_G3_exclusion_ends_the_stay_and_nothing_undoes_it(self):
        for patient in (Patient(), admitted(), dead(), time_over()):
            patient.do("exclude")
            self.assertEqual((patient.stay(), patient.signal()), ("outside", "excluded"))
            for event in (("admit",), ("game_death", 0), ("infect",), ("discharge",)):
                self.assertEqual(patient.do(*event), "excluded")
            patient.wait(24 * HOUR)
            self.assertEqual(patient.signal(), "excluded")


class WoundsAndHospital(unittest.TestCase):
    """What happens where the two systems meet."""

    def player(self, *events):
        player = Player("wounds_hospital")
        for event in events:
            self.assertEqual(player.do(*event), "applied")
        return player

    def both(self, player):
        return (player.state("wound"), player.state("stay"))

    def test_W7_R12_from_the_hit_over_the_hospital_to_healthy(self):
        player = self.player(("hit", 0, 0), ("hit", 0, 1))
        self.assertEqual(player.do("admit"), "must_stay")
        player.wait(5 * MIN)
        self.assertEqual((player.signal(), player.do("admit")), ("armband", "applied"))
        self.assertEqual(self.both(player), ("hospital", "admitted"))
        player.do("examine", LEFT_ARM, DAMAGED)
        player.do("prescribe", RESUSCITATION, 0)
        self.assertEqual((player.signal(), player.left("stay")), ("treatment", 70 * MIN))
        player.wait(70 * MIN)
        self.assertEqual(player.do("discharge"), "not_paid")
        self.assertEqual(self.both(player), ("hospital", "time_over"))
        player.do("pay", WORK)
        self.assertEqual(player.do("discharge"), "applied")
        self.assertEqual(self.both(player), ("none", "outside"))
        self.assertEqual(player.signal(), "healthy")

    def test_W12_R1_escorted_to_the_desk_before_the_wait_is_over(self):
        player = self.player(("hit", 3, 0), ("escort",), ("admit",))
        self.assertEqual(self.both(player), ("hospital", "admitted"))

    def test_W11_R1_the_end_of_the_fight_opens_the_way(self):
        player = self.player(("hit", 3, 0), ("fight_over", 0), ("admit",))
        self.assertEqual(player.signal(), "admitted")

    def test_R10_G2_no_hits_and_no_medics_inside(self):
        player = self.player(("hit", 3, 0), ("escort",), ("admit",))
        for event in (("hit", 0, 1), ("kit", 1), ("treat",), ("escort",), ("fight_over", 0)):
            self.assertEqual(player.do(*event), "inside")
        player = self.player(("admit",))
        self.assertEqual(player.do("hit", 0, 1), "inside")

    def test_R9_death_takes_the_wound_with_the_character(self):
        for hits in ((), (("hit", 0, 0),), (("hit", 3, 0),)):
            player = self.player(*hits)
            player.do("game_death", WOUNDS)
            self.assertEqual(self.both(player), ("none", "clinical"))
            self.assertEqual(player.do("game_death", WOUNDS), "dead")
            self.assertEqual(player.do("hit", 0, 0), "dead")
            player.wait(HOUR)
            self.assertEqual((player.do("admit"), player.signal()), ("applied", "admitted"))
            self.assertEqual(self.both(player), ("hospital", "admitted"))
            player.do("roll", LEFT_ARM)
            player.do("prescribe", RESUSCITATION, 0)
            self.assertEqual(player.left("stay"), 10 * MIN)
            player.wait(10 * MIN)
            player.do("pay", INSURANCE)
            self.assertEqual(player.do("discharge"), "applied")
            self.assertEqual(self.both(player), ("none", "outside"))

    def test_R1_the_healthy_can_be_admitted_for_a_check(self):
        player = self.player(("infect",), ("admit",), ("identify",))
        self.assertEqual(self.both(player), ("none", "admitted"))
        player.do("prescribe", RESUSCITATION, 0)
        self.assertEqual(player.left("stay"), 120 * MIN)

    def test_G3_exclusion_ends_both(self):
        player = self.player(("hit", 3, 0), ("escort",), ("admit",), ("exclude",))
        self.assertEqual(self.both(player), ("dead", "outside"))
        self.assertEqual(player.signal(), "excluded")
        for name in ("hit", "admit", "pay", "examine", "place"):
            number = player.names.EVENTS.index(name)
            args = [low for low, _high in player.ruleset.arg_ranges[number]]
            self.assertEqual(player.do(name, *args), "excluded")

    def test_G2_place_keeps_hits_away_outside_the_hospital(self):
        player = self.player(("place", 1))
        self.assertEqual(player.do("hit", 0, 1), "not_in_combat")

    def test_signals_are_told_apart_without_colour(self):
        looks = []
        for ruleset_id in ("wounds", "hospital", "wounds_hospital"):
            signals = Player(ruleset_id).ruleset.signals
            looks = [(sorted([red, green]), vibration) for red, green, vibration in signals]
            for look in looks:
                # The escorted wear the same armband (W12).
                self.assertTrue(looks.count(look) == 1 or look == ([led.OFF, led.STEADY], led.OFF))


if __name__ == "__main__":
    unittest.main()
