"""A gateway with its store, run for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import gethostname

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.keys import Keys
from redband.overview.names import open_rulesets
from redband.radio import RadioBackend, ScanCounts, Verdict
from redband.store.store import STORE_FILE, Store


@asynccontextmanager
async def opened(
    backend: RadioBackend | None, keys: Keys | None, folder: Path, told: list[str]
) -> AsyncIterator[Gateway]:
    """Run a gateway with its store in `folder`; whatever ends the block, the store is closed.

    told: gets what the air and the connections had of trouble, a sentence each, at the end.
    """
    store = Store(folder / STORE_FILE)
    radio = BleakRadio(backend, keys, store.advert_counts(), store.keep_advert_counts)
    try:
        gateway = Gateway(radio, store, open_rulesets(store), name=gethostname(), keys=keys)
        await gateway.load()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(gateway.run())
            yield gateway
            running.cancel()
        if gateway.failed_syncs:
            tries = gateway.syncs + gateway.failed_syncs
            told.append(
                f"{gateway.failed_syncs} of {tries} connections failed; each is tried again."
            )
    finally:
        store.close()
        told.extend(trouble(radio.counts, keys is not None))


def trouble(counts: ScanCounts, has_keys: bool) -> list[str]:
    """Return what to tell of the badges that a scan met and could not read, a sentence each."""
    told = []
    if counts.foreign:
        number = _count(len(counts.foreign), "Redband badge")
        what = "of another game" if has_keys else "of a game whose key is not here"
        told.append(f"{number} {what}: give the right key with --key FILE.")
    if counts.unkeyed:
        number = _count(len(counts.unkeyed), "badge")
        told.append(f"{number} without a key: install the game's with redband badge install.")
    if counts.packets[Verdict.OTHER_VERSION]:
        told.append("There are badges with firmware of another version: install it anew.")
    recorded = counts.packets[Verdict.OLD] + counts.packets[Verdict.REPLAYED]
    if recorded:
        told.append(f"{recorded} old adverts were not believed: somebody may send recordings.")
    if counts.dropped:
        told.append(f"{_count(counts.dropped, 'advert')} came faster than they could be read.")
    return told


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
