"""bleak backends without a radio: a badge session behind them, and every way a link fails.

A `FakeAir` is a RadioBackend. Its knobs say what goes wrong; its counters what was tried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bleak.exc import BleakError
from tests.core.data.link import HostKeys, Log, badge_session

from redband_core import advert, frames

DEVICE = BLEDevice("C0:DE:00:00:00:2A", None, None)
KEYS = HostKeys()


def device(badge_id: int) -> BLEDevice:
    """Return a device as a scan gives it."""
    return BLEDevice(f"C0:DE:00:00:00:{badge_id:02X}", None, None)


async def never() -> None:
    """Wait until cancelled."""
    await asyncio.Event().wait()


class FakeAir:
    """One badge in range of one host.

    mtu: agreed at connect. silent_after: frames each way together after which nothing comes any
    more and nothing is answered. gone_after: the same, but the disconnect is reported. drop: set
    of notifications (counted from 0) that the system loses. hang: names of operations that never
    return. fail: operation -> error it raises. old_services: connects that show another table.
    on_write(index): called before each write. make_session: the badge's end of a connection.
    """

    def __init__(self, log: Log | None = None, mtu: int = 247) -> None:
        self.log = Log(100) if log is None else log
        self.make_session: Callable[[], Any] = lambda: badge_session(self.log)
        self.mtu = mtu
        self.silent_after = self.gone_after = 1 << 30
        self.drop: set[int] = set()
        self.hang: set[str] = set()
        self.fail: dict[str, Exception] = {}
        self.old_services = 0
        self.on_write: Callable[[int], None] = lambda index: None
        self.frames = self.notifications = self.writes = 0
        self.connects = self.open_links = self.most_links = self.disconnects = 0
        self.client_options: list[dict[str, Any]] = []
        self.write_sizes: list[int] = []
        self.scanning: FakeScanner | None = None
        self.linked: FakeClient | None = None
        self.scanner: type[FakeScanner] = type("Scanner", (FakeScanner,), {"air": self})
        self.client: type[FakeClient] = type("Client", (FakeClient,), {"air": self})

    def advertise(
        self, payload: bytes | None, sender: BLEDevice = DEVICE, company: int = 0xFFFF
    ) -> None:
        """Let the running scan hear an advert; None is one without manufacturer data."""
        manufacturer = {} if payload is None else {company: payload}
        data = AdvertisementData(None, manufacturer, {}, [], None, -60, ())
        assert self.scanning is not None
        self.scanning.call_detection_callbacks(sender, data)


class FakeScanner(BaseBleakScanner):
    """Hears what `FakeAir.advertise` says."""

    air: ClassVar[FakeAir]

    def __init__(self, detection_callback: Any, service_uuids: Any, mode: str, **_options: Any):
        super().__init__(detection_callback, service_uuids)

    async def start(self) -> None:
        if "scan" in self.air.fail:
            raise self.air.fail["scan"]
        self.air.scanning = self

    async def stop(self) -> None:
        self.air.scanning = None


class FakeClient(BaseBleakClient):
    """A connection to the badge of `air`."""

    air: ClassVar[FakeAir]

    def __init__(self, address_or_ble_device: Any, **options: Any) -> None:
        super().__init__(
            address_or_ble_device,
            disconnected_callback=options.pop("disconnected_callback"),
            timeout=options.pop("timeout"),
        )
        self.air.client_options.append(options)
        self._session: Any = None
        self._callbacks: dict[str, Callable[[bytearray], None]] = {}
        self._pump: asyncio.Task | None = None
        self._kick = asyncio.Event()  # something was written: the badge may have an answer

    @property
    def mtu_size(self) -> int:
        return self.air.mtu

    @property
    def is_connected(self) -> bool:
        return self._session is not None

    async def _step(self, name: str) -> None:
        """Hang or fail if this operation is to."""
        await asyncio.sleep(0)
        if name in self.air.fail:
            raise self.air.fail[name]
        if name in self.air.hang:
            await never()

    async def connect(self, pair: bool, **_options: Any) -> None:
        self.air.connects += 1
        await self._step("connect")
        self._session = self.air.make_session()
        self._session.set_mtu(self.air.mtu)
        self.services = self._table()
        self.air.open_links += 1
        self.air.most_links = max(self.air.most_links, self.air.open_links)
        self._pump = asyncio.create_task(self._notify())
        self.air.linked = self

    def _table(self) -> BleakGATTServiceCollection:
        table = BleakGATTServiceCollection()
        service = BleakGATTService(None, 1, advert.SERVICE_UUID)
        table.add_service(service)
        self.air.old_services -= 1
        if self.air.old_services >= 0:
            return table
        for handle, uuid in enumerate((frames.CONTROL_UUID, frames.LOG_UUID), 2):
            table.add_characteristic(
                BleakGATTCharacteristic(
                    None, handle, uuid, ["write", "notify"], lambda: self.air.mtu - 3, service
                )
            )
        return table

    async def disconnect(self) -> None:
        self.air.disconnects += 1
        self.lose()
        await self._step("disconnect")

    def lose(self) -> None:
        """End the connection and say so."""
        if self._session is None:
            return
        self._session = None
        self.air.open_links -= 1
        if self._pump is not None:
            self._pump.cancel()
        if self._disconnected_callback is not None:
            asyncio.get_running_loop().call_soon(self._disconnected_callback)

    async def _count(self) -> bool:
        """Count a frame; return whether it arrives."""
        self.air.frames += 1
        if self.air.frames > self.air.gone_after:
            self.lose()
            return False
        return self.air.frames <= self.air.silent_after

    async def _notify(self) -> None:
        """Carry notifications of the badge, a few at a time."""
        while self._session is not None:
            await asyncio.sleep(0)
            offered = self._session.next_notification()
            if offered is None:
                self._kick.clear()
                await self._kick.wait()
                continue
            channel, frame = offered
            uuid = frames.CONTROL_UUID if channel == frames.CHANNEL_CONTROL else frames.LOG_UUID
            self._session.sent()
            index = self.air.notifications
            self.air.notifications += 1
            if await self._count() and index not in self.air.drop and uuid in self._callbacks:
                self._callbacks[uuid](bytearray(frame))

    async def write_gatt_char(self, characteristic: Any, data: Any, response: bool) -> None:
        assert response
        self.air.on_write(self.air.writes)
        self.air.writes += 1
        self.air.write_sizes.append(len(data))
        await self._step("write")
        if not await self._count():
            if self._session is None:
                raise BleakError("Not connected")
            await never()
        if self._session is not None:
            self._session.control_written(bytes(data), 0)
            self._kick.set()

    async def start_notify(self, characteristic: Any, callback: Any, **_options: Any) -> None:
        await self._step("subscribe")
        self._callbacks[characteristic.uuid] = callback

    async def stop_notify(self, characteristic: BleakGATTCharacteristic) -> None:
        self._callbacks.pop(characteristic.uuid)

    async def pair(self, *_arguments: Any, **_options: Any) -> None:
        raise AssertionError("nothing here pairs")

    async def unpair(self) -> None:
        raise AssertionError("nothing here pairs")

    async def read_gatt_char(self, characteristic: Any, **_options: Any) -> bytearray:
        raise AssertionError("a sync reads nothing")

    async def read_gatt_descriptor(self, descriptor: Any, **_options: Any) -> bytearray:
        raise AssertionError("a sync reads nothing")

    async def write_gatt_descriptor(self, descriptor: BleakGATTDescriptor, data: Any) -> None:
        raise AssertionError("a sync writes no descriptor itself")
