"""`redband events`: what the store holds, one line per record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, Language, LanguageOption, data_folder
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.overview.names import RuleBook
    from redband.overview.rows import Text
    from redband.store.records import Record
    from redband.store.store import Store
    from redband.store.walltime import Placed

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
    from redband.overview.names import open_book
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
        if only_restarts:
            for line in _restarts(store, book, known if badge is None else [badge], lang.value):
                typer.echo(line)
            return
        for record, placed, text in _told(store, book, badge):
            if text is not None:
                typer.echo(_line(record, placed, text.get(lang.value), lang.value))
            elif all_records:
                typer.echo(_line(record, placed, _fact(record, lang.value), lang.value))
    finally:
        store.close()


def _told(
    store: Store, book: RuleBook, badge_id: int | None
) -> Iterator[tuple[Record, Placed, Text | None]]:
    """Yield each record with its time by this computer and what it tells people."""
    from redband.overview.chronicle import describe
    from redband.store.projection import Projector
    from redband.store.walltime import WallMap, feed

    identities = store.boot_rulesets()
    for badge, of_badge in groupby(store.records(badge_id), key=lambda one: one.badge_id):
        projector = Projector(badge, book.ruleset)
        meetings = store.meetings(badge)
        for order, group in groupby(of_badge, key=lambda one: one.install_order):
            records = list(group)
            wall_map = WallMap()
            feed(wall_map, records, meetings.get(order, ()))
            for record in records:
                is_in_timer = projector.apply(record)
                identity = identities.get((badge, record.install_id, record.boot_id))
                text = describe(record, book.names(identity), is_in_timer)
                yield record, wall_map.place(record), text


def _fact(record: Record, language: str) -> str:
    """Return what a technician reads of a record that tells of no input."""
    from redband.number_texts import note
    from redband.store.records import kind_name
    from redband_core import journal

    if record.kind != journal.NOTE:
        return kind_name(record.kind)
    return note(*journal.parse_note(record.payload))[int(language == "ru")]


def _restarts(store: Store, book: RuleBook, badges: list[int], language: str) -> Iterator[str]:
    """Yield a line for each badge: how often it was started again, why, and during a timer."""
    from redband.overview.table import word
    from redband.store.projection import fold

    for badge_id in badges:
        counts = fold(badge_id, store.records(badge_id), book.ruleset).restarts
        told = counts.told(language)
        line = f"{badge_id:>5}  {word('restarts', language).format(counts.total)}"
        line += f" ({told})" if told else ""
        if counts.in_timer:
            line += f", {word('in_timer', language).format(counts.in_timer)}"
        yield line


def _line(record: Record, placed: Placed, told: str, language: str) -> str:
    from redband.overview.chronicle import before

    wall = "?"
    if placed.before_boot is not None:
        told = f"{told} ({before(placed).get(language)})"
    elif placed.wall_ms is not None:
        wall = f"{datetime.fromtimestamp(placed.wall_ms / 1000):%Y-%m-%d %H:%M:%S}"
    return (
        f"{record.badge_id:>5}  {record.install_order:>2}  {record.boot_id:08x}"
        f"  {record.seq:>6}  {_clock(record.game_ms)}  {wall:<19}  {told}"
    )


def _clock(game_ms: int) -> str:
    """Return game time as h:mm:ss.t, one digit of a second."""
    tenths = game_ms // 100
    seconds = tenths // 10
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{tenths % 10}"
