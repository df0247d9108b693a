"""`redband events`: what the store holds, one line per record."""

from __future__ import annotations

from typing import Annotated

import typer

from redband.cli.options import DataOption, Language, LanguageOption, existing_store
from redband.errors import RedbandUserError

app = typer.Typer(add_completion=False)


@app.command()
def events(
    data: DataOption = None,
    badge: Annotated[int | None, typer.Option(help="Only this badge.")] = None,
    all_records: Annotated[
        bool, typer.Option("--all", help="Also records that tell of no input.")
    ] = False,
    only_restarts: Annotated[
        bool, typer.Option("--restarts", help="Only count each badge's restarts by their causes.")
    ] = False,
    lang: LanguageOption = Language.EN,
) -> None:
    """List the events in the store, by badge, life and number.

    Columns: badge, life of the badge (install), boot, number, game time, this computer's time as
    far as it is known ("?" when not), what happened.
    """
    from redband.overview.names import open_rulesets
    from redband.overview.record_lines import fact, line, restart_lines, told

    with existing_store(data) as store:
        rulesets = open_rulesets(store)
        known = sorted({badge_id for badge_id, _install, _boot in store.boot_rulesets()})
        if badge is not None and badge not in known:
            raise RedbandUserError(
                f"The store holds nothing of badge {badge}, only of badges"
                f" {', '.join(map(str, known)) or '(none yet)'}.",
                exit_code=1,
            )
        if only_restarts:
            badges = known if badge is None else [badge]
            for sentence in restart_lines(store, rulesets, badges, lang.value):
                typer.echo(sentence)
            return
        for record, placed, text in told(store, rulesets, badge):
            if text is not None:
                typer.echo(line(record, placed, text.get(lang.value), lang.value))
            elif all_records:
                typer.echo(line(record, placed, fact(record, lang.value), lang.value))
