"""The power manager and light sleep: allowed only while nothing is lost by it (PITFALLS B10)."""

import asyncio
import unittest
from asyncio import core

import machine
from power_bench import MINUTE_MS, Badge

from redband_badge import light_sleep, limits, power_manager
from redband_badge.power_parts import add_power
from redband_badge.state import BadgeState
from redband_core import numbers
from redband_core.clock import GameClock
from redband_hal import power, system
from redband_hal.event_loop import Wakeup


class Manager(unittest.TestCase):
    """PITFALLS B10."""

    def refusal(self, up_ms=5000, input_ms=MINUTE_MS, is_usb=False, **changes):
        needs_radio = changes.pop("needs_radio", False)
        feels_blows = changes.pop("feels_blows", False)
        state = BadgeState()
        for name in changes:
            setattr(state, name, changes[name])
        ages = (up_ms, input_ms)
        return power_manager.refusal(state, needs_radio, feels_blows, is_usb, ages)

    def test_B10_sleep_is_refused_while_connected_or_advertising_and_says_why(self):
        radio = {"needs_radio": True, "is_connected": True}
        self.assertEqual(self.refusal(**radio), numbers.AWAKE_CONNECTED)
        self.assertEqual(self.refusal(needs_radio=True), numbers.AWAKE_ADVERTISING)
        self.assertEqual(self.refusal(), numbers.MAY_SLEEP)

    def test_every_reason_is_told(self):
        for reason, changes in (
            (numbers.AWAKE_USB, {"is_usb": True}),
            (numbers.AWAKE_CONNECTED, {"is_connected": True}),
            (numbers.AWAKE_ADVERTISING, {"needs_radio": True}),
            (numbers.AWAKE_SENSOR, {"feels_blows": True}),
            (numbers.AWAKE_RECENT_ACTION, {"input_ms": limits.AWAKE_AFTER_INPUT_MS - 1}),
            (numbers.AWAKE_USB_LOOK, {"up_ms": 10_000}),
            (numbers.AWAKE_USB_LOOK, {"up_ms": 10_999}),
            (numbers.AWAKE_INPUT_BUSY, {"is_input_busy": True}),
            (numbers.AWAKE_LED_ON, {"is_lit": True}),
            (numbers.MAY_SLEEP, {"up_ms": 11_000}),
        ):
            self.assertEqual(self.refusal(**changes), reason)

    def test_the_first_reason_in_order_is_told(self):
        everything = {
            "is_usb": True,
            "is_connected": True,
            "needs_radio": True,
            "feels_blows": True,
            "input_ms": 0,
            "up_ms": 0,
            "is_input_busy": True,
            "is_lit": True,
        }
        order = [
            (name, everything[name])
            for name in (
                "is_usb",
                "is_connected",
                "needs_radio",
                "feels_blows",
                "input_ms",
                "up_ms",
                "is_input_busy",
                "is_lit",
            )
        ]
        for reason in range(numbers.AWAKE_USB, numbers.AWAKE_LED_ON + 1):
            self.assertEqual(self.refusal(**dict(order)), reason)
            order.pop(0)

    def test_B10_sleep_ends_with_the_first_thing_to_do(self):
        for idle_ms, sleep_ms in ((0, 0), (2, 0), (3, 3), (10, 10), (4000, 4000)):
            self.assertEqual(power_manager.sleep_ms(idle_ms), sleep_ms)

    def test_badge_with_a_radio_says_so_without_loading_any_of_this(self):
        badge = Badge()

        class Supervisor:
            def add(self, number, factory):
                self.number = number

        self.assertEqual(badge.state.sleep_refusal, numbers.AWAKE_NO_SLEEPER)
        add_power(badge, Supervisor())
        self.assertEqual(badge.state.sleep_refusal, numbers.AWAKE_ADVERTISING)


