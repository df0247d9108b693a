"""Radios for the tests of the ether: bare devices, a firmware that only answers, and a host."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bumble import hci
from bumble.device import AdvertisingType, Connection
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink
from tests.support.waiting import WAIT_S

from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.radio import BadgeRadio, Ether, RadioController
from redband.virtual.radio import badge_frames as frames
from redband.virtual.radio.device import HonestDevice, configure
from redband.virtual.radio.hci_server import open_hci

SERVICE_UUID = "7a0247e7-8e88-409b-a959-ab5092ddb03e"
VALUE_UUID = "45366e80-cf3a-11e1-9ab4-0002a5d5c51b"
SECOND_UUID = "45366e81-cf3a-11e1-9ab4-0002a5d5c51b"
ADVERT = bytes.fromhex("02010606ffffff524201")  # flags; manufacturer data "RB", version 1
SCAN_RESPONSE = bytes.fromhex("0309") + b"RB"
READ, WRITE, NOTIFY = 0x02, 0x08, 0x10


def badge_address(number: int) -> str:
    return f"C0:DE:00:00:00:{number:02X}"


def host_address(number: int) -> str:
    return f"F0:DE:00:00:00:{number:02X}"


@asynccontextmanager
async def an_ether(**settings) -> AsyncIterator[Ether]:
    ether = Ether(**settings)
    try:
        yield ether
    finally:
        await ether.close()


@asynccontextmanager
async def a_host(ether: Ether, directory: Path) -> AsyncIterator[VirtualRadio]:
    """A bleak backend in its own HCI session; its address is host_address(1)."""
    await open_hci(ether, str(directory / "hci"))
    radio = backend(str(directory / "hci"))
    try:
        yield radio
    finally:
        await radio.close()


class ABumbleDevice(HonestDevice):
    """A device that knows its radio."""

    controller: RadioController


async def a_device(ether: Ether, address: str, *characteristics: Characteristic) -> ABumbleDevice:
    """A Bumble device with a radio of its own."""
    controller = RadioController(ether, address)
    device = configure(ABumbleDevice, "test", Host(controller, AsyncPipeSink(controller)))
    device.controller = controller
    if characteristics:
        device.add_service(Service(SERVICE_UUID, list(characteristics)))
    await device.power_on()
    return device


async def advertise(
    device: HonestDevice,
    interval_ms: float = 100,
    kind: AdvertisingType = AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
) -> None:
    await device.start_advertising(
        advertising_type=kind,
        own_address_type=hci.OwnAddressType.PUBLIC,
        advertising_data=ADVERT,
        scan_response_data=SCAN_RESPONSE,
        advertising_interval_min=interval_ms,
        advertising_interval_max=interval_ms,
    )


async def connect(central: HonestDevice, address: str, **options) -> Connection:
    async with asyncio.timeout(WAIT_S):
        return await central.connect_le(
            hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS),
            own_address_type=hci.OwnAddressType.PUBLIC,
            **options,
        )


class AnsweringFirmware:
    """Stands where a badge's program is: holds values, answers at once, keeps every frame."""

    def __init__(self, ether: Ether, address: str = badge_address(1)) -> None:
        self.frames: list[tuple[int, bytes]] = []
        self.values: dict[int, bytes] = {}
        self.is_answering = True
        self.on_frame: dict[int, Callable[[], None]] = {}  # what to do at that frame
        self._reply: asyncio.Future[bytes]
        self.radio = BadgeRadio(ether, address, self._take)

    def _take(self, opcode: int, payload: bytes, _within_us: int = 0) -> None:
        if opcode == frames.REPLY:
            self._reply.set_result(payload)
            return
        self.frames.append((opcode, payload))
        if opcode in self.on_frame:
            self.on_frame[opcode]()
        if opcode in (frames.READ, frames.WRITTEN) and self.is_answering:
            number, _, handle = struct.unpack_from("<HHH", payload)
            if opcode == frames.READ:
                value = self.values.get(handle, b"value")
                self.radio.frame(frames.READ_DONE, struct.pack("<HB", number, 0) + value)
            else:
                self.values[handle] = payload[6:]
                self.radio.frame(frames.WRITE_DONE, struct.pack("<H", number))

    async def call(self, opcode: int, payload: bytes = b"") -> tuple[int, bytes]:
        """Return (error number, answer)."""
        self._reply = asyncio.get_running_loop().create_future()
        self.radio.frame(opcode, payload)
        async with asyncio.timeout(WAIT_S):
            reply = await self._reply
        return struct.unpack_from("<h", reply)[0], reply[2:]

    async def start(self, *flags: int) -> tuple[int, ...]:
        """Power on with one service, a characteristic for each of `flags`; return handles."""
        assert (await self.call(frames.POWER_ON, struct.pack("<H", 256)))[0] == 0
        table = bytes([1]) + uuid_bytes(SERVICE_UUID) + bytes([len(flags)])
        for index, flag in enumerate(flags):
            uuid = VALUE_UUID if index == 0 else SECOND_UUID
            table += uuid_bytes(uuid) + struct.pack("<HB", flag, 0)
        error, handles = await self.call(frames.REGISTER, table)
        assert error == 0
        return struct.unpack(f"<{len(flags)}H", handles)

    async def advertise(self, interval_ms: int = 100) -> int:
        head = struct.pack("<IBB", interval_ms * 1000, 1, len(ADVERT))
        return (await self.call(frames.ADVERTISE, head + ADVERT + SCAN_RESPONSE))[0]

    def of(self, opcode: int) -> list[bytes]:
        return [payload for kind, payload in self.frames if kind == opcode]


def uuid_bytes(text: str) -> bytes:
    data = bytes.fromhex(text.replace("-", ""))[::-1]
    return bytes([len(data)]) + data


MakeFirmware = Callable[..., Awaitable[AnsweringFirmware]]
