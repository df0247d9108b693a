"""The live table of a terminal, and a row for it."""

from __future__ import annotations

import io

from rich.console import Console

from redband.overview.rows import BadgeRow, Text, led_views
from redband.overview.table import table
from redband_core import led

DYING = BadgeRow(
    badge_id=12,
    player="Badger",
    state=Text("wounded", "при смерти"),
    leds=led_views((led.FAST_BLINK, led.OFF, led.DOUBLE_FLASH)),
    hits=0,
    hits_max=3,
    timer_left_s=897,
    last_event=Text("hit (1, impact sensor)", "попадание (1, датчик удара)"),
    last_seen_age_s=0.2,
    is_fresh=True,
    unsynced=4,
    battery_pct=82,
)


def shown(width: int, language: str, *rows: BadgeRow) -> list[str]:
    """Return the table's lines below its head, as a terminal of `width` columns has them."""
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as capture:
        console.print(table(rows, 1, language, width))
    lines = capture.get().splitlines()
    assert all(len(line) <= width for line in lines)
    return lines[2:]
