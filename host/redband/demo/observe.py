"""Watching the lamps of virtual badges while the host says what they should show.

Guarantee: pins and host are read independently; a comparison counts only when the host's row was
the same before, during and after the watch, as a timer may end in the middle of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from redband.demo.lights import WATCH_MS, recognise
from redband.demo.summary import LampFinding
from redband.overview.rows import BadgeRow
from redband.virtual.badge import VirtualBadge

WATCH_MIN_S = 1.0
"""Shortest real time to watch: below it the timer error of a busy machine counts too much."""

TRIES = 4
"""Watches of a badge whose state keeps changing, until the summary says so."""

Row = Callable[[int], BadgeRow | None]


class LampRecorder:
    """Notes every level change of one badge's pins."""

    def __init__(self, badge: VirtualBadge) -> None:
        self._badge = badge
        self._start_s = time.monotonic()
        self._first = badge.leds
        self._changes: list[tuple[float, tuple[int, int, int]]] = []
        badge.on_leds.append(self._note)

    def _note(self, at_s: float, leds: tuple[int, int, int]) -> None:
        self._changes.append((at_s, leds))

    def stop(self, time_factor: float) -> tuple[int, int]:
        """End the recording and return the patterns of the red and the green LED."""
        self._badge.on_leds.remove(self._note)
        end_ms = (time.monotonic() - self._start_s) * 1000 * time_factor
        found = []
        for lamp in (0, 1):
            changes = [
                ((at_s - self._start_s) * 1000 * time_factor, leds[lamp])
                for at_s, leds in self._changes
            ]
            found.append(recognise(self._first[lamp], changes, 0.0, end_ms))
        return found[0], found[1]


def _told(row: BadgeRow | None) -> tuple[int, int] | None:
    if row is None or len(row.leds) < 2:
        return None
    return row.leds[0].pattern, row.leds[1].pattern


async def watch_lamps(
    badges: Iterable[VirtualBadge], row: Row, time_factor: float
) -> dict[int, LampFinding]:
    """Return what the lamps of `badges` showed beside what `row` said, by badge id.

    row: gives the host's row of a badge id. Badges that never kept still are left out.
    """
    remaining = {badge.badge_id: badge for badge in badges}
    found: dict[int, LampFinding] = {}
    for attempt in range(TRIES):
        recorders = {badge_id: LampRecorder(badge) for badge_id, badge in remaining.items()}
        before = {badge_id: row(badge_id) for badge_id in remaining}
        await asyncio.sleep(max(WATCH_MS / 1000 / time_factor, WATCH_MIN_S))
        for badge_id, recorder in recorders.items():
            seen = recorder.stop(time_factor)
            now = row(badge_id)
            told = _told(now)
            if now is None or told is None or told != _told(before[badge_id]):
                continue
            # One more look where they differ: the state may have changed and back.
            if seen == told or attempt == TRIES - 1:
                found[badge_id] = LampFinding(seen, told, now.state.en)
                del remaining[badge_id]
        if not remaining:
            break
    return found
