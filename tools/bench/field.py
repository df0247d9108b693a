"""How fast a whole field goes: seconds of its clock in one real second."""

from __future__ import annotations

import asyncio
import contextlib
import time

from redband.virtual.clock import field_loop, run
from tools.bench.play import field_of, gateway_on, running
from tools.bench.table import Table

BADGES = (1, 6, 10, 20, 60)
SECONDS = 20
"""Of the field's clock, measured once all badges show a light."""
TIMERS = 60
"""Of the peer: asyncio alone, on the same clock, each as often as an idle badge may wake."""
WAKEUPS_HZ = 20


async def _speed() -> tuple[float, float]:
    """Return (seconds of the field in one real second, grants to badges in one of the field)."""
    loop = field_loop()
    grants, began_s = loop.grants, time.monotonic()
    await asyncio.sleep(SECONDS)
    return SECONDS / (time.monotonic() - began_s), (loop.grants - grants) / SECONDS


async def _field(count: int, has_gateway: bool) -> tuple[float, float]:
    async with contextlib.AsyncExitStack() as undo:
        field = await undo.enter_async_context(field_of(count))
        if has_gateway:
            gateway = await undo.enter_async_context(gateway_on(field))
            await undo.enter_async_context(running(gateway))
        return await _speed()


async def _timers() -> tuple[float, float]:
    async def wake() -> None:
        for _ in range(SECONDS * WAKEUPS_HZ):
            await asyncio.sleep(1 / WAKEUPS_HZ)

    tasks = [asyncio.create_task(wake()) for _ in range(TIMERS)]
    speed = await _speed()
    await asyncio.wait(tasks)
    return speed


def measure() -> Table:
    """Run the bench and return its table."""
    table = Table(
        "Speed of a virtual field",
        "Healthy players, radio advertising, on the fast clock. The limit is asyncio alone:"
        f" {TIMERS} tasks that wake {WAKEUPS_HZ} times a second on the same clock.",
    )
    limit, _ = run(_timers(), is_real=False)
    table.add("limit: timers alone", f"{limit:.0f} x real time", f"{SECONDS} s of the clock")
    for count in BADGES:
        for has_gateway in (False, True):
            speed, grants_hz = run(_field(count, has_gateway), is_real=False)
            what = f"{count} badges" if count > 1 else "1 badge"
            table.add(
                what + (" and a gateway" if has_gateway else ""),
                f"{speed:.1f} x real time",
                f"{SECONDS} s of the clock; {grants_hz / count:.0f} grants a badge and second",
            )
    return table
