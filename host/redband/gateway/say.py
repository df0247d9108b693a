"""One broadcast to all badges: it is made, said, and who has heard it is listed."""

from __future__ import annotations

import asyncio

from redband.errors import RedbandUserError
from redband.gateway.broadcasts import COMMANDS, Broadcast, make_broadcast
from redband.gateway.gateway import Gateway
from redband.rules.loader import CompiledRuleset

LISTEN_S = 2.0
"""First the badges in range are heard: it is told to one of them, and they pass it on."""

WINDOWED_S = 6.0
"""After the broadcast, for badges whose radio is on once in five seconds to be heard at all."""


async def say(gateway: Gateway, name: str, ruleset: CompiledRuleset | None) -> Broadcast:
    """Say one of COMMANDS to all badges, from now on. Raises RedbandUserError.

    ruleset: of the game, for the end of a fight.
    """
    if gateway.keys is None:
        raise RedbandUserError("A broadcast needs the game's key; name it with --key.")
    said = await asyncio.to_thread(
        make_broadcast, gateway.store, gateway.keys, COMMANDS[name], ruleset
    )
    gateway.say(said)
    return said


async def say_until_heard(
    gateway: Gateway, name: str, ruleset: CompiledRuleset | None, seconds: float
) -> Broadcast:
    """Say it, and wait until every badge in range has heard it, or `seconds` are over."""
    await asyncio.sleep(min(LISTEN_S, seconds))
    said = await say(gateway, name, ruleset)
    try:
        async with asyncio.timeout(seconds):
            await asyncio.sleep(WINDOWED_S)
            while not _have_heard(gateway, said):
                await gateway.changed()
    except TimeoutError:
        pass
    return said


def _have_heard(gateway: Gateway, said: Broadcast) -> bool:
    """Return whether all in range have heard it or show it, and one has that can pass it on."""
    found = [gateway.live(row.badge_id) for row in gateway.rows() if row.is_fresh]
    near = [live for live in found if live is not None]
    has_one = any(live.broadcast_number >= said.number for live in near)
    return has_one and all(live.has_heard(said) for live in near)


def listeners(gateway: Gateway, said: Broadcast) -> list[tuple[str, bool]]:
    """Return a line for each badge, and whether it has heard the broadcast."""
    lines = []
    for row in gateway.rows():
        name = f"badge {row.badge_id}{' ' + row.player if row.player else ''}"
        live = gateway.live(row.badge_id)
        if live is not None and live.broadcast_number >= said.number:
            lines.append((f"{name}: has heard it", True))
        elif live is not None and row.last_seen_age_s is not None and live.shows(said):
            lines.append((f"{name}: {'is paused' if said.pauses else 'goes on'}", True))
        elif row.last_seen_age_s is None:
            lines.append((f"{name}: not yet, and it is not in range", False))
        else:
            why = f" ({row.problem})" if row.problem else ""
            lines.append((f"{name}: not yet{why}", False))
    return lines
