"""How fast a whole field goes: seconds of its clock in one real second."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Sequence

from redband.virtual.clock import run
from tools.bench.idle import cpu_seconds
from tools.bench.play import field_of, gateway_on, running
from tools.bench.table import Table

BADGES = (1, 6, 10, 20, 60)
SECONDS = 10
"""Of the field's clock, measured once all badges show a light, and again at rest."""
REST_S = 70
"""After it nothing is new: adverts are seldom, and no radio is on for a change."""
TIMERS = 60
"""Of the peer: asyncio alone, on the same clock, each as often as an idle badge may wake."""
WAKEUPS_HZ = 20


Speed = tuple[float, float]


async def _speed(pids: Sequence[int] = ()) -> Speed:
    """Return the seconds of the field in (one real second, one of the processors' own).

    pids: of the badges. The second figure does not change with what else the machine does.
    """

    def used_s() -> float:
        return time.process_time() + sum(cpu_seconds(pid) for pid in pids)

    before_s, began_s = used_s(), time.monotonic()
    await asyncio.sleep(SECONDS)
    return SECONDS / (time.monotonic() - began_s), SECONDS / (used_s() - before_s)


async def _field(count: int, has_gateway: bool) -> list[Speed]:
    """Return the speeds just after the start and at rest."""
    async with contextlib.AsyncExitStack() as undo:
        field = await undo.enter_async_context(field_of(count))
        if has_gateway:
            gateway = await undo.enter_async_context(gateway_on(field))
            await undo.enter_async_context(running(gateway))
        pids = [badge.chip.pid for badge in field.badges.values() if badge.chip.pid]
        speeds = [await _speed(pids)]
        await asyncio.sleep(REST_S)
        return [*speeds, await _speed(pids)]


async def _timers() -> list[Speed]:
    async def wake() -> None:
        for _ in range(SECONDS * WAKEUPS_HZ):
            await asyncio.sleep(1 / WAKEUPS_HZ)

    tasks = [asyncio.create_task(wake()) for _ in range(TIMERS)]
    speed = await _speed()
    await asyncio.wait(tasks)
    return [speed]


def measure() -> Table:
    """Run the bench and return its table."""
    table = Table(
        "Speed of a virtual field",
        "Healthy players, radio advertising, on the fast clock: just started, and at rest"
        f" {REST_S} s later. The limit is asyncio alone:"
        f" {TIMERS} tasks that wake {WAKEUPS_HZ} times a second on the same clock.",
    )
    rows = [("limit: timers alone", _timers())]
    for count in BADGES:
        name = f"{count} badges" if count > 1 else "1 badge"
        rows += [(name, _field(count, False)), (f"{name} and a gateway", _field(count, True))]
    load = os.getloadavg()[0]
    for name, bench in rows:
        for number, (speed, on_one_core) in enumerate(run(bench, is_real=False)):
            when = ", at rest" if number else ""
            how = f"{SECONDS} s of the clock; {on_one_core:.1f} x by the processor time used"
            table.add(name + when, f"{speed:.1f} x real time", how)
    cores = os.cpu_count() or 1
    how = f"in the minute before, on {cores} cores" + ("; others ran" if load > 1 else "")
    table.add("load of the machine", f"{load:.1f}", how)
    return table
