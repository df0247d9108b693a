"""`redband events`: what the store holds, one line per record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, Language, LanguageOption, data_folder
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.store.records import Record

app = typer.Typer(add_completion=False)


@app.command()
def events(
    data: DataOption = None,
    badge: Annotated[int | None, typer.Option(help="Only this badge.")] = None,
    all_records: Annotated[
        bool, typer.Option("--all", help="Also records that tell of no input.")
    ] = False,
    lang: LanguageOption = Language.EN,
) -> None:
    """List the events in the store, by badge, life and number.

    Columns: badge, life of the badge (install), boot, number, game time, what happened.
    """
    from redband.gateway.book import open_book
    from redband.gateway.happenings import describe
    from redband.store.records import kind_name
    from redband.store.store import STORE_FILE, Store

    path = data_folder(data) / STORE_FILE
    if not path.exists():
        raise RedbandUserError(
            f"There is no store in {path.parent}; fill one with `redband sync`, or name the"
            " folder of another one with --data DIR."
        )
    store = Store(path)
    try:
        book = open_book(store)
        identities = store.boot_rulesets()
        known = sorted({badge_id for badge_id, _install, _boot in identities})
        if badge is not None and badge not in known:
            raise RedbandUserError(
                f"The store in {path.parent} holds nothing of badge {badge}, only of badges"
                f" {', '.join(map(str, known)) or '(none yet)'}.",
                exit_code=1,
            )
        for record in store.records(badge):
            identity = identities.get((record.badge_id, record.install_id, record.boot_id))
            text = describe(record, book.names(identity))
            if text is not None:
                typer.echo(_line(record, text.get(lang.value)))
            elif all_records:
                typer.echo(_line(record, kind_name(record.kind)))
    finally:
        store.close()


def _line(record: Record, told: str) -> str:
    return (
        f"{record.badge_id:>5}  {record.install_order:>2}  {record.boot_id:08x}"
        f"  {record.seq:>6}  {_clock(record.game_ms)}  {told}"
    )


def _clock(game_ms: int) -> str:
    """Return game time as h:mm:ss.t, one digit of a second."""
    tenths = game_ms // 100
    seconds = tenths // 10
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{tenths % 10}"
