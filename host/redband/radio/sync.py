"""Fetches a badge's journal over one connection.

Problem: the badge may vanish at any frame, and so may this program. Guarantee: a page is committed
before the badge hears that it may go; after any failure the next sync begins at the exact record
after the last one committed; no wait is without a limit. What the frames say is decided in
redband.wire.log_stream; this module only carries them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bleak.backends.device import BLEDevice

from redband.errors import RedbandUserError
from redband.keys import Keys
from redband.keys.derive import badge_key
from redband.radio.backend import RadioBackend
from redband.radio.errors import SyncError, SyncFailure
from redband.radio.link import Link
from redband.store.records import Page
from redband.wire import log_stream as wire_log_stream
from redband.wire.frames import Welcome
from redband.wire.log_stream import LogClient
from redband.wire.session import Client
from redband_core import frames
from redband_core.frames import PROTOCOL_VERSION
from redband_core.settings_check import ROLES

DEADLINE_S = 60.0
"""Longest sync when the caller gives none: a full journal of 190 kB at 4 packets per 30 ms."""

STALL_S = 2.0
"""Silence after which the badge is asked again. A flash erase can hold a badge up for 0.4 s."""


_FAILURES = {
    wire_log_stream.SILENT: (SyncFailure.SILENT, "The badge was asked again and again, in vain."),
    wire_log_stream.LOSSY: (SyncFailure.LOSSY, "The connection loses too much; move closer."),
    wire_log_stream.CURSOR_AHEAD: (
        SyncFailure.CURSOR_AHEAD,
        "The store holds records that this badge has not written: its journal was damaged;"
        " install the badge anew, so that its journal begins under a new number.",
    ),
    wire_log_stream.REFUSED: (SyncFailure.REFUSED, "The badge refuses to hand out its journal."),
    wire_log_stream.ACCESS: (
        SyncFailure.ACCESS,
        "The badge does not know our key: it is of another game, or has none; install it with"
        " this game's key.",
    ),
    wire_log_stream.FORGED: (
        SyncFailure.FORGED,
        "What answers is not the badge, or somebody changes what it says: its proof is wrong.",
    ),
    wire_log_stream.ROLE: (
        SyncFailure.ROLE,
        "The badge hands out its journal to marshal, game master and technician only.",
    ),
}


@dataclass(frozen=True, slots=True)
class SyncResult:
    """A sync that came to its end.

    welcome: who the badge has proven to be. advert_count: of its newest advert. game_ms: its game
    time when it proved itself. next_seq: first record that the host does not hold. records:
    received now. missing_records: gone before this host could fetch them. round_trips: operations
    after connect that waited for an answer. frames and bytes: attribute values each way, without
    the headers of ATT and below. asked_again: times that something was lost on the way.
    unused_frames: broken, repeated, or of a stream given up. dropped_frames: see Link.
    """

    welcome: Welcome
    advert_count: int
    game_ms: int
    next_seq: int
    records: int
    missing_records: int
    round_trips: int
    sent_frames: int
    sent_bytes: int
    received_frames: int
    received_bytes: int
    asked_again: int
    unused_frames: int
    dropped_frames: int
    connect_s: float
    duration_s: float


async def sync_badge(
    device: BLEDevice,
    next_seq_for: Callable[[int], int],
    commit_page: Callable[[Page], Awaitable[int]],
    keys: Keys,
    radio: RadioBackend | None = None,
    deadline_s: float = DEADLINE_S,
    badge_id: int | None = None,
    role: int | None = None,
    connecting: asyncio.Lock | None = None,
) -> SyncResult:
    """Connect, fetch what the host does not hold yet, disconnect.

    next_seq_for(install_id): first record number not held of that install. commit_page(page):
    awaited for each page in order; returns the first number then not held, and must not return
    before the page is safe. keys: of the game; role: as whom, None for the keys' own. badge_id:
    refuse to talk to another badge. deadline_s: for all of it; a commit is never cut short.
    connecting: see Link.opened.

    Raises SyncError; what the two callbacks raise passes through. The link is closed in any case.
    """
    loop = asyncio.get_running_loop()
    started_s = loop.time()
    link = await Link.opened(device, radio, deadline_s, connecting)
    try:
        connect_s = loop.time() - started_s
        session = new_session(next_seq_for, keys, role)
        sync = _Sync(link, session, commit_page, badge_id)
        await link.subscribe()
        await sync.run()
    finally:
        await link.close()
    return sync.result(connect_s, loop.time() - started_s)


def new_session(
    next_seq_for: Callable[[int], int], keys: Keys, role: int | None = None
) -> LogClient:
    """Return a host's session, with chance for its nonce. Raises RedbandUserError without a key.

    role: as whom (1 to 4), None for the keys' own.
    """
    as_role = role_of(keys, role)

    def key_for(badge_id: int) -> bytes:
        return badge_key(keys, badge_id, as_role) or b""

    nonce = keys.chance.token_bytes(frames.HOST_NONCE_BYTES)
    return LogClient(next_seq_for, as_role, key_for, nonce)


def role_of(keys: Keys, role: int | None) -> int:
    """Return as whom to come: `role`, or the keys' own. Raises RedbandUserError without a key."""
    as_role = keys.role if role is None else role
    if keys.role_key(as_role) is None:
        raise RedbandUserError(f"The key is not the {ROLES[as_role]}'s; take another with --key.")
    return as_role


