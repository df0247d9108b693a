"""The radio of one virtual badge: a Bumble host and GATT server on behalf of the firmware.

Problem: the firmware's `bluetooth` module (silicon/bluetooth.py) runs in another process and
speaks in frames; on a chip NimBLE is below it.
Guarantee: calls are answered in order, each by one reply; a remote read or write waits until the
firmware has handled it; notifications take credits, given back when the packet has left for the
peer, so that a flood meets ENOMEM as on the chip; `close` is a power cut, and `power_off` a
proper stop in which peers are told.
Does not: central role, L2CAP channels, passkeys, bond storage across a power cut.
"""

from __future__ import annotations

import asyncio
import errno
import struct
from collections import deque
from collections.abc import Callable

from bumble import att, hci
from bumble.core import BaseBumbleError
from bumble.core import TimeoutError as BumbleTimeout
from bumble.device import AdvertisingType, Connection
from bumble.gatt import GATT_DEVICE_NAME_CHARACTERISTIC, GATT_GENERIC_ACCESS_SERVICE
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from redband.virtual.radio import badge_frames as frames
from redband.virtual.radio.advertiser import AdvertPdu, AdvertType
from redband.virtual.radio.controller import RadioController
from redband.virtual.radio.device import HonestDevice, make_device
from redband.virtual.radio.ether import Ether
from redband.virtual.radio.gatt_table import TableReader

CREDITS = 12  # notifications the stack holds; NimBLE's default of 12 buffers of 256 bytes
MAX_CONNECTIONS = 4  # NimBLE in MicroPython's ESP32 build
SCAN_RSP_TYPE = 4
REPORT_TYPE = {AdvertType.ADV_IND: 0, AdvertType.ADV_SCAN_IND: 2, AdvertType.ADV_NONCONN_IND: 3}
SCAN_MIN_MS = 2.5


class Refusal(Exception):
    """The call cannot be done; `args[0]` is the error number the firmware gets."""


