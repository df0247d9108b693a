"""`redband update`: firmware, rulesets and settings over the air."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, FieldOption, KeyOption
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.build.packages import Package
    from redband.gateway.air_update import Outcome

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Bring firmware, a ruleset or settings to badges over the air.",
)
BadgesOption = Annotated[str, typer.Option("--badges", help="all, or numbers: 1,2,3.")]
ListenOption = Annotated[
    float, typer.Option("--listen", min=0.1, help="Seconds to listen for the badges.")
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Also where it begins a new game, with a new character."),
]


@app.callback()
def update() -> None:
    """Bring firmware, a ruleset or settings to badges over the air.

    The game goes on during an upload; at its end each badge starts again, and its game goes on
    from its journal. An upload that breaks off goes on at the same byte. Exit code 1 when a badge
    failed or was not heard; each such badge is named with the reason.
    """


@app.command()
def firmware(
    badges: BadgesOption,
    listen: ListenOption = 10,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """Update the firmware; a badge on which it does not run well goes back by itself."""
    from redband.build.packages import firmware_package

    _update(firmware_package(), badges, listen, False, (field, key, data))


@app.command()
def ruleset(
    badges: BadgesOption,
    ruleset_id: Annotated[
        str, typer.Option("--ruleset", help="A shipped ruleset or a TOML file.")
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(help="A number of the player, such as max_hits=4; may be repeated."),
    ] = None,
    force: ForceOption = False,
    listen: ListenOption = 10,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """Replace the ruleset. Another one begins a new game, and needs --force."""
    from redband.build.packages import ruleset_package
    from redband.cli import rules_options
    from redband.rules import load

    found = load(ruleset_id)
    params = rules_options.params(found, param) if param else None
    _update(ruleset_package(found, params), badges, listen, force, (field, key, data))


@app.command()
def settings(
    badges: BadgesOption,
    changes: Annotated[
        list[str], typer.Option("--set", help="Such as brightness_pct=40; may be repeated.")
    ],
    listen: ListenOption = 10,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """Change settings. Number, role and radio of a badge are changed over USB only."""
    from redband.build.packages import settings_package
    from redband.desk.settings_values import parsed

    _update(settings_package(parsed(changes)), badges, listen, False, (field, key, data))


@app.command()
def abort(
    badges: BadgesOption,
    listen: ListenOption = 10,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """Let badges forget an upload that was broken off; what runs there stays."""
    from redband.gateway import air_update

    async def forget(radio, heard) -> list[Outcome]:
        return await air_update.abort(radio.keys, radio.backend, heard)

    _with_badges(badges, listen, (field, key, data), forget)


def _numbers(badges: str) -> frozenset[int]:
    """Return the badges named, empty for all. Raises RedbandUserError."""
    if badges == "all":
        return frozenset()
    try:
        found = frozenset(int(number) for number in badges.split(","))
    except ValueError:
        found = frozenset((0,))
    if min(found) < 1:
        raise RedbandUserError(f"--badges is all, or numbers such as 1,2,3, not {badges}.")
    return found


def _update(package: Package, badges: str, listen_s: float, force: bool, where: tuple) -> None:
    from redband.gateway.air_update import Updater

    async def update_all(radio, heard) -> list[Outcome]:
        return await Updater(radio.keys, radio.backend, package, force, _say).update_all(heard)

    _with_badges(badges, listen_s, where, update_all)


def _with_badges(badges: str, listen_s: float, where: tuple, work: Callable) -> None:
    """Do `work` with the badges that are heard, then tell and exit."""
    from redband.cli import session
    from redband.cli.options import open_radio
    from redband.gateway import air_update

    wanted = _numbers(badges)
    field, key, data = where

    async def main() -> int:
        async with open_radio(field, key, data) as radio:
            keys = air_update.update_keys(radio.keys)
            heard = await air_update.listen(keys, radio.backend, wanted, listen_s)
            outcomes = await work(radio, heard)
        return _report(outcomes, sorted(wanted - heard.keys()), listen_s)

    raise typer.Exit(session.run(main()))


def _report(outcomes: list[Outcome], missing: list[int], listen_s: float) -> int:
    for outcome in outcomes:
        typer.echo(f"badge {outcome.badge_id}: {outcome.sentence}", err=not outcome.is_good)
    for badge_id in missing:
        typer.echo(f"badge {badge_id}: was not heard in {listen_s:g} s", err=True)
    if not outcomes and not missing:
        typer.echo(f"No badge was heard in {listen_s:g} s.", err=True)
    is_good = bool(outcomes) and not missing and all(one.is_good for one in outcomes)
    return 0 if is_good else 1


def _say(badge_id: int, text: str) -> None:
    typer.echo(f"badge {badge_id}: {text}")
