"""The gateway: hears every advert, fetches what badges have written, shows one row per badge.

Problem: hundreds of badges, one adapter that connects to one at a time, peers that vanish in the
middle. Guarantee: scanning never waits for a sync; one connection at a time, the longest waiting
badge first; every wait has a deadline; a badge that fails is tried again with growing pauses and
says so in its row; a record is on the disk before the badge is told that it may go. A store that
cannot be written ends `run` with its sentence, as going on would only look like working.
Not here: Bluetooth (`GatewayRadio`), rows (`merge`), the order of syncs (`queue`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from redband.errors import leading_error
from redband.gateway.book import RuleBook
from redband.gateway.happenings import Chronicle, Happening
from redband.gateway.live import LiveBadge
from redband.gateway.merge import merge
from redband.gateway.queue import SyncQueue
from redband.gateway.rows import BadgeRow
from redband.radio import Heard
from redband.store.projection import Projector
from redband.store.records import Page, Record
from redband.store.store import Store
from redband_core.errors import RedbandError

SYNC_DEADLINE_S = 20.0
"""Longest one sync may take, connect included; what is left over is fetched by the next one."""

FETCH_LIMIT_S = SYNC_DEADLINE_S + 15.0
"""Longest wait for a radio that does not keep the deadline: it may still commit and disconnect."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a finished sync says: whose journal it was and up to where the host holds it."""

    install_id: int
    boot_id: int
    next_seq: int


