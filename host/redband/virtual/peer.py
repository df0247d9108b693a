"""Who is at the other end of a unix socket."""

from __future__ import annotations

import asyncio
import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


def is_of_another_process(transport: asyncio.BaseTransport) -> bool:
    """Return whether the client of a unix socket lives outside this process, on its own time."""
    its_socket = transport.get_extra_info("socket")
    data = its_socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(data)[0] != os.getpid()
