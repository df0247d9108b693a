"""Who is synced next: pure bookkeeping, with time as an argument.

Guarantee: of the badges that are due, the one that has waited longest comes first; a badge that
failed waits longer each time, without losing its place before others for ever; every badge is in
the queue at most once (PITFALLS H4, H5). Times are seconds of one monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_RETRY_S = 0.5
"""Wait after the first failure: long enough for a badge to advertise again."""

LAST_RETRY_S = 30.0
"""Longest wait: a badge that walked off is tried twice a minute once it is heard again."""


@dataclass(slots=True)
class _Waiting:
    since_s: float
    due_s: float
    failures: int = 0


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

    def failed(self, badge_id: int, now_s: float) -> float:
        """Note a failed try and return the seconds until the next one (doubling, bounded)."""
        waiting = self._waiting.setdefault(badge_id, _Waiting(now_s, now_s))
        pause_s = min(self._retry_s * 2**waiting.failures, self._longest_s)
        waiting.failures += 1
        waiting.due_s = now_s + pause_s
        return pause_s

    def next(self, now_s: float) -> int | None:
        """Return the badge to sync now, which stays in the queue, or None."""
        due = [item for item in self._waiting.items() if item[1].due_s <= now_s]
        return min(due, key=lambda item: (item[1].since_s, item[0]))[0] if due else None

    def wait_s(self, now_s: float) -> float | None:
        """Return the seconds until some badge is due (0: now), or None when none waits."""
        if not self._waiting:
            return None
        return max(0.0, min(item.due_s for item in self._waiting.values()) - now_s)
