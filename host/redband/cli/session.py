"""What scan, sync, watch and say share: a gateway on a chosen radio and store, for a while.

Guarantee: obstacles are one sentence; whatever ends the block, radio and store are closed. Badges
that could not be read are told of at the end, with what to do about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import typer

from redband.cli.options import open_radio
from redband.errors import leading_error
from redband.gateway.gateway import Gateway
from redband.gateway.logs import log_to
from redband.gateway.opened import opened

LOG_FILE = "redband.log"
"""Messages of the libraries and of the radio, beside the store."""


def run(main: Coroutine[object, object, int]) -> int:
    """Run `main` in an event loop of its own and return its exit code.

    An error out of a task group comes out as itself, so that a sentence stays a sentence.
    """
    try:
        return asyncio.run(main)
    except ExceptionGroup as group:
        raise leading_error(group) from group


@asynccontextmanager
async def gateway(
    folder: Path, field: Path | None, key: Path | None = None
) -> AsyncIterator[Gateway]:
    """Run a gateway with its store in `folder` on the radio of `field` (None: real Bluetooth).

    key: file of the keys, None for the one in `folder`, or the field's own.
    """
    log_to(folder / LOG_FILE)
    told: list[str] = []
    async with open_radio(field, key, folder) as radio:
        try:
            async with opened(radio.backend, radio.keys, folder, told) as running:
                yield running
        finally:
            for sentence in told:
                typer.echo(sentence, err=True)
