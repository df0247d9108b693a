"""`redband virtual`: run virtual badges, and press their buttons."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from redband.errors import RedbandUserError
from redband.virtual.clock import run
from redband.virtual.control import ask
from redband.virtual.runtime import require_runtime

DEFAULT_DIRECTORY = Path("redband-data") / "virtual"
DEMO_FIELDS = "demo-data/*/field"
FIELD_VARIABLE = "REDBAND_FIELD"
BADGES_MAX = 100

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Run virtual badges, and press their buttons.",
)

BadgeId = Annotated[int, typer.Argument(help="The badge's number.")]
FieldOption = Annotated[
    Path | None,
    typer.Option(
        "--field",
        help="Directory of the field; without it the field or demo that runs here.",
        envvar=FIELD_VARIABLE,
    ),
]


def control_path(field: Path | None) -> Path:
    """Return the control socket of the field in `field`, or of the one that runs here."""
    if field is not None:
        return (field / "control").resolve()
    found = [DEFAULT_DIRECTORY, *Path().glob(DEMO_FIELDS)]
    sockets = [path / "control" for path in found if (path / "control").exists()]
    if not sockets:
        raise RedbandUserError(
            "No virtual field runs here; start one with: redband virtual start, or name its "
            "directory with --field."
        )
    return max(sockets, key=lambda path: path.lstat().st_mtime).resolve()


def _ask(field: Path | None, **request: Any) -> dict[str, Any]:
    return asyncio.run(ask(control_path(field), request))


def _show(badge: dict[str, Any]) -> None:
    leds = badge["leds"]
    lit = [name for name, level in leds.items() if level]
    power = "on" if badge["powered"] else "no battery"
    typer.echo(
        f"badge {badge['badge']} {badge['player']}: {power}, lit: {', '.join(lit) or 'nothing'}, "
        f"starts: {badge['boots']}, port: {badge['usb']}"
    )
    if badge.get("played") is False:
        typer.echo("The badge has not felt it yet: no program on it looks at its inputs.")


@app.command()
def start(
    badges: Annotated[int, typer.Option(min=1, max=BADGES_MAX, help="How many.")] = 3,
    directory: Annotated[
        Path, typer.Option(help="Where their flash images and ports are.")
    ] = DEFAULT_DIRECTORY,
    ruleset: Annotated[str, typer.Option(help="A shipped ruleset or a TOML file.")] = "hits",
    seed: Annotated[int, typer.Option(help="Of all the field's chances.")] = 1,
    blank: Annotated[
        bool, typer.Option("--blank", help="Without firmware: for redband badge install.")
    ] = False,
    accelerometer: Annotated[
        bool, typer.Option("--accelerometer", help="In place of the impact switch.")
    ] = False,
) -> None:
    """Run virtual badges until Ctrl-C; the flash images stay and are taken up again."""
    require_runtime()
    run(_run(badges, directory, ruleset, seed, blank, accelerometer), is_real=True)


async def _run(
    badges: int,
    directory: Path,
    ruleset: str,
    seed: int,
    blank: bool,
    accelerometer: bool,
) -> None:
    # The radio takes a second to import, which the other commands need not wait for.
    from redband.virtual.field import BadgeSpec, Field

    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    field = Field(directory, seed)
    try:
        await field.start()
        for badge_id in range(1, badges + 1):
            spec = BadgeSpec(
                badge_id,
                f"Player {badge_id}",
                ruleset_id=ruleset,
                with_firmware=not blank,
                has_accelerometer=accelerometer,
            )
            badge = await field.add_badge(spec)
            typer.echo(f"badge {badge_id}: port {badge.usb_path}")
        typer.echo(f"control socket: {field.control_path}; radio: {field.hci_path}")
        typer.echo("Ctrl-C ends the field.")
        await ended.wait()
    finally:
        await field.stop()


@app.command()
def status(
    field: FieldOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show every badge of the field."""
    answer = _ask(field, do="status")
    if as_json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    for badge in answer["badges"]:
        _show(badge)


@app.command()
def press(
    badge: BadgeId,
    duration_ms: Annotated[int, typer.Option(help="How long, in game time.")] = 80,
    bounces: Annotated[int, typer.Option(help="How often the contact bounces.")] = 0,
    field: FieldOption = None,
) -> None:
    """Press a badge's button: one hit."""
    _show(_ask(field, do="press", badge=badge, duration_ms=duration_ms, bounces=bounces))


@app.command()
def shake(
    badge: BadgeId,
    mg: Annotated[int, typer.Option(help="How hard, where there is an accelerometer.")] = 9000,
    field: FieldOption = None,
) -> None:
    """Hit a badge's impact sensor."""
    _show(_ask(field, do="shake", badge=badge, mg=mg))


@app.command()
def blow(
    badge: BadgeId,
    mg: Annotated[int, typer.Option(help="The blow's peak, in thousandths of g.")] = 9000,
    duration_ms: Annotated[int, typer.Option(help="How long, in game time.")] = 12,
    axis: Annotated[str, typer.Option(help="x, y or z.")] = "x",
    field: FieldOption = None,
) -> None:
    """Let a badge's accelerometer feel a blow."""
    _show(_ask(field, do="blow", badge=badge, mg=mg, duration_ms=duration_ms, axis=axis))


@app.command()
def edges(
    badge: BadgeId,
    edges: Annotated[
        list[str],
        typer.Argument(help="Microseconds to wait, and 1 for closed or 0 for open: 0:1 30000:0"),
    ],
    contact: Annotated[str, typer.Option(help="button or impact.")] = "button",
    field: FieldOption = None,
) -> None:
    """Play a recorded list of edges at a contact."""
    try:
        pairs = [[int(number) for number in edge.split(":")] for edge in edges]
    except ValueError as error:
        raise RedbandUserError(f"An edge is written as 30000:0, not {error}.") from error
    _show(_ask(field, do="edges", badge=badge, contact=contact, edges=pairs))


@app.command()
def hold(
    badge: BadgeId,
    duration_ms: Annotated[int, typer.Option(help="How long, in game time.")] = 2000,
    field: FieldOption = None,
) -> None:
    """Hold a badge's button: first aid."""
    _show(_ask(field, do="hold", badge=badge, duration_ms=duration_ms))


@app.command()
def pull(badge: BadgeId, field: FieldOption = None) -> None:
    """Pull a badge's battery."""
    _show(_ask(field, do="pull", badge=badge))


@app.command()
def restore(badge: BadgeId, field: FieldOption = None) -> None:
    """Put a badge's battery back."""
    _show(_ask(field, do="restore", badge=badge))


@app.command()
def battery(
    badge: BadgeId,
    millivolts: Annotated[int, typer.Argument(help="Of the cell, 0 to 5000.")],
    field: FieldOption = None,
) -> None:
    """Set a badge's battery voltage."""
    _show(_ask(field, do="battery", badge=badge, mv=millivolts))


@app.command()
def usb(badge: BadgeId, field: FieldOption = None) -> None:
    """Print a badge's USB port, for mpremote connect."""
    for one in _ask(field, do="status")["badges"]:
        if one["badge"] == badge:
            typer.echo(str(Path(one["usb"]).resolve()))
            return
    raise RedbandUserError(f"There is no badge {badge} in this field.")
