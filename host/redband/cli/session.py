"""What scan, sync and watch share: a gateway on a chosen radio and store, for a while.

Guarantee: obstacles are one sentence; whatever ends the block, radio and store are closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from socket import gethostname

from redband.cli.logs import log_to
from redband.cli.options import open_radio
from redband.errors import leading_error
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.book import open_book
from redband.gateway.gateway import Gateway
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


@asynccontextmanager
async def gateway(folder: Path, field: Path | None) -> AsyncIterator[Gateway]:
    """Run a gateway with its store in `folder` on the radio of `field` (None: real Bluetooth)."""
    log_to(folder / LOG_FILE)
    async with open_radio(field) as radio:
        store = Store(folder / STORE_FILE)
        try:
            opened = Gateway(
                BleakRadio(radio.backend),
                store,
                open_book(store),
                name=gethostname(),
                time_factor=radio.time_factor,
            )
            await opened.load()
            async with asyncio.TaskGroup() as group:
                running = group.create_task(opened.run())
                yield opened
                running.cancel()
        finally:
            store.close()
