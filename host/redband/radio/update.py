"""Sends an update to a badge over one connection; the badge keeps what came when it breaks.

Guarantee: no wait is without a limit; nothing is taken over before the badge has all of it, has
checked it, and was told to. What the frames say is decided in redband.wire.upload.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bleak.backends.device import BLEDevice

from redband.errors import RedbandUserError
from redband.keys import Keys
from redband.keys.derive import badge_key
from redband.radio.backend import RadioBackend
from redband.radio.errors import SyncError, SyncFailure
from redband.radio.link import Link
from redband.radio.sync import STALL_S, failure_of
from redband.wire import upload as wire_upload
from redband.wire.frames import Welcome
from redband.wire.upload import Answer, UploadClient
from redband_core import frames, numbers, upload
from redband_core.settings_check import ROLES

DEADLINE_S = 1200.0
"""Longest upload over one connection: 80 kB at 20 bytes a frame, answered one by one."""

UPDATE_ROLES = (numbers.ROLE_GAME_MASTER, numbers.ROLE_TECHNICIAN)


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """What a connection came to. welcome: who the badge has proven to be. answer: its last one.

    asked_again: times that something was lost on the way.
    """

    welcome: Welcome
    answer: Answer
    sent_bytes: int
    asked_again: int


def role_of(keys: Keys) -> int:
    """Return as whom to update. Raises RedbandUserError for keys that may not."""
    if keys.role not in UPDATE_ROLES:
        raise RedbandUserError(
            f"A {ROLES[keys.role]} may not update badges; take the technician's key with --key."
        )
    return keys.role


async def send_update(
    device: BLEDevice,
    badge_id: int,
    keys: Keys,
    radio: RadioBackend | None = None,
    begin: bytes = bytes((upload.STATUS,)),
    stream: bytes = b"",
    progress: Callable[[int], None] = lambda _: None,
    deadline_s: float = DEADLINE_S,
) -> UpdateResult:
    """Connect, send the update (as it stands: ask for the badge's STATUS), disconnect.

    begin, stream: see UploadClient. progress(bytes the badge has). The answer's outcome may be a
    refusal. Raises SyncError; the link is closed in any case.
    """
    role = role_of(keys)
    link = Link(device, radio, deadline_s)

    def key_for(greeted_id: int) -> bytes:
        if greeted_id != badge_id:
            raise SyncError(
                SyncFailure.WRONG_BADGE,
                f"Badge {greeted_id} answered in place of badge {badge_id}.",
            )
        return badge_key(keys, badge_id, role) or b""

    session = UploadClient(
        role, key_for, keys.chance.token_bytes(frames.HOST_NONCE_BYTES), begin, stream
    )
    try:
        await link.connect()
        await link.subscribe()
        answer = await _carry(link, session, progress)
    finally:
        await link.close()
    assert session.welcome is not None  # an answer is signed after it
    return UpdateResult(session.welcome, answer, link.sent_bytes, session.gap_count)


async def _carry(link: Link, session: UploadClient, progress: Callable[[int], None]) -> Answer:
    while True:
        link.check_deadline()
        session.set_write_limit(link.write_limit_bytes)
        frame = session.next_write()
        if frame is not None:
            await link.write(frame, session.fast)
        elif not await link.wait(STALL_S):
            session.stalled()
        while (received := link.received()) is not None:
            if received[0] == frames.CHANNEL_CONTROL:
                session.control_notified(received[1])
        for event in session.events():
            if event[0] == wire_upload.PROGRESS:
                progress(event[1])
            elif event[0] == wire_upload.UPDATED:
                return event[2]
            elif event[0] == wire_upload.FAILED:
                raise failure_of(session, event[1])
