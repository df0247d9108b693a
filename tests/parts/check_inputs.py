"""The input task on real contacts: each press and blow once, with its own time."""

import unittest

import pins
from input_bench import Bench

from redband_core import gestures, numbers
from redband_hal import board

PRESS, IMPACT, HOLD = gestures.PRESS, gestures.IMPACT, gestures.HOLD


class Times(unittest.TestCase):
    def test_a_press_has_the_time_of_its_first_edge_not_of_the_look(self):
        bench = Bench()
        bench.run_to(400, [103, 104, 105, 190])
        self.assertEqual(bench.taken(), [(PRESS, 1, 103)])

    def test_a_gesture_has_the_time_of_its_first_press(self):
        bench = Bench()
        bench.run_to(5000, [103, 180, 303, 2500])
        expected = [(PRESS, 1, 103), (PRESS, 1, 303), (gestures.TAPS_HOLD + 1, 2, 103)]
        self.assertEqual(bench.taken(), expected)

    def test_five_taps_and_a_hold_are_the_emergency(self):
        bench = Bench()
        edges = []
        for number in range(5):
            edges += [100 + 200 * number, 180 + 200 * number]
        bench.run_to(4000, edges + [1100, 3500])
        self.assertEqual(bench.taken()[-1], (gestures.EMERGENCY, 6, 100))

    def test_R4_a_store_that_stalls_after_each_press_loses_none_and_no_time_is_wrong(self):
        # Each press is written: 80 ms, each 50th 400 ms, in which nothing runs.
        bench = Bench()
        for number in range(150):
            at_ms = 1000 + 500 * number + number % 10
            stall_ms = 400 if number % 50 == 49 else 80
            stalls = [(at_ms + 11, at_ms + 11 + stall_ms)]
            bench.run_to(at_ms + 470, [at_ms, at_ms + 1, at_ms + 3, at_ms + 80], stalls=stalls)
            found = [ms for code, _presses, ms in bench.taken() if code == PRESS]
            self.assertEqual(found, [at_ms])

    def test_R4_a_press_in_a_stall_at_any_phase_counts_once_late_by_the_stall_at_most(self):
        for stall_ms in (80, 400):
            bench = Bench()
            at_ms = 1000
            for phase in range(-stall_ms - 20, 120, 7):
                stalls = [(at_ms + phase, at_ms + phase + stall_ms)]
                edges = [at_ms, at_ms + 2, at_ms + 3, at_ms + 80, at_ms + 82, at_ms + 83]
                bench.run_to(at_ms - stall_ms - 100)
                bench.run_to(at_ms + 900, edges, stalls=stalls)
                found = [ms for code, _presses, ms in bench.taken() if code == PRESS]
                self.assertEqual(len(found), 1, "%d %d %r" % (stall_ms, phase, found))
                is_within = phase <= 0 < phase + stall_ms
                latest_ms = at_ms + (phase + stall_ms if is_within else 0)
                self.assertTrue(at_ms <= found[0] <= latest_ms)
                at_ms += 2000

    def test_R3_thirty_edges_while_the_loop_is_blocked_are_one_hit(self):
        bench = Bench()
        edges = [100 + 6 * number for number in range(30)]
        bench.run_to(3000, edges, stalls=[(95, 300)])
        self.assertEqual(len(bench.taken()), 1)
        self.assertEqual(bench.notes(), [(numbers.NOTE_EDGES_LOST, 1)])

    def test_R13_press_that_woke_the_chip_counts_once_though_the_pin_is_released(self):
        bench = Bench(woke=True)
        bench.run_to(3000)
        self.assertEqual(bench.taken(), [(PRESS, 1, 0)])

    def test_R13_press_that_woke_the_chip_and_is_still_held_counts_once(self):
        bench = Bench(woke=True, is_held=True)
        bench.run_to(700)
        pins.drive(board.PIN_BUTTON, 1)
        bench.run_to(3000)
        self.assertEqual(bench.taken(), [(PRESS, 1, 0)])

    def test_a_button_held_at_the_start_without_a_wake_up_is_no_hit(self):
        bench = Bench(is_held=True)
        bench.run_to(700)
        pins.drive(board.PIN_BUTTON, 1)
        bench.run_to(3000)
        self.assertEqual(bench.taken(), [])