class LightSleep(unittest.TestCase):
    """The event loop's idle moments, each sleep noted."""

    def setUp(self):
        self.slept_ms = []
        self.light_sleep = power.light_sleep

        def noted(span_ms):
            self.slept_ms.append(span_ms)
            self.light_sleep(span_ms)

        power.light_sleep = noted
        core.new_event_loop()
        self.badge = Badge()
        self.badge.options.impact = 1
        self.badge.has_radio = False

    def tearDown(self):
        power.light_sleep = self.light_sleep
        machine.is_usb_host[0] = False

    def install(self):
        """Return a Sleeper half a minute after the start and the last input."""
        sleeper = light_sleep.install(*self.badge.sleep_parts())
        sleeper._inputs_seen = (0, 0)
        sleeper._uptime = GameClock(35_000)
        sleeper._uptime.start(system.ticks_ms())
        return sleeper

    def play(self, work, duration_ms=60, look_ms=10):
        async def poll():
            while True:
                await asyncio.sleep_ms(look_ms)

        async def main():
            self.install()
            tasks = [asyncio.create_task(poll()), asyncio.create_task(work())]
            await asyncio.sleep_ms(duration_ms)
            for task in tasks:
                task.cancel()

        asyncio.run(main())
        core.new_event_loop()
        return self.slept_ms

    async def nothing(self):
        return None

    def test_idle_moments_are_slept_and_no_longer_than_to_the_next_look_at_the_contacts(self):
        slept = self.play(self.nothing)
        self.assertTrue(len(slept) > 3)
        self.assertTrue(max(slept) <= 10 and min(slept) >= limits.LIGHT_SLEEP_SHORTEST_MS)
        reasons = (numbers.MAY_SLEEP, numbers.AWAKE_TIMER_DUE)
        self.assertTrue(self.badge.state.sleep_refusal in reasons)

    def test_B10_timer_of_a_wound_limits_the_sleep_to_its_deadline(self):
        async def wound():
            await asyncio.sleep_ms(37)

        slept = self.play(wound, duration_ms=90, look_ms=1000)
        self.assertEqual(slept[:3], [10, 10, 10])
        self.assertTrue(30 <= sum(slept[:4]) <= 37)

    def test_contact_that_moves_ends_the_sleep_after_ten_ms_and_wakes_the_input_task(self):
        looks = [True, True, False]

        class Inputs:
            wakeup = Wakeup()

            @staticmethod
            def is_quiet():
                return looks.pop(0)

        self.badge.inputs = Inputs
        self.install()._sleep(1000)
        self.assertEqual(self.slept_ms, [10, 10, 10])
        self.assertTrue(asyncio.run(Inputs.wakeup.wait(0)))
        core.new_event_loop()

    def test_reason_is_seen_and_nothing_slept(self):
        state = self.badge.state
        for holder, name, value, reason in (
            (state, "is_lit", True, numbers.AWAKE_LED_ON),
            (state, "is_input_busy", True, numbers.AWAKE_RECENT_ACTION),
            (state, "is_connected", True, numbers.AWAKE_CONNECTED),
            (self.badge, "has_radio", True, numbers.AWAKE_ADVERTISING),
            (self.badge.options, "impact", 0, numbers.AWAKE_SENSOR),
            (self.badge.options, "impact", 2, numbers.AWAKE_SENSOR),
        ):
            before = getattr(holder, name)
            setattr(holder, name, value)
            self.assertEqual(self.play(self.nothing), [])
            self.assertEqual(state.sleep_refusal, reason)
            setattr(holder, name, before)

    def test_an_input_keeps_it_awake_for_a_while(self):
        sleeper = self.install()
        ticks_ms = system.ticks_ms()
        self.assertEqual(sleeper.refusal(ticks_ms), numbers.MAY_SLEEP)
        self.badge.state.acknowledged += 1
        for later_ms, reason in (
            (0, numbers.AWAKE_RECENT_ACTION),
            (limits.AWAKE_AFTER_INPUT_MS - 1, numbers.AWAKE_RECENT_ACTION),
            (limits.AWAKE_AFTER_INPUT_MS + 1, numbers.MAY_SLEEP),
        ):
            self.assertEqual(sleeper.refusal(ticks_ms + later_ms), reason)
        core.new_event_loop()

    def test_usb_host_keeps_it_awake_from_its_first_frames_on_and_until_they_end(self):
        async def frames():
            await asyncio.sleep_ms(20)
            self.slept_ms.clear()
            machine.is_usb_host[0] = True
            await asyncio.sleep_ms(30)
            machine.is_usb_host[0] = False

        slept = self.play(frames)
        self.assertTrue(len(slept) <= 1)
        self.assertEqual(self.badge.state.sleep_refusal, numbers.AWAKE_USB)
        sleeper = self.install()
        ticks_ms = system.ticks_ms()
        machine.is_usb_host[0] = True
        self.assertEqual(sleeper.refusal(ticks_ms), numbers.AWAKE_USB)
        machine.is_usb_host[0] = False
        later_ms = ticks_ms + limits.USB_GONE_MS
        self.assertEqual(sleeper.refusal(later_ms - 1), numbers.AWAKE_USB)
        self.assertEqual(sleeper.refusal(later_ms), numbers.MAY_SLEEP)
        core.new_event_loop()

    def test_there_is_a_second_without_sleep_in_each_ten_for_a_host_to_be_seen(self):
        sleeper = self.install()
        ticks_ms = system.ticks_ms()
        reasons = [sleeper.refusal(ticks_ms + later_ms) for later_ms in range(0, 20_000, 100)]
        self.assertEqual(reasons.count(numbers.AWAKE_USB_LOOK), 20)
        self.assertEqual(reasons.count(numbers.MAY_SLEEP), 180)
        core.new_event_loop()
