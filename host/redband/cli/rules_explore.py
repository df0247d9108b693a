"""`redband rules explore`: find traps, dead rules, endless rules and lights that look alike."""

from __future__ import annotations

from typing import Annotated

import typer

from redband.cli.rules_options import Language, Player, Ruleset, language, params

FAULTS_FOUND = 1  # exit code


def explore(
    ruleset: Ruleset,
    player: Player = None,
    seconds: Annotated[
        float, typer.Option(min=1.0, max=3600.0, help="how long to walk at most")
    ] = 40.0,
    lang: Language = "en",
) -> None:
    """Walk everything that can happen; report traps, dead rules and signals that look alike.

    Exit codes: 0 no faults, 1 faults found, 2 the ruleset can't be read.
    """
    from redband.rules import load
    from redband.rules.explore.explorer import explore as run
    from redband.rules.explore.text import report_lines

    language(lang)
    found = load(ruleset)
    report = run(found, params(found, player), seconds)
    typer.echo("\n".join(report_lines(report, lang)))
    if report.faults:
        raise typer.Exit(FAULTS_FOUND)
