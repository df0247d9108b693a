"""Falling asleep and waking: in which order, and what the journal has of it."""

import os

import opcodes
import pins
from sleep_bench import ON_BUTTON, OUTPUTS, PIN, ROOT, Badge, Case, World

from redband_badge import deep_sleep, files, limits, sleep
from redband_badge.power_task import PowerTask
from redband_core import numbers
from redband_hal import power


class FallingAsleep(Case):
    def setUp(self):
        super().setUp()
        self.world = World()

    def test_transport_is_noted_then_marked_then_the_journal_closed_and_the_lights_held_off(self):
        badge = Badge()
        slept = badge.run(deep_sleep.fall_asleep(badge, badge.state, numbers.SLEEP_TRANSPORT))
        self.assertEqual(slept, (None, ON_BUTTON))
        self.assertEqual(badge.noted, [(numbers.NOTE_TRANSPORT_ON, numbers.SLEEP_TRANSPORT)])
        self.assertEqual(files.read_bytes(ROOT + limits.TRANSPORT_PATH), b"1")
        self.assertEqual(badge.done, ["healthy", "closed"])
        self.assertTrue(self.world.lit)
        self.assertEqual(pins.held, set(OUTPUTS))

    def test_switching_off_leaves_no_file(self):
        badge = Badge()
        slept = badge.run(deep_sleep.fall_asleep(badge, badge.state, numbers.SLEEP_AUTO_OFF))
        self.assertEqual(slept, (None, ON_BUTTON))
        self.assertEqual(badge.noted, [(numbers.NOTE_TRANSPORT_ON, numbers.SLEEP_AUTO_OFF)])
        self.assertFalse(self.exists(limits.TRANSPORT_PATH))

    def test_button_still_down_is_looked_at_again_by_time(self):
        badge = Badge()
        pins.drive(PIN, 0)
        slept = badge.run(deep_sleep.fall_asleep(badge, badge.state, numbers.SLEEP_TRANSPORT))
        self.assertEqual(slept, (limits.JAMMED_SLEEP_MS, b""))

    def test_switching_off_waits_for_a_free_button_and_a_journal_that_works(self):
        badge = Badge()
        pins.drive(PIN, 0)
        self.assertEqual(
            badge.run(deep_sleep.fall_asleep(badge, badge.state, numbers.SLEEP_AUTO_OFF)), None
        )
        self.assertEqual(badge.noted, [])
        pins.drive(PIN, opcodes.OPEN)
        broken = Badge(is_broken=True)
        self.assertEqual(
            broken.run(deep_sleep.fall_asleep(broken, broken.state, numbers.SLEEP_AUTO_OFF)), None
        )
        self.assertEqual(broken.done, [])

    def test_transport_that_the_journal_did_not_take_is_noted_at_the_waking(self):
        broken = Badge(is_broken=True)
        slept = broken.run(deep_sleep.fall_asleep(broken, broken.state, numbers.SLEEP_TRANSPORT))
        self.assertTrue(slept is not None)
        self.assertEqual(files.read_bytes(ROOT + limits.TRANSPORT_PATH), b"0")
        os.rename(ROOT + limits.TRANSPORT_PATH, ROOT + limits.WOKEN_PATH)
        badge = Badge()
        badge.run(deep_sleep.note_waking(badge))
        expected = [
            (numbers.NOTE_TRANSPORT_ON, numbers.SLEEP_TRANSPORT),
            (numbers.NOTE_TRANSPORT_WOKEN, 0),
        ]
        self.assertEqual(badge.noted, expected)
        self.assertFalse(self.exists(limits.WOKEN_PATH))

    def test_waking_is_noted_once_and_again_when_the_journal_did_not_take_it(self):
        files.replace(ROOT + limits.WOKEN_PATH, b"1")
        broken = Badge(is_broken=True)
        broken.run(deep_sleep.note_waking(broken))
        self.assertTrue(self.exists(limits.WOKEN_PATH))
        badge = Badge()
        badge.run(deep_sleep.note_waking(badge))
        self.assertEqual(badge.noted, [(numbers.NOTE_TRANSPORT_WOKEN, 0)])
        self.assertFalse(self.exists(limits.WOKEN_PATH))

    def test_radio_is_stopped_first(self):
        stopped = []
        real, power.stop_radio = power.stop_radio, lambda: stopped.append(1)
        try:
            badge = Badge()
            badge.has_radio = True
            badge.run(deep_sleep.fall_asleep(badge, badge.state, numbers.SLEEP_TRANSPORT))
        finally:
            power.stop_radio = real
        self.assertEqual(stopped, [1])

    def test_request_of_a_command_is_done_by_the_power_task(self):
        class Options:
            auto_off_min = 0

        class Cell:
            def read_mv(self):
                return 4000

        class Beat:
            def report(self):
                pass

        badge = Badge()
        badge.options = Options()
        self.assertTrue(sleep.enter_transport(badge.state))
        slept = badge.run(PowerTask(Cell(), badge.state, None, 0, badge).run(Beat()))
        self.assertTrue(slept is not None)
        self.assertEqual(badge.noted, [(numbers.NOTE_TRANSPORT_ON, numbers.SLEEP_TRANSPORT)])
        self.assertTrue(self.exists(limits.TRANSPORT_PATH))

    def test_signs_grow_shorter_and_longer(self):
        for sequence, lengths in (
            (deep_sleep.FALLING_ASLEEP, [60, 30, 10]),
            (deep_sleep.WAKING, [10, 30, 60]),
        ):
            self.assertEqual([sequence[index] for index in range(0, 12, 4)], lengths)
            self.assertEqual([sequence[index] for index in range(1, 12, 4)], [3, 3, 3])
