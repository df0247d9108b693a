"""The USB port of a virtual badge, as mpremote and pyserial open it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

import pytest
import serial

from redband.virtual.badge import VirtualBadge

TOOL_TIMEOUT_S = 60.0


@pytest.fixture
def mpremote() -> Callable[..., Awaitable[str]]:
    """Return run(badge, *arguments): mpremote on the badge's port; its output, or an assertion."""

    async def run(badge: VirtualBadge, *arguments: str, code: int = 0) -> str:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *["-m", "mpremote", "connect", str(badge.usb_path), *arguments],
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        try:
            async with asyncio.timeout(TOOL_TIMEOUT_S):
                output, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        text = output.decode(errors="replace").replace("\r\n", "\n")
        assert process.returncode == code, text
        return text

    return run


class Port:
    """pyserial on a badge's port, for use in the badge's own event loop."""

    def __init__(self, badge: VirtualBadge, exclusive: bool = True) -> None:
        self.serial = serial.Serial(
            str(badge.usb_path), 115200, timeout=10, exclusive=exclusive or None
        )

    async def send(self, data: bytes) -> None:
        await asyncio.to_thread(self.serial.write, data)

    async def until(self, end: bytes) -> bytes:
        """Return what comes, through `end`."""
        got = await asyncio.to_thread(self.serial.read_until, end)
        assert got.endswith(end), got
        return got

    def close(self) -> None:
        self.serial.close()


@pytest.fixture
def open_port() -> object:
    """Return open_port(badge): a `Port`, closed at the end of the test."""
    ports: list[Port] = []

    def make(badge: VirtualBadge, **options) -> Port:
        ports.append(Port(badge, **options))
        return ports[-1]

    yield make
    for port in ports:
        port.close()
