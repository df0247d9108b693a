"""Burst tables: made-up edge lists of real contacts to the exact hits, at every phase."""

import os
import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from bursts import BURSTS
from contact_model import Machine, hits, longest_closed_us

from redband_core import limits

LONG_BOUNCES = ("worn elastomer", "wet contact for 8 s")
POLL_US = limits.INPUT_POLL_MS * 1000
IS_WHOLE = sys.implementation.name == "cpython" or os.getenv("REDBAND_PROOF") == "1"
PHASE_US = 500 if IS_WHOLE else 2500  # between the phases that are played


class Bursts(unittest.TestCase):
    def check(self, row, machine, late_ms=1):
        """Play one row; the stamps may be late by `late_ms`."""
        name, contact, edges, expected = row
        found, _filter = hits(contact, edges, machine)
        what = (name, machine.phase_us, machine.latency_us, machine.lost, machine.blocked, found)
        self.assertEqual(len(found), len(expected), repr(what))
        for index in range(len(found)):
            earliest_ms, latest_ms = expected[index]
            self.assertTrue(earliest_ms <= found[index] <= latest_ms + late_ms, repr(what))

    def test_every_burst_gives_its_hits_at_every_phase(self):
        for row in BURSTS:
            for phase_us in range(0, POLL_US, PHASE_US):
                self.check(row, Machine(phase_us=phase_us))

    def test_every_burst_gives_its_hits_when_its_edges_wake_the_looks(self):
        for row in BURSTS:
            self.check(row, Machine(phase_us=None))

    def test_the_same_while_the_interpreter_takes_a_millisecond_to_run_a_handler(self):
        # What is closed for less than that is not seen closed any more, and so may be a spike.
        for row in BURSTS:
            if row[0] != "spring touches for 1.5 ms" and row[3]:
                for phase_us in range(0, POLL_US, 2 * PHASE_US):
                    self.check(row, Machine(900, phase_us), late_ms=2)

    def test_lost_interrupts_cost_no_hit_that_a_look_can_see(self):
        for row in BURSTS:
            # Nor can looks alone see through what bounces for longer than settling takes.
            if row[0] in LONG_BOUNCES or (row[3] and longest_closed_us(row[2]) < POLL_US):
                continue
            for lost in (1, 2, 3, 5):
                for phase_us in range(0, POLL_US, 2 * PHASE_US):
                    # Without interrupts the time is that of a look, or of the next if it bounced.
                    self.check(row, Machine(60, phase_us, lost), late_ms=2 * limits.INPUT_POLL_MS)

    def test_R3_a_queue_of_eight_that_overflows_is_counted_and_costs_no_hit(self):
        for row in BURSTS:
            if row[0] != "R2 ten edges at release":
                continue
            edges = row[2]
            found, hit_filter = hits(row[1], edges, Machine(blocked=((415_000, 600_000),)))
            self.assertEqual(found, [300])
            self.assertEqual(hit_filter.overflow_count, 1)

    def test_R4_a_press_meets_a_stall_of_a_flash_write_at_any_phase(self):
        for row in BURSTS:
            if len(row[3]) != 1 or row[1] != "button" or row[2][-1] > 900_000:
                continue
            # Nobody can tell a spike in a stall from a contact: it counts, docs/inputs.md says.
            if row[0] in LONG_BOUNCES or "spike" in row[0]:
                continue
            start_us = row[2][0]
            for stall_us in (80_000, 400_000):
                for begin_us in range(
                    start_us - stall_us - 5000, row[2][-1] + 20_000, 7 * PHASE_US + 200
                ):
                    machine = Machine(blocked=((begin_us, begin_us + stall_us),))
                    within_us = max(0, begin_us + stall_us - start_us)
                    late_us = within_us if begin_us <= start_us else 0
                    self.check(row, machine, late_ms=1 + late_us // 1000)

    def test_spikes_are_counted(self):
        for row in BURSTS:
            if row[0] == "R7 spikes each 100 ms":
                found, hit_filter = hits(row[1], row[2], Machine())
                self.assertEqual((found, hit_filter.spike_count), ([], 20))


if __name__ == "__main__":
    unittest.main()
