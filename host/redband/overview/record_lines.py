"""The store's records as lines for people, and each badge's restarts.

Guarantee: reads the store and nothing else; a time that nobody can know is a question mark.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from redband.number_texts import note
from redband.overview.chronicle import before, describe
from redband.overview.names import Rulesets
from redband.overview.table import word
from redband.rules.model import Text
from redband.store.projection import Projector, fold
from redband.store.records import Record, kind_name
from redband.store.store import Store
from redband.store.walltime import Placed, WallMap, feed
from redband_core import journal


def told(
    store: Store, rulesets: Rulesets, badge_id: int | None
) -> Iterator[tuple[Record, Placed, Text | None]]:
    """Yield each record with its time by this computer and what it tells people."""
    identities = store.boot_rulesets()
    for badge, of_badge in groupby(store.records(badge_id), key=lambda one: one.badge_id):
        projector = Projector(badge, rulesets.ruleset)
        meetings = store.meetings(badge)
        for order, group in groupby(of_badge, key=lambda one: one.install_order):
            records = list(group)
            wall_map = WallMap()
            feed(wall_map, records, meetings.get(order, ()))
            for record in records:
                is_in_timer = projector.apply(record)
                identity = identities.get((badge, record.install_id, record.boot_id))
                text = describe(record, rulesets.names(identity), is_in_timer)
                yield record, wall_map.place(record), text


def fact(record: Record, language: str) -> str:
    """Return what a technician reads of a record that tells of no input."""
    if record.kind != journal.NOTE:
        return kind_name(record.kind)
    return note(*journal.parse_note(record.payload))[int(language == "ru")]


def restart_lines(
    store: Store, rulesets: Rulesets, badges: list[int], language: str
) -> Iterator[str]:
    """Yield a line for each badge: how often it was started again, why, and during a timer."""
    for badge_id in badges:
        counts = fold(badge_id, store.records(badge_id), rulesets.ruleset).restarts
        told = counts.told(language)
        line = f"{badge_id:>5}  {word('restarts', language).format(counts.total)}"
        line += f" ({told})" if told else ""
        if counts.in_timer:
            line += f", {word('in_timer', language).format(counts.in_timer)}"
        yield line


def line(record: Record, placed: Placed, text: str, language: str) -> str:
    """Return a record as a line. text: what it tells."""
    wall = "?"
    if placed.before_boot is not None:
        text = f"{text} ({before(placed).get(language)})"
    elif placed.wall_ms is not None:
        wall = f"{datetime.fromtimestamp(placed.wall_ms / 1000):%Y-%m-%d %H:%M:%S}"
    return (
        f"{record.badge_id:>5}  {record.install_order:>2}  {record.boot_id:08x}"
        f"  {record.seq:>6}  {_clock(record.game_ms)}  {wall:<19}  {text}"
    )


def _clock(game_ms: int) -> str:
    """Return game time as h:mm:ss.t, one digit of a second."""
    tenths = game_ms // 100
    seconds = tenths // 10
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{tenths % 10}"
