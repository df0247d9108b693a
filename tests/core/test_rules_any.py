"""No input breaks any of the compiled rulesets in tests/core/data, on either Python."""

import os
import sys
import unittest

try:
    import micropython
except ImportError:
    micropython = None

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import HERE, compiled

from redband_core.engine import Engine
from redband_core.errors import RulesError
from redband_core.ruleset import BAD_ARGUMENTS, UNKNOWN_EVENT, Ruleset
from redband_core.state import COUNTER_LIMIT, TIMER_LIMIT_MS

HUGE = (1 << 31, 1 << 40, (1 << 53) - 1, 1 << 62, 1 << 64, 1 << 200)
TICKS = 200
TICKING = "lab.bin"  # has a timer that starts itself again: years of it would take minutes
LEAP_MS = 3 * 24 * 3600 * 1000  # longer than any shipped timer


def rulesets():
    """Return every compiled ruleset beside the tests, with its name."""
    names = sorted([name for name in os.listdir(HERE) if name.endswith(".bin")])
    return [(name, Ruleset.from_bytes(compiled(name[:-4]))) for name in names]


def leap_ms(name):
    """Return a time at which every timer that ends is over."""
    return 60_000 if name == TICKING else LEAP_MS


def limits(ruleset, use_high):
    """Return params at their lowest or highest values."""
    return [high if use_high else low for _default, low, high in ruleset.params]


def each_event(ruleset, use_high):
    """Return (event, args at their limits) for each event but void."""
    rows = []
    for event in range(1, len(ruleset.event_args)):
        rows.append((event, tuple([r[use_high] for r in ruleset.arg_ranges[event]])))
    return rows


def view(engine):
    """Return the state without its time."""
    ruleset = engine.ruleset
    return (
        [engine.track_state(track) for track in range(len(ruleset.state_counts))],
        [engine.counter(i) for i in range(ruleset.counter_count)],
        engine.signal(),
    )


class Extremes(unittest.TestCase):
    def check(self, engine, name):
        """The engine's promises, whatever was done to it."""
        ruleset = engine.ruleset
        for i in range(ruleset.counter_count):
            low, high = engine.counter_range(i)
            self.assertTrue(-COUNTER_LIMIT <= low <= engine.counter(i) <= high, name)
            self.assertTrue(high <= COUNTER_LIMIT, name)
        for track in range(len(ruleset.state_counts)):
            left_ms = engine.timer_left_ms(track)
            self.assertTrue(left_ms == -1 or 0 < left_ms <= TIMER_LIMIT_MS, name)
        self.assertTrue(0 <= engine.signal() < len(ruleset.signals), name)
        twin = Engine(ruleset)
        twin.restore(engine.snapshot())
        self.assertEqual(twin.snapshot(), engine.snapshot(), name)

    def test_params_and_arguments_at_their_limits(self):
        for name, ruleset in rulesets():
            for high_params in (False, True):
                for high_args in (0, 1):
                    for event, args in each_event(ruleset, high_args):
                        engine = Engine(ruleset, limits(ruleset, high_params))
                        for other, other_args in [(event, args)] + each_event(ruleset, high_args):
                            engine.step(engine.now_ms + 500, other, other_args)
                        self.check(engine, name)

    def test_arguments_out_of_range_are_refused_and_change_nothing(self):
        for name, ruleset in rulesets():
            engine = Engine(ruleset)
            before = engine.snapshot()
            for event, args in each_event(ruleset, 0):
                for wrong in HUGE:
                    for value in (wrong, -wrong):
                        for i, (low, high) in enumerate(ruleset.arg_ranges[event]):
                            if low <= value <= high:
                                continue
                            changed = args[:i] + (value,) + args[i + 1 :]
                            self.assertEqual(engine.step(0, event, changed), BAD_ARGUMENTS, name)
                self.assertEqual(engine.step(0, event, args + (0,)), BAD_ARGUMENTS, name)
                if args:
                    self.assertEqual(engine.step(0, event, args[1:]), BAD_ARGUMENTS, name)
            for wrong in HUGE:
                self.assertEqual(engine.step(0, 0, (wrong,)), BAD_ARGUMENTS, name)
                self.assertEqual(engine.step(0, wrong, ()), UNKNOWN_EVENT, name)
                self.assertEqual(engine.step(0, -wrong, ()), UNKNOWN_EVENT, name)
            self.assertEqual(engine.snapshot(), before, name)

    def test_void_of_what_never_was_is_refused(self):
        for name, ruleset in rulesets():
            engine = Engine(ruleset)
            for args in ((), (0,), (-1,), (1, 2, 3), (1,), (1, 0), (1, 1 << 64), (1, -5)):
                before = engine.snapshot()
                self.assertTrue(engine.step(0, 0, args) > 0, name)
                self.assertEqual(engine.snapshot(), before, name)

    def test_time_leaps_end_every_timer_and_never_go_back(self):
        for name, ruleset in rulesets():
            for event, args in each_event(ruleset, 1):
                engine = Engine(ruleset)
                engine.step(1000, event, args)
                last_ms = 1000
                leaps = (1 << 31, 5, 1 << 40, -1, 0, 1 << 50)
                for now_ms in leaps if name != TICKING else (60_000, 5, 120_000, -1):
                    engine.advance(now_ms)
                    last_ms = max(last_ms, now_ms)
                    self.assertEqual(engine.now_ms, last_ms, name)
                    self.assertEqual(engine.step(-7, -1, ()), UNKNOWN_EVENT, name)
                    self.assertEqual(engine.now_ms, last_ms, name)
                    self.check(engine, name)

    def test_a_step_after_a_leap_equals_waiting_first(self):
        for name, ruleset in rulesets():
            for first, first_args in each_event(ruleset, 1):
                for event, args in each_event(ruleset, 0):
                    leap, wait = Engine(ruleset), Engine(ruleset)
                    leap.step(0, first, first_args)
                    wait.step(0, first, first_args)
                    now_ms = leap_ms(name)
                    wait.advance(now_ms - 1)
                    self.assertEqual(
                        leap.step(now_ms, event, args), wait.step(now_ms, event, args)
                    )
                    self.assertEqual(leap.snapshot(), wait.snapshot(), name)


