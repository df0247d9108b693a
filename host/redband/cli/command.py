"""`redband command`: one badge does something: an event of its rules, a pause, a light."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import (
    DataOption,
    FieldOption,
    KeyOption,
    Language,
    LanguageOption,
    data_folder,
)
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.keys import Keys

app = typer.Typer(add_completion=False)

NAMES = "pause, resume, begin, game-over, emergency-over, blink, transport"
"""What needs no ruleset: gateway.command.COMMANDS, which is loaded when it is used."""

EXIT_REFUSED = 1


@app.command()
def command(
    badge: Annotated[int, typer.Argument(min=1, max=65535, help="Number of the badge.")],
    event: Annotated[
        str,
        typer.Argument(help=f"An event of the badge's rules (redband rules events), or {NAMES}."),
    ],
    args: Annotated[
        list[str] | None,
        typer.Argument(help="The event's arguments in their order, or name=value."),
    ] = None,
    as_role: Annotated[
        str | None,
        typer.Option("--as", help="medic, marshal, game_master or technician: as whom."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to listen for it.")] = 20,
    ruleset: Annotated[
        str, typer.Option("--ruleset", help="The game's ruleset, where it is a file of your own.")
    ] = "hits",
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
    lang: LanguageOption = Language.EN,
) -> None:
    """Let a badge do something, and say what came of it. Exit code 1 when it refused.

    The command is done once, however often the connection breaks.
    """
    folder = data_folder(data)
    sentence, is_done = _carry_out(
        badge, (event, *(args or ())), as_role, (field, key, folder), ruleset, seconds, lang
    )
    typer.echo(sentence, err=not is_done)
    raise typer.Exit(0 if is_done else EXIT_REFUSED)


def _carry_out(
    badge_id: int,
    words: tuple[str, ...],
    as_role: str | None,
    where: tuple[Path | None, Path | None, Path],
    ruleset: str,
    seconds: float,
    lang: Language,
) -> tuple[str, bool]:
    """Return what came of it, and whether it was done. where: field, key and folder of data."""
    from redband.cli import session
    from redband.cli.options import open_radio
    from redband.gateway.command import COMMANDS, Command, give

    if words[0] in COMMANDS and words[1:]:
        raise RedbandUserError(f'"{words[0]}" takes no arguments.')
    told: list[tuple[str, bool]] = []

    async def main() -> int:
        async with open_radio(*where) as radio:
            if radio.keys is None:
                raise RedbandUserError(
                    "Commands need the game's key or that of a role; name it with --key."
                )
            asked = Command(badge_id, words, _role(as_role, radio.keys))
            rulesets, close = _open_rulesets(where[2], ruleset)
            try:
                told.append(
                    await give(asked, radio.backend, radio.keys, rulesets, seconds, lang.value)
                )
            finally:
                close()
        return 0

    session.run(main())
    return told[0]


def _role(name: str | None, keys: Keys) -> int:
    from redband_core.settings_check import ROLES

    if name is None:
        return keys.role
    if name not in ROLES[1:]:
        raise RedbandUserError(f"--as takes {', '.join(ROLES[1:])}, not {name}.")
    return ROLES.index(name)


def _open_rulesets(folder: Path, ruleset: str):
    """Return (the rulesets at hand, what closes their store)."""
    from redband.overview.names import open_rulesets
    from redband.store.store import STORE_FILE, Store

    store = Store(folder / STORE_FILE)
    return open_rulesets(store, ruleset), store.close
