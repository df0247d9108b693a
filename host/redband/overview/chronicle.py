"""Journal records as lines of a log: who, what, and when by the host's clock, as well as it knows.

Guarantee: no clock is read; times come from the meetings with the badge (`store.walltime`). Lines
of one badge keep the order of its journal. A time that nobody can know is said to be unknown, with
the start it lies before (PITFALLS G3). What says nothing to people (snapshots, checkpoints) gives
no line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from redband import number_texts
from redband.overview.names import RuleNames
from redband.overview.rows import Text
from redband.overview.treatments import describe_tap
from redband.store.records import Record
from redband.store.walltime import Meeting, Placed, WallMap, feed
from redband.wire import journal as wire_journal
from redband_core import journal, numbers
from redband_core.errors import ProtocolError

RECENT_MAX = 500
"""Events kept for a log on a page; all of them are in the store."""

BOOTED = Text("switched on", "включена")
PAUSED = Text("the game is paused", "игра на паузе")
RESUMED = Text("the game goes on", "игра продолжается")
_FOR_ALL = (numbers.NOTE_EMERGENCY, numbers.NOTE_SENT_BY, numbers.NOTE_BROADCAST)
"""Notes that more than a technician wants to read."""
IN_TIMER = Text(", while a timer ran", ", во время таймера")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. text: in both languages. player: who wears the badge.

    time_s: seconds since 1970, when it is known; else the latest it can have been (of its receipt
    at worst), and the text says so.
    """

    time_s: float
    badge_id: int
    text: Text
    is_time_known: bool = True
    player: str = ""


def describe(record: Record, names: RuleNames, is_in_timer: bool = False) -> Text | None:
    """Return what a record tells people, None when it tells them nothing.

    is_in_timer: of a start, that a timer ran when the power went (see Projector.apply).
    """
    try:
        if record.kind == journal.BOOT:
            return _start(record.payload, is_in_timer)
        if record.kind == journal.EVENT:
            event_id, args = journal.parse_event(record.payload)
            return names.event(event_id, args)
        if record.kind == journal.REFUSED:
            reason, event_id, args = wire_journal.parse_refused(record.payload)
            event = names.event(event_id, args)
            why = PAUSED if reason == numbers.REFUSED_PAUSED else names.refusal(reason)
            return Text(f"{event.en}: refused, {why.en}", f"{event.ru}: отказ, {why.ru}")
        if record.kind in (journal.PAUSE, journal.RESUME) and record.payload:
            # Without a payload a new segment of the journal only says again that it is so.
            return PAUSED if record.kind == journal.PAUSE else RESUMED
        if record.kind == journal.NOTE:
            return _note(record.payload, names)
        if record.kind == journal.TAP:
            return describe_tap(record.payload, names)
    except ProtocolError:
        return Text("a record of another version", "запись другой версии")
    return None


def _start(payload: bytes, is_in_timer: bool) -> Text:
    _boot_id, count, cause, _badge_id, _identity = journal.parse_boot(payload)
    if count <= 1:
        return BOOTED
    known = cause if cause in number_texts.CAUSES else numbers.CAUSE_UNKNOWN
    english, russian = number_texts.CAUSES[known]
    timer = IN_TIMER if is_in_timer else Text("", "")
    return Text(f"started again: {english}{timer.en}", f"запущена снова: {russian}{timer.ru}")


def _note(payload: bytes, names: RuleNames) -> Text | None:
    code, value = journal.parse_note(payload)
    if code >= numbers.NOTE_OF_RULES:
        kind = numbers.NOTE_OF_RULES if code < numbers.NOTE_RETRACTED else numbers.NOTE_RETRACTED
        name = names.note(code - kind)
        told = number_texts.NOTES[kind]
        return Text(*[one.format(f"{name} {value}") for one in told])
    return Text(*number_texts.note(code, value)) if code in _FOR_ALL else None


def before(placed: Placed) -> Text:
    """Return what stands after a line whose time is not known."""
    if not placed.before_boot:
        return Text("time unknown", "время неизвестно")
    boot = f"{placed.before_boot:08x}"
    return Text(f"before boot {boot}, time unknown", f"до запуска {boot}, время неизвестно")


class Chronicle:
    """The newest events of all badges, in the order in which they can have happened."""

    def __init__(self) -> None:
        self._lines: deque[tuple[Record, Text]] = deque(maxlen=RECENT_MAX)
        self._maps: dict[tuple[int, int], WallMap] = {}
        self._placed: list[Entry] | None = None

    def add(
        self,
        records: Sequence[Record],
        names: RuleNames,
        in_timer: Collection[Record] = (),
        meetings: Mapping[int, Sequence[Meeting]] | None = None,
    ) -> None:
        """Take in one badge's `records`, in the store's order.

        in_timer: those for which Projector.apply was True. meetings: by install order, those that
        were while the records came, when they are not told by `meet`.
        """
        self._placed = None
        for record in records:
            text = describe(record, names, record in in_timer)
            if text is not None:
                self._lines.append((record, text))
        for order, group in groupby(records, key=lambda record: record.install_order):
            wall_map = self._map(records[0].badge_id, order)
            feed(wall_map, group, (meetings or {}).get(order, ()))

    def meet(self, badge_id: int, install_order: int, meeting: Meeting) -> None:
        """Take in a meeting; the records before its `next_seq` are in already."""
        self._placed = None
        self._map(badge_id, install_order).meet(meeting)

    def _map(self, badge_id: int, install_order: int) -> WallMap:
        key = badge_id, install_order
        if key not in self._maps:
            self._maps[key] = WallMap()
        return self._maps[key]

    def newest(self, limit: int) -> list[Entry]:
        """Return up to `limit` lines, newest first."""
        if self._placed is None:
            placed = [self._place(record, text) for record, text in self._lines]
            # Equal times keep the order of the journal.
            self._placed = sorted(placed, key=lambda one: one.time_s)[::-1]
        return self._placed[:limit]

    def _place(self, record: Record, text: Text) -> Entry:
        placed = self._maps[record.badge_id, record.install_order].place(record)
        wall_ms = record.received_ms if placed.wall_ms is None else placed.wall_ms
        if placed.before_boot is not None:
            why = before(placed)
            text = Text(f"{text.en} ({why.en})", f"{text.ru} ({why.ru})")
        is_known = placed.before_boot is None
        return Entry(wall_ms / 1000, record.badge_id, text, is_known)
