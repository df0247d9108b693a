"""Reading a lamp like a person does: from what it did for a while, say which pattern it shows.

Problem: the demo has to say that the pins of a badge show what the host believes, without asking
either of them. Guarantee: pure; only levels and times go in. Rhythm (changes per second) and
share of light decide, so that late timers of a busy machine do not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from redband_core import led

WATCH_MS = 6000
"""Game time to watch: three cycles of the slowest pattern (2 s)."""


def _traits(changes: int, lit_ms: float, length_ms: float) -> tuple[float, float]:
    return changes * 1000 / length_ms, lit_ms / length_ms


@cache
def pattern_traits(pattern: int) -> tuple[float, float]:
    """Return (level changes per second, share of light) of a pattern code."""
    cycle_ms = led.cycle_ms(pattern)
    if cycle_ms == 0:
        return 0.0, float(led.level(pattern, 0))
    levels = [led.level(pattern, phase_ms) for phase_ms in range(cycle_ms)]
    changes = sum(levels[i] != levels[i - 1] for i in range(cycle_ms))
    return _traits(changes, sum(levels), cycle_ms)


def seen_traits(
    level: int, changes: Sequence[tuple[float, int]], start_ms: float, end_ms: float
) -> tuple[float, float]:
    """Return (level changes per second, share of light) of what a lamp did.

    level: at start_ms. changes: (time in ms, new level), in order, inside start_ms..end_ms.
    """
    lit_ms = 0.0
    at_ms = start_ms
    count = 0
    for change_ms, new_level in changes:
        lit_ms += level * (change_ms - at_ms)
        count += new_level != level
        at_ms, level = change_ms, new_level
    lit_ms += level * (end_ms - at_ms)
    return _traits(count, lit_ms, end_ms - start_ms)


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    # A rhythm twice as fast weighs as much as a third more light.
    rhythm = abs(math.log2((one[0] + 0.25) / (other[0] + 0.25)))
    return rhythm + 3 * abs(one[1] - other[1])


def recognise(
    level: int, changes: Sequence[tuple[float, int]], start_ms: float, end_ms: float
) -> int:
    """Return the pattern code that the lamp showed; see `seen_traits` for the arguments."""
    seen = seen_traits(level, changes, start_ms, end_ms)
    patterns = range(len(led.PATTERN_NAMES))
    return min(patterns, key=lambda pattern: _distance(seen, pattern_traits(pattern)))
