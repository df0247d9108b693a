"""Who is synced next: pure bookkeeping, with time as an argument.

Guarantee: of the badges that are due, the one that has waited longest comes first; a badge that
failed waits longer each time, without losing its place before others for ever; every badge is in
the queue at most once (PITFALLS H4, H5). Times are seconds of one monotonic clock.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

FIRST_RETRY_S = 0.5
"""Wait after the first failure: long enough for a badge to advertise again."""

LAST_RETRY_S = 30.0
"""Longest wait: a badge that walked off is tried twice a minute once it is heard again."""

EARLY_S = 1e-3
"""A timer may end this much before its time; who then waited for the rest would never end."""

MORE_AFTER_SYNCS = 20
"""Good syncs in a row after which one connection more is tried again."""


@dataclass(slots=True)
class _Waiting:
    since_s: float
    due_s: float
    failures: int = 0


class Places:
    """How many connections at a time the adapter bears: `most`, or fewer once it refused one.

    Other programs' connections take places, too (PITFALLS H5); later there may be more again.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._now = most
        self._good = 0

    def is_free(self, taken: int) -> bool:
        """Return whether a badge may be connected to beside `taken` others."""
        return taken < self._now

    def refused(self, others: int) -> bool:
        """Note that the adapter failed; return whether `others` connections may be the cause."""
        self._good = 0
        if others:
            self._now = min(self._now, others)
        return others > 0

    def worked(self) -> None:
        """Note a sync that came to its end."""
        self._good += 1
        if self._good >= MORE_AFTER_SYNCS:
            self._good = 0
            self._now = min(self._now + 1, self.most)


class SyncQueue:
    """Badges that have something to fetch. `retry_s` and `longest_s` bound the back-off."""

    def __init__(self, retry_s: float = FIRST_RETRY_S, longest_s: float = LAST_RETRY_S) -> None:
        self._retry_s = retry_s
        self._longest_s = longest_s
        self._waiting: dict[int, _Waiting] = {}

    def __contains__(self, badge_id: int) -> bool:
        return badge_id in self._waiting

    def want(self, badge_id: int, now_s: float, delay_s: float = 0.0) -> None:
        """Put `badge_id` in line, due in `delay_s`; one that waits already keeps its place."""
        if badge_id not in self._waiting:
            self._waiting[badge_id] = _Waiting(now_s, now_s + delay_s)

    def done(self, badge_id: int) -> None:
        """Take `badge_id` out: it has been synced or needs nothing."""
        self._waiting.pop(badge_id, None)

    def failed(self, badge_id: int, now_s: float, is_crowded: bool = False) -> float:
        """Note a failed try and return the seconds until the next one (doubling, bounded).

        is_crowded: it was for want of a place at the adapter, and says nothing of the badge.
        """
        waiting = self._waiting.setdefault(badge_id, _Waiting(now_s, now_s))
        pause_s = min(self._retry_s * 2**waiting.failures, self._longest_s)
        waiting.failures += not is_crowded
        waiting.due_s = now_s + pause_s
        return pause_s

    def next(self, now_s: float, busy: Set[int] = frozenset()) -> int | None:
        """Return the badge to sync now, which stays in the queue, or None.

        busy: badges that are being synced, and are nobody's next.
        """
        due = [
            (item.since_s, badge_id)
            for badge_id, item in self._waiting.items()
            if item.due_s - now_s <= EARLY_S and badge_id not in busy
        ]
        return min(due)[1] if due else None

    def wait_s(self, now_s: float, busy: Set[int] = frozenset()) -> float | None:
        """Return the seconds until some badge is due (0: now), or None when none waits."""
        due_s = [item.due_s for badge_id, item in self._waiting.items() if badge_id not in busy]
        return max(0.0, min(due_s) - now_s) if due_s else None
