"""redband_core.tap: who is meant, what is written; on both interpreters."""

import binascii
import unittest

from redband_core import numbers, tap
from redband_core.errors import ProtocolError, UsageError


def heard(*patients, times=tap.READINGS):
    """Return calls: each patient is (id, rssi), heard so many times, the last at 1000 ms."""
    calls = []
    for at_ms in range(1000 - 100 * (times - 1), 1001, 100):
        for patient_id, rssi_dbm in patients:
            tap.hear(calls, patient_id, 7000 + patient_id, rssi_dbm, at_ms)
    return calls


def meant(calls, now_ms=1000):
    found = tap.nearest(calls, now_ms)
    return found[0] if isinstance(found, list) else -found


class NearestTest(unittest.TestCase):
    def test_nobody_is_no_choice(self):
        self.assertEqual(tap.nearest([], 0), tap.NONE)

    def test_only_patient_near_enough_is_meant(self):
        self.assertEqual(meant(heard((9, tap.RSSI_MIN_DBM))), 9)
        self.assertEqual(tap.nearest(heard((9, tap.RSSI_MIN_DBM - 1)), 1000), tap.WEAK)

    def test_few_packets_say_nothing(self):
        few = heard((9, -40), times=tap.READINGS_MIN - 1)
        self.assertEqual(tap.nearest(few, 1000), tap.NONE)
        self.assertEqual(meant(heard((9, -40), times=tap.READINGS_MIN)), 9)

    def test_nearest_of_several_by_a_clear_lead_whoever_was_heard_first(self):
        for patients in (((1, -50), (2, -56), (3, -60)), ((3, -60), (2, -56), (1, -50))):
            self.assertEqual(meant(heard(*patients)), 1)

    def test_two_as_near_are_told_so(self):
        lead = tap.LEAD_DB
        self.assertEqual(tap.nearest(heard((1, -50), (2, -50 - lead + 1)), 1000), tap.TWO)
        self.assertEqual(meant(heard((1, -50), (2, -50 - lead))), 1)

    def test_one_strong_packet_makes_nobody_near(self):
        calls = heard((1, -60), (2, -52))
        tap.hear(calls, 1, 7001, -30, 1000)
        self.assertEqual(meant(calls), 2)

    def test_who_was_not_heard_for_a_while_is_no_choice_and_hides_nobody(self):
        calls = heard((1, -40))
        for _ in range(tap.READINGS):
            tap.hear(calls, 2, 7002, -60, 1000 + tap.QUIET_MS + 1)
        self.assertEqual(meant(calls, 1000 + tap.QUIET_MS), 1)
        self.assertEqual(meant(calls, 1000 + tap.QUIET_MS + 1), 2)

    def test_medic_who_comes_closer_is_understood(self):
        calls = heard((1, -55), (2, -57))
        self.assertEqual(tap.nearest(calls, 1000), tap.TWO)
        for _ in range(tap.READINGS // 2 + 1):
            tap.hear(calls, 2, 7002, -40, 1500)
        self.assertEqual(meant(calls, 1500), 2)

    def test_new_call_begins_with_its_own_nonce_and_packets(self):
        calls = heard((1, -40))
        tap.hear(calls, 1, 5, -41, 1100)
        self.assertEqual(calls, [[1, 5, [-41], 1100]])

    def test_calls_are_bounded_and_the_nearest_stay(self):
        patients = [(patient_id, -90 + patient_id) for patient_id in range(1, 30)]
        calls = heard(*patients)
        self.assertEqual(len(calls), tap.CALLS_MAX)
        self.assertTrue(29 in [call[0] for call in calls])
        for call in calls:
            self.assertTrue(len(call[2]) <= tap.READINGS)

    def test_median_of_two_is_the_weaker(self):
        self.assertEqual(tap.median([-40, -60]), -60)
        self.assertEqual(tap.median([-40, -60, -50]), -50)


class ActionsTest(unittest.TestCase):
    ACTIONS = [(3, (tap.SKILL,)), (4, (1, 0)), (5, ())]

    def test_exactly_what_is_listed_is_a_medics(self):
        for bound in ((5, ()), (4, (1, 0)), (3, (0,)), (3, (9,))):
            self.assertTrue(tap.is_medics(bound, self.ACTIONS), bound)
        for bound in ((5, (0,)), (4, (1, 1)), (4, (1,)), (3, ()), (6, ())):
            self.assertFalse(tap.is_medics(bound, self.ACTIONS), bound)

    def test_skill_stands_for_the_medics_own(self):
        self.assertEqual(tap.skilled((2, tap.SKILL, 0), 7), (2, 7, 0))


class RecordTest(unittest.TestCase):
    def test_golden_vector(self):
        data = tap.payload((tap.MEDIC, 2), 42, 0xAABBCCDD, numbers.ANSWER_ALREADY, (9, (2, 0)))
        self.assertEqual(binascii.hexlify(data), b"052a00ddccbbaa13090400")

    def test_every_value_comes_back(self):
        for who in ((tap.PATIENT, 0), (tap.PATIENT, 4), (tap.MEDIC, 1)):
            for outcome in (0, 1, 200, numbers.ANSWER_ROLE, numbers.ANSWER_ASKED):
                for event in ((0, ()), (255, (255, 0)), (3, (0, 1))):
                    value = (who, 0xFFFF, 0, outcome, event)
                    self.assertEqual(tap.parse(tap.payload(*value)), value)

    def test_other_bytes_are_refused(self):
        data = tap.payload((tap.MEDIC, 1), 1, 2, 3, (4, (5,)))
        for broken in (b"", data[:7], b"\x10" + data[1:], data + b"\x80"):
            self.assertRaises(ProtocolError, tap.parse, broken)

    def test_values_out_of_range_are_refused(self):
        self.assertRaises(UsageError, tap.payload, (tap.MEDIC, 1), 0x10000, 0, 0, (0, ()))
        self.assertRaises(UsageError, tap.payload, (tap.MEDIC, 1), 0, -1, 0, (0, ()))


if __name__ == "__main__":
    unittest.main()
