"""One host radio over HCI: what BlueZ's adapter is to bleak, here for the virtual ether.

Problem: Bumble allows one pending connect, leaves it pending in the controller when the caller
gives up, and waits for ever when its transport is gone.
Guarantee: connects are serialised; every connect ends within its timeout with nothing left
pending, on cancellation too; when the socket is lost, every client learns it.
Does not: cache services, bonds beyond its own life, or limit the number of connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakBluetoothNotAvailableReason,
    BleakError,
)
from bumble import core, hci
from bumble.device import Connection
from bumble.host import DataPacketQueue, Host
from bumble.transport.common import StreamPacketSink, StreamPacketSource

from redband.virtual.bleak_backend.adverts import HeardDevice
from redband.virtual.radio.device import HonestDevice, configure

QUEUED_PACKETS_MAX = 24  # above it, writes without response wait, as they do on a full socket
ReportType = hci.HCI_LE_Advertising_Report_Event.EventType


class _Source(StreamPacketSource):
    def connection_lost(self, exc: Exception | None) -> None:
        del exc  # whatever it was, the radio is gone
        self.on_transport_lost()


class HostRadio(Protocol):
    """What scanner and client need: the open adapter of the running loop."""

    async def adapter(self) -> Adapter:
        """Return it. Raises BleakBluetoothNotAvailableError."""
        ...


class Scanner(Protocol):
    """Who is told about adverts."""

    def heard(self, key: str, device: HeardDevice) -> None:
        """There is news of a device; `key`: its address as text."""


class _ScanningDevice(HonestDevice):
    """Hands reports on as they come; Bumble's merging holds an advert back for its response."""

    on_report: Callable[[hci.Address, int, bytes, int], None]

    def on_advertising_report(
        self,
        report: hci.HCI_LE_Advertising_Report_Event.Report
        | hci.HCI_LE_Extended_Advertising_Report_Event.Report,
    ) -> None:
        self.on_report(report.address, report.event_type, report.data, report.rssi)


