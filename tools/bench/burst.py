"""Hits lost in ten seconds of twelve bouncing presses a second, while the host syncs."""

from __future__ import annotations

import asyncio

from redband.demo.evidence import read_journal
from redband.virtual.clock import run
from redband_core import journal
from tools.bench.play import MANY_HITS, field_of, gateway_on, running
from tools.bench.table import Table

SECONDS = 10
PRESSES_PER_S = 12
PRESS_MS = 35
BOUNCES = 3
BOUNCE_PAIR_MS = 1.4
"""Mean length of opening and closing again, see VirtualBadge.press."""


async def press_in_time(badge, count: int, per_second: int) -> None:
    """Press `count` times on a beat of the badge's own clock, however busy this machine is."""
    rest_ms = 1000 / per_second - PRESS_MS - 2 * BOUNCES * BOUNCE_PAIR_MS
    presses = [badge.press(PRESS_MS, BOUNCES, rest_ms) for _ in range(count)]
    await asyncio.gather(*presses)


def hits_in(records) -> int:
    """Return how many presses of the button the badge's own journal holds."""
    inputs = (journal.EVENT, journal.REFUSED)
    return sum(kind in inputs for kind, _game_ms, _payload in records.values())


async def _measure() -> Table:
    count = SECONDS * PRESSES_PER_S
    async with field_of(1, MANY_HITS) as field, gateway_on(field) as gateway:
        badge = field.badges[1]
        async with running(gateway):
            await press_in_time(badge, count, PRESSES_PER_S)
            await gateway.drained({1})
            syncs = gateway.syncs
        await badge.power_cut()
        counted = hits_in(read_journal(badge.image_path).records)
        stored = gateway.rows()[0].event_count
    note = f"{PRESSES_PER_S} presses a second with {BOUNCES} bounces each."
    table = Table("Burst of hits", note)
    table.add("presses", f"{count}", f"{SECONDS} s, {PRESS_MS} ms each, gateway syncing meanwhile")
    table.add("hits lost", f"{count - counted}", "presses less events in the badge's flash image")
    table.add("syncs meanwhile", f"{syncs}", "connections that fetched records")
    table.add("events in the host's store", f"{stored}", "after the last sync")
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
