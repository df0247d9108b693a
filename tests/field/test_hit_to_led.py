"""From the closing of a contact to the light that acknowledges it, on the field's clock."""

from __future__ import annotations

import asyncio

from tools.bench.play import MANY_HITS

PRESSES = 20
PRESS_MS = 40
APART_S = 0.5
PHASE_S = 0.0013
"""Of each press against the one before: all phases of the badge's own beats."""


async def latencies_us(make_bench) -> list[int]:
    """Return the microseconds from each edge to both lights, of a badge with power just now."""
    bench = await make_bench(player="Anna", ruleset_id=MANY_HITS)
    loop = asyncio.get_running_loop()
    spans_us = []
    for _ in range(PRESSES):
        await asyncio.sleep(APART_S + PHASE_S)
        bench.lights.clear()
        edge_us = loop.now_us
        await bench.acknowledged(bench.badge.press(PRESS_MS))
        lit_s = next(at_s for at_s, lights in bench.lights if all(lights[:2]))
        spans_us.append(round(lit_s * 1e6) - edge_us)
        await bench.quiet()
    await bench.badge.power_cut()
    return spans_us


async def test_hit_to_light(make_bench):
    spans_us = await latencies_us(make_bench)
    assert await latencies_us(make_bench) == spans_us
    assert min(spans_us) > 0
    assert max(spans_us) <= 10_000
