"""How often a badge wakes: seldom while nothing happens, since each time costs its battery."""

from __future__ import annotations

import asyncio
import re

import pytest

MAIN = b"""
from asyncio import core
import time

queue = core._io_queue
wait = queue.wait_io_event
counts = [0, 0]  # waits that took time, and the tick of the next line


def counted(timeout_ms):
    began_ms = time.ticks_ms()
    wait(timeout_ms)
    ticks_ms = time.ticks_ms()
    counts[0] += ticks_ms != began_ms
    if time.ticks_diff(ticks_ms, counts[1]) >= 0:
        counts[1] = time.ticks_add(ticks_ms, 1000)
        print("WAITS", ticks_ms, counts[0])


counts[1] = time.ticks_ms()
queue.wait_io_event = counted
with open("/real_main.py") as file:
    exec(file.read())
"""
SECONDS = 10


def waits(log: bytes) -> list[tuple[int, int]]:
    """Return (ticks in ms, waits of the event loop that took time so far) of each line."""
    found = re.findall(rb"WAITS (\d+) (\d+)\r?\n", bytes(log))
    return [(int(ticks_ms), int(count)) for ticks_ms, count in found]


async def per_second(bench) -> float:
    """Return how often the badge's event loop waits in a second, over SECONDS from now."""
    log = bench.badge.console.log
    first = len(waits(log))
    while len(waits(log)) < first + SECONDS:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    (from_ms, from_count), (to_ms, to_count) = waits(log)[first], waits(log)[-1]
    return (to_count - from_count) * 1000 / (to_ms - from_ms)


@pytest.fixture
async def bench(make_bench):
    from redband.build.firmware import firmware_files

    files = {"/main.py": MAIN, "/real_main.py": firmware_files()["/main.py"]}
    return await make_bench(replace=files)


async def test_idle_badge_wakes_less_than_20_times_a_second(bench):
    assert 2 < await per_second(bench) < 20


async def test_badge_with_a_running_timer_wakes_less_than_20_times_a_second(bench):
    await bench.acknowledged(bench.badge.press())
    await asyncio.sleep(3)  # the gesture is over, and the contact has rested
    assert 2 < await per_second(bench) < 20


async def test_contact_that_is_held_is_looked_at_a_hundred_times_a_second(bench):
    holding = asyncio.ensure_future(bench.badge.hold(14_000))
    await asyncio.sleep(0.5)
    assert await per_second(bench) > 80
    await holding
