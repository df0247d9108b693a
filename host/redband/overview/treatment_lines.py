"""Treatments as lines for people: who treated whom, what came of it, and who lacks it.

Guarantee: reads the store and nothing else; what is odd is decided in `treatments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby

from redband.overview.names import Rulesets
from redband.overview.treatments import Finding, Treatment, Treatments, met, outcome_text
from redband.store.store import Store
from redband.store.walltime import WallMap, feed

WORDS = {
    "who": ("badge {} treats badge {}: {}", "повязка {} лечит повязку {}: {}"),
    "agreed": ("both badges say so", "обе повязки согласны"),
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
        "{} treatments by badge: {} in both journals, {} in one only or told differently.",
        "Лечений повязкой: {}, в обоих журналах: {}, только в одном или по-разному: {}.",
    ),
}


def stored(store: Store) -> list[Treatment]:
    """Return all treatments of a store, oldest first."""
    sides = Treatments()
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


def summary(found: Sequence[Treatment], language: str) -> str:
    """Return how many there are, and how many are told differently, as a line."""
    agreed = sum(one.finding is Finding.AGREED for one in found)
    return _word("sum", language).format(len(found), agreed, len(found) - agreed)


def _word(name: str, language: str) -> str:
    return WORDS[name][int(language == "ru")]


def line(one: Treatment, rulesets: Rulesets, players: Mapping[int, str], language: str) -> str:
    """Return a treatment as a line. players: by badge, those whose names are known."""
    patient, medic, _nonce = one.who
    side = one.patient or one.medic
    assert side is not None  # nothing is found in no journal
    names = rulesets.names(side.identity)

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
