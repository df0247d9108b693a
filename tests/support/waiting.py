"""Waiting for what tells nobody that it has changed: bytes on a flash, counts, another process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

WAIT_S = 40.0
"""Only what is broken takes so long."""


async def until(condition: Callable[[], object], timeout_s: float = WAIT_S) -> None:
    """Return as soon as `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 (see above)
            await asyncio.sleep(0.1)
