"""When something happened by the host's clock, as far as that can be known.

Problem: a badge has no wall clock, only game time that stops without power and runs some
per cent fast or slow; the host's clock may have been wrong at one meeting and right at the next
(PITFALLS G3, G14, R17). Guarantee: pure; the order of the journal is kept; a time that nobody can
know is said to be unknown, with the start it lies before. The newest meeting is believed, so a map
made by a wrong clock is replaced by the next right one. Game timers never see any of this.

A meeting tells that at a wall time a boot was running and the host held all records before a
number. When it names the badge's game time too, times between two meetings are interpolated: the
error is what the badge's clock drifts within one interval. Otherwise the newest record held is
the best that is known, and a time is the latest it can have been.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from redband.store.records import Record

DRIFT = 0.05
"""How wrong a badge's clock can be: the worst seen in the field is 3 % (PITFALLS G14)."""

SLACK_MS = 10_000
"""Small steps of the host's own clock are no contradiction."""

QUIET_MS = 2 * 24 * 3600 * 1000
"""Longest time without a record that is believed of a badge with power."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A finished sync. at_ms: wall time, ms since 1970. next_seq: the host held all before it.

    boot_id: the boot that was running. game_ms: the badge's game time then, None if not told.
    """

    boot_id: int
    next_seq: int
    at_ms: int
    game_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """wall_ms: ms since 1970, or the latest it can have been; None: not even that is known.

    before_boot: None when the time is known; else the boot whose start it lies before, 0: none.
    """

    wall_ms: int | None
    before_boot: int | None = None


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Game time `game_ms` was at wall time `wall_ms`, or not later when it is not exact."""

    game_ms: int
    wall_ms: float
    is_exact: bool


@dataclass(slots=True)
class _Boot:
    """What is known of one boot: game times of its first and newest record, its meetings."""

    boot_id: int
    start_ms: int
    newest_ms: int
    received_ms: int
    anchors: list[_Anchor] = field(default_factory=list)


class _Line:
    """One boot's game time to wall time, by anchors that agree, in the order of game time."""

    def __init__(self, anchors: list[_Anchor]) -> None:
        exact = [anchor for anchor in anchors if anchor.is_exact]
        self._is_exact = bool(exact)
        self._anchors = exact or anchors
        self._games = [anchor.game_ms for anchor in self._anchors]
        # From each anchor on, the one that says most: a sync that came late is outdone by a prompt
        # one soon after, were the badge's clock as slow as can be.
        self._best: list[int] = []
        best = len(self._anchors) - 1
        for place in reversed(range(len(self._anchors))):
            best = place if self._slowest(place) <= self._slowest(best) else best
            self._best.append(best)
        self._best.reverse()

    def _slowest(self, place: int) -> float:
        anchor = self._anchors[place]
        return anchor.wall_ms - anchor.game_ms * (1 - DRIFT)

    def at(self, game_ms: int) -> float:
        place = bisect_left(self._games, game_ms)
        if place == len(self._games):
            last = self._anchors[-1]
            return last.wall_ms + game_ms - last.game_ms
        if not self._is_exact:
            return self._at_the_latest(place, game_ms)
        later = self._anchors[place]
        if place == 0:
            return later.wall_ms - (later.game_ms - game_ms) * self._first_rate()
        earlier = self._anchors[place - 1]
        share = (game_ms - earlier.game_ms) / (later.game_ms - earlier.game_ms)
        return earlier.wall_ms + (later.wall_ms - earlier.wall_ms) * share

    def _at_the_latest(self, place: int, game_ms: int) -> float:
        best = self._anchors[self._best[place]]
        wall_ms = best.wall_ms - (best.game_ms - game_ms)
        if place and self._best[place - 1] < place:
            wall_ms = max(wall_ms, self._anchors[self._best[place - 1]].wall_ms)
        return wall_ms

    def _first_rate(self) -> float:
        """Return wall ms per game ms before the first anchor: as in the interval after it."""
        if len(self._games) < 2 or self._games[1] == self._games[0]:
            return 1.0
        span_ms = self._games[1] - self._games[0]
        return (self._anchors[1].wall_ms - self._anchors[0].wall_ms) / span_ms


