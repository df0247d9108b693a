"""One bouncing contact to presses and releases.

One press gives up to ten interrupts, edges get lost when the interpreter is busy, and a filter
that waits for the contact to settle makes every hit late (PITFALLS R2, R3, G8). Guarantee: the
first edge is the press, at once and with its own time; then nothing counts until the contact has
rested. No press is lost while samples are no further apart than the contact was open, less bounce
and settling; further apart, presses can merge into one. A press too soon after another counts as
ignored and never comes later. Reads no pin and no clock.
"""

from redband_core import limits

NONE = 0
PRESS = 1
RELEASE = 2
IGNORED = 3


class HitFilter:
    """The state of one contact.

    `press_ms`: game time of the last PRESS or IGNORED. `release_ms`: when the contact began the
    rest that made the last RELEASE. `is_stuck`: closed for `stuck_ms` and not open since.
    `ignored_count`: contacts that came within the refractory time or a hold-off.
    `overflow_count`: samples with so many edges that the interrupt queue may have lost some.
    """

    def __init__(self, settle_ms: int, refractory_ms: int, stuck_ms: int) -> None:
        """Begin with an open contact.

        `settle_ms`: a contact still for so long has rested. `refractory_ms`: shortest time from
        one counted press to the next. `stuck_ms`: closed for so long is a fault. All >= 0.
        """
        self._settle_ms = settle_ms
        self._refractory_ms = refractory_ms
        self._stuck_ms = stuck_ms
        self._is_closed = False  # from the first edge of a contact until its rest when open
        self._is_counted = False  # whether this contact was reported, so its end is too
        self._was_active = False
        self._is_first_sample = True
        self._moved_ms = 0  # when the contact was last seen to move
        self._closed_ms = 0
        self._deaf_until_ms = 0
        self.press_ms = 0
        self.release_ms = 0
        self.is_stuck = False
        self.ignored_count = 0
        self.overflow_count = 0

    def hold_off(self, until_ms: int) -> None:
        """Ignore contacts that begin before `until_ms`: our own motor shakes the sensor."""
        self._deaf_until_ms = max(self._deaf_until_ms, until_ms)

    def sample(
        self, is_active: bool, edge_count: int, edge_ms: int, now_ms: int, last_edge_ms: int = -1
    ) -> int:
        """Take one reading and return NONE, PRESS, RELEASE or IGNORED.

        `is_active`: level now. `edge_count`: edges the interrupt counted since the last sample.
        `edge_ms`: game time of the first of them (of no meaning when there is none). `now_ms`:
        game time, >= that of the last call. `last_edge_ms`: game time of the last edge counted, if
        known: it shows a rest that began while nobody sampled. A PRESS can follow a PRESS: the
        release between them fell into one late sample. Never raises.
        """
        if self._is_first_sample:
            self._is_first_sample = False
            if is_active and edge_count == 0:
                # Closed since before we looked: a clamped button must not cost a hit per restart.
                self._begin(now_ms, False)
                self._was_active = True
                return NONE
        if edge_count >= limits.EDGE_QUEUE_DEPTH:
            self.overflow_count += 1
        has_moved = edge_count > 0 or is_active != self._was_active
        moved_ms = min(edge_ms, now_ms) if edge_count > 0 else now_ms
        code = self._take(has_moved, moved_ms, now_ms)
        if has_moved:
            self._moved_ms = now_ms  # the latest it can have been
            if edge_count == 1 and is_active != self._was_active:
                self._moved_ms = moved_ms
            elif 1 < edge_count < limits.EDGE_QUEUE_DEPTH and last_edge_ms >= 0:
                self._moved_ms = min(last_edge_ms, now_ms)
        self._was_active = is_active
        self.is_stuck = self._is_closed and (
            self.is_stuck or (is_active and now_ms - self._closed_ms >= self._stuck_ms)
        )
        return code

    def _take(self, has_moved: bool, moved_ms: int, now_ms: int) -> int:
        """Judge the reading against the level that the sample before it saw."""
        if not self._is_closed:
            return self._begin_judged(moved_ms) if has_moved else NONE
        if self._was_active:
            return NONE
        # Open when last seen. Rested by the first new edge (or by now), the contact is over.
        rested_until_ms = moved_ms if has_moved else now_ms
        if rested_until_ms - self._moved_ms < self._settle_ms:
            return NONE
        self._is_closed = False
        self.release_ms = self._moved_ms
        if has_moved:
            return self._begin_judged(moved_ms)
        return RELEASE if self._is_counted else NONE

    def _begin_judged(self, press_ms: int) -> int:
        self.press_ms = press_ms
        if press_ms < self._deaf_until_ms:
            self.ignored_count += 1
            self._begin(press_ms, False)
            return IGNORED
        self._deaf_until_ms = press_ms + self._refractory_ms
        self._begin(press_ms, True)
        return PRESS

    def _begin(self, closed_ms: int, is_counted: bool) -> None:
        self._is_closed = True
        self._is_counted = is_counted
        self._closed_ms = closed_ms
        self._moved_ms = closed_ms
