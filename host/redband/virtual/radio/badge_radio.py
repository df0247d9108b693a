"""The radio of one virtual badge: a Bumble host on behalf of the firmware.

Problem: the firmware's `bluetooth` module (silicon/bluetooth.py) runs in another process and
speaks in frames; on a chip NimBLE is below it.
Guarantee: calls are answered in order, each by one reply; `close` is a power cut, and the call
POWER_OFF a proper stop, in which peers are told.
Does not: central role, L2CAP channels, passkeys, bond storage across a power cut.
"""

from __future__ import annotations

import asyncio
import errno
import struct
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

from bumble import hci
from bumble.core import BaseBumbleError
from bumble.device import AdvertisingType, Connection
from bumble.gatt import GATT_DEVICE_NAME_CHARACTERISTIC, GATT_GENERIC_ACCESS_SERVICE
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from redband.virtual.radio import badge_frames as frames
from redband.virtual.radio.advertiser import AdvertPdu, AdvertType
from redband.virtual.radio.badge_gatt import CREDITS, BadgeGatt
from redband.virtual.radio.controller import RadioController
from redband.virtual.radio.device import HonestDevice, configure
from redband.virtual.radio.ether import Ether
from redband.virtual.radio.faults import RadioFaults

Call = Callable[[bytes], Coroutine[None, None, bytes | None]]

MAX_CONNECTIONS = 4  # NimBLE in MicroPython's ESP32 build
SCAN_RSP_TYPE = 4
REPORT_TYPE = {AdvertType.ADV_IND: 0, AdvertType.ADV_SCAN_IND: 2, AdvertType.ADV_NONCONN_IND: 3}
SCAN_MIN_MS = 2.5
REPORT_US = 50_000
"""Adverts come to a badge that listens part of the time in bursts, this long after the first."""
DEFAULT_NAME = "MPY ESP32"
NO_HANDLE, NO_TYPE = 0xFFFF, 0xFF  # of a connection that never was


class Refusal(Exception):
    """The call cannot be done; `args[0]` is the error number the firmware gets."""


@dataclass
class _Stack:
    """What exists while the radio is on."""

    device: HonestDevice
    controller: RadioController
    gatt: BadgeGatt
    connections: dict[int, Connection] = field(default_factory=dict)  # the firmware knows of
    scan_timer: asyncio.Handle | None = None
    report_us: int = 0  # for which a report of the scan may wait


