"""An event loop whose time leaps to the next deadline whenever nothing is left to do.

Timeouts of seconds pass at once and in their exact order, however busy the machine is. For tests
without threads and sockets: nothing from outside can arrive during a leap.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

P = ParamSpec("P")


class _LeapSelector(selectors.DefaultSelector):
    """Counts the time to wait instead of waiting."""

    now_s = 0.0

    def select(self, timeout: float | None = None):
        ready = super().select(0)
        if not ready and timeout is None:
            return super().select(None)  # woken by another thread only, as while closing
        if not ready and timeout:
            self.now_s += timeout
        return ready


class LeapLoop(asyncio.SelectorEventLoop):
    """See the module's text."""

    def __init__(self) -> None:
        self._leaps = _LeapSelector()
        super().__init__(self._leaps)

    def time(self) -> float:
        """Seconds of leapt time."""
        return self._leaps.now_s


def leaping(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of an async function, run in a `LeapLoop` of its own."""

    @functools.wraps(test)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=LeapLoop) as runner:
            runner.run(test(*arguments, **options))

    return run
