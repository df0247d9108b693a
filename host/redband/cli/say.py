"""`redband say`: one broadcast to all badges, which pass it on, and who has heard it."""

from __future__ import annotations

from typing import Annotated

import typer

from redband.cli.options import DataOption, FieldOption, KeyOption, data_folder
from redband.errors import RedbandUserError

app = typer.Typer(add_completion=False)

NAMES = "stop, resume, fight-over, game-over, begin"


@app.command()
def say(
    broadcast: Annotated[str, typer.Argument(help=f"One of {NAMES}.")],
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
    """Tell all badges of the game: stop the game, let it go on, end a fight or the game.

    Badges pass it on to those that nobody can reach. Who has heard it is listed; exit code 1 when
    somebody has not. A badge that was off is told when a gateway (sync, watch) meets it next.
    """
    from redband import rules
    from redband.cli import session
    from redband.gateway.broadcasts import COMMANDS
    from redband.gateway.say import listeners, say_until_heard

    if broadcast not in COMMANDS:
        raise RedbandUserError(f"What is said to all is one of {NAMES}, not {broadcast}.")
    lines: list[tuple[str, bool]] = []

    async def main() -> int:
        folder = data_folder(data)
        async with session.gateway(folder, field, key) as gateway:
            compiled = rules.load(ruleset) if ruleset is not None else None
            said = await say_until_heard(gateway, broadcast, compiled, seconds)
            lines.extend(listeners(gateway, said))
        return 0

    session.run(main())
    for line, has_heard in lines:
        typer.echo(line, err=not has_heard)
    if not lines:
        typer.echo("No badge was heard, and none is in the store.", err=True)
    raise typer.Exit(0 if lines and all(has_heard for _line, has_heard in lines) else 1)
