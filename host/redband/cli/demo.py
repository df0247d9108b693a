"""`redband demo`: a skirmish with virtual badges, here and now."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from redband.cli.options import Language
from redband.demo.settings import BADGES_MAX, DemoSettings

STARTED_S = time.monotonic()
"""About when the program started: this module is among the first that are loaded."""

app = typer.Typer(add_completion=False)


@app.command()
def demo(
    headless: Annotated[
        bool, typer.Option("--headless", help="Play by script, end with a summary.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=10, max=3600, help="Length of the skirmish in game seconds.")
    ] = 60,
    data: Annotated[
        Path | None, typer.Option(help="Data folder (without it: demo-data/ and the start time).")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Page's port, 0: any free.")] = 8765,
    seed: Annotated[int, typer.Option(help="Another number is another skirmish.")] = 1,
    badges: Annotated[int, typer.Option(min=1, max=BADGES_MAX, help="How many badges.")] = 6,
    ruleset: Annotated[str, typer.Option(help="A shipped ruleset or a TOML file.")] = "hits",
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve the page.")] = True,
    lang: Annotated[Language, typer.Option(help="Language of the table.")] = Language.EN,
) -> None:
    """Play a skirmish with virtual badges: real firmware, real radio protocol, no hardware.

    Ctrl-C ends it and keeps the data. Headless it plays the script, then compares each badge's
    journal, the host's store and the LEDs; exit code 0 only if all agree, 1 if not.
    """
    from rich.console import Console

    from redband.demo.run import run_demo

    settings = DemoSettings(
        is_headless=headless,
        seconds=seconds,
        data=data,
        port=port,
        seed=seed,
        badges=badges,
        ruleset=ruleset,
        has_page=page,
        language=lang.value,
    )
    raise typer.Exit(run_demo(settings, Console(), STARTED_S))
