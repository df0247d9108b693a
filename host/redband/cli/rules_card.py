"""`redband rules card`: the sheet that a player gets, as a PDF on A6."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redband.cli.rules_options import (
    Language,
    Player,
    Ruleset,
    check_suffix,
    language,
    params,
    write,
)


def card(
    ruleset: Ruleset,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT.pdf", help="sheet to write")
    ],
    lang: Language = "en",
    player: Player = None,
) -> None:
    """Print a player's card: what each light means, what one may do, times, the button; A6."""
    from redband.paper.card import draw_card
    from redband.rules import load

    language(lang)
    check_suffix(output, ".pdf")
    found = load(ruleset)
    write(output, draw_card(found, lang, params(found, player)))
    typer.echo(f"{output}: {len(found.signals)} signals, A6")