class GatewayRadio(Protocol):
    """What the gateway needs of a radio."""

    async def scan(self, heard: Callable[[Heard], None]) -> None:
        """Call `heard` for every advert of ours until cancelled.

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


class Gateway:
    """One radio, one store, all badges in range.

    book: names of rulesets. name: of this gateway, noted with each contact. time_factor: game
    seconds per second of `clock` (1 but for virtual fields).
    """

    def __init__(
        self,
        radio: GatewayRadio,
        store: Store,
        book: RuleBook,
        name: str = "gateway",
        time_factor: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._radio = radio
        self._store = store
        self._book = book
        self._name = name
        self._time_factor = time_factor
        self._clock = clock
        self._queue = SyncQueue()
        self._work = asyncio.Event()
        self._changed = asyncio.Event()
        self._sighted = asyncio.Event()
        self._badges: dict[int, LiveBadge] = {}
        self._players: dict[int, str] = {}
        self._chronicle = Chronicle(time_factor)
        self.syncs = 0
        self.failed_syncs = 0

    async def load(self) -> None:
        """Bring the view to what the store holds, before anything is heard."""
        self._players = await asyncio.to_thread(self._store.players)
        for badge_id in self._players:
            await self._catch_up(self._badge(badge_id))

    async def run(self) -> None:
        """Scan and sync until cancelled. Raises RedbandUserError when radio or store is gone."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._radio.scan(self._heard), name="scan")
                group.create_task(self._sync_forever(), name="sync")
        except ExceptionGroup as group:
            raise leading_error(group) from group

    # --- view ------------------------------------------------------------------------------

    def rows(self) -> list[BadgeRow]:
        """Return one row per badge that was ever heard or stored, by badge id."""
        now_s = self._clock()
        return [
            merge(
                live,
                self._players.get(badge_id, ""),
                self._book.names(live.projector.identity),
                now_s,
                self._time_factor,
            )
            for badge_id, live in sorted(self._badges.items())
        ]

    def player(self, badge_id: int) -> str:
        """Return who wears a badge, "" when nobody is known to."""
        return self._players.get(badge_id, "")

    def recent(self, limit: int) -> list[Happening]:
        """Return up to `limit` newest events of all badges, newest first."""
        return self._chronicle.newest(limit)

    def live(self, badge_id: int) -> LiveBadge | None:
        """Return what is known of one badge, None when it was never heard or stored."""
        return self._badges.get(badge_id)

    async def name_player(self, badge_id: int, player: str) -> None:
        """Write down who wears a badge."""
        await asyncio.to_thread(self._store.set_player, badge_id, player)
        self._players[badge_id] = player
        self._badge(badge_id)
        self._notify()

    async def changed(self) -> None:
        """Return at the next change of any row other than time passing."""
        await self._changed.wait()

    async def drained(self, badge_ids: set[int]) -> None:
        """Return when everything the last adverts of `badge_ids` speak of is in the store."""
        while True:
            waiting = self._changed
            lives = [self._badges.get(badge_id) for badge_id in badge_ids]
            are_held = all(live is not None and live.unsynced == 0 for live in lives)
            if are_held and not any(badge_id in self._queue for badge_id in badge_ids):
                return
            await waiting.wait()

    async def heard(self, badge_id: int, since_s: float = 0.0) -> None:
        """Return when an advert of the badge has come after `since_s` of the gateway's clock."""
        while True:
            waiting = self._sighted
            live = self._badges.get(badge_id)
            if live is not None and live.seen_s is not None and live.seen_s > since_s:
                return
            await waiting.wait()

    def _notify(self) -> None:
        # Every waiter wakes once; the next change gets an event of its own.
        self._changed.set()
        self._changed = asyncio.Event()

    def _badge(self, badge_id: int) -> LiveBadge:
        if badge_id not in self._badges:
            projector = Projector(badge_id, self._book.ruleset)
            self._badges[badge_id] = LiveBadge(badge_id, projector)
        return self._badges[badge_id]

    # --- hearing ---------------------------------------------------------------------------

    def _heard(self, sighting: Heard) -> None:
        live = self._badge(sighting.advert.badge_id)
        is_news = live.heard(sighting, self._clock())
        self._sighted.set()
        self._sighted = asyncio.Event()
        self._want(live)
        if is_news:
            self._notify()

    def _want(self, live: LiveBadge) -> None:
        delay_s = live.sync_delay_s()
        if delay_s is None:
            self._queue.done(live.badge_id)
        elif live.badge_id not in self._queue:
            self._queue.want(live.badge_id, self._clock(), delay_s)
            self._work.set()

    # --- syncing ---------------------------------------------------------------------------

    async def _sync_forever(self) -> None:
        while True:
            badge_id = self._queue.next(self._clock())
            if badge_id is not None:
                await self._sync(self._badges[badge_id])
                continue
            self._work.clear()
            try:
                async with asyncio.timeout(self._queue.wait_s(self._clock())):
                    await self._work.wait()
            except TimeoutError:
                continue  # some badge's pause is over

    async def _sync(self, live: LiveBadge) -> None:
        sighting = live.sighting
        if sighting is None:
            self._queue.done(live.badge_id)
            return

        def next_seq(install_id: int) -> int:
            return self._store.next_seq(live.badge_id, install_id)

        async def commit(page: Page) -> int:
            held = await asyncio.to_thread(self._store.ingest_page, page)
            live.next_seq = held
            await self._catch_up(live)
            return held

        try:
            async with asyncio.timeout(FETCH_LIMIT_S):
                report = await self._radio.fetch(sighting, next_seq, commit)
        except (TimeoutError, RedbandError) as error:
            self.failed_syncs += 1
            live.problem = str(error) or "no answer in time"
            self._queue.failed(live.badge_id, self._clock())
            self._notify()
            return
        self.syncs += 1
        await asyncio.to_thread(
            self._store.note_contact,
            live.badge_id,
            report.install_id,
            report.boot_id,
            self._name,
        )
        live.synced(report.next_seq)
        self._queue.done(live.badge_id)
        self._want(live)  # for what an advert has told in the meantime
        self._notify()

    async def _catch_up(self, live: LiveBadge) -> None:
        """Fold what the store holds beyond the fold."""
        position = live.projector.position
        records: list[Record] = await asyncio.to_thread(
            self._store.records, live.badge_id, position
        )
        for record in records:
            live.projector.apply(record)
        if records:
            self._chronicle.add(records, self._book.names(live.projector.identity))
            self._notify()
