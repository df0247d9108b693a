"""Hears every badge in range.

Problem: most of what is on the air is not ours, adverts come without names or broken, and what
a callback raises disappears in some library (PITFALLS H8, H10). Guarantee: strangers and broken
adverts raise nothing and cost nothing but a count; callbacks only put into a bounded queue, so
that what `heard` raises ends `scan` where one can see it. Badges are known by the id in their own
data, never by address or name. Packets are neither counted nor ordered.
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
from redband_core import advert, host_frames
from redband_core.advert import Advert
from redband_core.errors import ProtocolError

QUEUE_MAX = 4096
"""Adverts waiting for `heard`: some seconds of a hundred badges; the oldest is dropped first."""

STOP_S = 5.0
"""Longest wait for the system to end a scan."""

# Without this BlueZ reports a badge that has not changed only once, and it would look lost.
_BLUEZ = BlueZScannerArgs(filters=BlueZDiscoveryFilters(DuplicateData=True))


@dataclass(frozen=True, slots=True)
class Heard:
    """One advert of a badge. device: to connect to. rssi_dbm: signal strength."""

    advert: Advert
    rssi_dbm: int
    device: BLEDevice


@dataclass(slots=True)
class ScanCounts:
    """What a scan has met: ours, foreign, ours by company and magic but broken, and dropped."""

    ours: int = 0
    strangers: int = 0
    broken: int = 0
    dropped: int = 0


class _Inbox:
    """The callback's end: sorts and enqueues, raises nothing."""

    def __init__(self, counts: ScanCounts) -> None:
        self.queue: deque[Heard] = deque(maxlen=QUEUE_MAX)
        self.filled = asyncio.Event()
        self._counts = counts

    def detected(self, device: BLEDevice, data: AdvertisementData) -> None:
        """Take what bleak has heard."""
        payload = (data.manufacturer_data or {}).get(advert.COMPANY_ID)
        if payload is None or bytes(payload[:2]) != advert.MAGIC:
            self._counts.strangers += 1
            return
        try:
            found = host_frames.decode_advert(payload)
        except ProtocolError:
            self._counts.broken += 1
            return
        self._counts.ours += 1
        if len(self.queue) == QUEUE_MAX:
            self._counts.dropped += 1
        self.queue.append(Heard(found, data.rssi, device))
        self.filled.set()


async def scan(
    heard: Callable[[Heard], None],
    radio: RadioBackend | None = None,
    counts: ScanCounts | None = None,
    on_started: Callable[[], None] | None = None,
) -> Never:
    """Call `heard` for every advert of a badge until cancelled.

    radio: None for this computer's Bluetooth. counts: is kept up to date. on_started: called once
    the radio listens. Raises RedbandUserError when there is no usable Bluetooth; what `heard`
    raises passes through.
    """
    inbox = _Inbox(ScanCounts() if counts is None else counts)
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
    # bleak's own errors carry a code for programs behind the words.
    cause = (str(error.args[0]) if error.args else "") or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        cause = error.strerror
    return RedbandUserError(
        f"Bluetooth cannot be used ({cause}): switch it on, check that this computer has an"
        " adapter and that its Bluetooth service runs, or use a virtual field with --field."
    )