def failure_of(client: Client, reason: int) -> SyncError:
    """Return the sentence for a client that failed. `reason`: as its FAILED event says."""
    if reason == wire_log_stream.VERSION:
        version = client.peer_version
        old = "the badge's firmware" if version < PROTOCOL_VERSION else "this program"
        return SyncError(
            SyncFailure.VERSION,
            f"The badge speaks protocol version {version}, this program version"
            f" {PROTOCOL_VERSION}: update {old}.",
        )
    failure, message = _FAILURES[reason]
    return SyncError(failure, message)


class _Sync:
    """A session and the link it runs on."""

    def __init__(
        self,
        link: Link,
        session: LogClient,
        commit_page: Callable[[Page], Awaitable[int]],
        badge_id: int | None,
    ) -> None:
        self._link = link
        self._commit_page = commit_page
        self._badge_id = badge_id
        self._session = session
        self._records = 0
        self._is_done = False

    async def run(self) -> None:
        """Carry frames until the session is done. Raises SyncError."""
        try:
            await self._carry()
        except SyncError:
            # Whole records that came before the link broke need not come again.
            self._session.lost()
            for event in self._session.events():
                if event[0] == wire_log_stream.PAGE:
                    await self._commit(event)
            raise

    async def _carry(self) -> None:
        session, link = self._session, self._link
        while not self._is_done:
            link.check_deadline()
            session.set_write_limit(link.write_limit_bytes)
            frame = session.next_write()
            if frame is not None:
                await link.write(frame)
            elif not await link.wait(STALL_S):
                session.stalled()
            await self._take()

    async def _take(self) -> None:
        """Give the session what has come, and do what it says."""
        session, link = self._session, self._link
        await self._handle()
        while not self._is_done and (received := link.received()) is not None:
            channel, frame = received
            if channel == frames.CHANNEL_CONTROL:
                session.control_notified(frame)
            else:
                session.log_notified(frame)
            await self._handle()

    async def _handle(self) -> None:
        for event in self._session.events():
            if event[0] == wire_log_stream.HELLO:
                self._greeted(event[1])
            elif event[0] == wire_log_stream.PAGE:
                await self._commit(event)
            elif event[0] == wire_log_stream.FAILED:
                raise failure_of(self._session, event[1])
            elif event[0] == wire_log_stream.DONE:
                self._is_done = True

    def _greeted(self, welcome: Welcome) -> None:
        if self._badge_id is not None and welcome.badge_id != self._badge_id:
            raise SyncError(
                SyncFailure.WRONG_BADGE,
                f"Badge {welcome.badge_id} answered in place of badge {self._badge_id}.",
            )

    async def _commit(self, event: tuple) -> None:
        _page, first_seq, base_ms, data, next_seq = event
        welcome = self._welcome()
        page = Page(welcome.badge_id, welcome.install_id, first_seq, base_ms, data)
        held_seq = await self._commit_page(page)
        self._records += next_seq - first_seq
        self._session.committed(held_seq)

    def _welcome(self) -> Welcome:
        """Return who greeted us; pages and results come only after that."""
        welcome = self._session.welcome
        assert welcome is not None
        return welcome

    def result(self, connect_s: float, duration_s: float) -> SyncResult:
        """Return what the finished sync came to."""
        session, link = self._session, self._link
        proved = session.proved
        assert proved is not None  # a session is done only after it
        return SyncResult(
            welcome=self._welcome(),
            advert_count=proved.count,
            game_ms=proved.game_ms,
            next_seq=session.committed_seq,
            records=self._records,
            missing_records=session.missing_count,
            round_trips=link.round_trips,
            sent_frames=link.sent_frames,
            sent_bytes=link.sent_bytes,
            received_frames=link.received_frames,
            received_bytes=link.received_bytes,
            asked_again=session.gap_count,
            unused_frames=session.unused_count,
            dropped_frames=link.dropped_frames,
            connect_s=connect_s,
            duration_s=duration_s,
        )
