"""`redband rules graph`: the state diagrams of a ruleset as an SVG picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redband.cli.rules_options import Language, Ruleset, check_suffix, language, write


def graph(
    ruleset: Ruleset,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT.svg", help="picture to write")
    ],
    lang: Language = "en",
) -> None:
    """Draw what leads where: a state diagram of each track, as one SVG picture."""
    from redband.paper.graph import draw_graph
    from redband.rules import load

    language(lang)
    check_suffix(output, ".svg")
    found = load(ruleset)
    write(output, draw_graph(found, lang).encode("utf-8"))
    states = sum(len(track.states) for track in found.tracks)
    typer.echo(f"{output}: {len(found.tracks)} diagrams, {states} states")
