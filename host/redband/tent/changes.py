"""What a browser has to be told: rows and log lines as plain data, and only what changed.

Problem: forty badges with running timers and ages change every second; sending them all to every
browser would cost a phone its battery. Guarantee: a browser that applied all changes shows what
the view says; what a browser can count by itself (a running timer, an age) is sent only when its
own count would be wrong by more than DRIFT_S. Pure: time is an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redband.overview.chronicle import Entry
from redband.overview.rows import FLAG_NAMES, BadgeRow, Text
from redband.tent.led_css import lamp_class
from redband_core import led

DRIFT_S = 1.5
"""Seconds by which a browser's own count may differ before it is corrected. More than one,
because both sides show whole seconds."""

COUNTED = ("timer_s", "age_s")
"""Fields that a browser counts on by itself."""


def row_data(row: BadgeRow) -> dict[str, Any]:
    """Return a row as the page's component takes it; [English, Russian] for each text."""
    patterns = [lamp.pattern for lamp in row.leds] or [led.OFF] * 3
    lamps = ["", "", ""] if row.is_powered is False else list(map(lamp_class, patterns))
    has_timer = row.timer_left_s is not None
    return {
        "id": row.badge_id,
        "player": row.player,
        "state": _both(row.state),
        "signal": [lamp_class(pattern) for pattern in patterns],
        "lamps": lamps,
        "hits": row.hits,
        "max_hits": row.hits_max or 0,
        "timer_s": row.timer_left_s,
        "timer": _both(row.timer if has_timer else None),
        "is_running": (
            has_timer and row.is_powered is not False and row.is_fresh and not row.is_paused
        ),
        "event": _both(row.last_event),
        "is_fresh": row.is_fresh,
        "age_s": None if row.last_seen_age_s is None or row.is_fresh else int(row.last_seen_age_s),
        "battery_pct": row.battery_pct,
        "unsynced": row.unsynced or 0,
        "synced": row.event_count,
        "flags": [bit for bit, _name in FLAG_NAMES if row.flags & bit],
        "is_powered": row.is_powered,
        "problem": row.problem or "",
        "is_paused": row.is_paused,
        "is_emergency": row.is_emergency,
        "restarts": row.restarts.total,
        "causes": [row.restarts.told("en"), row.restarts.told("ru")],
        "timer_restarts": row.restarts.in_timer,
        "lost_records": row.lost_records,
    }


def _both(text: Text | None) -> list[str]:
    """Return a text as [English, Russian]."""
    return ["", ""] if text is None else [text.en, text.ru]


def log_data(entry: Entry) -> dict[str, Any]:
    """Return a log line as the page's component takes it."""
    return {
        "time_s": entry.time_s if entry.is_time_known else None,
        "id": entry.badge_id,
        "player": entry.player,
        "text": _both(entry.text),
    }


@dataclass(slots=True)
class _Sent:
    data: dict[str, Any]
    at_s: float

    def is_right(self, data: dict[str, Any], now_s: float) -> bool:
        """Return True when a browser that got `self.data` shows `data` at `now_s`."""
        for key, value in data.items():
            if key not in COUNTED and value != self.data[key]:
                return False
        passed_s = now_s - self.at_s
        timer_step_s = -passed_s if data["is_running"] else 0.0
        return _is_near(self.data["timer_s"], data["timer_s"], timer_step_s) and _is_near(
            self.data["age_s"], data["age_s"], passed_s
        )


def _is_near(sent: float | None, wanted: float | None, step_s: float) -> bool:
    if sent is None or wanted is None:
        return sent is wanted
    return abs(max(0.0, sent + step_s) - wanted) <= DRIFT_S


def new_lines(before: Sequence[Any], after: Sequence[Any]) -> int | None:
    """Return how many lines `after` has on top of `before`, newest first.

    None when `after` is not `before` with lines added on top (then all has to be sent again).
    """
    if len(after) < len(before):
        return None
    for count in range(len(after) + 1):
        kept = after[count:]
        if kept == before[: len(kept)] and (kept or not before):
            return count
    return None


class Changes:
    """What one browser has been told; `update` returns what it has to be told now."""

    def __init__(self) -> None:
        self._rows: dict[int, _Sent] = {}
        self._order: list[int] | None = None
        self._log: list[Entry] | None = None

    def update(
        self, rows: Sequence[BadgeRow], log: Sequence[Entry], now_s: float
    ) -> dict[str, Any] | None:
        """Return the changes, None when there are none.

        now_s: seconds of a monotonic clock. In the result, `order` (ids of all rows) and `log`
        (all lines) stand only when they have to be replaced; `rows` are to be put in place of
        the rows of the same ids, `lines` on top of the log.
        """
        order = [row.badge_id for row in rows]
        changed = self._changed_rows(rows, now_s)
        out: dict[str, Any] = {"rows": changed} if changed else {}
        if order != self._order:
            out["order"] = self._order = order
            self._rows = {badge_id: self._rows[badge_id] for badge_id in order}
        self._put_log(out, list(log))
        return out or None

    def _changed_rows(self, rows: Sequence[BadgeRow], now_s: float) -> list[dict[str, Any]]:
        changed = []
        for row in rows:
            data = row_data(row)
            sent = self._rows.get(row.badge_id)
            if sent is None or not sent.is_right(data, now_s):
                self._rows[row.badge_id] = _Sent(data, now_s)
                changed.append(data)
        return changed

    def _put_log(self, out: dict[str, Any], log: list[Entry]) -> None:
        count = None if self._log is None else new_lines(self._log, log)
        if count is None:
            out["log"] = [log_data(entry) for entry in log]
        elif count:
            out["lines"] = [log_data(entry) for entry in log[:count]]
        self._log = log
