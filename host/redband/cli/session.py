"""What scan, sync and watch share: a gateway on a chosen radio and store, for a while.

Guarantee: obstacles are one sentence; whatever ends the block, radio and store are closed. Badges
that could not be read are told of at the end, with what to do about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from socket import gethostname

import typer

from redband.cli.logs import log_to
from redband.cli.options import open_radio
from redband.errors import leading_error
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.overview.names import open_rulesets
from redband.radio import ScanCounts, Verdict
from redband.store.store import STORE_FILE, Store

LOG_FILE = "redband.log"
"""Messages of the libraries, beside the store."""


def run(main: Coroutine[object, object, int]) -> int:
    """Run `main` in an event loop of its own and return its exit code.

    An error out of a task group comes out as itself, so that a sentence stays a sentence.
    """
    try:
        return asyncio.run(main)
    except ExceptionGroup as group:
        raise leading_error(group) from group


def unread(counts: ScanCounts, has_keys: bool) -> list[str]:
    """Return what to tell of the badges that a scan met and could not read, a sentence each."""
    told = []
    if counts.foreign:
        number = _badges(len(counts.foreign), "Redband badge")
        what = "of another game" if has_keys else "of a game whose key is not here"
        told.append(f"{number} {what}: give the right key with --key FILE.")
    if counts.unkeyed:
        number = _badges(len(counts.unkeyed), "badge")
        told.append(f"{number} without a key: install the game's with redband badge install.")
    if counts.packets[Verdict.OTHER_VERSION]:
        told.append("There are badges with firmware of another version: install it anew.")
    recorded = counts.packets[Verdict.OLD] + counts.packets[Verdict.REPLAYED]
    if recorded:
        told.append(f"{recorded} old adverts were not believed: somebody may send recordings.")
    return told


def _badges(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


@asynccontextmanager
async def gateway(
    folder: Path, field: Path | None, key: Path | None = None
) -> AsyncIterator[Gateway]:
    """Run a gateway with its store in `folder` on the radio of `field` (None: real Bluetooth).

    key: file of the keys, None for the one in `folder`, or the field's own.
    """
    log_to(folder / LOG_FILE)
    async with open_radio(field, key, folder) as radio:
        store = Store(folder / STORE_FILE)
        ears = BleakRadio(
            radio.backend,
            radio.keys,
            store.advert_counts(),
            store.keep_advert_counts,
            radio.time_factor,
        )
        try:
            opened = Gateway(
                ears,
                store,
                open_rulesets(store),
                name=gethostname(),
                time_factor=radio.time_factor,
                keys=radio.keys,
            )
            await opened.load()
            async with asyncio.TaskGroup() as group:
                running = group.create_task(opened.run())
                yield opened
                running.cancel()
        finally:
            store.close()
            for sentence in unread(ears.counts, radio.keys is not None):
                typer.echo(sentence, err=True)