class Adapter:
    """A host radio, open on the event loop it was made in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.loop = asyncio.get_running_loop()
        self.heard: dict[str, HeardDevice] = {}
        self.lost: asyncio.Future[None] = self.loop.create_future()
        self._scanners: dict[Scanner, bool] = {}  # scanner -> is it active
        self._connect_lock = asyncio.Lock()
        self._scan_lock = asyncio.Lock()
        self._has_room = asyncio.Event()
        self.device: HonestDevice
        self._transport: asyncio.Transport
        self._queue: DataPacketQueue

    async def open(self) -> None:
        """Connect to the ether. Raises BleakBluetoothNotAvailableError."""
        try:
            transport, source = await self.loop.create_unix_connection(_Source, self.path)
        except OSError as error:
            raise BleakBluetoothNotAvailableError(
                f"There is no virtual radio at {self.path} ({error}); start the field first.",
                BleakBluetoothNotAvailableReason.NO_BLUETOOTH,
            ) from None
        self._transport = transport
        host = Host(source, StreamPacketSink(transport))
        self.device = device = configure(_ScanningDevice, "redband-host", host)
        device.on_report = self._on_report
        source.terminated.add_done_callback(self._on_lost)
        await device.power_on()
        assert host.le_acl_packet_queue is not None, "made by power_on"
        self._queue = host.le_acl_packet_queue
        self._queue.on("flow", self._has_room.set)

    def _on_lost(self, _future: asyncio.Future) -> None:
        if not self.lost.done():
            self.lost.set_result(None)

    async def close(self) -> None:
        """Drop every connection and leave the ether."""
        self._scanners.clear()
        for connection in list(self.device.connections.values()):
            await self.disconnect(connection)
        self._transport.abort()
        await self.lost

    # -- scanning -------------------------------------------------------------------------

    def _on_report(self, address: hci.Address, kind: int, data: bytes, rssi_dbm: int) -> None:
        key = address.to_string(False)
        device = self.heard.get(key)
        if device is None:
            device = self.heard[key] = HeardDevice(address)
        if device.update(data, rssi_dbm, kind == ReportType.SCAN_RSP):
            for scanner in list(self._scanners):
                scanner.heard(key, device)

    async def start_scan(self, scanner: Scanner, is_active: bool) -> None:
        """Report adverts to `scanner.heard`; active if any scanner wants it."""
        self._scanners[scanner] = is_active
        await self._update_scan()

    async def stop_scan(self, scanner: Scanner) -> None:
        """Report no more to `scanner`."""
        self._scanners.pop(scanner, None)
        await self._update_scan()

    async def _update_scan(self) -> None:
        async with self._scan_lock:
            if self.lost.done():
                return
            is_active = any(self._scanners.values())
            device = self.device
            if device.scanning and (not self._scanners or device.scanning_is_passive == is_active):
                await device.stop_scanning()
            if self._scanners and not device.scanning:
                await device.start_scanning(
                    active=is_active, own_address_type=hci.OwnAddressType.PUBLIC
                )

    # -- connecting -----------------------------------------------------------------------

    async def connect(self, address: hci.Address, timeout_s: float) -> Connection:
        """Connect within `timeout_s` from when this connect's turn has come.

        Raises TimeoutError, or BleakError when the radio is gone.
        """
        async with self._connect_lock:
            self.check()
            connecting = self.loop.create_task(
                self.device.connect_le(address, own_address_type=hci.OwnAddressType.PUBLIC)
            )
            try:
                await asyncio.wait(
                    {connecting, self.lost},
                    timeout=timeout_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            finally:
                has_given_up = not connecting.done()
                if has_given_up:
                    await asyncio.shield(self._give_up(connecting))
            self.check()
            if has_given_up:
                raise TimeoutError(f"no connection to {address} within {timeout_s} s")
            return self._result_of(connecting, address)

    def _result_of(self, connecting: asyncio.Task, address: hci.Address) -> Connection:
        try:
            return connecting.result()
        except (core.BaseBumbleError, hci.HCI_Error) as error:
            raise BleakError(f"cannot connect to {address}: {error}") from error

    async def _give_up(self, connecting: asyncio.Task) -> None:
        """Take the connect back, so that the controller is free for the next one."""
        if not self.lost.done():
            try:
                await self.device.send_sync_command(hci.HCI_LE_Create_Connection_Cancel_Command())
            except hci.HCI_Error:
                pass  # it has been made in this very moment
            await asyncio.wait({connecting, self.lost}, return_when=asyncio.FIRST_COMPLETED)
        if connecting.done() and not connecting.cancelled() and connecting.exception() is None:
            await self.disconnect(connecting.result())
        connecting.cancel()

    async def disconnect(self, connection: Connection) -> None:
        """End a connection; returns when it is gone, whatever it takes."""
        if self.lost.done() or connection.handle not in self.device.connections:
            return
        gone = self.loop.create_future()
        connection.once(
            connection.EVENT_DISCONNECTION, lambda _: gone.done() or gone.set_result(None)
        )
        try:
            await self.device.send_async_command(
                hci.HCI_Disconnect_Command(
                    connection_handle=connection.handle,
                    reason=hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR,
                )
            )
        except hci.HCI_Error:
            pass  # it ended in this very moment; the event is on its way
        await asyncio.wait({gone, self.lost}, return_when=asyncio.FIRST_COMPLETED)

    def check(self) -> None:
        """Raise BleakError when the radio is gone."""
        if self.lost.done():
            raise BleakError("the virtual radio is gone")

    async def room_to_send(self) -> None:
        """Wait until the controller has taken what was queued before."""
        while self._queue.pending >= QUEUED_PACKETS_MAX:
            self._has_room.clear()
            await self._has_room.wait()
