"""Broadcasts: made, numbered, kept; which of them a badge has still to hear.

Problem: badges pass a broadcast on by themselves, and some are off or out of range when it is
said. Guarantee: numbers only grow, over all computers of a game as well as their clocks agree; a
broadcast is in the store before any badge hears it; what a badge missed it is told in order at its
next contact. Not here: radio, and who is told when (`gateway`).
"""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from redband.errors import RedbandUserError
from redband.keys import Keys
from redband.rules.loader import CompiledRuleset
from redband.store.store import Store
from redband_core import broadcasts, numbers
from redband_core.advert import KIND_BROADCAST
from redband_core.settings_check import ROLES

HOPS = 8
"""How often it is passed on: eight badges in a row, each at the edge of the other's range."""

TOLD_MAX = 16
"""Words that a badge is told later at most: who missed more gets the newest ones."""

COMMANDS = {
    "stop": numbers.BROADCAST_PAUSE,
    "resume": numbers.BROADCAST_RESUME,
    "fight-over": numbers.BROADCAST_FIGHT_OVER,
    "game-over": numbers.BROADCAST_GAME_OVER,
    "begin": numbers.BROADCAST_GAME_BEGINS,
}
"""Names of broadcasts, as people give them."""


@dataclass(frozen=True, slots=True)
class Broadcast:
    """One broadcast. payload: of its advert, 24 bytes, sealed. pauses: what a badge's pause bit is
    after it, None when it has nothing to do with that.
    """

    number: int
    command: int
    payload: bytes

    @property
    def pauses(self) -> bool | None:
        return {numbers.BROADCAST_PAUSE: True, numbers.BROADCAST_RESUME: False}.get(self.command)


def make_broadcast(
    store: Store,
    keys: Keys,
    command: int,
    ruleset: CompiledRuleset | None = None,
) -> Broadcast:
    """Make the next broadcast of the game and keep it in `store`.

    ruleset: of the game, for BROADCAST_FIGHT_OVER. Raises RedbandUserError when the keys may not
    say one, or the ruleset knows no such event.
    """
    if keys.broadcast is None:
        raise RedbandUserError(
            f"The {ROLES[keys.role]}'s key does not speak to all badges; take the game's"
            " or a marshal's with --key."
        )
    event_id = argument = 0
    if command == numbers.BROADCAST_FIGHT_OVER:
        event_id, argument = _fight_over(ruleset)
    # Seconds since 1970 keep the numbers of two computers apart, and those of a new data folder
    # above the old one's.
    number = max(store.newest_broadcast_number(keys.game_id) + 1, store.wall_ms() // 1000)
    block = broadcasts.broadcast_block(number, command, event_id, argument, 0, HOPS)
    cipher = Cipher(algorithms.AES(keys.advert_encrypt), modes.ECB())  # one block
    encrypt = cipher.encryptor().update
    payload = broadcasts.seal_plain(KIND_BROADCAST, block, keys.broadcast, encrypt)
    store.keep_broadcast(keys.game_id, number, command, payload)
    return Broadcast(number, command, payload)


def _fight_over(ruleset: CompiledRuleset | None) -> tuple[int, int]:
    if ruleset is None:
        raise RedbandUserError("Name the game's ruleset for the end of a fight with --ruleset.")
    for event in ruleset.events:
        if event.name == "fight_over" and event.id <= 0xFF:
            return event.id, int.from_bytes(ruleset.identity[:2], "little")
    raise RedbandUserError(f"The ruleset {ruleset.id} has no end of a fight.")


def known_broadcasts(store: Store, keys: Keys | None) -> list[Broadcast]:
    """Return the newest broadcasts of the game in `store`, oldest first."""
    if keys is None:
        return []
    rows = store.broadcasts(keys.game_id, TOLD_MAX)
    return [Broadcast(number, command, payload) for number, command, payload in rows]


def missed(broadcasts: list[Broadcast], broadcast_number: int) -> list[Broadcast]:
    """Return the broadcasts that a badge has still to hear. broadcast_number: its newest one."""
    return [one for one in broadcasts if one.number > broadcast_number][-TOLD_MAX:]
