"""Hears every badge in range.

Problem: most of what is on the air is not ours, adverts come without names, broken or forged, and
what a callback raises disappears in some library (PITFALLS H8, H10). Guarantee: what is not a new
state of a badge of this game raises nothing and costs nothing but a count; callbacks only put into
a bounded queue, so that what `heard` raises ends `scan` where one can see it. Badges are known by
the id in their own data, never by address or name. What is believed is decided in `reader`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Never

from bleak import BleakScanner
from bleak.args.bluez import BlueZDiscoveryFilters, BlueZScannerArgs
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError

from redband.errors import RedbandUserError
from redband.radio.backend import RadioBackend
from redband.radio.reader import AdvertReader, Verdict
from redband.wire.advert import Advert
from redband_core import advert

QUEUE_MAX = 4096
"""Adverts waiting for `heard`: some seconds of a hundred badges; the oldest is dropped first."""

DEVICES_MAX = 1000
"""Addresses remembered of those who are not ours: a forger can make up any number."""

STOP_S = 5.0
"""Longest wait for the system to end a scan."""

# Without this BlueZ reports a badge that has not changed only once, and it would look lost.
_BLUEZ = BlueZScannerArgs(filters=BlueZDiscoveryFilters(DuplicateData=True))


@dataclass(frozen=True, slots=True)
class Heard:
    """One advert of a badge. device: to connect to. rssi_dbm: signal strength.

    is_doubtful: proven, and older than one before: a recording, or a badge that begins anew. Its
    state is to be shown to nobody; a session tells which it is.
    """

    advert: Advert
    rssi_dbm: int
    device: BLEDevice
    is_doubtful: bool = False


class ScanCounts:
    """What a scan has met: packets by verdict, devices of two of them, and what was dropped.

    foreign, unkeyed: addresses of badges of another game (or forged), and of those without keys.
    """

    def __init__(self) -> None:
        self.packets = dict.fromkeys(Verdict, 0)
        self.foreign: set[str] = set()
        self.unkeyed: set[str] = set()
        self.dropped = 0

    def note(self, verdict: Verdict, address: str) -> None:
        """Count a packet."""
        self.packets[verdict] += 1
        devices = {Verdict.FOREIGN: self.foreign, Verdict.UNKEYED: self.unkeyed}.get(verdict)
        if devices is not None and len(devices) < DEVICES_MAX:
            devices.add(address)


class _Inbox:
    """The callback's end: sorts and enqueues, raises nothing."""

    def __init__(self, reader: AdvertReader, counts: ScanCounts) -> None:
        self.queue: deque[Heard] = deque(maxlen=QUEUE_MAX)
        self.filled = asyncio.Event()
        self._reader = reader
        self._counts = counts
        self._clock = asyncio.get_running_loop().time

    def detected(self, device: BLEDevice, data: AdvertisementData) -> None:
        """Take what bleak has heard."""
        payload = (data.manufacturer_data or {}).get(advert.COMPANY_ID)
        verdict, found = Verdict.STRANGER, None
        if payload is not None:
            verdict, found = self._reader.read(bytes(payload), self._clock())
        self._counts.note(verdict, device.address)
        if found is None or verdict is Verdict.REPLAYED:
            return
        if len(self.queue) == QUEUE_MAX:
            self._counts.dropped += 1
        self.queue.append(Heard(found, data.rssi, device, verdict is Verdict.OLD))
        self.filled.set()


async def scan(
    heard: Callable[[Heard], None],
    reader: AdvertReader,
    radio: RadioBackend | None = None,
    counts: ScanCounts | None = None,
    on_started: Callable[[], None] | None = None,
) -> Never:
    """Call `heard` for every advert that `reader` finds proven, until cancelled.

    Recordings are counted and not heard; see Heard for doubtful ones. radio: None for this
    computer's Bluetooth. counts: is kept up to date. on_started: called once the radio listens.
    Raises RedbandUserError when there is no usable Bluetooth; what `heard` raises passes through.
    """
    inbox = _Inbox(reader, ScanCounts() if counts is None else counts)
    backend = None if radio is None else radio.scanner
    try:
        scanner = BleakScanner(inbox.detected, bluez=_BLUEZ, backend=backend)
        await scanner.start()
    except (BleakError, OSError) as error:
        raise no_bluetooth(error) from error
    try:
        if on_started is not None:
            on_started()
        while True:
            await inbox.filled.wait()
            inbox.filled.clear()
            while inbox.queue:
                heard(inbox.queue.popleft())
    finally:
        await _stop(scanner)


async def _stop(scanner: BleakScanner) -> None:
    try:
        async with asyncio.timeout(STOP_S):
            await scanner.stop()
    except (BleakError, OSError, TimeoutError):
        return  # the adapter is gone, and the scan with it


def no_bluetooth(error: Exception) -> RedbandUserError:
    """Return what to tell a user whose Bluetooth does not work."""
    # bleak's own errors carry a code for programs after the words.
    cause = (str(error.args[0]) if error.args else "") or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        cause = error.strerror
    return RedbandUserError(
        f"Bluetooth cannot be used ({cause}): switch it on, check that this computer has an"
        " adapter and that its Bluetooth service runs, or use a virtual field with --field."
    )
