"""What the gateway needs of a radio. Who has one: `redband.gateway.bleak_radio`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from redband.radio import Heard
from redband.store.records import Page

SYNC_DEADLINE_S = 20.0
"""Longest one sync may take, connect included; what is left over is fetched by the next one."""

LINKS_MAX = 3
"""Connections at a time. Controllers have five to seven places (PITFALLS H5), of which a phone or
a headset may hold some. More would fetch little sooner: they are made one after the other."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a finished sync says: whose journal it was and up to where the host holds it.

    game_ms: the badge's game time in the session, None when it did not tell.
    """

    install_id: int
    boot_id: int
    next_seq: int
    game_ms: int | None = None


class GatewayRadio(Protocol):
    """What the gateway needs of a radio.

    fetch and tell are called for several badges at a time, for no badge twice.
    """

    async def scan(self, heard: Callable[[Heard], None]) -> None:
        """Call `heard` for every proven advert of our game until cancelled.

        Raises RedbandUserError when there is no usable adapter.
        """
        ...

    async def fetch(
        self,
        sighting: Heard,
        next_seq: Callable[[int], int],
        commit: Callable[[Page], Awaitable[int]],
    ) -> SyncReport:
        """Connect, fetch the journal from `next_seq(install_id)` on, disconnect.

        `commit` is awaited for each page before the badge may release it, and returns the next
        number wanted. Raises SyncError; whatever `commit` raises passes through.
        """
        ...

    async def tell(self, sighting: Heard, payloads: Sequence[bytes]) -> int:
        """Connect, tell the badge these broadcasts, in order, disconnect.

        Returns the number of the newest broadcast that the badge has heard. Raises SyncError.
        """
        ...