class Idle(unittest.TestCase):
    def test_an_idle_tick_allocates_nothing_in_any_state_an_event_leads_to(self):
        """The heap is locked: whatever allocates raises MemoryError on MicroPython."""
        for name, ruleset in rulesets():
            for event, args in [(0, (1,))] + each_event(ruleset, 0) + each_event(ruleset, 1):
                engine = Engine(ruleset)
                engine.step(10, event, args)
                engine.signal()
                before = view(engine)
                end_ms = engine.next_deadline_ms()
                now_ms, step_ms = engine.now_ms, 20
                if 0 <= end_ms <= now_ms + TICKS * step_ms:
                    step_ms = 0  # not idle: a timer fires
                if micropython:
                    micropython.heap_lock()
                try:
                    for _ in range(TICKS):
                        now_ms += step_ms
                        engine.advance_one(now_ms)
                        engine.advance(now_ms)
                        engine.next_deadline_ms()
                        engine.signal()
                        engine.shown_timer_left_ms()
                finally:
                    if micropython:
                        micropython.heap_unlock()
                self.assertEqual(view(engine), before, name)


class Forged(unittest.TestCase):
    def test_restore_takes_no_snapshot_that_was_changed_into_nonsense(self):
        """A byte changed anywhere gives RulesError or an engine that keeps its promises."""
        check = Extremes.check
        for name, ruleset in rulesets():
            engine = Engine(ruleset)
            new = engine.snapshot()
            for event, args in each_event(ruleset, 0):
                engine.step(engine.now_ms + 300, event, args)
            good = engine.snapshot()
            for offset in range(len(good)):
                for value in (0, 1, 0x7F, 0x80, 0xFF, good[offset] ^ 1):
                    forged = bytearray(good)
                    forged[offset] = value
                    twin = Engine(ruleset)
                    try:
                        twin.restore(bytes(forged))
                    except RulesError:
                        self.assertEqual(twin.snapshot(), new, name)
                        continue
                    check(self, twin, name)
                    for event, args in each_event(ruleset, 0):
                        twin.step(twin.now_ms + 1000, event, args)
                    check(self, twin, name)

    def test_a_snapshot_cut_short_or_with_more_is_refused(self):
        for name, ruleset in rulesets():
            engine = Engine(ruleset)
            for event, args in each_event(ruleset, 1):
                engine.step(engine.now_ms + 300, event, args)
            good = engine.snapshot()
            for wrong in [good[:length] for length in range(len(good))] + [good + b"\0"]:
                before = engine.snapshot()
                with self.assertRaises(RulesError):
                    engine.restore(wrong)
                self.assertEqual(engine.snapshot(), before, name)


if __name__ == "__main__":
    unittest.main()
