"""`redband sync`: fetch the journals of the badges in range, once."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from redband.cli.options import DataOption, FieldOption, KeyOption, data_folder

app = typer.Typer(add_completion=False)


@app.command()
def sync(
    data: DataOption = None,
    field: FieldOption = None,
    key: KeyOption = None,
    listen: Annotated[
        float, typer.Option(min=0.1, help="Seconds to listen for badges before the last sync.")
    ] = 6,
    deadline: Annotated[float, typer.Option(min=1, help="Give up after this many seconds.")] = 120,
) -> None:
    """Fetch the journals of all badges in range into the store, then end.

    Exit code 1 when no badge was heard, or some badge's journal is still incomplete.
    """
    from redband.cli import session

    async def main() -> int:
        async with session.gateway(data_folder(data), field, key) as gateway:
            await asyncio.sleep(listen)
            heard = {row.badge_id for row in gateway.rows() if row.last_seen_age_s is not None}
            try:
                async with asyncio.timeout(deadline):
                    await gateway.drained(heard)
            except TimeoutError:
                typer.echo(f"Not everything could be fetched in {deadline:g} s.", err=True)
            return _report([row for row in gateway.rows() if row.badge_id in heard])

    raise typer.Exit(session.run(main()))


def _report(rows: list) -> int:
    if not rows:
        typer.echo("No badge was heard.", err=True)
        return 1
    for row in rows:
        missing = f", {row.unsynced} records missing" if row.unsynced else ""
        problem = f" ({row.problem})" if row.problem else ""
        typer.echo(f"badge {row.badge_id}: {row.event_count} events{missing}{problem}")
    return 1 if any(row.unsynced for row in rows) else 0
