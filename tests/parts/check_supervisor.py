"""The supervisor: restarts, records, starves the watchdog of a badge that only looks alive."""

import asyncio
import unittest

from redband_badge import limits
from redband_badge.supervisor import Supervisor, attempt


class Bench:
    """A supervisor with quick clocks, and its keeper: what it told."""

    def __init__(self, is_forgiving=False):
        limits.SUPERVISOR_PERIOD_MS = 20
        limits.RESTART_DELAY_MS = 2
        limits.RESTART_DELAY_SAFE_MODE_MS = 40
        limits.SILENT_MS = 100
        limits.HEALTHY_AFTER_MS = 100
        self.fed = 0
        self.failed = []
        self.silent = []
        self.healthy = 0
        self.looks = 0
        self.running = []
        self.task_failed = self.failed.append
        self.task_silent = self.silent.append
        self.mark_running = self.running.append
        self.supervisor = Supervisor(self, self.feed, is_forgiving)

    def feed(self):
        self.fed += 1

    def be_healthy(self):
        self.healthy += 1

    async def look(self):
        self.looks += 1
        raise MemoryError()

    def run_for(self, duration_ms):
        """Return True when the supervisor gave up by itself before the end."""

        async def play():
            try:
                await asyncio.wait_for_ms(self.supervisor.run(), duration_ms)
            except asyncio.TimeoutError:
                return False
            return True

        return asyncio.run(play())


async def work(beat):
    while True:
        beat.report()
        await asyncio.sleep_ms(5)


class SupervisorTest(unittest.TestCase):
    def test_R15_task_that_raises_once_is_started_again_and_recorded(self):
        bench = Bench()
        starts = []

        async def once(beat):
            starts.append(1)
            if len(starts) == 1:
                raise ValueError("once")
            await work(beat)

        bench.supervisor.add(1, once)
        bench.supervisor.add(2, work)
        self.assertFalse(bench.run_for(150))
        self.assertEqual(len(starts), 2)
        self.assertEqual(bench.failed, [1])
        self.assertTrue(bench.fed > 2)
        self.assertEqual(bench.healthy, 1)

    def test_R15_five_failures_in_a_minute_end_the_run(self):
        bench = Bench()

        async def never(beat):
            beat.report()
            raise OSError(5)

        bench.supervisor.add(3, never)
        bench.supervisor.add(2, work)
        self.assertTrue(bench.run_for(2000))
        self.assertEqual(bench.failed, [3] * limits.FAILURES_PER_WINDOW)

    def test_task_that_returns_has_failed_too(self):
        bench = Bench()

        async def leave(beat):
            beat.report()

        bench.supervisor.add(4, leave)
        self.assertTrue(bench.run_for(2000))

    def test_safe_mode_never_gives_up_and_does_not_spin(self):
        bench = Bench(is_forgiving=True)

        async def never(beat):
            raise MemoryError()

        bench.supervisor.add(5, never)
        bench.supervisor.add(2, work)
        self.assertFalse(bench.run_for(500))
        self.assertTrue(limits.FAILURES_PER_WINDOW <= len(bench.failed) < 25)
        self.assertTrue(bench.fed > 0)

    def test_R9_watchdog_starves_when_one_task_hangs_and_the_task_is_named(self):
        bench = Bench()

        async def hang(beat):
            beat.report()
            await asyncio.sleep_ms(60_000)

        bench.supervisor.add(1, work)
        bench.supervisor.add(6, hang)
        self.assertFalse(bench.run_for(400))
        self.assertEqual(bench.fed, 1)
        self.assertEqual(bench.silent, [6])

    def test_R8_last_task_that_reported_is_known_at_each_moment(self):
        bench = Bench()
        bench.supervisor.add(1, work)
        bench.supervisor.add(2, work)
        bench.run_for(60)
        self.assertEqual(set(bench.running), {1, 2})
        self.assertTrue(len(bench.running) > 6)

    def test_question_that_cannot_be_answered_ends_nothing(self):
        bench = Bench()
        bench.supervisor.add(1, work)
        self.assertFalse(bench.run_for(100))
        self.assertTrue(bench.looks > 2)
        self.assertEqual(bench.failed, [])

    def test_R15_failure_outside_of_the_tasks_is_recorded_and_counts(self):
        bench = Bench()

        async def stray():
            raise ValueError("nobody awaits this")

        async def careless(beat):
            asyncio.create_task(stray())
            await work(beat)

        bench.supervisor.add(1, careless)
        self.assertFalse(bench.run_for(60))
        self.assertEqual(bench.failed, [0])

    def test_R15_five_failures_outside_of_the_tasks_end_the_run(self):
        bench = Bench()

        async def stray():
            raise ValueError("nobody awaits this")

        async def careless(beat):
            while True:
                beat.report()
                asyncio.create_task(stray())
                await asyncio.sleep_ms(5)

        bench.supervisor.add(1, careless)
        self.assertTrue(bench.run_for(2000))
        self.assertTrue(len(bench.failed) >= limits.FAILURES_PER_WINDOW)

    def test_R9_task_that_cannot_be_restarted_starves_the_watchdog(self):
        bench = Bench()

        def broken_record(number):
            raise MemoryError()

        bench.task_failed = broken_record

        async def never(beat):
            beat.report()
            raise OSError(5)

        bench.supervisor.add(1, work)
        bench.supervisor.add(2, never)
        with self.assertRaises(MemoryError):  # out of the loop: the watchdog does the rest
            bench.run_for(400)
        self.assertTrue(bench.fed <= 1)

    def test_failures_longer_apart_than_a_minute_are_forgotten(self):
        bench = Bench()
        window_ms = limits.FAILURE_WINDOW_MS
        limits.FAILURE_WINDOW_MS = 20

        async def now_and_then(beat):
            beat.report()
            await asyncio.sleep_ms(15)
            raise OSError(5)

        bench.supervisor.add(1, now_and_then)
        try:
            self.assertFalse(bench.run_for(300))
        finally:
            limits.FAILURE_WINDOW_MS = window_ms
        self.assertTrue(len(bench.failed) > limits.FAILURES_PER_WINDOW)
        self.assertEqual(bench.supervisor.failure_counts(), [(1, len(bench.failed))])

    def test_A3_cancelling_is_no_failure_and_leaves_no_task(self):
        bench = Bench()
        ends = []

        async def careful(beat):
            try:
                await work(beat)
            finally:
                ends.append(1)

        bench.supervisor.add(1, careful)
        self.assertFalse(bench.run_for(50))
        self.assertEqual(ends, [1])
        self.assertEqual(bench.failed, [])

    def test_attempt_returns_what_was_raised(self):
        async def fail():
            raise RuntimeError("x")

        error = asyncio.run(attempt(fail()))
        self.assertTrue(isinstance(error, RuntimeError))
