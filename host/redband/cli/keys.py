"""`redband keys`: the key of a game, and what its staff gets of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redband.cli.options import DataOption, KeyOption, key_path
from redband.errors import RedbandUserError
from redband.keys import GameKeys, game_keys, keep_game_keys, load_keys, save_role_keys
from redband_core.settings_check import ROLES

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Make, show and hand out the key of a game.",
)


@app.callback()
def keys() -> None:
    """Make, show and hand out the key of a game. A key itself is never printed."""


@app.command()
def new(
    key: KeyOption = None,
    data: DataOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Give up the key that is there: a new game.")
    ] = False,
) -> None:
    """Make the key of a new game; every badge has to be installed with it."""
    path = key_path(key, data)
    made = keep_game_keys(path, replace)
    typer.echo(f"Game {made.game_id.hex()}: its key is in {path}. Keep a copy in a safe place.")
    typer.echo("Install each badge with it: redband badge install.")


@app.command()
def show(key: KeyOption = None, data: DataOption = None) -> None:
    """Show which game a key file is of, and whose it is."""
    path = key_path(key, data)
    found = load_keys(path)
    whose = "the game's own key" if isinstance(found, GameKeys) else f"the {_said(found.role)}'s"
    typer.echo(f"Game {found.game_id.hex()}: {path} is {whose}.")


@app.command()
def export(
    role: Annotated[
        str, typer.Option("--role", help="medic, marshal, game_master or technician.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to make.")],
    key: KeyOption = None,
    data: DataOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite a file that is there.")
    ] = False,
) -> None:
    """Make the key file of a role, for the computer of one of the staff."""
    if role not in ROLES[1:]:
        raise RedbandUserError(f"A role with a key is one of {', '.join(ROLES[1:])}, not {role}.")
    found = game_keys(key_path(key, data))
    save_role_keys(output, found.for_role(ROLES.index(role)), replace)
    typer.echo(
        f"Game {found.game_id.hex()}: the {_said(ROLES.index(role))}'s key is in {output};"
        " whoever has this file is one."
    )


def _said(role: int) -> str:
    return ROLES[role].replace("_", " ")
