"""What watch and demo show: a live table on a terminal, lines of text anywhere else.

Guarantee: the first hit is announced once, with the seconds since the program started.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from rich.console import Console
from rich.live import Live

from redband.overview.rows import BadgeRow
from redband.overview.table import plain_line, table

REFRESH_S = 0.2
"""Pause between two pictures: quick enough to see lamps blink, and some per cent of one core."""

Rows = Callable[[], list[BadgeRow]]


def is_hit(row: BadgeRow) -> bool:
    """Return True when the row shows a badge that has lost hits."""
    return row.hits is not None and row.hits_max is not None and row.hits < row.hits_max


class Screen:
    """Shows rows on `console` until cancelled.

    started_s: monotonic time of the program's start, None to announce no first hit.
    """

    def __init__(
        self,
        console: Console,
        rows: Rows,
        language: str,
        time_factor: float = 1.0,
        started_s: float | None = None,
    ) -> None:
        self._console = console
        self._rows = rows
        self._language = language
        self._time_factor = time_factor
        self._started_s = started_s
        self._shown: dict[int, str] = {}
        self.first_hit_s: float | None = None

    async def run(self) -> None:
        """Show the rows until cancelled."""
        if self._console.is_terminal:
            await self._run_table()
        else:
            await self._run_lines()

    async def _run_table(self) -> None:
        with Live(console=self._console, auto_refresh=False) as live:
            while True:
                rows = self._rows()
                phase_ms = int(time.monotonic() * 1000 * self._time_factor)
                width = self._console.width
                live.update(table(rows, phase_ms, self._language, width), refresh=True)
                self._note_first_hit(rows)
                await asyncio.sleep(REFRESH_S)

    async def _run_lines(self) -> None:
        while True:
            rows = self._rows()
            for row in rows:
                line = plain_line(row, self._language)
                # The running timer alone is no news.
                key = f"{row.signal} {row.hits} {row.event_count}"
                key += f" {row.is_emergency} {row.is_paused}"
                if row.signal is not None and self._shown.get(row.badge_id) != key:
                    self._shown[row.badge_id] = key
                    self._console.print(line, highlight=False, soft_wrap=True)
            self._note_first_hit(rows)
            await asyncio.sleep(REFRESH_S)

    def _note_first_hit(self, rows: list[BadgeRow]) -> None:
        if self._started_s is None or self.first_hit_s is not None:
            return
        if any(map(is_hit, rows)):
            self.first_hit_s = time.monotonic() - self._started_s
            self._console.print(
                f"First hit on screen {self.first_hit_s:.1f} s after the start.", highlight=False
            )
