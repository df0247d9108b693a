"""Six badges with 200 events each, synced by one host: speed and cost on the air."""

from __future__ import annotations

import asyncio
import time

from tools.bench.burst import press_in_time
from tools.bench.play import MANY_HITS, field_of, gateway_on, running
from tools.bench.table import Table

BADGES = 6
EVENTS = 200
PRESSES_PER_S = 8


async def _measure() -> Table:
    async with field_of(BADGES, MANY_HITS) as field, gateway_on(field) as gateway:
        badges = list(field.badges.values())
        await asyncio.gather(*[press_in_time(badge, EVENTS, PRESSES_PER_S) for badge in badges])
        before = field.ether.stats.snapshot()
        started_s = time.monotonic()
        async with running(gateway):
            await gateway.drained(set(field.badges))
            took_s = time.monotonic() - started_s
            after = field.ether.stats.snapshot()
        rows = gateway.rows()
        log_bytes = gateway.log_bytes
    events = sum(row.synced_events for row in rows)
    frames = after.data_packets - before.data_packets
    air_bytes = after.data_bytes - before.data_bytes
    table = Table("Sync of six badges", f"{EVENTS} events on each; 30 ms x 4 packets pacing.")
    table.add("events synced", f"{events}", f"{BADGES} badges, one connection at a time")
    table.add("time", f"{took_s:.2f} s", "from the start of scanning to the last commit")
    table.add("speed", f"{events / took_s:.0f} events/s", "events by time")
    table.add("frames on the air", f"{frames}", "link-layer data packets, both ways")
    table.add("bytes on the air", f"{air_bytes}", "payload of those packets (L2CAP and up)")
    table.add("log bytes per byte on the air", f"{log_bytes / air_bytes:.2f}", f"{log_bytes} bytes of records")
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return asyncio.run(_measure())
