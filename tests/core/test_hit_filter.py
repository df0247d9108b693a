"""redband_core.hit_filter: recorded edges to exact hits (PITFALLS R2, R3, G8, G9)."""

import unittest

from redband_core import limits
from redband_core.hit_filter import IGNORED, NONE, PRESS, RELEASE, HitFilter

# How contacts bounced, as times of edges in ms from the first; the level toggles at each. The last
# edge of a press leaves the contact closed, that of a release open.
BOUNCES = (
    (),
    (1, 2),
    (0, 0),
    (1, 1, 2, 4),
    (2, 3, 5, 6, 7, 9),
    (0, 1, 1, 2, 2, 3, 3, 4, 5, 6),
    (4, 5, 8, 9),
)


def press_edges(start_ms, duration_ms, bounce):
    """Return the edges of one press whose both ends bounce."""
    edges = [start_ms] + [start_ms + after_ms for after_ms in bounce]
    end_ms = start_ms + duration_ms
    return edges + [end_ms] + [end_ms + after_ms for after_ms in bounce]


def run(contact, edges, end_ms, poll_ms=limits.INPUT_POLL_MS, stalls=(), delivered=1000, phase=0):
    """Sample the contact as the firmware does; return [(code, press_ms or now_ms)].

    stalls: (from_ms, to_ms) during which nobody samples. delivered: interrupts that a stall lets
    through at most.
    """
    results = []
    taken = 0
    now_ms = phase
    while now_ms <= end_ms:
        if not any(begin <= now_ms < end for begin, end in stalls):
            seen = len([edge for edge in edges if edge <= now_ms])
            first_ms = edges[taken] if seen > taken else 0
            count = min(seen - taken, delivered)
            taken = seen
            last_ms = edges[seen - 1] if seen else 0
            code = contact.sample(seen % 2 == 1, count, first_ms, now_ms, last_ms)
            if code != NONE:
                stamped = code in (PRESS, IGNORED)
                results.append((code, contact.press_ms if stamped else contact.release_ms))
        now_ms += poll_ms
    return results


def button():
    return HitFilter(limits.BUTTON_SETTLE_MS, limits.BUTTON_REFRACTORY_MS, limits.STUCK_MS)


def codes(results):
    return [code for code, _ in results]


class Bounce(unittest.TestCase):
    def test_R2_one_press_gives_many_interrupts(self):
        for bounce in BOUNCES:
            for phase in range(10):
                for duration_ms in (30, 80, 400, 3000):
                    edges = press_edges(103, duration_ms, bounce)
                    results = run(button(), edges, 103 + duration_ms + 100, phase=phase)
                    self.assertEqual(codes(results), [PRESS, RELEASE])
                    self.assertEqual(results[0][1], 103)
                    released_ms = results[1][1] - 103 - duration_ms
                    self.assertTrue(0 <= released_ms <= 20)

    def test_no_latency_the_first_sample_after_the_edge_is_the_press(self):
        contact = button()
        self.assertEqual(contact.sample(False, 0, 0, 0), NONE)
        self.assertEqual(contact.sample(True, 1, 3, 10), PRESS)
        self.assertEqual(contact.press_ms, 3)

    def test_a_pulse_between_two_samples_is_a_press_then_a_release(self):
        for edge_count in (1, 2, 7):
            contact = button()
            contact.sample(False, 0, 0, 0)
            self.assertEqual(contact.sample(False, edge_count, 4, 10), PRESS)
            self.assertEqual(contact.press_ms, 4)
            results = [contact.sample(False, 0, 0, now_ms) for now_ms in (20, 30, 40)]
            self.assertEqual(results, [NONE, RELEASE, NONE])

    def test_levels_alone_are_enough_when_every_interrupt_is_lost(self):
        contact = button()
        levels = (0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1)
        results = [contact.sample(bool(on), 0, 0, i * 10) for i, on in enumerate(levels)]
        self.assertEqual(results, [0, 0, PRESS, 0, 0, 0, 0, 0, RELEASE, 0, PRESS, 0])
        self.assertEqual(contact.press_ms, 100)

    def test_a_crackle_while_held_is_no_release(self):
        edges = [100, 1100, 1101, 1500, 1512, 1513, 1514, 3100]
        results = run(button(), edges, 3300)
        self.assertEqual(codes(results), [PRESS, RELEASE])

    def test_a_stamp_from_the_future_is_now(self):
        contact = button()
        contact.sample(False, 0, 0, 0)
        self.assertEqual(contact.sample(True, 1, 9999, 10), PRESS)
        self.assertEqual(contact.press_ms, 10)


