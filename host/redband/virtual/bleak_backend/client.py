"""bleak's client over a virtual radio.

Guarantee: every operation ends: with its result, with bleak's error for what the peer answered,
with BleakError when the connection or the radio is gone, or with TimeoutError after 30 s, and then
the link is closed, as the ATT protocol demands. A cancelled operation leaves the link usable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from bleak.args import SizedBuffer
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient, NotifyCallback
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.device import BLEDevice
from bleak.exc import BleakDeviceNotFoundError, BleakError, BleakGATTProtocolError
from bumble import core, hci
from bumble.att import ATT_DEFAULT_MTU, ATT_Error
from bumble.device import Connection
from bumble.gatt_client import Client

from redband.virtual.bleak_backend.discovery import discover
from redband.virtual.bleak_backend.scanner import VirtualScanner

if TYPE_CHECKING:
    from redband.virtual.bleak_backend.adapter import Adapter, HostRadio

PREFERRED_MTU = 517  # what BlueZ asks for
ATT_HEADER_BYTES = 3

T = TypeVar("T")


@dataclass
class _Link:
    """What exists while there is a connection; `gone` is done with its end."""

    adapter: Adapter
    connection: Connection
    gone: asyncio.Future[None]


class VirtualClient(BaseBleakClient):
    """One client; `radio` is set in the subclass that `backend()` makes."""

    radio: ClassVar[HostRadio]

    def __init__(
        self,
        address_or_ble_device: BLEDevice | str,
        *,
        disconnected_callback: Callable[[], None] | None,
        timeout: float,
        services: set[str] | None = None,
        **_platform: Any,
    ) -> None:
        """`timeout`: seconds for finding the device, and again for connecting to it."""
        super().__init__(
            address_or_ble_device, disconnected_callback=disconnected_callback, timeout=timeout
        )
        self._details: hci.Address | None = None
        self._name: str | None = None
        if isinstance(address_or_ble_device, BLEDevice):
            self._details = address_or_ble_device.details
            self._name = address_or_ble_device.name
        self._wanted = services
        self._link: _Link | None = None
        self._subscriptions: dict[int, Callable[[bytes], None]] = {}
        self._running: set[asyncio.Task] = set()

    @property
    def name(self) -> str:
        """The advertised name, or the address with dashes."""
        return self._name or self.address.replace(":", "-")

    @property
    def mtu_size(self) -> int:
        """The ATT MTU of the connection in bytes, 23 without one."""
        return ATT_DEFAULT_MTU if self._link is None else self._link.connection.att_mtu

    @property
    def is_connected(self) -> bool:
        """The link is up."""
        return self._link is not None

    def _max_write_bytes(self) -> int:
        return self.mtu_size - ATT_HEADER_BYTES

    # -- connection -----------------------------------------------------------------------

    async def connect(self, pair: bool, **kwargs: Any) -> None:
        """Connect, agree on the MTU and read the services.

        Raises TimeoutError, BleakDeviceNotFoundError or BleakError.
        """
        if self._link is not None:
            raise BleakError("Client is already connected")
        timeout_s = kwargs.get("timeout", self._timeout)
        adapter = await self.radio.adapter()
        address = self._details or await self._find(timeout_s)
        connection = await adapter.connect(address, timeout_s)
        self._link = _Link(adapter, connection, adapter.loop.create_future())
        connection.on(connection.EVENT_DISCONNECTION, self._lost)
        adapter.lost.add_done_callback(self._lost)
        if connection.handle not in adapter.device.connections:
            self._lost(None)  # it ended before anybody could listen
        try:
            await self._run(self._set_up(pair))
        except BaseException:
            await asyncio.shield(self.disconnect())
            raise

    async def _set_up(self, pair: bool) -> None:
        connection = self._link_or_raise().connection
        client = connection.gatt_client
        await client.request_mtu(PREFERRED_MTU)
        if pair:
            await connection.pair()
        self.services = await discover(client, self._wanted, self._max_write_bytes)

    async def _find(self, timeout_s: float) -> hci.Address:
        """Scan for the address, as every backend of bleak does when it has no device."""
        found: asyncio.Future[hci.Address] = asyncio.get_running_loop().create_future()

        def heard(device: BLEDevice, _advert: object) -> None:
            if device.address.upper() == self.address.upper() and not found.done():
                self._name = device.name
                found.set_result(device.details)

        scanner_class = type("_Finder", (VirtualScanner,), {"radio": self.radio})
        scanner = scanner_class(heard, None, "active")
        await scanner.start()
        try:
            return await asyncio.wait_for(found, timeout_s)
        except TimeoutError:
            raise BleakDeviceNotFoundError(
                self.address, f"Device with address {self.address} was not found."
            ) from None
        finally:
            await scanner.stop()

    def _lost(self, _reason: object) -> None:
        link, self._link = self._link, None
        if link is None:
            return
        link.connection.remove_listener(link.connection.EVENT_DISCONNECTION, self._lost)
        link.adapter.lost.remove_done_callback(self._lost)
        self._subscriptions.clear()
        self.services = None
        link.gone.set_result(None)
        if self._disconnected_callback is not None:
            link.adapter.loop.call_soon(self._disconnected_callback)

    async def disconnect(self) -> None:
        """End the connection; nothing happens without one."""
        if self._link is not None:
            await self._link.adapter.disconnect(self._link.connection)

    async def pair(self, *_args: Any, **_kwargs: Any) -> None:
        """Pair by Just Works; the bond lasts as long as this radio."""
        await self._run(self._link_or_raise().connection.pair())

    async def unpair(self) -> None:
        """Forget the bond and disconnect."""
        link = self._link_or_raise()
        await self.disconnect()
        keystore = link.adapter.device.keystore
        if keystore is not None:
            await keystore.delete(str(link.connection.peer_address))

    # -- operations -----------------------------------------------------------------------

    def _link_or_raise(self) -> _Link:
        if self._link is None:
            raise BleakError("Not connected")
        return self._link

    @property
    def _client(self) -> Client:
        return self._link_or_raise().connection.gatt_client

    async def _run(self, operation: Coroutine[Any, Any, T]) -> T:
        """Await `operation` or the end of the connection, whichever comes first."""
        if self._link is None:
            operation.close()
            raise BleakError("Not connected")
        gone = self._link.gone
        # A request that its caller gave up goes on: its answer would else be taken for the next
        # request's. It ends with the connection at the latest.
        task = asyncio.get_running_loop().create_task(operation)
        self._running.add(task)
        task.add_done_callback(self._finished)
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() or task.cancelled():
            task.cancel()
            raise BleakError("The connection was lost during the operation")
        try:
            return task.result()
        except ATT_Error as error:
            raise BleakGATTProtocolError(error.error_code) from error
        except core.TimeoutError as error:
            await self.disconnect()
            raise TimeoutError("the peer did not answer in time") from error
        except (core.BaseBumbleError, hci.HCI_Error) as error:
            raise BleakError(str(error)) from error

    def _finished(self, task: asyncio.Task) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen, also when its caller has gone

    async def read_gatt_char(
        self, characteristic: BleakGATTCharacteristic, **_kwargs: Any
    ) -> bytearray:
        """Read a value from the device; nothing is cached, whatever `use_cached`."""
        return await self._read(characteristic.handle)

    async def read_gatt_descriptor(
        self, descriptor: BleakGATTDescriptor, **_kwargs: Any
    ) -> bytearray:
        """Read a descriptor from the device."""
        return await self._read(descriptor.handle)

    async def _read(self, handle: int) -> bytearray:
        return bytearray(await self._run(self._client.read_value(handle)))

    async def write_gatt_char(
        self, characteristic: BleakGATTCharacteristic, data: SizedBuffer, response: bool
    ) -> None:
        """Write; without response, the data must fit the MTU, and wait for room to be sent."""
        if not response and len(data) > self._max_write_bytes():
            raise BleakError(
                f"{len(data)} bytes do not fit in a write without response; "
                f"the connection takes {self._max_write_bytes()}."
            )
        await self._write(characteristic.handle, bytes(data), response)

    async def write_gatt_descriptor(
        self, descriptor: BleakGATTDescriptor, data: SizedBuffer
    ) -> None:
        """Write a descriptor, with response."""
        await self._write(descriptor.handle, bytes(data), True)

    async def _write(self, handle: int, data: bytes, is_answered: bool) -> None:
        link = self._link_or_raise()
        client = link.connection.gatt_client
        if not is_answered:
            await self._run(link.adapter.room_to_send())
        await self._run(client.write_value(handle, data, is_answered))

    async def start_notify(
        self, characteristic: BleakGATTCharacteristic, callback: NotifyCallback, **_kwargs: Any
    ) -> None:
        """Subscribe; an error of `callback` goes to the loop's exception handler."""
        if characteristic.handle in self._subscriptions:
            raise BleakError("Characteristic notifications already started")
        client = self._client
        loop = asyncio.get_running_loop()

        def deliver(value: bytes) -> None:
            # By the loop: an error must not keep the radio from its next packet.
            loop.call_soon(callback, bytearray(value))

        self._subscriptions[characteristic.handle] = deliver
        try:
            await self._run(client.subscribe(characteristic.obj, deliver))
        except BaseException:
            self._subscriptions.pop(characteristic.handle, None)
            raise

    async def stop_notify(self, characteristic: BleakGATTCharacteristic) -> None:
        """Unsubscribe. Raises BleakError if there was no subscription."""
        client = self._client
        deliver = self._subscriptions.pop(characteristic.handle, None)
        if deliver is None:
            raise BleakError("Characteristic notifications not started")
        await self._run(client.unsubscribe(characteristic.obj, deliver))
