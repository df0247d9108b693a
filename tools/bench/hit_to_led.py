"""Time from the closing of the button's contact to the light that acknowledges the hit."""

from __future__ import annotations

import asyncio
import random
import statistics
import time

from redband.virtual.clock import run
from tools.bench.play import MANY_HITS, field_of, gateway_on, percentile, running
from tools.bench.table import Table

HITS = 1000
HITS_A_LIFE = 250
PRESS_MS = 40


async def _one(badge) -> float:
    """Press once; return ms until all three outputs acknowledge it."""
    started_s = time.monotonic()
    press = asyncio.create_task(badge.press(PRESS_MS))
    await badge.wait_led(lambda leds: all(leds), 5.0)
    lit_ms = (time.monotonic() - started_s) * 1000
    await press
    await badge.wait_led(lambda leds: not all(leds), 5.0)
    return lit_ms


async def _life(count: int, rng: random.Random) -> list[float]:
    """Return the times of `count` hits on a new badge that a gateway scans and syncs."""
    async with (
        field_of(1, MANY_HITS) as field,
        gateway_on(field) as gateway,
        running(gateway),
    ):
        times_ms = []
        for _ in range(count):
            await asyncio.sleep(0.08 + rng.random() * 0.02)  # any phase of the 10 ms sampling
            times_ms.append(await _one(field.badges[1]))
    return times_ms


async def _measure() -> Table:
    rng = random.Random(1)
    times_ms = []
    for _ in range(HITS // HITS_A_LIFE):
        times_ms += await _life(HITS_A_LIFE, rng)
    table = Table("Hit to LED", "One virtual badge while a gateway scans and syncs it.")
    how = f"{HITS} presses at random phase; host's edge to the host's view of the pins"
    table.add("median", f"{statistics.median(times_ms):.1f} ms", how)
    table.add("p99", f"{percentile(times_ms, 0.99):.1f} ms", how)
    table.add("longest", f"{max(times_ms):.1f} ms", how)
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
