"""`redband say`: one broadcast to all badges, which pass it on, and who has heard it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, FieldOption, KeyOption, data_folder
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.gateway.broadcasts import Broadcast
    from redband.gateway.gateway import Gateway

app = typer.Typer(add_completion=False)

NAMES = "stop, resume, fight-over, game-over, begin"

LISTEN_S = 2.0
"""First the badges in range are heard: it is told to one of them, and they pass it on."""

WINDOWED_S = 6.0
"""After the broadcast, for badges whose radio is on once in five seconds to be heard at all."""


@app.command()
def say(
    word: Annotated[str, typer.Argument(help=f"One of {NAMES}.")],
    seconds: Annotated[
        float, typer.Option(min=1, help="How long to go on until every badge has heard it.")
    ] = 60,
    ruleset: Annotated[
        str | None,
        typer.Option("--ruleset", help="The game's ruleset, whose fight is over."),
    ] = None,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """Say a word to all badges of the game: stop the game, let it go on, end a fight or the game.

    Badges pass it on to those that nobody can reach. Who has heard it is listed; exit code 1 when
    somebody has not. A badge that was off is told when a gateway (sync, watch) meets it next.
    """
    from redband.cli import session
    from redband.gateway.broadcasts import COMMANDS

    if word not in COMMANDS:
        raise RedbandUserError(f"What is said to all is one of {NAMES}, not {word}.")
    lines: list[tuple[str, bool]] = []

    async def main() -> int:
        folder = data_folder(data)
        async with session.gateway(folder, field, key) as gateway:
            said = _make(gateway, COMMANDS[word], ruleset)
            await _until_heard(gateway, said, seconds)
            lines.extend(_report(gateway, said))
        return 0

    session.run(main())
    for line, has_heard in lines:
        typer.echo(line, err=not has_heard)
    if not lines:
        typer.echo("No badge was heard, and none is in the store.", err=True)
    raise typer.Exit(0 if lines and all(has_heard for _line, has_heard in lines) else 1)


def _make(gateway: Gateway, command: int, ruleset: str | None) -> Broadcast:
    from redband import rules
    from redband.gateway.broadcasts import make_broadcast

    keys = gateway.keys
    if keys is None:
        raise RedbandUserError("A broadcast needs the game's key; name it with --key.")
    compiled = rules.load(ruleset) if ruleset is not None else None
    return make_broadcast(gateway.store, keys, command, compiled)


async def _until_heard(gateway: Gateway, said: Broadcast, seconds: float) -> None:
    """Say the word, and wait until every badge in range has heard it, or the time is over."""
    await asyncio.sleep(min(LISTEN_S, seconds))
    gateway.say(said)
    try:
        async with asyncio.timeout(seconds):
            await asyncio.sleep(WINDOWED_S)
            while not _have_heard(gateway, said):
                await gateway.changed()
    except TimeoutError:
        return


def _have_heard(gateway: Gateway, said: Broadcast) -> bool:
    """Return whether all in range have heard it or show it, and one has that can pass it on."""
    found = [gateway.live(row.badge_id) for row in gateway.rows() if row.is_fresh]
    near = [live for live in found if live is not None]
    has_one = any(live.broadcast_number >= said.number for live in near)
    return has_one and all(live.has_heard(said) for live in near)


def _report(gateway: Gateway, said: Broadcast) -> list[tuple[str, bool]]:
    """Return a line for each badge, and whether it has heard the word."""
    lines = []
    for row in gateway.rows():
        name = f"badge {row.badge_id}{' ' + row.player if row.player else ''}"
        live = gateway.live(row.badge_id)
        if live is not None and live.broadcast_number >= said.number:
            lines.append((f"{name}: has heard it", True))
        elif live is not None and row.last_seen_age_s is not None and live.shows(said):
            lines.append((f"{name}: {'stands still' if said.pauses else 'goes on'}", True))
        elif row.last_seen_age_s is None:
            lines.append((f"{name}: not yet, and it is not in range", False))
        else:
            why = f" ({row.problem})" if row.problem else ""
            lines.append((f"{name}: not yet{why}", False))
    return lines
