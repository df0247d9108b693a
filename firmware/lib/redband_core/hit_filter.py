"""One bouncing contact to presses and releases.

One press gives up to ten interrupts, edges get lost when the interpreter is busy, and a filter
that waits for the contact to settle makes every hit late (PITFALLS R2, R3, G8). Guarantee: the
first edge is the press, at once and with its own time; then nothing counts until the contact has
rested. No press is lost while samples are no further apart than the contact was open, less bounce
and settling; further apart, presses can merge into one. A press too soon after another, or while
our own motor shakes the sensor, counts as ignored and never comes later. A spike too short for a
contact is none (docs/inputs.md says how that is judged). Reads no pin and no clock.
"""

from redband_core import limits

NONE = 0
PRESS = 1
RELEASE = 2
IGNORED = 3


class HitFilter:
    """The state of one contact.

    `press_ms`: game time of the last PRESS or IGNORED. `release_ms`: when the contact began the
    rest that made the last RELEASE. `is_closed`: from the first edge of a contact until its rest.
    `is_stuck`: closed, or never at rest, for `stuck_ms` and not rested since.
    `ignored_count`: contacts that came within the refractory time or a hold-off.
    `overflow_count`: late samples with so many edges that the interrupt queue may have lost some.
    `spike_count`: samples with nothing but spikes.
    """

    def __init__(
        self, settle_ms: int, refractory_ms: int, stuck_ms: int, contact_ms: int = 1
    ) -> None:
        """Begin with an open contact.

        `settle_ms`: a contact still for so long has rested. `refractory_ms`: shortest time from
        one counted press to the next. `stuck_ms`: closed for so long is a fault. `contact_ms`:
        closed for less is a spike. All >= 0.
        """
        self._contact_ms = contact_ms
        self._settle_ms = settle_ms
        self._refractory_ms = refractory_ms
        self._stuck_ms = stuck_ms
        self.is_closed = False
        self._is_counted = False  # whether this contact was reported, so its end is too
        self._was_active = False
        self._is_first_sample = True
        self._sampled_ms = 0
        self._moved_ms = 0  # when the contact was last seen to move
        self._closed_ms = 0
        self._deaf_until_ms = 0
        self._off_from_ms = 0
        self._off_until_ms = 0
        self._spike_ms = -1  # the first of the spikes just now, -1 for none
        self.press_ms = 0
        self.release_ms = 0
        self.is_stuck = False
        self.ignored_count = 0
        self.overflow_count = 0
        self.spike_count = 0

    def hold_off(self, until_ms: int, from_ms: int = 0) -> None:
        """Ignore contacts that begin in `from_ms` <= time < `until_ms`: our own motor ran.

        A window that begins within the one before prolongs it.
        """
        if from_ms > self._off_until_ms:
            self._off_from_ms = from_ms
        self._off_until_ms = max(self._off_until_ms, until_ms)

    def sample(
        self,
        is_active: bool,
        edge_count: int,
        edge_ms: int,
        now_ms: int,
        last_edge_ms: int = -1,
        seen_ms: int = -1,
    ) -> int:
        """Take one reading and return NONE, PRESS, RELEASE or IGNORED.

        `is_active`: level now. `edge_count`: edges the interrupt counted since the last sample.
        `edge_ms`: game time of the first of them (of no meaning when there is none). `now_ms`:
        game time, >= that of the last call. `last_edge_ms`: game time of the last edge counted, if
        known: it shows a rest that began while nobody sampled. `seen_ms`: for how long the
        interrupts saw the contact closed, 0 for never, -1 when they were too late to tell. A PRESS
        can follow a PRESS: the release between them fell into one late sample. Never raises.
        """
        if self._is_first_sample:
            self._is_first_sample = False
            if is_active and edge_count == 0:
                # Closed since before we looked: a clamped button must not cost a hit per restart.
                self._begin(now_ms, False)
                self._was_active = True
                return NONE
        if edge_count >= limits.EDGE_QUEUE_DEPTH and seen_ms < 0:
            self.overflow_count += 1
        has_moved = edge_count > 0 or is_active != self._was_active
        moved_ms = min(edge_ms, now_ms) if edge_count > 0 else now_ms
        is_short = not is_active and 0 <= last_edge_ms - edge_ms < limits.EDGES_APART_MS
        # Stamps of the same moment are those of edges that waited, from any time since the last
        # sample: the release may still have bounced then.
        rested_until_ms = self._sampled_ms if edge_count > 0 and is_short else moved_ms
        is_spike = has_moved and not is_active and 0 <= seen_ms < self._contact_ms
        code = self._take(has_moved, is_spike, moved_ms, min(rested_until_ms, moved_ms))
        self._sampled_ms = now_ms
        if has_moved:
            self._moved_ms = now_ms  # the latest it can have been
            if edge_count == 1 and is_active != self._was_active:
                self._moved_ms = moved_ms
            elif 1 < edge_count < limits.EDGE_QUEUE_DEPTH and last_edge_ms >= 0:
                self._moved_ms = min(last_edge_ms, now_ms)
        self._was_active = is_active
        # A wet contact that chatters without a rest is as stuck as a clamped one.
        is_long = self.is_closed and now_ms - self._closed_ms >= self._stuck_ms
        self.is_stuck = self.is_closed and (self.is_stuck or is_long)
        return code

    def _take(self, has_moved: bool, is_spike: bool, moved_ms: int, rested_until_ms: int) -> int:
        """Judge the reading against the level that the sample before it saw.

        `moved_ms`: of the first edge, or now. `rested_until_ms`: the contact was still until then.
        """
        code = NONE
        if self.is_closed:
            if self._was_active:
                return NONE
            # Open when last seen. Rested by the first new edge (or by now), the contact is over.
            if rested_until_ms - self._moved_ms < self._settle_ms:
                return NONE
            self.is_closed = False
            self.release_ms = self._moved_ms
            code = RELEASE if self._is_counted else NONE
        began_ms = self._spikes_since(moved_ms)
        if not has_moved:
            return code
        if is_spike:
            self.spike_count += 1
            self._spike_ms = moved_ms if began_ms < 0 else began_ms
            return code
        self._spike_ms = -1
        if began_ms < 0:
            return self._begin_judged(moved_ms)
        # What looked like spikes was the contact's first bounce.
        self.spike_count -= 1
        return self._begin_judged(began_ms)

    def _spikes_since(self, until_ms: int) -> int:
        """Return when the spikes just before `until_ms` began, -1 for none; forget older ones."""
        if self._spike_ms >= 0 and until_ms - self._spike_ms > self._settle_ms:
            self._spike_ms = -1
        return self._spike_ms

    def _begin_judged(self, press_ms: int) -> int:
        self.press_ms = press_ms
        is_off = self._off_from_ms <= press_ms < self._off_until_ms
        if press_ms < self._deaf_until_ms or is_off:
            self.ignored_count += 1
            self._begin(press_ms, False)
            return IGNORED
        self._deaf_until_ms = press_ms + self._refractory_ms
        self._begin(press_ms, True)
        return PRESS

    def _begin(self, closed_ms: int, is_counted: bool) -> None:
        self.is_closed = True
        self._is_counted = is_counted
        self._closed_ms = closed_ms
        self._moved_ms = closed_ms