class WallMap:
    """Maps the game time of one install of a badge to wall time.

    Give it records and meetings in the order of the journal: a meeting after the records before
    its `next_seq` (`feed` does).
    """

    def __init__(self) -> None:
        self._boots: list[_Boot] = []
        self._lines: list[_Line | None] = []
        self._starts: list[float | None] = []  # when each boot began, at the latest
        self._is_current = False

    def see(self, record: Record) -> None:
        """Take a record."""
        self._is_current = False
        last = self._boots[-1] if self._boots else None
        if last is None or last.boot_id != record.boot_id:
            at_ms = record.game_ms
            self._boots.append(_Boot(record.boot_id, at_ms, at_ms, record.received_ms))
            return
        last.newest_ms = max(last.newest_ms, record.game_ms)
        last.received_ms = max(last.received_ms, record.received_ms)

    def meet(self, meeting: Meeting) -> None:
        """Take a meeting; one with a boot of which no record is known says nothing."""
        self._is_current = False
        for boot in reversed(self._boots):
            if boot.boot_id == meeting.boot_id:
                is_exact = meeting.game_ms is not None
                game_ms = boot.newest_ms if meeting.game_ms is None else meeting.game_ms
                boot.anchors.append(_Anchor(game_ms, meeting.at_ms, is_exact))
                return

    def place(self, record: Record) -> Placed:
        """Return when `record`, one that was seen, was written."""
        self._bring_up_to_date()
        number = len(self._boots) - 1
        while self._boots[number].boot_id != record.boot_id:
            number -= 1
        wall_ms = self._at(number, record.game_ms)
        if wall_ms is not None:
            return Placed(round(wall_ms))
        start_ms = self._starts[number]
        if start_ms is None:
            return Placed(None, 0)
        while self._lines[number] is None:
            number += 1
        return Placed(round(start_ms), self._boots[number].boot_id)

    def _at(self, number: int, game_ms: int) -> float | None:
        line = self._lines[number]
        if line is None:
            return None
        wall_ms = line.at(game_ms)
        next_ms = self._starts[number + 1] if number + 1 < len(self._starts) else None
        return wall_ms if next_ms is None else min(wall_ms, next_ms)

    def _bring_up_to_date(self) -> None:
        if self._is_current:
            return
        count = len(self._boots)
        self._lines = [None] * count
        self._starts = [None] * count
        newer: _Anchor | None = None
        for number in reversed(range(count)):
            boot = self._boots[number]
            anchors = _agreeing(boot.anchors, newer)
            newer = anchors[0] if anchors else newer
            if not boot.anchors and number == count - 1:
                # The newest boot before its first sync is over: its records have just come.
                anchors = [_Anchor(boot.newest_ms, boot.received_ms, is_exact=False)]
            if anchors:
                self._lines[number] = _Line(anchors)
                self._starts[number] = self._at(number, boot.start_ms)
            elif number + 1 < count:
                self._starts[number] = self._starts[number + 1]
        self._is_current = True


def feed(wall_map: WallMap, records: Iterable[Record], meetings: Iterable[Meeting]) -> None:
    """Give `wall_map` records and meetings of one install, each in the order of its journal."""
    waiting = deque(meetings)
    for record in records:
        while waiting and waiting[0].next_seq <= record.seq:
            wall_map.meet(waiting.popleft())
        wall_map.see(record)
    for meeting in waiting:
        wall_map.meet(meeting)


def _agreeing(anchors: list[_Anchor], newer: _Anchor | None) -> list[_Anchor]:
    """Return those of one boot's anchors that agree with all newer ones, oldest first.

    newer: the oldest kept anchor of the boots after it.
    """
    chosen: list[_Anchor] = []
    for anchor in sorted(anchors, key=lambda one: one.game_ms, reverse=True):
        if newer is not None:
            passed_ms = newer.wall_ms - anchor.wall_ms
            span_ms = newer.game_ms - anchor.game_ms if chosen else None
            if not _can_be(passed_ms, span_ms, anchor.is_exact and newer.is_exact):
                continue
            if passed_ms < 0:
                anchor = _Anchor(anchor.game_ms, newer.wall_ms, anchor.is_exact)
        chosen.append(anchor)
        newer = anchor
    return chosen[::-1]


def _can_be(passed_ms: float, span_ms: float | None, is_exact: bool) -> bool:
    """Return whether the host's clock can have gone `passed_ms` between two meetings.

    span_ms: the same by the badge's clock, None between two boots: nobody knows how long it was
    without power. is_exact: the badge told its time at both.
    """
    if passed_ms < -SLACK_MS:
        return False
    if span_ms is None:
        return True
    if not is_exact:
        return passed_ms <= span_ms * (1 + DRIFT) + QUIET_MS
    return abs(passed_ms - span_ms) <= span_ms * DRIFT + SLACK_MS
