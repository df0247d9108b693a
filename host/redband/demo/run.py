"""The whole demo in one event loop: field, gateway, page, script, screen; and their end.

Guarantee: whatever ends it (the script, Ctrl-C, SIGTERM, a full disk, a bug), every badge process
is gone and the data is closed before `run_demo` returns. Heavy imports happen while badges boot.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import shutil
import signal
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from redband.demo.preflight import LOW_BYTES, Ground, full_disk, prepare
from redband.demo.settings import DemoSettings
from redband.errors import leading_error
from redband.gateway.logs import log_to
from redband.virtual import clock

if TYPE_CHECKING:
    from redband.demo.match import Match

LOG_FILE = "demo.log"
"""Messages of the libraries, in the data folder."""

DISK_CHECK_S = 1.0
"""Pause between two looks at the free space."""

ENDED = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""Exit codes of a headless demo that was ended before it had its answer."""


def run_demo(settings: DemoSettings, console: Console, started_s: float) -> int:
    """Run a demo to its end and return the exit code.

    0: it agreed, or the user ended an interactive one; 1: headless, and it does not agree.
    started_s: monotonic time of the program's start. Raises RedbandUserError for obstacles.
    """
    with contextlib.ExitStack() as undo:
        ground = prepare(settings, undo)
        log_to(ground.directory / LOG_FILE)
        try:
            # Nobody waits at a headless demo: it plays as fast as it can.
            is_real = not settings.is_headless
            before_s = time.monotonic() - started_s if is_real else 0.0
            return clock.run(_until_ended(settings, ground, console, before_s), is_real)
        except OSError as error:
            raise _sentence(error, ground.directory) from error
        except ExceptionGroup as group:
            raise _sentence(leading_error(group), ground.directory) from group


def _sentence(error: Exception, directory: Path) -> Exception:
    """Return the sentence for a full disk, and any other error as it is."""
    is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return full_disk(directory) if is_full else error


async def _until_ended(
    settings: DemoSettings, ground: Ground, console: Console, before_s: float
) -> int:
    """Run the match until it is over or a signal asks to end, and take it down either way."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[int] = loop.create_future()

    def ask(number: int) -> None:
        # A second signal finds Python's own handlers: it ends the process without our manners,
        # and the badges die with their terminals.
        for each in ENDED:
            loop.remove_signal_handler(each)
        asked.set_result(number)

    for number in ENDED:
        loop.add_signal_handler(number, ask, number)
    match = asyncio.create_task(_match(settings, ground, console, before_s))
    await asyncio.wait({match, asked}, return_when=asyncio.FIRST_COMPLETED)
    if not asked.done():
        return match.result()
    match.cancel()
    await asyncio.wait({match})
    if not match.cancelled():
        return match.result()
    console.print(f"Ended; the data is kept in {ground.directory}.", highlight=False)
    return ENDED[signal.Signals(asked.result())] if settings.is_headless else 0


async def _match(settings: DemoSettings, ground: Ground, console: Console, before_s: float) -> int:
    module = importlib.import_module("redband.demo.match")
    match: Match = module.Match(settings, ground, console, before_s)
    body: Coroutine[Any, Any, int] = match.run()
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(_watch_disk(ground.directory), name="disk")
        code = await body
        watch.cancel()
    return code


async def _watch_disk(directory: Path) -> None:
    """End the demo with a sentence while there is still room to write everything down."""
    while True:
        if shutil.disk_usage(directory).free < LOW_BYTES:
            raise full_disk(directory)
        await asyncio.sleep(DISK_CHECK_S)
