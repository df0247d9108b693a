"""Serves HCI to hosts: each client of a unix socket gets a radio of its own on the ether.

Problem: a host program in another process needs a controller, as it would have a USB dongle.
Guarantee: H4 over the socket, a fresh controller per client with its own address
("F0:DE:00:00:00:01" and up), off the air when the client goes. While a client of another process
is there, the field's clock goes at real pace.
Does not: authenticate clients; the socket's permissions are the directory's.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from bumble.transport.common import StreamPacketSink, StreamPacketSource

from redband.errors import RedbandUserError
from redband.virtual.clock import field_loop
from redband.virtual.peer import is_of_another_process
from redband.virtual.radio.controller import RadioController
from redband.virtual.radio.ether import Ether

HOST_ADDRESS_PREFIX = "F0:DE:00:00"
MAX_HOSTS = 0xFFFF


class _HostPort(StreamPacketSource):
    """One connected host."""

    transport: asyncio.Transport
    controller: RadioController

    def __init__(self, server: HciServer) -> None:
        super().__init__()
        self.server = server
        self._pace = contextlib.ExitStack()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.controller = RadioController(
            self.server.ether, self.server.next_address(), self, StreamPacketSink(transport)
        )
        self.server.ports[self] = None
        if is_of_another_process(transport):
            self._pace.enter_context(field_loop().real_pace())

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._pace.close()
        self.controller.shut_down()  # the operating system closes what a program leaves open
        self.server.ports.pop(self, None)


class HciServer:
    """`path`: of the socket; an old socket of that name is replaced."""

    def __init__(self, ether: Ether, path: str) -> None:
        self.ether = ether
        self.path = path
        self.ports: dict[_HostPort, None] = {}
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen. Raises RedbandUserError when the socket cannot be made."""
        self._remove_socket()
        try:
            self._server = await asyncio.get_running_loop().create_unix_server(
                lambda: _HostPort(self), self.path
            )
        except OSError as error:
            raise RedbandUserError(
                f"The virtual radio cannot open its socket {self.path}: {error}. "
                "Choose a directory with a shorter path that you may write to."
            ) from None

    def next_address(self) -> str:
        """Return an address no radio on the ether has."""
        taken = {controller.name for controller in self.ether.controllers}
        for number in range(1, MAX_HOSTS):
            address = f"{HOST_ADDRESS_PREFIX}:{number >> 8:02X}:{number & 0xFF:02X}"
            if address not in taken:
                return address
        raise RedbandUserError("No address is left for another host radio.")

    async def stop(self) -> None:
        """Close the socket and the radios of its clients."""
        if self._server is not None:
            self._server.close()
        for port in list(self.ports):
            port.controller.power_off()
            port.transport.abort()
        self._remove_socket()

    def _remove_socket(self) -> None:
        Path(self.path).unlink(missing_ok=True)


async def open_hci(ether: Ether, path: str) -> None:
    """Serve HCI (H4) on a unix socket while the ether is open; each client gets its own radio.

    Raises RedbandUserError when the socket cannot be made.
    """
    server = HciServer(ether, str(path))
    await server.start()
    ether.at_close(server.stop)
