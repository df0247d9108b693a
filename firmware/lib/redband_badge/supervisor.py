"""Keeps every task alive, and the badge honest about those it cannot keep.

Guarantee: a task that raises or returns is recorded and started again; the watchdog is fed only
when every task has reported since the last feed; five failures in a minute end run(), so that the
app can go to safe mode. A forgiving supervisor (safe mode) never gives up, only waits longer.
Cancellation is never taken for a failure. What fails outside of these tasks (a timer of a Wakeup,
say) comes to the event loop's handler and counts as a failure of task 0.
"""

import asyncio
import sys

from redband_badge import limits
from redband_core import numbers
from redband_hal import system
from redband_hal.event_loop import Wakeup


async def attempt(coroutine) -> "Exception | None":
    """Await the coroutine; return what it raised, printed, or None. Cancelling goes through."""
    try:
        await coroutine
    # The one place that may catch everything: what failed is recorded and started again, or the
    # badge is. CancelledError and KeyboardInterrupt are no Exceptions on MicroPython.
    except Exception as error:  # noqa: BLE001
        sys.print_exception(error)
        return error
    return None


class Beat:
    """A task's way to report that it is alive."""

    def __init__(self, number: int, mark_running) -> None:
        self.number = number
        self._mark_running = mark_running
        self.has_reported = False
        self.silent_ms = 0
        self.failure_count = 0

    def report(self) -> None:
        """Call after each await, at least each SILENT_MS: the watchdog is hungry until every
        task has, and the last who did is the suspect when it bites.
        """
        self.has_reported = True
        self._mark_running(self.number)


class Supervisor:
    """Runs coroutines made by factories; see the module text. `uptime_ms`: since it was made."""

    def __init__(self, keeper, feed, is_forgiving: bool) -> None:
        """`feed()` feeds the watchdog. `keeper`, a Badge: task_failed(number) and
        task_silent(number) record; mark_running(number) is called at each report, the coroutine
        look() each SUPERVISOR_PERIOD_MS (its failure is nobody's), be_healthy() once, when all is
        well after HEALTHY_AFTER_MS.
        """
        self._feed = feed
        self._keeper = keeper
        self._is_healthy = False
        self._is_forgiving = is_forgiving
        self._entries = []
        self._recent_failures_ms = []
        self._wakeup = Wakeup()
        self._has_given_up = False
        self.uptime_ms = 0
        self._last_ticks_ms = system.ticks_ms()

    def add(self, number: int, factory) -> None:
        """Add a task: `factory(beat)` returns its coroutine, again after each failure."""
        self._entries.append((factory, Beat(number, self._keeper.mark_running)))

    def failure_counts(self) -> list:
        """Return (task number, failures since the start) of each task."""
        return [(beat.number, beat.failure_count) for _factory, beat in self._entries]

    async def run(self) -> None:
        """Run all tasks; return when they have failed too often, with none of them left."""
        asyncio.get_event_loop().set_exception_handler(self._take_stray)
        tasks = [asyncio.create_task(self._keep(*entry)) for entry in self._entries]
        try:
            while not self._has_given_up:
                await self._watch_once()
                await attempt(self._keeper.look())
            await asyncio.sleep_ms(limits.RESTART_DELAY_MS)  # for the journal to take the notes
        finally:
            for task in tasks:
                task.cancel()

    async def _watch_once(self) -> None:
        await self._wakeup.wait(limits.SUPERVISOR_PERIOD_MS)
        elapsed_ms = self._count_uptime()
        is_all_well = True
        for _factory, beat in self._entries:
            if beat.has_reported:
                beat.silent_ms = 0
                continue
            is_all_well = False
            was_silent_ms = beat.silent_ms
            beat.silent_ms += elapsed_ms
            if was_silent_ms < limits.SILENT_MS <= beat.silent_ms:
                self._keeper.task_silent(beat.number)
        if is_all_well:
            self._feed()
            for _factory, beat in self._entries:
                beat.has_reported = False
            if not self._is_healthy and self.uptime_ms >= limits.HEALTHY_AFTER_MS:
                self._is_healthy = True
                self._keeper.be_healthy()

    def _count_uptime(self) -> int:
        ticks_ms = system.ticks_ms()
        elapsed_ms = system.ticks_diff(ticks_ms, self._last_ticks_ms)
        self._last_ticks_ms = ticks_ms
        self.uptime_ms += elapsed_ms
        return elapsed_ms

    async def _keep(self, factory, beat: Beat) -> None:
        delay_ms = limits.RESTART_DELAY_MS
        while not self._has_given_up:
            await attempt(factory(beat))
            beat.failure_count += 1
            self._failed(beat.number)
            if self._is_forgiving and len(self._recent_failures_ms) > limits.FAILURES_PER_WINDOW:
                delay_ms = limits.RESTART_DELAY_SAFE_MODE_MS
            beat.report()  # being restarted is no silence
            await asyncio.sleep_ms(delay_ms)

    def _take_stray(self, _loop, context: dict) -> None:
        sys.print_exception(context["exception"])
        self._failed(numbers.TASK_NONE)

    def _failed(self, number: int) -> None:
        self._keeper.task_failed(number)
        self._count_uptime()
        oldest_ms = self.uptime_ms - limits.FAILURE_WINDOW_MS
        recent = [at_ms for at_ms in self._recent_failures_ms if at_ms > oldest_ms]
        recent.append(self.uptime_ms)
        self._recent_failures_ms = recent[-limits.FAILURES_PER_WINDOW - 1 :]
        if len(recent) >= limits.FAILURES_PER_WINDOW and not self._is_forgiving:
            self._has_given_up = True
            self._wakeup.set()
