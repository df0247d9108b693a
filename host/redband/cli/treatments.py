"""`redband books`: what medics' and patients' badges say of the same treatments."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, Language, LanguageOption, data_folder
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.overview.names import RuleBook
    from redband.overview.treatments import Treatment
    from redband.store.store import Store

app = typer.Typer(add_completion=False)

WORDS = {
    "who": ("badge {} treats badge {}: {}", "повязка {} лечит повязку {}: {}"),
    "agreed": ("both books say so", "обе книги согласны"),
    "only": ("only badge {} knows", "знает только повязка {}"),
    "unheard": (
        "badge {} did not hear the answer",
        "повязка {} не слышала ответа",
    ),
    "different": ("badge {} says: {}", "повязка {} говорит: {}"),
    "since": ("badge {} has been synced since", "повязку {} с тех пор читали"),
    "not_since": (
        "badge {} has not been synced since",
        "повязку {} с тех пор не читали",
    ),
    "sum": (
        "{} treatments by badge: {} in both books, {} in one book only or told differently.",
        "Лечений повязкой: {}, в обеих книгах: {}, только в одной или по-разному: {}.",
    ),
}


@app.command()
def books(
    data: DataOption = None,
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Also treatments on which both books agree.")
    ] = False,
    lang: LanguageOption = Language.EN,
) -> None:
    """Compare medics' and patients' books: name each treatment that only one of them knows.

    A line has: this computer's time ("?" when not known), who, whom, what, the result, and which
    badge lacks it, with whether that badge has been synced since. Exit code 1: a badge that has
    been synced lacks one, or two badges say different things.
    """
    from redband.overview.names import open_book
    from redband.overview.treatments import Finding
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
        found = _treatments(store)
        players = store.players()
    finally:
        store.close()
    differing = [one for one in found if one.finding is not Finding.AGREED]
    for one in found if all_of_them else differing:
        typer.echo(_line(one, book, players, lang.value))
    counts = (len(found), len(found) - len(differing), len(differing))
    typer.echo(_word("sum", lang.value).format(*counts))
    if any(one.is_odd for one in found):
        raise typer.Exit(1)


def _treatments(store: Store) -> list[Treatment]:
    from redband.overview.treatments import Books, met
    from redband.store.walltime import WallMap, feed

    sides = Books()
    met_ms: dict[int, int] = {}
    identities = store.boot_rulesets()
    for badge_id, of_badge in groupby(store.records(), key=lambda one: one.badge_id):
        meetings = store.meetings(badge_id)
        met_ms[badge_id] = met(meetings)
        for order, group in groupby(of_badge, key=lambda one: one.install_order):
            records = list(group)
            wall_map = WallMap()
            feed(wall_map, records, meetings.get(order, ()))
            for record in records:
                identity = identities.get((badge_id, record.install_id, record.boot_id))
                sides.add(record, wall_map.place(record).wall_ms, identity)
    return sides.treatments(met_ms)


def _word(name: str, language: str) -> str:
    return WORDS[name][int(language == "ru")]


def _line(one: Treatment, book: RuleBook, players: dict[int, str], language: str) -> str:
    from redband.overview.treatments import Finding, outcome_text

    patient, medic, _nonce = one.who
    side = one.patient or one.medic
    assert side is not None  # nothing is found in no book
    names = book.names(side.identity)

    def name(badge_id: int) -> str:
        player = players.get(badge_id)
        return f"{badge_id} ({player})" if player else str(badge_id)

    wall = "?"
    if side.wall_ms is not None:
        wall = f"{datetime.fromtimestamp(side.wall_ms / 1000):%Y-%m-%d %H:%M:%S}"
    event = names.event(*side.event).get(language)
    told = _word("who", language).format(name(medic), name(patient), event)
    told += f": {outcome_text(side.outcome, names).get(language)}. "
    if one.finding is Finding.AGREED:
        remark = _word("agreed", language)
    elif one.finding is Finding.UNHEARD:
        remark = _word("unheard", language).format(medic)
    elif one.finding is Finding.DIFFERENT:
        theirs = one.medic or side
        says = outcome_text(theirs.outcome, names).get(language)
        remark = _word("different", language).format(medic, says)
    else:
        knows, lacks = (patient, medic) if one.medic is None else (medic, patient)
        remark = _word("only", language).format(knows)
        since = _word("since" if one.is_synced_since else "not_since", language).format(lacks)
        remark += f"; {since}"
    return f"{wall:<19}  {told}{remark[0].upper()}{remark[1:]}."
