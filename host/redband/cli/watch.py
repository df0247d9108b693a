"""`redband watch`: the live table of the field, with journals synced into the store."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from redband.cli.options import (
    DataOption,
    FieldOption,
    KeyOption,
    Language,
    LanguageOption,
    data_folder,
)

app = typer.Typer(add_completion=False)


@app.command()
def watch(
    data: DataOption = None,
    field: FieldOption = None,
    key: KeyOption = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="End after this time (without it: Ctrl-C).")
    ] = None,
    lang: LanguageOption = Language.EN,
) -> None:
    """Follow the field: who is in which state, what happened last, whose journal is missing."""
    from rich.console import Console

    from redband.cli import session
    from redband.overview.screen import Screen

    async def main() -> int:
        async with session.gateway(data_folder(data), field, key) as gateway:
            screen = Screen(Console(), gateway.rows, lang.value)
            try:
                async with asyncio.timeout(seconds):
                    await screen.run()
            except TimeoutError:
                return 0
        return 0

    raise typer.Exit(session.run(main()))
