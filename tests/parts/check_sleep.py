"""Transport mode: what wakes a badge in its box, and what does not."""

import os

import alone
import bus
import esp32
import machine
import pins
from sleep_bench import JAMMED, ON_BUTTON, OUTPUTS, ROOT, Badge, Case

from redband_badge import files, limits, sleep
from redband_badge.on_demand import DEEP_SLEEP, Needed

HOLD_MS = limits.TRANSPORT_HOLD_MS

deep_sleep = Needed(DEEP_SLEEP).take()  # stays: a test puts another `os` into it


class Transport(Case):
    def setUp(self):
        super().setUp()
        self.set_mode()

    def assert_asleep(self, found, for_ms=None):
        end, world = found
        self.assertEqual(end, (for_ms, b"" if for_ms else ON_BUTTON))
        self.assertEqual(world.lit, [])
        self.assert_dark()
        self.assertEqual(pins.held, set(OUTPUTS))
        self.assertTrue(self.exists(limits.TRANSPORT_PATH))

    def assert_dark(self):
        self.assertEqual([bus.the_bus.line.duties[pin] for pin in OUTPUTS], [0, 0, 0])

    def test_without_the_mode_the_badge_starts_at_once(self):
        os.remove(ROOT + limits.TRANSPORT_PATH)
        for cause in (machine.PWRON_RESET, machine.DEEPSLEEP_RESET, machine.HARD_RESET):
            end, world = self.start(cause, ((0, 90_000),), wake=7)
            self.assertEqual((end, world.now_ms()), ("booted", 0))

    def test_shorter_presses_light_nothing_and_it_sleeps_again_at_once(self):
        for press_ms in (1, 50, 500, 2000, HOLD_MS - 100):
            found = self.pressed((0, press_ms))
            self.assert_asleep(found)
            self.assertTrue(found[1].now_ms() <= press_ms + 100)

    def test_press_that_is_over_before_the_chip_looks(self):
        self.assert_asleep(self.pressed())

    def test_hold_of_three_seconds_wakes_with_a_sign_and_a_start_of_its_own(self):
        end, world = self.pressed((0, HOLD_MS + 300))
        self.assertEqual(end, "reset")
        self.assertTrue(world.lit[0][0] >= HOLD_MS)
        self.assertFalse(self.exists(limits.TRANSPORT_PATH))
        self.assertTrue(self.exists(limits.WOKEN_PATH))
        self.assert_dark()
        self.assertEqual(self.start(machine.HARD_RESET)[0], "booted")

    def test_motor_does_not_run_in_the_sign(self):
        end, world = self.pressed((0, 3200))
        self.assertEqual(end, "reset")
        self.assertEqual({pin for _ms, pin in world.lit}, set(OUTPUTS[:2]))

    def test_bouncing_contact_does_not_break_a_hold(self):
        # Open for 20 ms each half second.
        presses = [(start, start + 480) for start in range(0, 5000, 500)]
        self.assertEqual(self.pressed(*presses)[0], "reset")

    def test_two_short_holds_are_no_long_one(self):
        self.assert_asleep(self.pressed((0, 2000), (2200, 4000)))

    def test_jammed_button_wakes_nothing_for_long_and_is_looked_at_each_minute(self):
        end, world = self.pressed(JAMMED)
        self.assertEqual(end, (limits.JAMMED_SLEEP_MS, b""))
        self.assertTrue(world.now_ms() < 20_000)
        self.assertTrue(self.exists(limits.TRANSPORT_PATH))
        # By time: still jammed, then free again.
        found = self.start(machine.DEEPSLEEP_RESET, (JAMMED,), machine.TIMER_WAKE)
        self.assert_asleep(found, limits.JAMMED_SLEEP_MS)
        self.assertEqual(found[1].now_ms(), 0)
        self.assert_asleep(self.start(machine.DEEPSLEEP_RESET, (), machine.TIMER_WAKE))

    def test_R12_after_a_reset_or_a_new_battery_there_is_a_window(self):
        for cause in (machine.PWRON_RESET, machine.HARD_RESET, machine.SOFT_RESET):
            found = self.start(cause)
            self.assert_asleep(found)
            self.assertTrue(found[1].now_ms() >= limits.TRANSPORT_WINDOW_MS)
            self.set_mode()
            end, _world = self.start(cause, ((4000, 8000),))
            self.assertEqual(end, "reset")
            self.set_mode()

    def test_board_that_the_button_cannot_wake_starts(self):
        wake_on_gpio = esp32.wake_on_gpio
        del esp32.wake_on_gpio
        try:
            self.assertEqual(self.start(machine.PWRON_RESET)[0], "booted")
            self.assertFalse(self.exists(limits.TRANSPORT_PATH))
            self.assertFalse(sleep.begin_transport(ROOT))
            badge = Badge()
            self.assertFalse(sleep.enter_transport(badge.state))
            self.assertEqual(badge.state.sleep_request, 0)
        finally:
            esp32.wake_on_gpio = wake_on_gpio

    def test_flash_that_cannot_end_the_mode_does_not_keep_it_asleep(self):
        class Os:
            @staticmethod
            def rename(old, new):
                raise OSError(28)

        deep_sleep.os = Os
        try:
            self.assertEqual(self.pressed((0, 4000))[0], "booted")
        finally:
            deep_sleep.os = os

    def test_from_the_prompt_the_file_is_written_before_the_reset(self):
        os.remove(ROOT + limits.TRANSPORT_PATH)
        with self.assertRaises(alone.Ended):
            sleep.begin_transport(ROOT)
        self.assertEqual(files.read_bytes(ROOT + limits.TRANSPORT_PATH), b"0")
