"""What ends the event loop's wait, from a task or from an interrupt, and how late interrupts are.

Problem: asyncio's Event may not be set by an interrupt handler, whose wait it would not end; and
ThreadSafeFlag is asked by Python code each time that the chip's tick comes, a hundred to a
thousand times a second. Guarantee: a RingIO is a stream that the poll of an idle loop asks in C;
nothing of ours runs until somebody sets it (MicroPython 1.24 and later).

Why not asyncio.wait_for_ms: it waits on a task of its own, and a cancellation that arrives while
that one is being cancelled is swallowed (seen on 1.29-preview as a supervisor that could not be
stopped). Here the waiting task itself stands in the loop's queue, so that cancelling reaches it.
"""

import asyncio
import time

import micropython

_IDLE = -1
_left_ticks_ms = [0]  # when the loop last left its wait, _IDLE while it waits


class Wakeup:
    """For one waiting task, and any number of tasks and interrupt handlers that set it."""

    def __init__(self) -> None:
        self._ring = micropython.RingIO(1)
        self._is_changed = False

    def set(self) -> None:
        """Something changed: wake the waiting task, or let its next wait return at once."""
        self._is_changed = True
        self._ring.write(b"\0")

    async def wait(self, timeout_ms: int) -> bool:
        """Return True when set() was called since the last wait, False after `timeout_ms`."""
        if not self._is_changed:
            timer = asyncio.create_task(self._end(timeout_ms))
            try:
                await self._readable()  # pyright: ignore[reportGeneralTypeIssues]
            finally:
                timer.cancel()
        # In this order: what an interrupt sets between the two is not lost.
        was_changed, self._is_changed = self._is_changed, False
        self._ring.read(1)
        return was_changed

    def _readable(self):
        # As asyncio's own streams and flags do.
        yield asyncio.core._io_queue.queue_read(self._ring)  # pyright: ignore

    async def _end(self, timeout_ms: int) -> None:
        await asyncio.sleep_ms(timeout_ms)
        self._ring.write(b"\0")


def watch() -> None:
    """Note from now on when the loop waits: see busy_ms()."""
    queue = asyncio.core._io_queue  # pyright: ignore[reportAttributeAccessIssue]
    wait = queue.wait_io_event

    def watched(timeout_ms: int) -> None:
        _left_ticks_ms[0] = _IDLE
        wait(timeout_ms)
        _left_ticks_ms[0] = time.ticks_ms()  # pyright: ignore

    queue.wait_io_event = watched


def busy_ms(ticks_ms: int) -> int:
    """Return for how long the loop has not waited: so late may an interrupt's handler be that
    runs at `ticks_ms`. 0 while it waits, when handlers run within 0.1 ms or so.
    """
    left_ticks_ms = _left_ticks_ms[0]
    return 0 if left_ticks_ms == _IDLE else time.ticks_diff(ticks_ms, left_ticks_ms)
