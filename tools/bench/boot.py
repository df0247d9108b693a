"""Time from a badge's power-on to the first hit that counts."""

from __future__ import annotations

import asyncio
import statistics
import time

from redband.virtual.badge import VirtualBadge
from redband.virtual.clock import run
from tools.bench.play import MANY_HITS, field_of, until_dark
from tools.bench.table import Table

BOOTS = 20
BOOT_TIMEOUT_S = 20.0


async def _one(badge: VirtualBadge) -> tuple[float, float]:
    """Start the badge; return ms until its first light, and until its first hit is shown."""
    await badge.power_cut()
    await until_dark(badge)
    started_s = time.monotonic()
    await badge.power_on()
    await badge.wait_led(lambda leds: any(leds[:2]), BOOT_TIMEOUT_S)
    lit_ms = (time.monotonic() - started_s) * 1000
    press = asyncio.create_task(badge.press())
    await badge.wait_led(lambda leds: all(leds), BOOT_TIMEOUT_S)
    counted_ms = (time.monotonic() - started_s) * 1000
    await press
    await asyncio.sleep(0.2)
    return lit_ms, counted_ms


async def _measure() -> Table:
    async with field_of(1, MANY_HITS) as field:
        times = [await _one(field.badges[1]) for _ in range(BOOTS)]
    table = Table(
        "Boot",
        "One virtual badge whose battery is pulled and put back; its interpreter starts anew.",
    )
    how = f"median of {BOOTS} starts; longest {{:.0f}} ms"
    for what, column in (("power-on to the first light", 0), ("to the first hit counted", 1)):
        found = [row[column] for row in times]
        table.add(what, f"{statistics.median(found):.0f} ms", how.format(max(found)))
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
