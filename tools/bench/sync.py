"""Six badges with 200 events each, synced by one host: speed and cost on the air."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from redband.gateway.port import LINKS_MAX
from redband.radio import AdvertReader, Heard, SyncResult, scan, sync_badge
from redband.store.records import Page, decode_page
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.clock import run
from redband_core import journal, limits
from redband_core.advert import NO_SEQ
from tools.bench.burst import press_in_time
from tools.bench.play import MANY_HITS, field_of, gateway_on, running
from tools.bench.table import Table

BADGES = 6
EVENTS = 200
FIRST_EVENTS = 100
AT_ONCE = 20
PRESSES_PER_S = 8


def size_of(records) -> int:
    """Return the bytes these records take in a badge's journal."""
    size, last_ms = 0, None
    for record in records:
        delta_ms = 0 if last_ms is None else record.game_ms - last_ms
        last_ms = record.game_ms
        size += len(journal.encode_record(record.seq, record.kind, delta_ms, record.payload))
    return size


async def one_sync(events: int) -> SyncResult:
    """Return what a first sync of a badge with `events` (twenties) new events came to."""
    found: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()

    def take(heard: Heard) -> None:
        if heard.advert.last_seq != NO_SEQ and not found.done():
            found.set_result(heard)

    async def commit(page: Page) -> int:
        return page.first_seq + len(decode_page(page))

    async with field_of(1, MANY_HITS) as field:
        for _ in range(0, events, AT_ONCE):
            await press_in_time(field.badges[1], AT_ONCE, PRESSES_PER_S)
        radio = backend(field.hci_path)
        task = asyncio.create_task(scan(take, AdvertReader(field.keys), radio))
        try:
            heard = await found
            return await sync_badge(heard.device, lambda _install: 0, commit, field.keys, radio)
        finally:
            task.cancel()
            await asyncio.wait({task})
            await radio.close()


async def _measure() -> Table:
    async with field_of(BADGES, MANY_HITS) as field, gateway_on(field) as gateway:
        badges = list(field.badges.values())
        await asyncio.gather(*[press_in_time(badge, EVENTS, PRESSES_PER_S) for badge in badges])
        before = dataclasses.replace(field.ether.stats)
        started_s = time.monotonic()
        async with running(gateway):
            await gateway.drained(set(field.badges))
            took_s = time.monotonic() - started_s
            after = dataclasses.replace(field.ether.stats)
        rows = gateway.rows()
        store = Store(field.directory / STORE_FILE)
        log_bytes = sum(size_of(store.records(badge_id)) for badge_id in field.badges)
        store.close()
    events = sum(row.event_count for row in rows)
    frames = after.acl_packets - before.acl_packets
    air_bytes = after.acl_bytes - before.acl_bytes
    table = Table("Sync of six badges", f"{EVENTS} events on each; 30 ms x 4 packets pacing.")
    table.add("events synced", f"{events}", f"{BADGES} badges, {LINKS_MAX} connections at a time")
    table.add("time", f"{took_s:.2f} s", "from the start of scanning to the last commit")
    table.add("speed", f"{events / took_s:.0f} events/s", "events by time")
    table.add("frames on the air", f"{frames}", "link-layer data packets, both ways")
    table.add("bytes on the air", f"{air_bytes}", "payload of those packets (L2CAP and up)")
    share = f"{log_bytes / air_bytes:.2f}"
    table.add("log bytes per byte on the air", share, f"{log_bytes} bytes of records")
    first = await one_sync(FIRST_EVENTS)
    table.add(
        "round trips of one sync",
        f"{first.round_trips}",
        f"after connect; {FIRST_EVENTS} new events, {first.records} records, frames of"
        f" {limits.FRAME_MAX_BYTES} bytes (MTU 247)",
    )
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
