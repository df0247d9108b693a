"""One task waits for a change or for a time, whichever comes first.

Why not asyncio.wait_for_ms: it waits on a task of its own, and a cancellation that arrives while
that one is being cancelled is swallowed (seen on 1.29-preview as a supervisor that could not be
stopped). Here the waiting task stands in Event.wait itself, so that cancelling always reaches it.
"""

import asyncio


class Wakeup:
    """For one waiting task and any number of tasks that set it; not for interrupt handlers."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._is_changed = False

    def set(self) -> None:
        """Something changed: wake the waiting task, or let its next wait return at once."""
        self._is_changed = True
        self._event.set()

    async def wait(self, timeout_ms: int) -> bool:
        """Return True when set() was called since the last wait, False after `timeout_ms`."""
        if not self._is_changed:
            timer = asyncio.create_task(self._ring(timeout_ms))
            try:
                await self._event.wait()
            finally:
                timer.cancel()
        self._event.clear()
        was_changed, self._is_changed = self._is_changed, False
        return was_changed

    async def _ring(self, timeout_ms: int) -> None:
        await asyncio.sleep_ms(timeout_ms)
        self._event.set()