class Rate(unittest.TestCase):
    """The measure of the issue: 12 bouncing presses a second, for 10 s, none lost or doubled."""

    def presses(self, bounce, duration_ms=40):
        edges = []
        for number in range(120):
            edges += press_edges(200 + number * 1000 // 12, duration_ms, bounce)
        return edges

    def test_R2_twelve_bouncing_presses_a_second_count_120(self):
        for bounce in BOUNCES:
            for phase in range(0, 10, 3):
                results = run(button(), self.presses(bounce), 10400, phase=phase)
                pressed = [at_ms for code, at_ms in results if code == PRESS]
                expected = [200 + number * 1000 // 12 for number in range(120)]
                self.assertEqual(pressed, expected)
                self.assertEqual(codes(results).count(RELEASE), 120)
                self.assertEqual(codes(results).count(IGNORED), 0)

    def test_R3_the_same_while_the_loop_is_late_again_and_again(self):
        # Every other task may take 20 ms; the stamps tell the rest.
        for every_ms in (53, 70, 130):
            stalls = [(at_ms, at_ms + 20) for at_ms in range(150, 10400, every_ms)]
            for bounce in BOUNCES[:5] + BOUNCES[6:]:  # all whose edges fit the interrupt queue
                results = run(button(), self.presses(bounce), 10400, stalls=stalls)
                self.assertEqual(codes(results).count(PRESS), 120)

    def test_a_press_follows_a_press_when_the_release_fell_into_a_stall(self):
        # Released at 140, seen open at 140; then late until 250, with a press at 200.
        results = run(button(), [100, 139, 200, 230], 400, stalls=((150, 250),))
        self.assertEqual(results, [(PRESS, 100), (PRESS, 200), (RELEASE, 230)])


class Blocked(unittest.TestCase):
    def test_R3_thirty_edges_while_the_loop_is_blocked_is_one_hit(self):
        edges = [100 + 6 * number for number in range(30)]
        contact = button()
        results = run(contact, edges, 500, stalls=((95, 300),), delivered=8)
        self.assertEqual(codes(results), [PRESS, RELEASE])
        self.assertEqual(results[0][1], 100)
        self.assertEqual(contact.overflow_count, 1)

    def test_R4_a_press_and_its_release_within_one_stall_count_once_with_its_time(self):
        for bounce in BOUNCES:
            edges = press_edges(130, 60, bounce)
            results = run(button(), edges, 900, stalls=((100, 500),), delivered=8)
            self.assertEqual(codes(results), [PRESS, RELEASE])
            self.assertEqual(results[0][1], 130)

    def test_R3_the_last_stamp_of_a_full_queue_is_not_believed(self):
        # Eight edges came through, up to 107; the contact went on bouncing until 160.
        contact = button()
        contact.sample(False, 0, 0, 90)
        self.assertEqual(contact.sample(False, 8, 100, 160, 107), PRESS)
        self.assertEqual(contact.sample(True, 1, 162, 170, 162), NONE)

    def test_rested_means_still_for_the_whole_settle_time(self):
        for rest_ms, code in ((19, NONE), (20, RELEASE), (21, RELEASE)):
            contact = HitFilter(20, 0, limits.STUCK_MS)
            contact.sample(False, 0, 0, 0)
            contact.sample(True, 1, 10, 10)
            contact.sample(False, 1, 100, 100)
            self.assertEqual(contact.sample(False, 0, 0, 100 + rest_ms), code)

    def test_a_quiet_badge_counts_no_overflow(self):
        contact = button()
        run(contact, press_edges(100, 80, (1, 2)), 300)
        self.assertEqual(contact.overflow_count, 0)


class Refractory(unittest.TestCase):
    def test_G8_several_hits_for_one_contact(self):
        contact = HitFilter(10, 300, limits.STUCK_MS)
        edges = [100, 120, 200, 220, 350, 370, 401, 420]
        results = run(contact, edges, 600)
        self.assertEqual(
            [result for result in results if result[0] != RELEASE],
            [(PRESS, 100), (IGNORED, 200), (IGNORED, 350), (PRESS, 401)],
        )
        # The end of an ignored contact is not reported, so a gesture sees nothing of it.
        self.assertEqual(codes(results).count(RELEASE), 2)
        self.assertEqual(contact.ignored_count, 2)

    def test_G8_an_ignored_contact_is_never_replayed(self):
        contact = HitFilter(10, 300, limits.STUCK_MS)
        results = run(contact, [100, 120, 250, 900], 2000)
        self.assertEqual(codes(results), [PRESS, RELEASE, IGNORED])

    def test_an_ignored_contact_does_not_prolong_the_time(self):
        contact = HitFilter(10, 300, limits.STUCK_MS)
        results = run(contact, [100, 120, 390, 392, 440, 450], 700)
        self.assertEqual(codes(results), [PRESS, RELEASE, IGNORED, PRESS, RELEASE])

    def test_G8_a_sensor_that_rings_is_one_blow(self):
        contact = HitFilter(limits.IMPACT_SETTLE_MS, limits.IMPACT_REFRACTORY_MS, limits.STUCK_MS)
        edges = [1000 + 7 * number for number in range(200)]
        self.assertEqual(codes(run(contact, edges, 3000)), [PRESS, RELEASE])

    def test_G9_our_own_motor_is_no_hit(self):
        contact = HitFilter(limits.IMPACT_SETTLE_MS, limits.IMPACT_REFRACTORY_MS, limits.STUCK_MS)
        contact.hold_off(300 + limits.VIBRATION_HOLD_OFF_MS)
        edges = [10 + 9 * number for number in range(34)] + [900, 905]
        results = run(contact, edges, 1500)
        self.assertEqual(codes(results), [IGNORED, PRESS, RELEASE])
        self.assertEqual(results[1][1], 900)

    def test_a_shorter_hold_off_takes_nothing_back(self):
        contact = HitFilter(10, 0, limits.STUCK_MS)
        contact.hold_off(500)
        contact.hold_off(200)
        self.assertEqual(codes(run(contact, [300, 310, 600, 610], 700)), [IGNORED, PRESS, RELEASE])


class Stuck(unittest.TestCase):
    def test_a_clamped_button_is_one_press_and_is_named(self):
        contact = button()
        results = run(contact, [100], 100 + limits.STUCK_MS - 10)
        self.assertEqual(codes(results), [PRESS])
        self.assertFalse(contact.is_stuck)
        self.assertEqual(contact.sample(True, 0, 0, 100 + limits.STUCK_MS), NONE)
        self.assertTrue(contact.is_stuck)
        # A crackle does not cure it, a rest does; then it counts again.
        now_ms = 200 + limits.STUCK_MS
        self.assertEqual(contact.sample(True, 2, now_ms, now_ms), NONE)
        self.assertTrue(contact.is_stuck)
        self.assertEqual(contact.sample(False, 1, now_ms + 10, now_ms + 10), NONE)
        self.assertTrue(contact.is_stuck)
        self.assertEqual(contact.sample(False, 0, 0, now_ms + 30), RELEASE)
        self.assertFalse(contact.is_stuck)
        self.assertEqual(contact.sample(True, 1, now_ms + 40, now_ms + 40), PRESS)

    def test_a_contact_closed_at_power_on_costs_no_hit(self):
        contact = button()
        results = run(contact, [0], limits.STUCK_MS)
        self.assertEqual(
            codes(results), [PRESS]
        )  # an edge was seen: the press that woke the badge
        contact = button()
        self.assertEqual([contact.sample(True, 0, 0, at) for at in (0, 10, 20)], [NONE] * 3)
        contact.sample(True, 0, 0, limits.STUCK_MS)
        self.assertTrue(contact.is_stuck)
        late_ms = limits.STUCK_MS + 100
        self.assertEqual(
            [contact.sample(False, 0, 0, late_ms + at) for at in (0, 10, 20, 30)], [NONE] * 4
        )
        self.assertEqual(contact.sample(True, 1, late_ms + 50, late_ms + 50), PRESS)

    def test_a_contact_that_chatters_between_all_looks_is_stuck_too(self):
        contact = button()
        codes_found = []
        for now_ms in range(100, limits.STUCK_MS + 140, 10):
            codes_found.append(contact.sample(False, 2, now_ms - 8, now_ms, now_ms - 4, 4))
        self.assertEqual([code for code in codes_found if code], [PRESS])
        self.assertTrue(contact.is_stuck)


class Spikes(unittest.TestCase):
    """`seen_ms`: for how long the interrupts saw the contact closed."""

    def contact(self):
        contact = HitFilter(15, 50, limits.STUCK_MS, 2)
        contact.sample(False, 0, 0, 0)
        return contact

    def test_R7_closed_for_less_than_a_contact_takes_is_a_spike(self):
        for seen_ms, code in ((0, NONE), (1, NONE), (2, PRESS), (9, PRESS), (-1, PRESS)):
            contact = self.contact()
            self.assertEqual(contact.sample(False, 2, 3, 10, 3 + max(seen_ms, 0), seen_ms), code)
            self.assertEqual(contact.spike_count, 1 if code == NONE else 0)

    def test_a_contact_that_is_closed_now_is_no_spike(self):
        self.assertEqual(self.contact().sample(True, 1, 9, 10, 9, 1), PRESS)

    def test_a_press_just_after_spikes_began_with_them_and_they_were_none(self):
        contact = self.contact()
        self.assertEqual(contact.sample(False, 2, 9, 10, 9, 0), NONE)
        self.assertEqual(contact.sample(True, 1, 13, 20, 13, 7), PRESS)
        self.assertEqual((contact.press_ms, contact.spike_count), (9, 0))

    def test_a_press_long_after_a_spike_has_its_own_time(self):
        contact = self.contact()
        contact.sample(False, 2, 9, 10, 9, 0)
        contact.sample(False, 0, 0, 20)
        self.assertEqual(contact.sample(True, 1, 26, 30, 26, 4), PRESS)
        self.assertEqual((contact.press_ms, contact.spike_count), (26, 1))

    def test_spikes_after_a_release_end_no_rest_and_begin_no_press(self):
        contact = self.contact()
        contact.sample(True, 1, 9, 10, 9, 1)
        contact.sample(False, 1, 55, 60, 55, 45)
        self.assertEqual(contact.sample(False, 0, 0, 70), RELEASE)
        self.assertEqual(contact.sample(False, 2, 75, 80, 75, 0), NONE)
        self.assertEqual(contact.sample(False, 0, 0, 90), NONE)
        self.assertEqual((contact.press_ms, contact.release_ms), (9, 55))

    def test_R4_bounce_of_a_release_that_waited_for_a_flash_write_is_no_press(self):
        # Released at 80, seen at 82; two more edges wait until 162, and look as if of then.
        contact = self.contact()
        contact.sample(True, 1, 9, 10, 9, 1)
        self.assertEqual(contact.sample(False, 1, 80, 82, 80, 70), NONE)
        self.assertEqual(contact.sample(False, 2, 162, 163, 162, -1), NONE)
        self.assertEqual(contact.sample(False, 0, 0, 180), RELEASE)

    def test_only_a_late_look_at_many_edges_may_have_lost_some(self):
        contact = self.contact()
        contact.sample(True, 9, 3, 10, 9, 6)
        self.assertEqual(contact.overflow_count, 0)
        contact.sample(True, 8, 103, 200, 110, -1)
        self.assertEqual(contact.overflow_count, 1)


class OwnMotor(unittest.TestCase):
    def contact(self):
        contact = HitFilter(10, 0, limits.STUCK_MS)
        contact.sample(False, 0, 0, 0)
        return contact

    def test_a_blow_before_the_motor_counts_though_it_is_looked_at_later(self):
        contact = self.contact()
        contact.hold_off(1000, 105)
        self.assertEqual(contact.sample(True, 1, 103, 110, 103), PRESS)

    def test_the_window_begins_with_the_motor_and_ends_before_its_last_ms(self):
        for press_ms, code in ((104, PRESS), (105, IGNORED), (999, IGNORED), (1000, PRESS)):
            contact = self.contact()
            contact.hold_off(1000, 105)
            self.assertEqual(contact.sample(True, 1, press_ms, press_ms, press_ms), code)

    def test_a_motor_that_goes_on_prolongs_the_window_and_a_new_one_begins_its_own(self):
        contact = self.contact()
        contact.hold_off(500, 100)
        contact.hold_off(800, 400)
        contact.hold_off(2000, 1500)
        self.assertEqual(contact.sample(True, 1, 1400, 1400, 1400), PRESS)
        contact = self.contact()
        contact.hold_off(500, 100)
        contact.hold_off(800, 400)
        self.assertEqual(contact.sample(True, 1, 150, 150, 150), IGNORED)


if __name__ == "__main__":
    unittest.main()
