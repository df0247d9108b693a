"""One connection to a badge, on which nothing waits for ever.

Problem: backends miss disconnects, hang in connect, and call back outside of any await (PITFALLS
H6, H10). Guarantee: every operation ends with its result or a `SyncError`, at the latest after its
own limit or the deadline of the whole; it is raced against the disconnect; callbacks only enqueue
into a bounded inbox. Knows nothing of what the frames say.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable
from typing import TypeVar

from bleak import BleakClient
from bleak.args.winrt import WinRTClientArgs
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.device import BLEDevice
from bleak.exc import BleakDeviceNotFoundError, BleakError

from redband.radio.backend import RadioBackend
from redband.radio.errors import SyncError, SyncFailure
from redband_core import advert, frames, limits

OPERATION_S = 5.0
"""Longest wait for one answer of the badge's stack. ATT itself gives a peer 30 s; a badge that
needs 5 is out of range, and others wait."""

CONNECT_S = 12.0
"""Longest wait for a connection with its services: at slow advertising and a weak signal a connect
takes some seconds, and a badge whose radio is on in windows has two of them in this time."""

DISCONNECT_S = 5.0
"""Longest wait for the end of a connection that is done with."""

INBOX_FRAMES = 2 * limits.WINDOW_FRAMES
"""Frames that may wait for us: twice what a badge sends before it must hear from us."""

T = TypeVar("T")


class Link:
    """A connection under one deadline. Use: opened, subscribe, write and receive, close.

    sent_frames, sent_bytes, received_frames, received_bytes: attribute values only. round_trips:
    operations after connect that waited for an answer. dropped_frames: did not fit the inbox.
    """

    def __init__(self, device: BLEDevice, radio: RadioBackend | None, deadline_s: float) -> None:
        """`deadline_s`: for everything until close, from now on."""
        self._device = device
        self._radio = radio
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + deadline_s
        self._gone = asyncio.Event()
        self._filled = asyncio.Event()
        self._inbox: deque[tuple[int, bytes]] = deque()
        self._client: BleakClient | None = None
        self._control: BleakGATTCharacteristic | None = None
        self.sent_frames = self.sent_bytes = 0
        self.received_frames = self.received_bytes = 0
        self.round_trips = 0
        self.dropped_frames = 0

    # Waiting.

    async def _race(self, operation: Awaitable[T], limit_s: float, late: SyncError) -> T:
        """Await `operation`, the disconnect or the limit, whichever is first.

        Raises `late` for the limit, SyncError otherwise.
        """
        left_s = self._until - self._loop.time()
        task = asyncio.ensure_future(operation)
        gone = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait(
                {task, gone}, timeout=min(limit_s, left_s), return_when=asyncio.FIRST_COMPLETED
            )
            if task.cancelled():
                raise late
            if task.done():
                return task.result()
            if gone.done():
                raise self._disconnected()
            if limit_s >= left_s:
                raise SyncError(SyncFailure.DEADLINE, "The sync took longer than it was given.")
            raise late
        except TimeoutError as error:
            raise late from error
        except (BleakError, OSError, EOFError) as error:
            # EOFError: the D-Bus connection of BlueZ broke.
            if self._gone.is_set():
                raise self._disconnected() from error
            raise _radio_error(error) from error
        finally:
            gone.cancel()
            _abandon(task)

    def _disconnected(self) -> SyncError:
        return SyncError(SyncFailure.DISCONNECTED, "The badge went away during the sync.")

    # The connection.

    @classmethod
    async def opened(
        cls,
        device: BLEDevice,
        radio: RadioBackend | None,
        deadline_s: float,
        connecting: asyncio.Lock | None = None,
    ) -> Link:
        """Return a link that is connected. Raises SyncError.

        connecting: held meanwhile, as an adapter makes one connection at a time (PITFALLS H4). The
        deadline begins after the wait for it.
        """
        async with connecting or contextlib.nullcontext():
            link = cls(device, radio, deadline_s)
            try:
                await link.connect()
            except BaseException:
                await link.close()  # the next connect finds no half of this one
                raise
            return link

    async def connect(self) -> None:
        """Connect and find the badge's characteristics. Raises SyncError."""
        if await self._connect(fresh=False):
            return
        # The system keeps services by address, also over a change of firmware (PITFALLS H3).
        await self.close()
        if not await self._connect(fresh=True):
            raise SyncError(
                SyncFailure.STALE_SERVICES,
                f"The system's list of services for {self._device.address} is not a badge's;"
                " remove the device in its Bluetooth settings (Linux: bluetoothctl remove"
                f" {self._device.address}) and try again.",
            )

    async def _connect(self, fresh: bool) -> bool:
        """Return whether the device has our characteristics."""
        # A new event: the disconnect of an earlier connection may be reported late.
        gone = self._gone = asyncio.Event()
        client = self._client = BleakClient(
            self._device,
            disconnected_callback=lambda _client: gone.set(),
            services=[advert.SERVICE_UUID],
            timeout=CONNECT_S,
            winrt=WinRTClientArgs(use_cached_services=False) if fresh else WinRTClientArgs(),
            backend=None if self._radio is None else self._radio.client,
        )
        late = SyncError(SyncFailure.CONNECT, "The badge did not answer to the connection.")
        await self._race(client.connect(), CONNECT_S, late)
        if gone.is_set():
            raise self._disconnected()
        log = client.services.get_characteristic(frames.LOG_UUID)
        self._control = client.services.get_characteristic(frames.CONTROL_UUID)
        return log is not None and self._control is not None

    async def subscribe(self) -> None:
        """Ask for the notifications of both channels. Raises SyncError."""
        for channel, uuid in (
            (frames.CHANNEL_CONTROL, frames.CONTROL_UUID),
            (frames.CHANNEL_LOG, frames.LOG_UUID),
        ):
            await self._operation(self._open_client.start_notify(uuid, self._taker(channel)))

    @property
    def _open_client(self) -> BleakClient:
        if self._client is None:
            raise RuntimeError("the link is not connected")
        return self._client

    async def _operation(self, operation: Awaitable[None]) -> None:
        self.round_trips += 1
        late = SyncError(SyncFailure.SILENT, "The badge stopped answering.")
        await self._race(operation, OPERATION_S, late)

    async def close(self) -> None:
        """End the connection, if there is one; never raises for what is wrong with it."""
        client, self._client = self._client, None
        if client is None:
            return
        task = asyncio.ensure_future(client.disconnect())
        try:
            await asyncio.wait({task}, timeout=DISCONNECT_S)
        finally:
            _abandon(task)

    # Frames.

    @property
    def write_limit_bytes(self) -> int:
        """The longest write that the system takes just now: it may grow after connect."""
        if self._control is None:
            raise RuntimeError("the link is not connected")
        return self._control.max_write_without_response_size

    async def write(self, frame: bytes, is_fast: bool = False) -> None:
        """Write to CONTROL and wait for the answer of the badge's stack. Raises SyncError.

        is_fast: wait for room in this computer's own stack only, where the badge allows it.
        """
        if is_fast and self._control is not None:
            is_fast = "write-without-response" in self._control.properties
        self.sent_frames += 1
        self.sent_bytes += len(frame)
        client = self._open_client
        written = client.write_gatt_char(frames.CONTROL_UUID, frame, response=not is_fast)
        await self._operation(written)
        self.round_trips -= is_fast

    def _taker(self, channel: int):
        def take(_characteristic: BleakGATTCharacteristic, data: bytearray) -> None:
            self.received_frames += 1
            self.received_bytes += len(data)
            if len(self._inbox) >= INBOX_FRAMES:
                self.dropped_frames += 1  # the session sees the gap and asks again
                return
            self._inbox.append((channel, bytes(data)))
            self._filled.set()

        return take

    def received(self) -> tuple[int, bytes] | None:
        """Return the oldest waiting (channel, frame), None when none waits."""
        return self._inbox.popleft() if self._inbox else None

    async def wait(self, limit_s: float) -> bool:
        """Wait for a frame; return False when none came in `limit_s`. Raises SyncError."""
        if self._inbox:
            return True
        self._filled.clear()
        late = SyncError(SyncFailure.SILENT, "")
        try:
            await self._race(self._filled.wait(), limit_s, late)
        except SyncError as error:
            if error is late:
                return False
            raise
        return True

    def check_deadline(self) -> None:
        """Raise SyncError when the deadline of the whole is over."""
        if self._loop.time() >= self._until:
            raise SyncError(SyncFailure.DEADLINE, "The sync took longer than it was given.")


def _abandon(task: asyncio.Future) -> None:
    """Cancel a task without waiting: a backend may hang in its own clean-up."""
    task.cancel()
    # Looks at the error, so that asyncio does not print it as never retrieved.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())


def _radio_error(error: BaseException) -> SyncError:
    if isinstance(error, BleakDeviceNotFoundError):
        return SyncError(SyncFailure.CONNECT, "The system does not know this badge any more.")
    cause = str(error) or type(error).__name__
    return SyncError(SyncFailure.RADIO, f"Bluetooth reported an error: {cause}")
