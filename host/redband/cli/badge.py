"""`redband badge`: put the firmware on a badge over USB."""

from __future__ import annotations

from typing import Annotated

import typer

from redband.cli import rules_options
from redband.fleet.install import Order
from redband.fleet.install import install as install_on
from redband.rules import load

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Put the firmware on a badge over USB.",
)


@app.callback()
def badge() -> None:
    """Put the firmware on a badge over USB."""


@app.command()
def install(
    port: Annotated[str, typer.Option("--port", help="The badge's port, such as /dev/ttyACM0.")],
    badge_id: Annotated[
        int | None, typer.Option("--badge-id", help="Its number; needed the first time.")
    ] = None,
    player: Annotated[str | None, typer.Option(help="Who wears it.")] = None,
    role: Annotated[str | None, typer.Option(help="player, medic, marshal, ...")] = None,
    ruleset: Annotated[str, typer.Option(help="A shipped ruleset or a TOML file.")] = "hits",
    param: Annotated[
        list[str] | None,
        typer.Option(help="A number of the player, such as max_hits=4; may be repeated."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Give a badge that has a number another one.")
    ] = False,
) -> None:
    """Install firmware, ruleset and settings on a badge that runs MicroPython.

    The journal stays. Exit codes: 2 the order makes no sense, 3 no such port, 4 no permission,
    5 port in use, 6 no answer, 7 connection broke off, 8 no room on the badge.
    """
    params = tuple(rules_options.params(load(ruleset), param)) if param else None
    order = Order(badge_id, player, role, ruleset, replace, params)
    done = install_on(port, order, typer.echo)
    retries = f" after {done.retries} retries" if done.retries else ""
    typer.echo(
        f"Badge {done.badge_id} (chip {done.chip}) has the new version: {done.file_count} files, "
        f"{done.byte_count} bytes{retries}."
    )