class BadgeRadio:
    """`address`: of this badge, unique. `send(opcode, payload[, within_us])` takes frames for it:
    see Guest.send.
    """

    def __init__(self, ether: Ether, address: str, send: Callable[..., None]) -> None:
        self.ether = ether
        self.address = address
        self._send = send
        self._stack: _Stack | None = None
        self._starting: RadioController | None = None
        self._tasks: dict[asyncio.Task, None] = {}  # in the order of the calls
        self._calls: dict[int, Call] = {
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
        return self._stack is not None

    @property
    def is_advertising(self) -> bool:
        """Adverts are being sent."""
        return self._stack is not None and self._stack.controller.le_legacy_advertiser.enabled

    @property
    def _faults(self) -> RadioFaults:
        return self.ether.faults_of(self.address)

    @property
    def _on(self) -> _Stack:
        if self._stack is None:
            raise Refusal(errno.ENODEV)
        return self._stack

    def frame(self, opcode: int, payload: bytes) -> None:
        """Take a radio frame of the badge; a call is answered later, by `send`."""
        stack = self._stack
        call = self._calls.get(opcode)
        if call is not None:
            self._spawn(self._answer(call, payload))
        elif stack is None:
            return  # the radio is off, or the firmware was reset while it was on
        elif opcode == frames.NOTIFY:
            stack.gatt.notify(payload)
        elif opcode == frames.INDICATE:
            self._spawn(stack.gatt.indicate(payload))
        elif opcode == frames.UPDATE:
            self._spawn(stack.gatt.update(payload))
        elif opcode in (frames.WRITE_DONE, frames.READ_DONE):
            stack.gatt.request_done(payload)

    def close(self) -> None:
        """Power cut: off the air this instant, peers notice by their supervision timeout."""
        for task in self._tasks:
            task.cancel()
        self._forget()

    def light_sleep(self) -> None:
        """The chip's clocks stop: a radio that is on is dead until it is switched off and on.

        Some chips go on after it, some do not (meshtastic/firmware#3655, esp-rs/esp-hal#3873).
        """
        if self._stack is not None:
            self.ether.set_asleep(self.address, True)

    def _forget(self) -> None:
        self.ether.set_asleep(self.address, False)
        if self._starting is not None:
            self._starting.power_off()
            self._starting = None
        stack, self._stack = self._stack, None
        if stack is not None:
            if stack.scan_timer is not None:
                stack.scan_timer.cancel()
            stack.connections.clear()
            stack.gatt.close()
            stack.controller.power_off()

    def _spawn(self, coroutine: Coroutine) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)

    async def _answer(self, call: Call, payload: bytes) -> None:
        error, answer = 0, b""
        try:
            answer = await call(payload) or b""
        except Refusal as refusal:
            error = refusal.args[0]
        except (hci.HCI_Error, BaseBumbleError):
            error = errno.EIO
        self._send(frames.REPLY, struct.pack("<h", error) + answer)

    # -- power and settings ---------------------------------------------------------------

    async def _power_on(self, payload: bytes) -> bytes:
        self._forget()  # the firmware may have been reset without a power cut
        if self._faults.take("starts"):
            raise Refusal(errno.ETIMEDOUT)  # the controller did not come up
        self._starting = controller = RadioController(self.ether, self.address)
        host = Host(controller, AsyncPipeSink(controller))
        device = configure(HonestDevice, DEFAULT_NAME, host)
        await device.power_on()
        self._starting = None
        device.gatt_server.max_mtu = int.from_bytes(payload[:2], "little")
        device.on(device.EVENT_CONNECTION, self._connected)
        controller.report_hook = self._scan_result
        controller.half_connect_hook = self._half_connected
        self._stack = _Stack(device, controller, BadgeGatt(device, self._send))
        return _printed_order(controller.public_address) + bytes([CREDITS])

    async def _power_off(self, _payload: bytes) -> None:
        if self._stack is not None:
            self._stack.connections.clear()  # no event reaches the firmware, as in the C module
            self._stack.controller.shut_down()
        self._forget()

    async def _register(self, payload: bytes) -> bytes:
        stack = self._on
        if self.is_advertising or stack.connections or stack.device.is_scanning:
            raise Refusal(errno.EBUSY)  # ble_gatts_reset: the table may not change now
        try:
            return stack.gatt.register(payload)
        except ValueError:
            raise Refusal(errno.EINVAL) from None

    async def _set_mtu(self, payload: bytes) -> None:
        self._on.device.gatt_server.max_mtu = int.from_bytes(payload, "little")

    async def _set_name(self, payload: bytes) -> None:
        found = self._on.device.gatt_server.get_characteristic_attributes(
            GATT_GENERIC_ACCESS_SERVICE, GATT_DEVICE_NAME_CHARACTERISTIC
        )
        assert found is not None, "every device has a GAP service"
        found[1].value = payload

    # -- advertising, scanning, connections -----------------------------------------------

    async def _advertise(self, payload: bytes) -> None:
        stack = self._on
        interval_us, is_connectable, advert_bytes = struct.unpack_from("<IBB", payload)
        is_full = is_connectable and len(stack.connections) >= MAX_CONNECTIONS
        if is_full or self._faults.take("adverts"):
            raise Refusal(errno.ENOMEM)
        await stack.device.start_advertising(
            # NimBLE: not connectable, but discoverable, is "scannable undirected".
            advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
            if is_connectable
            else AdvertisingType.UNDIRECTED_SCANNABLE,
            own_address_type=hci.OwnAddressType.PUBLIC,
            advertising_data=payload[6 : 6 + advert_bytes],
            scan_response_data=payload[6 + advert_bytes :],
            advertising_interval_min=interval_us / 1000,
            advertising_interval_max=interval_us / 1000,
        )

    async def _advertise_stop(self, _payload: bytes) -> None:
        await self._on.device.stop_advertising()

    async def _scan(self, payload: bytes) -> None:
        stack = self._on
        duration_ms, interval_us, window_us, is_active = struct.unpack("<IIIB", payload)
        if stack.device.is_scanning:
            raise Refusal(errno.EALREADY)
        if self._faults.is_scan_refused and self.is_advertising:
            raise Refusal(errno.EIO)
        # Who looks for one advert now listens all the time; the others lose most of them anyway.
        stack.report_us = REPORT_US if window_us < interval_us else 0
        await stack.device.start_scanning(
            active=bool(is_active),
            own_address_type=hci.OwnAddressType.PUBLIC,
            scan_interval=max(SCAN_MIN_MS, interval_us / 1000),
            scan_window=max(SCAN_MIN_MS, min(window_us, interval_us) / 1000),
        )
        if duration_ms:
            stack.scan_timer = self.ether.call_later_ms(
                duration_ms, lambda: self._spawn(self._end_scan(stack))
            )

    async def _scan_stop(self, _payload: bytes) -> None:
        await self._end_scan(self._on)

    async def _end_scan(self, stack: _Stack) -> None:
        if stack.scan_timer is not None:
            stack.scan_timer.cancel()
            stack.scan_timer = None
        if stack.device.is_scanning:
            await stack.device.stop_scanning()
            self._send(frames.SCAN_DONE, b"")

    def _scan_result(self, pdu: AdvertPdu, rssi_dbm: int, is_active: bool) -> None:
        report_us = self._on.report_us
        address = pdu.advertiser_address
        head = bytes([address.address_type]) + _printed_order(address)
        parts = [(REPORT_TYPE[pdu.type], pdu.data)]
        if is_active and pdu.is_scannable:
            parts.append((SCAN_RSP_TYPE, pdu.scan_response))
        for kind, data in parts:
            result = head + struct.pack("<Bb", kind, rssi_dbm) + data
            self._send(frames.SCAN_RESULT, result, report_us)

    def _connection(self, payload: bytes) -> Connection:
        connection = self._on.connections.get(int.from_bytes(payload, "little"))
        if connection is None:
            raise Refusal(errno.ENOTCONN)
        return connection

    async def _disconnect(self, payload: bytes) -> None:
        self._spawn(self._connection(payload).disconnect())

    async def _pair(self, payload: bytes) -> None:
        self._connection(payload).request_pairing()

    def _half_connected(self) -> None:
        # NimBLE reports a connect with an error, which the C module passes on as this.
        self._send(frames.DISCONNECTED, struct.pack("<HB", NO_HANDLE, NO_TYPE) + bytes(6))

    def _connected(self, connection: Connection) -> None:
        handle = connection.handle
        peer = connection.peer_address
        event = struct.pack("<HB", handle, peer.address_type) + _printed_order(peer)
        self._on.connections[handle] = connection
        self._send(frames.CONNECTED, event)
        connection.on(connection.EVENT_DISCONNECTION, lambda _: self._disconnected(event))
        connection.on(
            connection.EVENT_CONNECTION_ATT_MTU_UPDATE,
            lambda: self._send(frames.MTU_CHANGED, struct.pack("<HH", handle, connection.att_mtu)),
        )
        connection.on(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, lambda: self._encrypted(connection)
        )

    def _encrypted(self, connection: Connection) -> None:
        is_encrypted = bool(connection.is_encrypted)
        event = (is_encrypted, connection.authenticated, is_encrypted)
        self._send(
            frames.ENCRYPTED,
            struct.pack("<HBBBB", connection.handle, *event, connection.encryption_key_size),
        )

    def _disconnected(self, event: bytes) -> None:
        handle = int.from_bytes(event[:2], "little")
        if self._stack is None or self._stack.connections.pop(handle, None) is None:
            return
        self._stack.gatt.connection_gone(handle)
        self._send(frames.DISCONNECTED, event)


def _printed_order(address: hci.Address) -> bytes:
    return bytes(address)[::-1]
