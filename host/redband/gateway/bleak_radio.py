"""The gateway's radio by bleak: this computer's Bluetooth, or any backend given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from redband.gateway.gateway import SYNC_DEADLINE_S, SyncReport
from redband.radio import Heard, RadioBackend, scan, sync_badge
from redband.store.records import Page


class BleakRadio:
    """A `GatewayRadio` over `redband.radio`. backend: None for this computer's Bluetooth."""

    def __init__(self, backend: RadioBackend | None) -> None:
        self._backend = backend

    async def scan(self, heard: Callable[[Heard], None]) -> None:
        """See `GatewayRadio.scan`."""
        await scan(heard, self._backend)

    async def fetch(
        self,
        sighting: Heard,
        next_seq: Callable[[int], int],
        commit: Callable[[Page], Awaitable[int]],
    ) -> SyncReport:
        """See `GatewayRadio.fetch`."""
        result = await sync_badge(
            sighting.device,
            next_seq,
            commit,
            radio=self._backend,
            deadline_s=SYNC_DEADLINE_S,
            badge_id=sighting.advert.badge_id,
        )
        welcome = result.welcome
        return SyncReport(welcome.install_id, welcome.boot_id, result.next_seq)
