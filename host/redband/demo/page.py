"""The game master's page inside the demo's own event loop, on a socket that is bound already.

Guarantee: the page ends with the block, whatever browsers are still connected; Ctrl-C stays the
demo's business. Not here: anything on the page (`redband.tent`).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from fastapi import FastAPI

GOODBYE_S = 2
"""How long open browser connections may take to close before they are cut."""


class _GuestServer(uvicorn.Server):
    """A server that leaves the process's signals to the program it is a guest of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def served(app: FastAPI, page_socket: socket.socket) -> AsyncIterator[None]:
    """Serve `app` on `page_socket` for the length of the block."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=GOODBYE_S
    )
    server = _GuestServer(config)
    task = asyncio.create_task(server.serve(sockets=[page_socket]), name="page")
    try:
        yield
    finally:
        server.should_exit = True
        await task