class BadgeRadio:
    """`address`: of this badge, unique. `send(opcode, payload)` takes frames for the badge."""

    def __init__(self, ether: Ether, address: str, send: Callable[[int, bytes], None]) -> None:
        self.ether = ether
        self.address = address
        self._send = send
        self._device: HonestDevice | None = None
        self._controller: RadioController | None = None
        self._first_own_attribute = 0
        self._connections: dict[int, Connection] = {}
        self._requests: dict[int, tuple[int, asyncio.Future]] = {}
        self._last_request = 0
        self._in_stack: deque[int] = deque()  # for each notification: packets queued up to it
        self._scan_timer: asyncio.Handle | None = None
        self._tasks: set[asyncio.Task] = set()
        self._calls = {
            frames.POWER_ON: self._power_on,
            frames.POWER_OFF: self._power_off,
            frames.REGISTER: self._register,
            frames.ADVERTISE: self._advertise,
            frames.ADVERTISE_STOP: self._advertise_stop,
            frames.SCAN: self._scan,
            frames.SCAN_STOP: self._scan_stop,
            frames.DISCONNECT: self._disconnect,
            frames.SET_MTU: self._set_mtu,
            frames.SET_NAME: self._set_name,
            frames.PAIR: self._pair,
        }

    @property
    def is_on(self) -> bool:
        """The firmware has made the radio active."""
        return self._device is not None

    @property
    def is_advertising(self) -> bool:
        """Adverts are being sent."""
        return self._controller is not None and self._controller.le_legacy_advertiser.enabled

    def frame(self, opcode: int, payload: bytes) -> None:
        """Take a radio frame of the badge; a call is answered later, by `send`."""
        call = self._calls.get(opcode)
        if call is not None:
            self._spawn(self._answer(call, payload))
        elif self._device is None:
            return  # sent before the firmware had seen that the radio is off
        elif opcode == frames.NOTIFY:
            self._notify(payload)
        elif opcode == frames.INDICATE:
            self._spawn(self._indicate(payload))
        elif opcode == frames.UPDATE:
            handle = int.from_bytes(payload[:2], "little")
            attribute = self._device.gatt_server.get_attribute(handle)
            self._spawn(self._device.gatt_server.notify_subscribers(attribute, payload[2:]))
        elif opcode in (frames.WRITE_DONE, frames.READ_DONE):
            self._request_done(payload)

    def close(self) -> None:
        """Power cut: off the air this instant, peers notice by their supervision timeout."""
        for task in self._tasks:
            task.cancel()
        self._forget()

    def _forget(self) -> None:
        if self._scan_timer is not None:
            self._scan_timer.cancel()
            self._scan_timer = None
        if self._controller is not None:
            self._controller.power_off()
        for _, answer in self._requests.values():
            answer.cancel()
        self._requests.clear()
        self._connections.clear()
        self._in_stack.clear()
        self._device = self._controller = None

    def _spawn(self, coroutine) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, call, payload: bytes) -> None:
        error, answer = 0, b""
        try:
            if self._device is None and call not in (self._power_on, self._power_off):
                raise Refusal(errno.ENODEV)
            answer = await call(payload) or b""
        except Refusal as refusal:
            error = refusal.args[0]
        except (hci.HCI_Error, BaseBumbleError):
            error = errno.EIO
        self._send(frames.REPLY, struct.pack("<h", error) + answer)

    # -- power ----------------------------------------------------------------------------

    async def _power_on(self, payload: bytes) -> bytes:
        if self._device is not None:
            self._forget()  # the firmware was reset without a power cut
        controller = RadioController(self.ether, self.address)
        self._controller = controller
        device = make_device("MPY ESP32", Host(controller, AsyncPipeSink(controller)))
        await device.power_on()
        device.gatt_server.max_mtu = int.from_bytes(payload[:2], "little")
        device.on(device.EVENT_CONNECTION, self._connected)
        device.host.le_acl_packet_queue.on("flow", self._give_credits)
        controller.report_hook = self._scan_result
        self._first_own_attribute = len(device.gatt_server.attributes)
        self._device = device
        return bytes.fromhex(self.address.replace(":", "")) + bytes([CREDITS])

    async def _power_off(self, _payload: bytes) -> None:
        if self._controller is not None:
            self._connections.clear()  # no event reaches the firmware, as in the C module
            self._controller.shut_down()
        self._forget()

    # -- GATT server ----------------------------------------------------------------------

    async def _register(self, payload: bytes) -> bytes:
        if self.is_advertising or self._connections or self._device.is_scanning:
            raise Refusal(errno.EBUSY)  # ble_gatts_reset: the table may not change now
        server = self._device.gatt_server
        try:
            table = TableReader(payload, self)
            services = table.services()
        except (IndexError, ValueError):
            raise Refusal(errno.EINVAL) from None
        del server.attributes[self._first_own_attribute :]
        server.attributes_by_handle.clear()
        server.services[:] = [
            service for service in server.services if service.handle <= self._first_own_attribute
        ]
        self._device.add_services(services)
        return b"".join(struct.pack("<H", attribute.handle) for attribute in table.attributes)

    async def read(self, connection: Connection, handle: int) -> bytes:
        """Ask the firmware for a value (called by the GATT server)."""
        return await self._request(frames.READ, connection, handle)

    async def write(self, connection: Connection, handle: int, value: bytes) -> None:
        """Hand the firmware a value; returns once its handler has run."""
        await self._request(frames.WRITTEN, connection, handle, value)

    async def _request(
        self, opcode: int, connection: Connection, handle: int, value: bytes = b""
    ) -> bytes:
        self._last_request = number = (self._last_request + 1) & 0xFFFF
        answer = asyncio.get_running_loop().create_future()
        self._requests[number] = (connection.handle, answer)
        self._send(opcode, struct.pack("<HHH", number, connection.handle, handle) + value)
        try:
            error, answered_value = await answer
        finally:
            self._requests.pop(number, None)
        if error:
            raise att.ATT_Error(error)
        return answered_value

    def _request_done(self, payload: bytes) -> None:
        _, answer = self._requests.get(int.from_bytes(payload[:2], "little"), (0, None))
        if answer is not None and not answer.done():
            answer.set_result((payload[2] if len(payload) > 2 else 0, payload[3:]))

    def _notify(self, payload: bytes) -> None:
        handle, attribute_handle = struct.unpack_from("<HH", payload)
        connection = self._connections.get(handle)
        if connection is not None:
            value = payload[4 : 4 + connection.att_mtu - 3]
            pdu = att.ATT_Handle_Value_Notification(
                attribute_handle=attribute_handle, attribute_value=value
            )
            self._device.send_l2cap_pdu(handle, att.ATT_CID, bytes(pdu))
        self._in_stack.append(self._device.host.le_acl_packet_queue.queued)
        self._give_credits()

    def _give_credits(self) -> None:
        """Give back a credit for each notification whose packets have left for the peer."""
        if self._device is None:
            return
        completed = self._device.host.le_acl_packet_queue.completed
        count = 0
        while self._in_stack and self._in_stack[0] <= completed:
            self._in_stack.popleft()
            count += 1
        if count:
            self._send(frames.CREDIT, bytes([count]))

    async def _indicate(self, payload: bytes) -> None:
        handle, attribute_handle = struct.unpack_from("<HH", payload)
        status = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        server = self._device.gatt_server
        connection = self._connections.get(handle)
        attribute = server.get_attribute(attribute_handle)
        if connection is not None and attribute is not None:
            try:
                await server.indicate_subscriber(connection, attribute, payload[4:], force=True)
                status = 0
            except BumbleTimeout:
                status = errno.ETIMEDOUT
        self._send(frames.CREDIT, b"\1")
        self._send(frames.INDICATE_DONE, payload[:4] + bytes([status]))

    # -- GAP ------------------------------------------------------------------------------

    async def _advertise(self, payload: bytes) -> None:
        interval_us, is_connectable, advert_length = struct.unpack_from("<IBB", payload)
        data = payload[6 : 6 + advert_length]
        scan_response = payload[6 + advert_length :]
        if is_connectable and len(self._connections) >= MAX_CONNECTIONS:
            raise Refusal(errno.ENOMEM)
        await self._device.start_advertising(
            # NimBLE: not connectable, but discoverable, is "scannable undirected".
            advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
            if is_connectable
            else AdvertisingType.UNDIRECTED_SCANNABLE,
            own_address_type=hci.OwnAddressType.PUBLIC,
            advertising_data=data,
            scan_response_data=scan_response,
            advertising_interval_min=interval_us / 1000,
            advertising_interval_max=interval_us / 1000,
        )

    async def _advertise_stop(self, _payload: bytes) -> None:
        await self._device.stop_advertising()

    async def _scan(self, payload: bytes) -> None:
        duration_ms, interval_us, window_us, is_active = struct.unpack("<IIIB", payload)
        if self._device.is_scanning:
            raise Refusal(errno.EALREADY)
        await self._device.start_scanning(
            active=bool(is_active),
            own_address_type=hci.OwnAddressType.PUBLIC,
            scan_interval=max(SCAN_MIN_MS, interval_us / 1000),
            scan_window=max(SCAN_MIN_MS, min(window_us, interval_us) / 1000),
        )
        if duration_ms:
            self._scan_timer = self.ether.call_later_ms(
                duration_ms, lambda: self._spawn(self._scan_stop(b""))
            )

    async def _scan_stop(self, _payload: bytes) -> None:
        if self._scan_timer is not None:
            self._scan_timer.cancel()
            self._scan_timer = None
        if self._device is not None and self._device.is_scanning:
            await self._device.stop_scanning()
            self._send(frames.SCAN_DONE, b"")

    def _scan_result(self, pdu: AdvertPdu, rssi_dbm: int, is_active: bool) -> None:
        head = bytes([pdu.advertiser_address.address_type]) + _printed_order(
            pdu.advertiser_address
        )
        self._send(
            frames.SCAN_RESULT,
            head + struct.pack("<Bb", REPORT_TYPE[pdu.type], rssi_dbm) + pdu.data,
        )
        if is_active and pdu.is_scannable:
            self._send(
                frames.SCAN_RESULT,
                head + struct.pack("<Bb", SCAN_RSP_TYPE, rssi_dbm) + pdu.scan_response,
            )

    async def _disconnect(self, payload: bytes) -> None:
        connection = self._connections.get(int.from_bytes(payload, "little"))
        if connection is None:
            raise Refusal(errno.ENOTCONN)
        self._spawn(connection.disconnect())

    async def _set_mtu(self, payload: bytes) -> None:
        self._device.gatt_server.max_mtu = int.from_bytes(payload, "little")

    async def _set_name(self, payload: bytes) -> None:
        self._device.name = payload.decode(errors="replace")
        found = self._device.gatt_server.get_characteristic_attributes(
            GATT_GENERIC_ACCESS_SERVICE, GATT_DEVICE_NAME_CHARACTERISTIC
        )
        found[1].value = payload

    async def _pair(self, payload: bytes) -> None:
        connection = self._connections.get(int.from_bytes(payload, "little"))
        if connection is None:
            raise Refusal(errno.ENOTCONN)
        connection.request_pairing()

    # -- events ---------------------------------------------------------------------------

    def _connected(self, connection: Connection) -> None:
        handle = connection.handle
        self._connections[handle] = connection
        event = struct.pack("<HB", handle, connection.peer_address.address_type)
        event += _printed_order(connection.peer_address)
        self._send(frames.CONNECTED, event)
        connection.on(connection.EVENT_DISCONNECTION, lambda _: self._disconnected(event))
        connection.on(
            connection.EVENT_CONNECTION_ATT_MTU_UPDATE,
            lambda: self._send(frames.MTU_CHANGED, struct.pack("<HH", handle, connection.att_mtu)),
        )
        connection.on(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE,
            lambda: self._send(
                frames.ENCRYPTED,
                struct.pack(
                    "<HBBBB",
                    handle,
                    connection.is_encrypted,
                    connection.authenticated,
                    connection.is_encrypted,
                    connection.encryption_key_size,
                ),
            ),
        )

    def _disconnected(self, event: bytes) -> None:
        handle = int.from_bytes(event[:2], "little")
        for request_handle, answer in list(self._requests.values()):
            if request_handle == handle and not answer.done():
                answer.set_result((att.ErrorCode.UNLIKELY_ERROR, b""))
        if self._connections.pop(handle, None) is not None:
            self._send(frames.DISCONNECTED, event)


def _printed_order(address: hci.Address) -> bytes:
    return bytes(address)[::-1]
