"""The gateway: hears every advert, fetches what badges have written, shows one row per badge.

Problem: hundreds of badges, one adapter that makes one connection at a time and holds a few, peers
that vanish in the middle. Guarantee: scanning never waits for a sync; as many connections as it
was told to hold, the longest waiting badge first; every wait has a deadline; a badge that fails is
tried again with growing pauses and says so in its row; a record is on the disk before the badge is
told that it may go. A store that cannot be written ends `run` with its sentence, as going on would
only look like working.
Not here: Bluetooth (`GatewayRadio`), rows (`merge`), the order of syncs (`queue`).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace

from redband.errors import leading_error
from redband.gateway.broadcasts import TOLD_MAX, Broadcast, known_broadcasts, missed
from redband.gateway.live import SETBACK_WAIT_S, LiveBadge
from redband.gateway.merge import merge
from redband.gateway.port import LINKS_MAX, SYNC_DEADLINE_S, GatewayRadio
from redband.gateway.queue import Places, SyncQueue
from redband.keys import Keys
from redband.number_texts import error_text
from redband.overview.chronicle import Chronicle, Entry
from redband.overview.names import Rulesets
from redband.overview.rows import BadgeRow
from redband.radio import Heard, SyncError, SyncFailure
from redband.store.projection import Projector
from redband.store.records import Page, Record
from redband.store.store import Store
from redband.store.walltime import Meeting
from redband_core.errors import RedbandError

LEARN_S = 3.0
"""Pause between two looks for broadcasts that another command put into the store."""

FETCH_LIMIT_S = SYNC_DEADLINE_S + 15.0 + (LINKS_MAX - 1) * 30.0
"""Longest wait for a radio that does not keep the deadline: it may still commit and disconnect,
and wait before its own connect for those of others, of which none takes longer than 30 s."""


class Gateway:
    """One radio, one store, all badges in range.

    rulesets: names of rulesets. name: of this gateway, noted with each contact. clock: seconds,
    None for the running loop's. keys: of the game, None for a host that broadcasts nothing.
    links: connections at a time.
    """

    def __init__(
        self,
        radio: GatewayRadio,
        store: Store,
        rulesets: Rulesets,
        name: str = "gateway",
        clock: Callable[[], float] | None = None,
        keys: Keys | None = None,
        links: int = LINKS_MAX,
    ) -> None:
        self._radio = radio
        self._places = Places(links)
        self._busy: set[int] = set()  # badges that somebody is connected to
        self._writing = asyncio.Lock()  # the store takes one writer at a time
        self.store = self._store = store
        self.keys = keys
        self._rulesets = rulesets
        self._name = name
        self._clock = clock or asyncio.get_running_loop().time
        self._queue = SyncQueue()
        self._work = asyncio.Event()
        self._changed = asyncio.Event()
        self._sighted = asyncio.Event()
        self._broadcasts: list[Broadcast] = []
        self._urgent = 1 << 32  # number of the first that was said here and now
        self._badges: dict[int, LiveBadge] = {}
        self._players: dict[int, str] = {}
        self._chronicle = Chronicle()
        self.syncs = 0
        self.failed_syncs = 0

    async def load(self) -> None:
        """Bring the view to what the store holds, before anything is heard."""
        self._players = await asyncio.to_thread(self._store.players)
        self._broadcasts = await asyncio.to_thread(known_broadcasts, self._store, self.keys)
        for badge_id in self._players:
            meetings = await asyncio.to_thread(self._store.meetings, badge_id)
            await self._catch_up(self._badge(badge_id), meetings)

    async def run(self) -> None:
        """Scan and sync until cancelled. Raises RedbandUserError when radio or store is gone."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._radio.scan(self._heard), name="scan")
                for number in range(self._places.most):
                    group.create_task(self._sync_forever(), name=f"sync {number}")
                group.create_task(self._learn_broadcasts(), name="broadcasts")
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
                self._rulesets.names(live.projector.identity),
                now_s,
            )
            for badge_id, live in sorted(self._badges.items())
        ]

    def player(self, badge_id: int) -> str:
        """Return who wears a badge, "" when nobody is known to."""
        return self._players.get(badge_id, "")

    def recent(self, limit: int) -> list[Entry]:
        """Return up to `limit` newest events of all badges, newest first."""
        entries = self._chronicle.newest(limit)
        return [replace(one, player=self.player(one.badge_id)) for one in entries]

    def live(self, badge_id: int) -> LiveBadge | None:
        """Return what is known of one badge, None when it was never heard or stored."""
        return self._badges.get(badge_id)

    async def name_player(self, badge_id: int, player: str) -> None:
        """Write down who wears a badge."""
        async with self._writing:
            await asyncio.to_thread(self._store.set_player, badge_id, player)
        self._players[badge_id] = player
        self._badge(badge_id)
        self._notify()

    def say(self, broadcast: Broadcast) -> None:
        """Tell all badges in range a broadcast, which is in the store; badges pass it on."""
        self._broadcasts = [*self._broadcasts, broadcast][-TOLD_MAX:]
        self._urgent = min(self._urgent, broadcast.number)
        now_s = self._clock()
        near = [live for live in self._badges.values() if live.is_fresh(now_s)]
        if near:
            # One at least has to hear it, to pass it on to those who are out of our range.
            max(near, key=lambda live: live.rssi_dbm).is_told_next = True
        for live in near:
            if live.is_told_next or not live.shows(broadcast):
                self._queue_sync(live, 0.0)

    async def changed(self) -> None:
        """Return at the next change of any row other than time passing."""
        await self._changed.wait()

    async def drained(self, badge_ids: set[int]) -> None:
        """Return when everything the last adverts of `badge_ids` speak of is in the store."""
        while True:
            waiting = self._changed
            lives = [self._badges.get(badge_id) for badge_id in badge_ids]
            are_held = all(live is not None and live.unsynced == 0 for live in lives)
            is_waiting = any(badge_id in self._queue for badge_id in badge_ids)
            if are_held and not is_waiting and not badge_ids & self._busy:
                return
            await waiting.wait()

    async def heard(self, badge_id: int, since_s: float = -math.inf) -> None:
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
            projector = Projector(badge_id, self._rulesets.ruleset)
            self._badges[badge_id] = LiveBadge(badge_id, projector)
        return self._badges[badge_id]

    # --- hearing ---------------------------------------------------------------------------

    def _heard(self, sighting: Heard) -> None:
        live = self._badge(sighting.advert.badge_id)
        if sighting.is_doubtful:
            # A recording, or a badge that begins anew: only a session tells, and what it says of
            # the count makes the next advert believed.
            live.doubtful = sighting
            self._queue_sync(live, SETBACK_WAIT_S)
            return
        is_news = live.heard(sighting, self._clock())
        self._sighted.set()
        self._sighted = asyncio.Event()
        self._want(live)
        if is_news:
            self._notify()

    def _want(self, live: LiveBadge) -> None:
        delay_s = live.sync_delay_s()
        if delay_s is None and missed(self._broadcasts, live.broadcast_number):
            # Its journal is here and lacks one. It may look as if it had heard it; but what it
            # has not, somebody could send it later.
            live.is_told_next = True
            delay_s = 0.0
        if delay_s is None:
            self._queue.done(live.badge_id)
        else:
            self._queue_sync(live, delay_s)

    def _queue_sync(self, live: LiveBadge, delay_s: float) -> None:
        if live.badge_id not in self._queue:
            self._queue.want(live.badge_id, self._clock(), delay_s)
            self._work.set()

    # --- syncing ---------------------------------------------------------------------------

    async def _sync_forever(self) -> None:
        while True:
            is_free = self._places.is_free(len(self._busy))
            badge_id = self._queue.next(self._clock(), self._busy) if is_free else None
            if badge_id is not None:
                self._busy.add(badge_id)
                try:
                    await self._sync(self._badges[badge_id])
                finally:
                    self._busy.discard(badge_id)
                self._work.set()  # it may be due again already
                self._notify()
                continue
            self._work.clear()
            wait_s = self._queue.wait_s(self._clock(), self._busy) if is_free else None
            try:
                async with asyncio.timeout(wait_s):
                    await self._work.wait()
            except TimeoutError:
                continue  # some badge's pause is over

    async def _learn_broadcasts(self) -> None:
        """Take over broadcasts that were said beside this gateway, with the same store."""
        while True:
            await asyncio.sleep(LEARN_S)
            self._broadcasts = await asyncio.to_thread(known_broadcasts, self._store, self.keys)

    async def _sync(self, live: LiveBadge) -> None:
        sighting = live.doubtful or live.sighting
        live.doubtful = None
        if sighting is None:
            self._queue.done(live.badge_id)
            return
        broadcasts = missed(self._broadcasts, live.broadcast_number)
        if broadcasts:
            newest = broadcasts[-1]
            is_urgent = newest.number >= self._urgent and not live.shows(newest)
            if live.is_told_next or is_urgent:
                await self._tell(live, sighting, broadcasts)
                return

        def next_seq(install_id: int) -> int:
            return self._store.next_seq(live.badge_id, install_id)

        async def commit(page: Page) -> int:
            async with self._writing:
                held = await asyncio.to_thread(self._store.ingest_page, page)
            live.next_seq = held
            await self._catch_up(live)
            return held

        try:
            async with asyncio.timeout(FETCH_LIMIT_S):
                report = await self._radio.fetch(sighting, next_seq, commit)
        except (TimeoutError, RedbandError) as error:
            self._failed(live, error)
            return
        self.syncs += 1
        self._places.worked()
        async with self._writing:
            meeting = await asyncio.to_thread(
                self._store.note_contact,
                live.badge_id,
                report.install_id,
                report.boot_id,
                self._name,
                report.game_ms,
            )
        self._chronicle.meet(live.badge_id, live.projector.position[0], meeting)
        live.synced(report.next_seq)
        self._queue.done(live.badge_id)
        self._want(live)  # for what an advert has told in the meantime

    def _failed(self, live: LiveBadge, error: Exception) -> None:
        self.failed_syncs += 1
        live.problem = error_text(error) or "no answer in time"
        is_ours = isinstance(error, SyncError) and error.reason is SyncFailure.RADIO
        is_crowded = is_ours and self._places.refused(len(self._busy - {live.badge_id}))
        self._queue.failed(live.badge_id, self._clock(), is_crowded)

    async def _tell(self, live: LiveBadge, sighting: Heard, broadcasts: list[Broadcast]) -> None:
        try:
            async with asyncio.timeout(FETCH_LIMIT_S):
                payloads = [one.payload for one in broadcasts]
                newest = await self._radio.tell(sighting, payloads)
        except (TimeoutError, RedbandError) as error:
            self._failed(live, error)
        else:
            # Whatever it answered, it has heard them: it is not told again.
            live.told_number = max(newest, broadcasts[-1].number)
            live.is_told_next = False
            live.problem = None
            self._queue.done(live.badge_id)
            self._want(live)

    async def _catch_up(
        self, live: LiveBadge, meetings: dict[int, list[Meeting]] | None = None
    ) -> None:
        """Fold what the store holds beyond the fold. meetings: those of the past, by install."""
        position = live.projector.position
        records: list[Record] = await asyncio.to_thread(
            self._store.records, live.badge_id, position
        )
        in_timer = [record for record in records if live.projector.apply(record)]
        if records:
            names = self._rulesets.names(live.projector.identity)
            self._chronicle.add(records, names, in_timer, meetings)
            self._notify()
