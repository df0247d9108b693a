"""The lights on their pins: dimmed, healed each second, and never ahead of the journal."""

import asyncio
import unittest

import alone
import bus
import opcodes
import pins
from game_bench import GameBench, MemoryStore, ruleset
from machine import Pin

from redband_badge.led_task import LedTask
from redband_badge.state import BadgeState
from redband_core import gestures, led, limits
from redband_hal import board
from redband_hal.lights import DUTY_FULL, PWM_HZ, Lights, switch_off

RED, GREEN, MOTOR = board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION
STEADY_RED = ((led.STEADY, led.OFF, led.OFF),)
BUZZ = ((led.STEADY, led.OFF, led.FAST_BLINK),)


def led_task(lights, state, signals):
    """Return a LedTask whose uptime begins at tick 0."""
    task = LedTask(lights, state, signals)
    task._uptime.start(0)
    return task


class Watched:
    """Lights that remember what was shown."""

    def __init__(self):
        self.shown = []

    def show(self, red, green, vibration, brightness_pct=100):
        self.shown.append((red, green, vibration, brightness_pct))


class Pins(unittest.TestCase):
    def setUp(self):
        alone.new_board()

    def levels(self):
        """Return (red, green, motor): 1 for full on."""
        line = bus.the_bus.line
        return tuple([line.duties[pin] / alone.FULL for pin in (RED, GREEN, MOTOR)])

    def is_dimmed(self):
        """Return whether there was a dimmer since this was asked last."""
        sent = bus.the_bus.line.sent
        found = [opcode for opcode, _payload in sent if opcode == opcodes.PIN_PWM]
        sent.clear()
        return bool(found)

    def test_full_brightness_is_a_plain_output(self):
        lights = Lights()
        self.assertEqual(self.levels(), (0, 0, 0))
        for wanted in ((1, 0, 0), (0, 1, 1), (1, 1, 0), (0, 0, 0)):
            lights.show(*wanted)
            self.assertEqual(self.levels(), wanted)
        self.assertFalse(self.is_dimmed())

    def test_dimmed_lights_are_a_share_of_the_time_and_the_motor_never_is(self):
        lights = Lights()
        for brightness_pct in (1, 20, 99):
            lights.show(1, 0, 1, brightness_pct)
            dimmed = DUTY_FULL * brightness_pct // 100 / alone.FULL
            self.assertEqual(self.levels(), (dimmed, 0, 1))
        self.assertTrue(self.is_dimmed())

    def test_full_again_after_being_dimmed(self):
        lights = Lights()
        lights.show(1, 1, 0, 10)
        lights.show(1, 0, 1, 100)
        self.assertEqual(self.levels(), (1, 0, 1))
        self.assertTrue(self.is_dimmed())
        lights.show(0, 1, 1, 100)
        self.assertEqual(self.levels(), (0, 1, 1))
        self.assertFalse(self.is_dimmed())

    def test_a_lamp_that_lights_by_a_low_level_is_dimmed_the_right_way_round(self):
        import redband_hal.lights as module

        outputs = module._OUTPUTS
        module._OUTPUTS = tuple([(number, True) for number, _is_low in outputs])
        try:
            lights = Lights()
            self.assertEqual(self.levels(), (1, 1, 1))
            lights.show(1, 0, 1)
            self.assertEqual(self.levels(), (0, 1, 0))
            lights.show(1, 0, 1, 20)
            red = (DUTY_FULL - DUTY_FULL // 5) / alone.FULL
            self.assertEqual(self.levels(), (red, 1, 0))
        finally:
            module._OUTPUTS = outputs

    def test_no_step_of_a_pattern_cuts_a_period_of_the_PWM(self):
        # Whole periods in a millisecond, and patterns are made of whole milliseconds.
        self.assertEqual(PWM_HZ % 1000, 0)
        self.assertTrue(PWM_HZ > 3000)

    def test_asleep_they_are_dark_and_held_until_the_next_start(self):
        lights = Lights()
        lights.show(1, 1, 1, 30)
        lights.show(0, 0, 0)
        switch_off(True)
        self.assertEqual(self.levels(), (0, 0, 0))
        self.assertEqual(pins.held, {RED, GREEN, MOTOR})
        lights.show(1, 1, 1)
        self.assertEqual(self.levels(), (0, 0, 0))
        Lights()
        self.assertEqual(pins.held, set())


class Task(unittest.TestCase):
    def setUp(self):
        alone.new_board()

    def test_R21_corrupted_output_heals_within_a_second(self):
        for brightness_pct in (100, 30):
            state = BadgeState()
            state.brightness_pct = brightness_pct
            lights = Lights()
            task = led_task(lights, state, STEADY_RED)
            stays_ms = task.show(0)
            duties = bus.the_bus.line.duties
            right = dict(duties)
            for pin in (RED, GREEN, MOTOR):
                Pin(pin).toggle()
            for dimmer in lights._dimmers:
                dimmer.duty_u16(12345)
            self.assertFalse(any(duties[pin] == right[pin] for pin in right))
            self.assertTrue(stays_ms <= 1000)
            task.show(stays_ms)
            self.assertEqual(duties, right)

    def test_motor_rests_on_a_low_battery_and_the_lights_are_dimmed(self):
        state, lights = BadgeState(), Watched()
        task = led_task(lights, state, BUZZ)
        task.show(0)
        self.assertEqual(lights.shown[-1], (1, 0, 1, 100))
        self.assertTrue(state.is_motor_on)
        state.is_saving = True
        task.show(10)
        self.assertEqual(lights.shown[-1], (1, 0, 0, limits.SAVING_BRIGHTNESS_PCT))
        self.assertFalse(state.is_motor_on)
        self.assertEqual(state.motor_ticks_ms, 10)
        state.is_critical = True
        task.show(20)
        self.assertEqual(lights.shown[-1], (1, 0, 0, limits.CRITICAL_BRIGHTNESS_PCT))
        state.is_emergency = True
        task.show(30)
        self.assertEqual(lights.shown[-1], (1, 1, 0, 100))

    def test_motor_is_known_to_the_impact_sensor_from_its_first_to_its_last_moment(self):
        state = BadgeState()
        task = led_task(Watched(), state, BUZZ)
        now_ms = 0
        while now_ms < 1000:
            stays_ms = task.show(now_ms)
            is_on = now_ms % 250 < 125
            self.assertEqual(state.is_motor_on, is_on)
            since_ms = now_ms - now_ms % 250
            self.assertEqual(state.motor_ticks_ms, now_ms if is_on else since_ms + 125)
            now_ms += stays_ms

    def test_is_lit_says_whether_anything_is_on(self):
        state = BadgeState()
        task = led_task(Watched(), state, ((led.OFF, led.SHORT_FLASH, led.OFF),))
        task.show(0)
        self.assertTrue(state.is_lit)
        task.show(60)
        self.assertFalse(state.is_lit)
        self.assertEqual(task.show(60), 1000)

    def test_run_shows_at_once_what_is_touched(self):
        state, lights = BadgeState(), Watched()
        task = LedTask(lights, state, STEADY_RED)

        class Beat:
            def report(self):
                pass

        async def play():
            running = asyncio.create_task(task.run(Beat()))
            await asyncio.sleep_ms(5)
            state.is_emergency = True
            state.touch()
            await asyncio.sleep_ms(5)
            running.cancel()

        asyncio.run(play())
        self.assertEqual(lights.shown[0], (1, 0, 0, 100))
        self.assertEqual(lights.shown[-1], (1, 1, 0, 100))


class NothingBeforeTheJournal(unittest.TestCase):
    """Law 1: what the journal does not hold is not shown."""

    def test_a_hit_that_the_flash_refuses_changes_no_light(self):
        bench = GameBench(ruleset("hits"), MemoryStore())
        lights = Watched()
        task = led_task(lights, bench.state, bench.rules.signals)
        bench.wake()
        self.assertEqual(self.looked(task, lights, 0), [(0, 0), (0, 1)])
        bench.store.fail_at = bench.store.writes
        records = len(bench.store.records)
        with self.assertRaises(OSError):
            bench.play(gestures.PRESS)
        self.assertEqual(len(bench.store.records), records)
        # Two seconds of looking: still the healthy player's green, no blink of both.
        self.assertEqual(self.looked(task, lights, 2000), [(0, 0), (0, 1)])
        bench.store.fail_at = None
        bench.task._recover()
        bench.wake()
        self.assertTrue(len(bench.store.records) > records)
        task.show(4000)
        self.assertEqual(lights.shown[-1][:3], (1, 1, 1))

    def looked(self, task, lights, from_ms):
        """Return the (red, green) pairs shown within two seconds, each once."""
        lights.shown.clear()
        now_ms = from_ms
        while now_ms < from_ms + 2000:
            now_ms += task.show(now_ms)
        return sorted({pair[:2] for pair in lights.shown})
