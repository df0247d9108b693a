"""How the explorer keeps a counter: value by value, or in classes.

Problem: a counter of milliseconds has more values than a walk can tell apart.
Guarantee: each value lies in exactly one class, and the numbers that formulas compare the counter
with have classes of their own. What a class may do is tried with its ends and its middle.
"""

from __future__ import annotations

from collections.abc import Iterable

from redband.rules.explore.formula import Bounds


class CounterClasses:
    """A counter's values as the explorer keeps them: each by itself, or stretches of many.

    is_exact: every value stands for itself. `samples[k]`: values to try for class k.
    """

    def __init__(self, bounds: Bounds, cuts: Iterable[int], limit: int) -> None:
        """bounds: of the counter. cuts: numbers it is compared with. limit: of single values."""
        self.low, high = bounds
        self.high = high
        self.is_exact = high - self.low < limit
        if self.is_exact:
            self.samples: list[tuple[int, ...]] = [(value,) for value in range(self.low, high + 1)]
            return
        points = sorted({c for c in (self.low, high, 0, *cuts) if self.low <= c <= high})
        self._starts: list[int] = []
        self.samples = []
        for point, following in zip(points, [*points[1:], high + 1], strict=True):
            self._add(point, point)
            if following > point + 1:
                self._add(point + 1, following - 1)

    def _add(self, low: int, high: int) -> None:
        self._starts.append(low)
        self.samples.append((low,) if low == high else (low, (low + high) // 2, high))

    def number(self, value: int) -> int:
        """Return the class that holds the value, which lies within the bounds."""
        if self.is_exact:
            return value - self.low
        return sum(1 for start in self._starts if start <= value) - 1

    def is_one_class(self, low: int, high: int) -> bool:
        """Return True when all numbers from low to high become one class."""
        ends = [min(max(value, self.low), self.high) for value in (low, high)]
        return self.number(ends[0]) == self.number(ends[1])
