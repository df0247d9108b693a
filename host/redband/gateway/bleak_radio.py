"""The gateway's radio by bleak: this computer's Bluetooth, or any backend given.

Guarantee: one connect at a time, whoever asks (PITFALLS H4); counts of adverts go to `keep` within
KEEP_S, and when the scan ends, so that a recording made before a restart of this program is still
one after it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from redband.gateway.port import SYNC_DEADLINE_S, SyncReport
from redband.keys import Keys
from redband.radio import (
    AdvertReader,
    Heard,
    RadioBackend,
    ScanCounts,
    SyncError,
    SyncFailure,
    command_badge,
    scan,
    sync_badge,
)
from redband.store.records import Page
from redband.wire import command_frames as wire_command_frames
from redband_core import frames

_log = logging.getLogger(__name__)

KEEP_S = 5.0
"""Pause between two writes of the counts: a crash forgets what was heard since the last one."""


def _nowhere(_counts: dict[int, int]) -> None:
    """Keep nothing: a look at the air that leaves no trace."""


class BleakRadio:
    """A `GatewayRadio` over `redband.radio`.

    backend: None for this computer's Bluetooth. keys: of the game; None hears no state and fetches
    nothing. counts: of adverts, as `keep` was given them in earlier runs; `keep` runs in a worker
    thread.
    """

    def __init__(
        self,
        backend: RadioBackend | None,
        keys: Keys | None,
        counts: Mapping[int, int] | None = None,
        keep: Callable[[dict[int, int]], None] = _nowhere,
    ) -> None:
        self._backend = backend
        self._keys = keys
        self._keep = keep
        self._reader = AdvertReader(keys, counts)
        self._connecting = asyncio.Lock()
        self.counts = ScanCounts()

    async def scan(self, heard: Callable[[Heard], None]) -> None:
        """See `GatewayRadio.scan`."""
        keeper = asyncio.create_task(self._keep_counts(), name="counts")
        try:
            await scan(heard, self._reader, self._backend, self.counts)
        finally:
            keeper.cancel()
            self._keep(self._reader.take_changed())

    async def _keep_counts(self) -> None:
        while True:
            await asyncio.sleep(KEEP_S)
            changed = self._reader.take_changed()
            if changed:
                await asyncio.to_thread(self._keep, changed)

    async def fetch(
        self,
        sighting: Heard,
        next_seq: Callable[[int], int],
        commit: Callable[[Page], Awaitable[int]],
    ) -> SyncReport:
        """See `GatewayRadio.fetch`."""
        badge_id = sighting.advert.badge_id
        if self._keys is None:
            raise SyncError(SyncFailure.ACCESS, "Without the game's key no journal is to be had.")
        result = await sync_badge(
            sighting.device,
            next_seq,
            commit,
            self._keys,
            radio=self._backend,
            deadline_s=SYNC_DEADLINE_S,
            badge_id=badge_id,
            connecting=self._connecting,
        )
        self._reader.met(badge_id, result.advert_count, asyncio.get_running_loop().time())
        if result.asked_again or result.unused_frames or result.missing_records:
            _log.warning(
                "badge %d: lost on the way and asked for again %d times, %d frames of no use,"
                " %d had no room here, %d records were gone",
                badge_id,
                result.asked_again,
                result.unused_frames,
                result.dropped_frames,
                result.missing_records,
            )
        welcome = result.welcome
        return SyncReport(welcome.install_id, welcome.boot_id, result.next_seq, result.game_ms)

    async def tell(self, sighting: Heard, payloads: Sequence[bytes]) -> int:
        """See `GatewayRadio.tell`."""
        badge_id = sighting.advert.badge_id
        if self._keys is None:
            raise SyncError(SyncFailure.ACCESS, "Without the game's key nobody listens to us.")
        messages = [wire_command_frames.encode_broadcast(payload) for payload in payloads]
        done = await command_badge(
            sighting.device,
            lambda _welcome: messages,
            self._keys,
            radio=self._backend,
            badge_id=badge_id,
            connecting=self._connecting,
        )
        self._reader.met(badge_id, done.advert_count, asyncio.get_running_loop().time())
        answers = [
            wire_command_frames.decode_result(answer, frames.BROADCAST) for answer in done.answers
        ]
        return max(number for number, _outcome in answers)
