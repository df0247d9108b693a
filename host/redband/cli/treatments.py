"""`redband treatments`: what medics' and patients' badges say of the same treatments."""

from __future__ import annotations

from typing import Annotated

import typer

from redband.cli.options import DataOption, Language, LanguageOption, existing_store

app = typer.Typer(add_completion=False)


@app.command()
def treatments(
    data: DataOption = None,
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Also treatments on which both badges agree.")
    ] = False,
    lang: LanguageOption = Language.EN,
) -> None:
    """Compare medics' and patients' journals: name each treatment that only one of them knows.

    A line has: this computer's time ("?" when not known), who, whom, what, the result, and which
    badge lacks it, with whether that badge has been synced since. Exit code 1: a badge that has
    been synced lacks one, or two badges say different things.
    """
    from redband.overview.names import open_rulesets
    from redband.overview.treatment_lines import line, stored, summary
    from redband.overview.treatments import Finding

    with existing_store(data) as store:
        rulesets = open_rulesets(store)
        found = stored(store)
        players = store.players()
        for one in found:
            if all_of_them or one.finding is not Finding.AGREED:
                typer.echo(line(one, rulesets, players, lang.value))
    typer.echo(summary(found, lang.value))
    if any(one.is_odd for one in found):
        raise typer.Exit(1)
