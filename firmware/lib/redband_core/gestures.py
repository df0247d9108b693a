"""Presses of one button to gestures: press, hold, rows of taps, taps and a hold.

Guarantee: a press is reported at once, so a hit is never late; when the same contact turns out to
be the start of a gesture, that is reported too, with the number of presses that belong to it, and
the app takes those back. Each press belongs to one gesture at most. Knows no rules.
"""

from redband_core import limits

PRESS = 1
IMPACT = 2
HOLD = 3
TAPS = 0x10
TAPS_HOLD = 0x20
"""TAPS + n: n presses in a row. TAPS_HOLD + n: n quick presses, then one held."""

MEDIC = 0x30
GIVEN = 0x40
"""MEDIC + n: what a medic's badge offers when n quick presses and a hold pick it. GIVEN + n: what
that does to the medic. No gestures of their own; see docs/medic-tap.md."""

EMERGENCY = TAPS_HOLD + 5
"""A person is really hurt: five quick presses and a hold. Reserved: no ruleset may bind it."""


class Gestures:
    """The state of one button.

    `dropped_count`: reports lost because nobody polled; 0 in a badge that works.
    """

    def __init__(self) -> None:
        self._is_down = False
        self._is_hold_reported = False
        self._presses = 0  # of the row that is going on
        self._first_press_ms = 0
        self._press_ms = 0
        self._release_ms = 0
        self._reports = []
        self.dropped_count = 0

    def press(self, now_ms: int) -> None:
        """Take a press at game time `now_ms`. A press while down implies the release before it."""
        if self._is_down:
            # When it ended is not known, so whether it was a hold is not either: it was not.
            self._lift(now_ms)
        self._end_row(now_ms)
        if self._presses == 0:
            self._first_press_ms = now_ms
        self._presses += 1
        self._is_down = True
        self._press_ms = now_ms
        self._report(PRESS, 1, now_ms)

    def release(self, now_ms: int) -> None:
        """Take a release at game time `now_ms`. A release while up is ignored."""
        if self._is_down:
            self._check_hold(now_ms)
            self._lift(now_ms)

    def poll(self, now_ms: int) -> "tuple[int, int, int] | None":
        """Return the next (code, presses, first_press_ms), or None when there is no more.

        `presses`: how many presses, each reported as PRESS before, belong to the gesture.
        `first_press_ms`: game time of the first of them.
        """
        if self._is_down:
            self._check_hold(now_ms)
        else:
            self._end_row(now_ms)
        return self._reports.pop(0) if self._reports else None

    def next_deadline_ms(self) -> int:
        """Return the game time at which `poll` has something new without a press, -1 for never."""
        if self._is_down:
            return -1 if self._is_hold_reported else self._press_ms + limits.HOLD_MS
        return self._release_ms + limits.TAP_GAP_MS if self._presses else -1

    def _lift(self, now_ms: int) -> None:
        self._is_down = False
        self._release_ms = now_ms
        if self._is_hold_reported:
            self._is_hold_reported = False
            self._presses = 0

    def _check_hold(self, now_ms: int) -> None:
        if self._is_hold_reported or now_ms - self._press_ms < limits.HOLD_MS:
            return
        self._is_hold_reported = True
        taps = self._presses - 1
        if 0 < taps <= limits.TAPS_MAX:
            self._report(TAPS_HOLD + taps, self._presses, self._first_press_ms)
        else:
            # Too many to be meant as a row: they were hits, and only the last press is the hold.
            self._report(HOLD, 1, self._press_ms)

    def _end_row(self, now_ms: int) -> None:
        if self._is_down or self._presses == 0 or now_ms - self._release_ms < limits.TAP_GAP_MS:
            return
        if 2 <= self._presses <= limits.TAPS_MAX:
            self._report(TAPS + self._presses, self._presses, self._first_press_ms)
        self._presses = 0

    def _report(self, code: int, presses: int, first_press_ms: int) -> None:
        if len(self._reports) >= limits.REPORTS_MAX:
            self.dropped_count += 1
            return
        self._reports.append((code, presses, first_press_ms))
