"""A radio for tests of the gateway: badges with journals in memory, faults on demand."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence

from bleak.backends.device import BLEDevice
from tests.support.journals import PlayingBadge

from redband.gateway.port import SyncReport
from redband.radio import Heard, SyncError, SyncFailure
from redband.store.records import Page
from redband.wire.advert import Advert
from redband_core.advert import NO_SEQ, NO_TIMER

RECORDS_A_PAGE = 3
ANYWHERE = BLEDevice("00:00:00:00:00:00", None, None)


class GatewayRadio:
    """Hears what `advertise` is told, fetches from `badges`; `faults` break syncs of a badge.

    A fault is called with the page number and may raise or wait. `most_at_once`: highest number
    of fetches that ran at the same time. `order`: badge ids in the order they were fetched.
    `ends`: where the next fetch of a badge ends, if before the end of its journal.
    """

    def __init__(self) -> None:
        self.badges: dict[int, PlayingBadge] = {}
        self.faults: dict[int, Callable[[int], Awaitable[None]]] = {}
        self.ends: dict[int, int] = {}
        self.released: dict[int, int] = {}
        self.order: list[int] = []
        self.told: dict[int, list[bytes]] = {}
        self.newest_word = 0
        self.most_at_once = 0
        self._at_once = 0
        self._counts = itertools.count(1000)
        self._heard: Callable[[Heard], None] | None = None
        self._scanning = asyncio.Event()

    async def scan(self, heard: Callable[[Heard], None]) -> None:
        self._heard = heard
        self._scanning.set()
        await asyncio.Event().wait()

    async def advertise(
        self,
        badge_id: int,
        device: BLEDevice | None = None,
        is_doubtful: bool = False,
        **fields: int,
    ) -> None:
        """Let an advert of the badge be heard; `fields` replace what it would say."""
        await self._scanning.wait()
        assert self._heard is not None
        badge = self.badges.get(badge_id)
        last_seq = badge.next_seq - 1 if badge is not None and badge.next_seq else NO_SEQ
        values = {
            "badge_id": badge_id,
            "count": next(self._counts),
            "signal": 0,
            "counter_a": 0,
            "counter_b": 0,
            "timer_s": NO_TIMER,
            "last_seq": last_seq,
            "battery_pct": 80,
            "role": 0,
            "flags": 0,
            "is_paused": False,
            "is_emergency": False,
        }
        if badge is not None:
            shown = badge.engine.ruleset.shown_counters
            values["signal"] = badge.engine.signal()
            values["counter_a"] = badge.engine.counter(shown[0])
        advert = Advert(**(values | fields))
        self._heard(Heard(advert, -60, device or ANYWHERE, is_doubtful))

    async def tell(self, sighting: Heard, payloads: Sequence[bytes]) -> int:
        badge_id = sighting.advert.badge_id
        self.order.append(badge_id)
        if badge_id in self.faults:
            await self.faults[badge_id](0)
        self.told.setdefault(badge_id, []).extend(payloads)
        return self.newest_word

    async def fetch(
        self,
        sighting: Heard,
        next_seq: Callable[[int], int],
        commit: Callable[[Page], Awaitable[int]],
    ) -> SyncReport:
        badge_id = sighting.advert.badge_id
        badge = self.badges[badge_id]
        self.order.append(badge_id)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            seq = next_seq(badge.install_id)
            number = 0
            while True:
                if badge_id in self.faults:
                    await self.faults[badge_id](number)
                end = self.ends.get(badge_id, badge.next_seq)
                if seq >= end:
                    self.ends.pop(badge_id, None)
                    return SyncReport(badge.install_id, 1, seq)
                seq = await commit(badge.page(seq, min(seq + RECORDS_A_PAGE, end)))
                self.released[badge_id] = seq
                number += 1
        finally:
            self._at_once -= 1


async def out_of_range(_page: int) -> None:
    """Fault: the connection is lost."""
    raise SyncError(SyncFailure.DISCONNECTED, "badge went out of range")


async def silence(_page: int) -> None:
    """Fault: nothing comes any more, ever."""
    await asyncio.Event().wait()
