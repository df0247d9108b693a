"""One clock for badges, radio and host: an event loop whose time is granted, not slept through.

Problem: on real time every test waits, a busy machine changes results, and no two runs are equal.
Guarantee: time stands while anybody works. It goes on to the next thing that somebody waits for
only when the loop has no callback and no readable socket, and every guest (a badge's process) has
said until when it rests, with all frames taken. What guests have said is acted on at that barrier,
in the order of their names: the processes run side by side, and two runs see the same order.
Times are whole microseconds. Two paces: as fast as it can (work for threads is done at once, in
the loop), or real time, in which the leaps wait. Real time is what a person, a USB port or another
process needs: `with loop.real_pace():`.
Does not: let a fast clock wait for what comes from outside; such a wait ends in `Hang` or in its
own time-out, at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

from redband.virtual.guest import NEVER_US, Guest

HANG_S = 20.0
"""Real seconds after which a guest that neither rests nor ends is named and killed."""
STANDSTILL_S = 1.0
"""Real seconds for which a fast clock that has nothing to leap to waits for a signal."""
COMPUTING_S = 0.5
"""At real pace a guest that is busy for longer is taken to compute: time goes on without it."""
LOOK_S = 0.05
"""Real seconds between looks at what cannot call, such as who opens a USB port."""
_MICRO = 1_000_000
_ASYNCIO = asyncio.__file__.rpartition("/")[0]
T = TypeVar("T")


class Hang(RuntimeError):
    """Nothing can happen any more, or a guest does not come to rest; the text names them."""


class _Selector(selectors.DefaultSelector):
    """Asks the loop what to wait for."""

    loop: FieldLoop

    def look(self, timeout_s: float | None) -> list:
        """Wait in real time."""
        return super().select(timeout_s)

    def select(self, timeout: float | None = None) -> list:
        return self.loop.turn(timeout)


class FieldLoop(asyncio.SelectorEventLoop):
    """See the module's text. `is_real`: real time from beginning to end."""

    def __init__(self, is_real: bool = False) -> None:
        self.now_us = 0
        """Of the one clock, from 0."""
        self.guests: dict[str, Guest] = {}
        self.leaps = 0
        self.grants = 0
        self._lookers: dict[Callable[[], None], None] = {}
        self._looked_s = 0.0
        self._real_users = 0
        self._anchor = (0.0, 0)
        self._selector = _Selector()
        self._selector.loop = self
        super().__init__(self._selector)
        self._clock_resolution = 1e-9
        if is_real:
            self._begin_real()

    # Time.

    def time(self) -> float:
        """Return the seconds of the field."""
        return self.now_us / _MICRO

    def call_at(self, when, callback, *args, context=None):
        """As asyncio's, at a whole microsecond: two floats of one instant are one instant."""
        when = round(when * _MICRO) / _MICRO
        return super().call_at(when, callback, *args, context=context)

    @property
    def is_real(self) -> bool:
        """Leaps wait for the real time."""
        return self._real_users > 0

    @contextlib.contextmanager
    def real_pace(self) -> Iterator[None]:
        """Let time pass as it does outside, while at least one such block is open."""
        self._begin_real()
        try:
            yield
        finally:
            self._end_real()

    async def subprocess_exec(self, *args, **kwargs):  # pyright: ignore
        """As asyncio's; another process lives in real time, and so does the field meanwhile."""
        self._begin_real()
        try:
            transport, protocol = await super().subprocess_exec(*args, **kwargs)
        except BaseException:
            self._end_real()
            raise
        life = self.create_task(transport._wait())  # pyright: ignore
        life.add_done_callback(lambda _life: self._end_real())
        return transport, protocol

    def _end_real(self) -> None:
        self._real_users -= 1

    def _begin_real(self) -> None:
        if not self._real_users:
            self._anchor = (time.monotonic(), self.now_us)
        self._real_users += 1

    def _real_now_us(self) -> int:
        began_s, began_us = self._anchor
        return began_us + round((time.monotonic() - began_s) * _MICRO)

    def run_in_executor(self, executor, func, *args):  # pyright: ignore
        """At a fast pace do it now: a thread's end would come at any instant of the clock."""
        if self.is_real:
            return super().run_in_executor(executor, func, *args)

        async def work():
            return func(*args)

        return self.create_task(work())

    def add_looker(self, look: Callable[[], None]) -> None:
        """Call `look` every LOOK_S of real time, outside the clock."""
        self._lookers[look] = None

    def remove_looker(self, look: Callable[[], None]) -> None:
        """Call it no more; may be called again."""
        self._lookers.pop(look, None)

    # One turn of the loop: `timeout` seconds until its next timer.

    def turn(self, timeout: float | None) -> list:
        """Return the sockets that are ready, after letting time go on if nobody works."""
        for guest in self.guests.values():
            guest.is_newborn = False
        self._let_look()
        ready = self._selector.look(0)
        if ready or (timeout is not None and round(timeout * _MICRO) <= 0):
            return ready
        busy = self._busy()
        # Who watches at real pace sees at once what is said, and types on it.
        if (self.is_real or not busy) and any(one.has_news for one in self.guests.values()):
            self.call_soon(self._deliver)
            return []
        if busy:
            return self._wait_for(busy)
        if self._grant():
            return []
        return self._leap(timeout)

    def _let_look(self) -> None:
        if self._lookers and time.monotonic() - self._looked_s >= LOOK_S:
            self._looked_s = time.monotonic()
            for look in tuple(self._lookers):
                look()

    def _busy(self) -> list[Guest]:
        busy = [guest for guest in self.guests.values() if guest.until_us is None]
        if busy and self.is_real:
            since_s = time.monotonic() - COMPUTING_S
            busy = [guest for guest in busy if guest.busy_since_s > since_s]
        return busy

    def _wait_for(self, busy: list[Guest]) -> list:
        first_s = min(guest.busy_since_s for guest in busy)
        limit_s = COMPUTING_S if self.is_real else HANG_S
        ready = self._selector.look(max(first_s + limit_s - time.monotonic(), 0.001))
        if not ready and not self.is_real and time.monotonic() - first_s > HANG_S:
            names = ", ".join(sorted(guest.name for guest in busy))
            for guest in busy:
                guest.kill()
            raise Hang(
                f"For {HANG_S:.0f} real seconds these neither rest nor read their clock, and are "
                f"ended: {names}. {self._who_waits()}"
            )
        return ready

    def _deliver(self) -> None:
        for name in sorted(self.guests):
            guest = self.guests.get(name)
            if guest is not None:
                guest.deliver()

    def _grant(self) -> bool:
        """Let guests go on that have mail, or whose time has come; False if there is none."""
        due = [guest for guest in self.guests.values() if guest.next_us <= self.now_us]
        for guest in sorted(due, key=lambda guest: guest.name):
            self.grants += 1
            guest.go()
        return bool(due)

    def _leap(self, timeout: float | None) -> list:
        target_us = min((guest.next_us for guest in self.guests.values()), default=NEVER_US)
        if timeout is not None:
            target_us = min(target_us, self.now_us + round(timeout * _MICRO))
        if self.is_real:
            return self._leap_at_real_pace(target_us)
        if target_us >= NEVER_US:
            ready = self._selector.look(STANDSTILL_S)
            if not ready:
                raise Hang(f"Nothing can happen any more. {self._who_waits()}")
            return ready
        self.now_us = target_us
        self.leaps += 1
        return []

    def _leap_at_real_pace(self, target_us: int) -> list:
        wait_s = None
        if target_us < NEVER_US:
            wait_s = max(target_us - self._real_now_us(), 0) / _MICRO
        if self._lookers:
            wait_s = LOOK_S if wait_s is None else min(wait_s, LOOK_S)
        ready = self._selector.look(wait_s)
        self.now_us = max(self.now_us, min(target_us, self._real_now_us()))
        return ready

    def _who_waits(self) -> str:
        lines = [f"Time {self.now_us / _MICRO:.6f} s."]
        for guest in sorted(self.guests.values(), key=lambda guest: guest.name):
            lines.append(f"Badge {guest.name}: {guest.rest()}.")
        for task in sorted(asyncio.all_tasks(self), key=lambda task: task.get_name()):
            lines.append(f"Task {task.get_name()} waits at {_innermost(task)}.")
        return "\n".join(lines)


def _innermost(task: asyncio.Task) -> str:
    """Return file, line and name of the innermost coroutine of ours that the task awaits."""
    awaited: Any = task.get_coro()
    found = "asyncio"
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "ag_frame", None)
        if frame is not None and not frame.f_code.co_filename.startswith(_ASYNCIO):
            found = f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})"
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "ag_await", None)
    return found


def field_loop() -> FieldLoop:
    """Return the running loop. Raises RuntimeError when it is no FieldLoop."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, FieldLoop):
        raise RuntimeError("A virtual field runs in a FieldLoop: see redband.virtual.clock.run.")
    return loop


def run(main: Coroutine[Any, Any, T], is_real: bool) -> T:
    """Run `main` as asyncio.run does, on the clock of a field."""
    with asyncio.Runner(loop_factory=lambda: FieldLoop(is_real)) as runner:
        return runner.run(main)
