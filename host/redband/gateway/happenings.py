"""Journal records as lines of a log: who, what, and when by the host's clock, as well as it knows.

Guarantee: no clock is read; the receipts' times come with the records. Records of one boot keep
their distances in game time. Those that say nothing to people (snapshots, checkpoints) give no
line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from redband.gateway.book import RuleNames
from redband.gateway.rows import Text
from redband.store.records import Record
from redband_core import journal
from redband_core.errors import ProtocolError

RECENT_MAX = 500
"""Events kept for a log on a page; all of them are in the store."""

BOOTED = Text("switched on", "включена")


@dataclass(frozen=True, slots=True)
class Happening:
    """One line. time_s: seconds since 1970, at the latest; text: in both languages."""

    time_s: float
    badge_id: int
    text: Text


def describe(record: Record, names: RuleNames) -> Text | None:
    """Return what a record tells people, None when it tells them nothing."""
    try:
        if record.kind == journal.BOOT:
            return BOOTED
        if record.kind == journal.EVENT:
            event_id, args = journal.parse_event(record.payload)
            return names.event(event_id, args)
        if record.kind == journal.REFUSED:
            reason, event_id, args = journal.parse_refused(record.payload)
            event, why = names.event(event_id, args), names.refusal(reason)
            return Text(f"{event.en}: refused, {why.en}", f"{event.ru}: отказ, {why.ru}")
    except ProtocolError:
        return Text("a record of another version", "запись другой версии")
    return None


class Chronicle:
    """The newest events of all badges, in the order in which they can have happened.

    Game time stands still while a badge has no power, so each boot has a shift of its own between
    game time and the host's. A record is older than its receipt: that bounds the shift from
    above, and what a later boot shows bounds the earlier ones (PITFALLS G3).
    time_factor: game seconds per second.
    """

    def __init__(self, time_factor: float = 1.0) -> None:
        self._time_factor = time_factor
        self._lines: deque[tuple[Record, Text]] = deque(maxlen=RECENT_MAX)
        self._shifts: dict[int, dict[tuple[int, int], float]] = {}

    def add(self, records: Sequence[Record], names: RuleNames) -> None:
        """Take in one badge's `records`, in the store's order."""
        for record in records:
            text = describe(record, names)
            if text is not None:
                self._lines.append((record, text))
            self._bound(record)

    def _game_s(self, record: Record) -> float:
        return record.game_ms / 1000 / self._time_factor

    def _bound(self, record: Record) -> None:
        shifts = self._shifts.setdefault(record.badge_id, {})
        boot = record.install_order, record.boot_id
        shift_s = record.received_ms / 1000 - self._game_s(record)
        shifts[boot] = min(shift_s, shifts.get(boot, shift_s))

    def _shift_s(self, record: Record) -> float:
        boots = self._shifts[record.badge_id]
        position = list(boots).index((record.install_order, record.boot_id))
        # A new install begins its game time anew: only boots of one install bound each other.
        return min(
            shift_s
            for (install, _boot), shift_s in list(boots.items())[position:]
            if install == record.install_order
        )

    def newest(self, limit: int) -> list[Happening]:
        """Return up to `limit` lines, newest first."""
        placed = [
            Happening(self._shift_s(record) + self._game_s(record), record.badge_id, text)
            for record, text in self._lines
        ]
        # Equal times keep the order of the journal.
        return sorted(placed, key=lambda one: one.time_s)[::-1][:limit]
