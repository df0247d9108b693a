"""The GATT server of one badge while its radio is on: values, notifications, credits.

Guarantee: a remote read or write waits until the firmware has handled it, or the connection is
gone; a notification's credit comes back when its packet has left for the peer, or never will.
Does not: know power, advertising or scanning; badge_radio.py does.
"""

from __future__ import annotations

import asyncio
import errno
import struct
from collections import deque
from collections.abc import Callable

from bumble import att, hci
from bumble.core import TimeoutError as BumbleTimeout
from bumble.device import Connection
from bumble.host import DataPacketQueue

from redband.virtual.radio import badge_frames as frames
from redband.virtual.radio.device import HonestDevice
from redband.virtual.radio.gatt_table import TableReader

CREDITS = 12  # notifications the stack holds; NimBLE's default of 12 buffers of 256 bytes


class BadgeGatt:
    """The server of `device`, whose values are in the firmware behind `send(opcode, payload)`."""

    def __init__(self, device: HonestDevice, send: Callable[[int, bytes], None]) -> None:
        queue = device.host.le_acl_packet_queue
        assert queue is not None, "the device must be powered on"
        self._queue: DataPacketQueue = queue
        self._device = device
        self._server = device.gatt_server
        self._send = send
        self._first_own_attribute = len(self._server.attributes)
        self._requests: dict[int, tuple[int, asyncio.Future[tuple[int, bytes]]]] = {}
        self._last_request = 0
        self._in_stack: deque[int] = deque()  # for each notification: packets queued up to it
        queue.on("flow", self._give_credits)

    def close(self) -> None:
        """Answer nobody any more."""
        self._queue.remove_listener("flow", self._give_credits)
        for _, answer in self._requests.values():
            answer.cancel()

    def register(self, table_data: bytes) -> bytes:
        """Replace the service table; return its handles. Raises ValueError on a bad table."""
        table = TableReader(table_data, self)
        services = table.services()
        server = self._server
        del server.attributes[self._first_own_attribute :]
        server.attributes_by_handle.clear()
        server.services[:] = [
            service for service in server.services if service.handle <= self._first_own_attribute
        ]
        server.add_services(services)
        return b"".join(struct.pack("<H", attribute.handle) for attribute in table.attributes)

    # -- remote reads and writes ----------------------------------------------------------

    async def read(self, connection: Connection, handle: int) -> bytes:
        """Ask the firmware for a value."""
        return await self._request(frames.READ, connection, handle)

    async def write(self, connection: Connection, handle: int, value: bytes) -> None:
        """Hand the firmware a value; returns once its handler has run."""
        await self._request(frames.WRITTEN, connection, handle, value)

    async def _request(
        self, opcode: int, connection: Connection, handle: int, value: bytes = b""
    ) -> bytes:
        self._last_request = number = (self._last_request + 1) & 0xFFFF
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self._requests[number] = (connection.handle, answer)
        self._send(opcode, struct.pack("<HHH", number, connection.handle, handle) + value)
        try:
            error, answered_value = await answer
        finally:
            self._requests.pop(number, None)
        if error:
            raise att.ATT_Error(att.ErrorCode(error))
        return answered_value

    def request_done(self, payload: bytes) -> None:
        """The firmware has answered a read or a write."""
        request = self._requests.get(int.from_bytes(payload[:2], "little"))
        if request is not None and not request[1].done():
            request[1].set_result((payload[2] if len(payload) > 2 else 0, payload[3:]))

    def connection_gone(self, handle: int) -> None:
        """Nobody waits for what was asked over this connection."""
        for request_handle, answer in list(self._requests.values()):
            if request_handle == handle and not answer.done():
                answer.set_result((att.ErrorCode.UNLIKELY_ERROR, b""))

    # -- notifications and indications ----------------------------------------------------

    def notify(self, payload: bytes) -> None:
        """Send a notification of the firmware."""
        handle, attribute_handle = struct.unpack_from("<HH", payload)
        connection = self._device.connections.get(handle)
        if connection is not None:
            pdu = att.ATT_Handle_Value_Notification(
                attribute_handle=attribute_handle,
                attribute_value=payload[4 : 4 + connection.att_mtu - 3],
            )
            self._device.send_l2cap_pdu(handle, att.ATT_CID, bytes(pdu))
        self._in_stack.append(self._queue.queued)
        self._give_credits()

    def _give_credits(self) -> None:
        count = 0
        while self._in_stack and self._in_stack[0] <= self._queue.completed:
            self._in_stack.popleft()
            count += 1
        if count:
            self._send(frames.CREDIT, bytes([count]))

    async def indicate(self, payload: bytes) -> None:
        """Send an indication of the firmware and tell it when the peer has confirmed."""
        handle, attribute_handle = struct.unpack_from("<HH", payload)
        status = int(hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR)
        connection = self._device.connections.get(handle)
        attribute = self._server.get_attribute(attribute_handle)
        if connection is not None and attribute is not None:
            try:
                await self._server.indicate_subscriber(
                    connection, attribute, payload[4:], force=True
                )
                status = 0
            except BumbleTimeout:
                status = errno.ETIMEDOUT
        self._send(frames.CREDIT, b"\1")
        self._send(frames.INDICATE_DONE, payload[:4] + bytes([status]))

    async def update(self, payload: bytes) -> None:
        """Send a value to every subscriber (gatts_write with send_update)."""
        attribute = self._server.get_attribute(int.from_bytes(payload[:2], "little"))
        if attribute is not None:
            await self._server.notify_subscribers(attribute, payload[2:])
