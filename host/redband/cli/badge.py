"""`redband badge`: a badge on a technician's desk, over USB."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from redband.cli import rules_options
from redband.cli.options import KeyOption, Language, LanguageOption, key_path
from redband.desk import badge_settings, settings_values, status_words
from redband.desk.install import Order
from redband.desk.install import install as install_on
from redband.desk.self_test import self_test
from redband.desk.status import Status, ask, ask_stopped
from redband.keys import find_keys
from redband.rules import load

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Install, set up, ask and test a badge over USB.",
)
PortOption = Annotated[str, typer.Option("--port", help="The badge's port, such as /dev/ttyACM0.")]
StopOption = Annotated[
    bool,
    typer.Option("--stop", help="Stop the game for the answer; it goes on from its journal."),
]
NOT_PASSED = 1


@app.callback()
def badge() -> None:
    """Install, set up, ask and test a badge over USB.

    Exit codes: 2 the order makes no sense, 3 no such port, 4 no permission, 5 port in use,
    6 no answer, 7 connection broke off, 8 no room on the badge, 9 a module does not load there.
    """


@app.command()
def install(
    port: PortOption,
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
    setting: Annotated[
        list[str] | None,
        typer.Option(help="A setting, such as brightness_pct=40; may be repeated."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Give a badge that has a number another one.")
    ] = False,
    key: KeyOption = None,
    with_self_test: Annotated[
        bool,
        typer.Option("--self-test/--no-self-test", help="Let the badge test itself afterwards."),
    ] = True,
) -> None:
    """Install firmware, ruleset and settings on a badge that runs MicroPython.

    The journal stays. Exit codes: 2 the order makes no sense, 3 no such port, 4 no permission,
    5 port in use, 6 no answer, 7 connection broke off, 8 no room on the badge, 9 a module does
    not load there.
    """
    params = tuple(rules_options.params(load(ruleset), param)) if param else None
    settings = settings_values.parsed(setting or ())
    keys = find_keys(key_path(key, None))
    order = Order(badge_id, player, role, ruleset, replace, params, settings, with_self_test, keys)
    done = install_on(port, order, typer.echo)
    retries = f" after {done.retries} retries" if done.retries else ""
    typer.echo(
        f"Badge {done.badge_id} (chip {done.chip}) has the new version: {done.file_count} files, "
        f"{done.byte_count} bytes{retries}."
    )
    if with_self_test:
        typer.echo(
            "It tests itself now: press its button while green blinks, then knock on its sensor "
            "while red blinks. (Бейдж проверяет себя: нажмите кнопку, пока мигает зелёный, "
            "затем стукните по датчику, пока мигает красный.)"
        )


@app.command()
def settings(
    port: PortOption,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change one, such as brightness_pct=40; may be repeated."),
    ] = None,
    stop: StopOption = False,
) -> None:
    """Show a badge's settings, or change some; a change starts the badge again.

    The game goes on from its journal. Number, ruleset and the player's numbers would begin a new
    one: these are given with redband badge install.
    """
    if changes:
        found = badge_settings.change(port, settings_values.parsed(changes))
    else:
        found = _ask(port, stop).settings
    for line in settings_values.shown(found):
        typer.echo(line)


@app.command()
def status(
    port: PortOption,
    stop: StopOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    lang: LanguageOption = Language.EN,
) -> None:
    """Show who a badge is and how it has fared; its game goes on."""
    found = _ask(port, stop)
    if as_json:
        facts = {"settings": found.settings._asdict()} | {
            name: value for name, value in found.facts.items() if name != "settings"
        }
        typer.echo(json.dumps(facts, ensure_ascii=False, sort_keys=True))
        return
    _print_table(status_words.rows(found, lang is Language.RU))


@app.command()
def selftest(port: PortOption, lang: LanguageOption = Language.EN) -> None:
    """Test a badge's parts, with a hand at button and sensor; exit code 1 when one fails.

    The game is stopped for it and goes on from its journal.
    """
    report = self_test(port, lang is Language.RU, typer.echo)
    _print_table(report.rows(lang is Language.RU))
    if not report.is_passed:
        raise typer.Exit(NOT_PASSED)


@app.command()
def calibrate(port: PortOption, lang: LanguageOption = Language.EN) -> None:
    """Find how hard a blow must be to count: at rest, swinging, ten blows.

    Stores the threshold on the badge and sets impact=accelerometer. The game is stopped for it and
    goes on from its journal; Ctrl-C leaves the badge as it was.
    """
    from redband.cli.badge_calibrate import calibrate_with_keyboard

    calibrate_with_keyboard(port, lang)


@app.command()
def transport(port: PortOption) -> None:
    """Let a badge sleep in its box until its button is held for three seconds."""
    badge_settings.enter_transport(port)
    typer.echo(
        "The badge sleeps in a few seconds; hold its button for three seconds to wake it. "
        "(Бейдж скоро уснёт; чтобы разбудить, держите кнопку три секунды.)"
    )


def _ask(port: str, stop: bool) -> Status:
    return ask_stopped(port) if stop else ask(port)


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        typer.echo("  ".join(padded).rstrip())
