"""What the benches share: a short-lived field, a gateway on it, and figures of a list."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.overview.names import open_rulesets
from redband.store.store import STORE_FILE, Store
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field

BOOT_DEADLINE_S = 20.0
MANY_HITS = str(Path(__file__).with_name("many_hits.toml"))
"""A ruleset whose players outlast a bench."""


@contextlib.asynccontextmanager
async def field_of(count: int, ruleset: str = "hits") -> AsyncIterator[Field]:
    """Give a field of `count` badges that have booted and show a light."""
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        field = Field(Path(folder))
        await field.start()
        try:
            badges = [
                await field.add_badge(BadgeSpec(n, f"Player {n}", ruleset))
                for n in range(1, count + 1)
            ]
            for badge in badges:
                await badge.wait_led(any, BOOT_DEADLINE_S)
            yield field
        finally:
            await field.stop()


@contextlib.asynccontextmanager
async def gateway_on(field: Field, ruleset: str = MANY_HITS) -> AsyncIterator[Gateway]:
    """Give a gateway, not yet running, with a store of its own beside the field."""
    store = Store(field.directory / STORE_FILE)
    radio = backend(field.hci_path)
    try:
        observer = BleakRadio(radio, field.keys)
        gateway = Gateway(observer, store, open_rulesets(store, ruleset), name="bench")
        await gateway.load()
        yield gateway
    finally:
        await radio.close()
        store.close()


@contextlib.asynccontextmanager
async def running(gateway: Gateway) -> AsyncIterator[None]:
    """Let the gateway scan and sync meanwhile."""
    task = asyncio.create_task(gateway.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def until_dark(badge: VirtualBadge) -> None:
    """Wait until the badge shows no light at all."""
    await badge.wait_led(lambda leds: not any(leds), 10.0)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the sorted values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