class Spikes(unittest.TestCase):
    """A spike is over before the interrupt's handler runs: it finds the contact open, twice."""

    def test_R7_spikes_each_100_ms_are_no_hit_and_a_pulse_of_30_ms_is_one(self):
        for pin in (board.PIN_BUTTON, board.PIN_IMPACT):
            bench = Bench()
            for number in range(20):
                bench.run_to(100 * number + 53)
                bench.spike(pin)
            bench.run_to(2500)
            self.assertEqual(bench.taken(), [])
            bench.run_to(6000, [3003, 3033], pin)
            self.assertEqual([(code, ms) for code, _presses, ms in bench.taken()][0][1], 3003)

    def test_spike_of_one_ms_that_the_interrupt_saw_is_none_and_a_tap_of_5_ms_counts(self):
        bench = Bench()
        bench.run_to(1000, [511, 512])
        self.assertEqual(bench.taken(), [])
        bench.run_to(3000, [1511, 1516])
        self.assertEqual(bench.taken(), [(PRESS, 1, 1511)])

    def test_tap_of_5_ms_counts_at_every_phase_of_the_looks(self):
        for phase in range(10):
            bench = Bench()
            bench.run_to(1000, [500 + phase, 505 + phase])
            self.assertEqual(bench.taken(), [(PRESS, 1, 500 + phase)])

    def test_a_first_bounce_that_looks_like_a_spike_gives_the_press_its_time(self):
        bench = Bench()
        bench.run_to(1000, [509, 510, 512, 600])
        self.assertEqual(bench.taken(), [(PRESS, 1, 509)])

    def test_a_contact_within_a_stall_counts_though_nobody_saw_it_closed(self):
        bench = Bench()
        bench.run_to(1000, [520, 560], stalls=[(510, 600)])
        self.assertEqual(bench.taken(), [(PRESS, 1, 600)])

    def test_a_burst_of_spikes_in_a_stall_is_one_hit_at_most(self):
        bench = Bench()
        edges = []
        for number in range(20):
            edges += [520 + 3 * number, 520 + 3 * number]
        bench.run_to(1500, edges, stalls=[(510, 600)])
        self.assertEqual(len(bench.taken()), 1)

    def test_spikes_are_noted_with_their_count_once_a_minute(self):
        bench = Bench()
        for number in range(700):
            bench.run_to(100 * number + 53)
            bench.spike(board.PIN_BUTTON)
        bench.run_to(150_000)
        found = bench.notes()
        self.assertEqual([code for code, _value in found], [numbers.NOTE_INPUT_SPIKES] * 3)
        self.assertEqual(sum([value for _code, value in found]), 700)


class Ignored(unittest.TestCase):
    def test_G8_blows_within_the_refractory_time_are_noted_together_and_never_replayed(self):
        bench = Bench()
        edges = []
        for at_ms in (100, 200, 300, 400):
            edges += [at_ms, at_ms + 20]
        bench.blow(edges, 10_000)
        self.assertEqual(bench.taken(), [(IMPACT, 1, 100)])
        self.assertEqual(bench.notes(), [(numbers.NOTE_IMPACTS_IGNORED, 3)])

    def test_a_flood_of_blows_gives_one_note_a_second(self):
        bench = Bench()
        edges = []
        for number in range(50):
            edges += [100 + 100 * number, 120 + 100 * number]
        bench.blow(edges, 10_000)
        counted = len(bench.taken())
        found = bench.notes()
        self.assertEqual(counted + sum([value for _code, value in found]), 50)
        self.assertTrue(len(found) <= 6)

    def test_a_press_and_a_blow_at_once_both_count(self):
        bench = Bench()
        pins.drive(board.PIN_IMPACT, 0)
        bench.run_to(50, [3])
        pins.drive(board.PIN_IMPACT, 1)
        bench.run_to(300, [150])
        codes = [code for code, _presses, _ms in bench.taken()]
        self.assertEqual(sorted(codes), [PRESS, IMPACT])

    def test_a_note_that_finds_the_queue_full_is_written_later(self):
        bench = Bench()
        for number in range(16):
            bench.note_queue.put((1, number))
        bench.blow([100, 120, 200, 220], 3000)
        self.assertEqual(len(bench.notes()), 16)
        bench.run_to(4000)
        self.assertEqual(bench.notes(), [(numbers.NOTE_IMPACTS_IGNORED, 1)])
