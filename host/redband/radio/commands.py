"""Gives a badge commands over one connection, and brings back what it answered.

Problem: a link breaks between a command and its answer, and nobody knows whether it was done.
Guarantee: a command is said again, in as many connections as there is time for, under one number,
so that it is done once; the badge has proven who it is before it hears any. What the answers mean
is for the caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bleak.backends.device import BLEDevice

from redband.keys import Keys
from redband.keys.chance import Chance
from redband.keys.derive import badge_key
from redband.radio.backend import RadioBackend
from redband.radio.errors import SyncError, SyncFailure
from redband.radio.link import Link
from redband.radio.sync import STALL_S, failure_of, role_of
from redband.wire import session as wire_session
from redband.wire.frames import Proved, Welcome
from redband.wire.session import Client
from redband_core import frames

COMMAND_S = 20.0
"""Longest time for commands when the caller gives none, all connections together."""

RETRY_S = 0.5
"""Pause before the next connection: a badge takes as long to advertise again."""

_FINAL = (
    SyncFailure.ACCESS,
    SyncFailure.FORGED,
    SyncFailure.ROLE,
    SyncFailure.REFUSED,
    SyncFailure.VERSION,
    SyncFailure.WRONG_BADGE,
)
"""Another connection would end in the same way."""

MakeMessages = Callable[[Welcome], Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of commands. answers: one for each. advert_count: the badge's newest."""

    welcome: Welcome
    advert_count: int
    answers: tuple[bytes, ...]


def new_request(chance: Chance) -> int:
    """Return a number for one command: u32, by chance."""
    return int.from_bytes(chance.token_bytes(4), "little")


async def command_badge(
    device: BLEDevice,
    commands: MakeMessages,
    keys: Keys,
    radio: RadioBackend | None = None,
    deadline_s: float = COMMAND_S,
    badge_id: int | None = None,
    role: int | None = None,
    connecting: asyncio.Lock | None = None,
) -> Answered:
    """Connect, say what `commands` makes for that badge, disconnect; again when the link breaks.

    commands: called with who has proven itself, in each connection; equal commands must have equal
    numbers. keys, role, badge_id, connecting: see sync_badge. Raises SyncError; what `commands`
    raises passes through.
    """
    as_role = role_of(keys, role)
    loop = asyncio.get_running_loop()
    until_s = loop.time() + deadline_s
    while True:
        try:
            opening = Link.opened(device, radio, until_s - loop.time(), connecting)
            return await _once(opening, commands, keys, badge_id, as_role)
        except SyncError as error:
            if error.reason in _FINAL or loop.time() + RETRY_S >= until_s:
                raise
        await asyncio.sleep(RETRY_S)


async def _once(
    opening: Awaitable[Link],
    commands: MakeMessages,
    keys: Keys,
    badge_id: int | None,
    as_role: int,
) -> Answered:
    def key_for(found_id: int) -> bytes:
        return badge_key(keys, found_id, as_role) or b""

    client = Client(as_role, key_for, keys.chance.token_bytes(frames.HOST_NONCE_BYTES))
    link = await opening
    try:
        await link.subscribe()
        return await _Exchange(link, client, commands, badge_id).run()
    finally:
        await link.close()


class _Exchange:
    """A client and the link it runs on."""

    def __init__(
        self, link: Link, client: Client, commands: MakeMessages, badge_id: int | None
    ) -> None:
        self._link = link
        self._client = client
        self._commands = commands
        self._badge_id = badge_id
        self._waiting: list[bytes] | None = None
        self._answers: list[bytes] = []
        self._proved: Proved | None = None

    async def run(self) -> Answered:
        """Carry frames until all is answered. Raises SyncError."""
        client, link = self._client, self._link
        while self._waiting is None or self._waiting:
            link.check_deadline()
            client.set_write_limit(link.write_limit_bytes)
            frame = client.next_write()
            if frame is not None:
                await link.write(frame)
            elif not await link.wait(STALL_S):
                client.stalled()
            while (received := link.received()) is not None:
                if received[0] == frames.CHANNEL_CONTROL:
                    client.control_notified(received[1])
            self._handle()
        assert client.welcome is not None
        assert self._proved is not None
        return Answered(client.welcome, self._proved.count, tuple(self._answers))

    def _handle(self) -> None:
        client = self._client
        for event in client.events():
            if event == (wire_session.FAILED, wire_session.ROLE):
                raise SyncError(
                    SyncFailure.ROLE, "The badge takes no such commands from our role."
                )
            if event[0] == wire_session.FAILED:
                raise failure_of(client, event[1])
            if event[0] == wire_session.PROVEN:
                self._proved = event[1]
                self._begin()
            elif event[0] == wire_session.ANSWER and self._waiting:
                self._answers.append(event[1])
                del self._waiting[0]
                if self._waiting:
                    client.ask(self._waiting[0])

    def _begin(self) -> None:
        welcome = self._client.welcome
        assert welcome is not None
        if self._badge_id is not None and welcome.badge_id != self._badge_id:
            raise SyncError(
                SyncFailure.WRONG_BADGE,
                f"Badge {welcome.badge_id} answered in place of badge {self._badge_id}.",
            )
        self._waiting = list(self._commands(welcome))
        if self._waiting:
            self._client.ask(self._waiting[0])
