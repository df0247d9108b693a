"""What the gateway knows of one badge, and when that means that it should be synced.

Guarantee: decisions are pure functions of adverts, cursor and time; the object never talks to a
radio or a store. Times are seconds of the gateway's monotonic clock.
"""

from __future__ import annotations

from redband.radio import Heard
from redband.store.projection import Projector
from redband_core.advert import NO_SEQ

FRESH_S = 10.0
"""An advert older than this says where a badge was, not what it is: adverts come several times a
second, so ten seconds of silence are a badge without power or out of range."""

SETBACK_WAIT_S = 2.0
"""An advert that claims fewer records than we hold is mostly one that was on its way while we
synced; one that still says so after this time comes from a wiped badge."""


class LiveBadge:
    """One badge in the gateway's view. `projector` folds what the store holds of it."""

    def __init__(self, badge_id: int, projector: Projector) -> None:
        self.badge_id = badge_id
        self.projector = projector
        self.sighting: Heard | None = None
        self.seen_s: float | None = None
        self.reached_s: float | None = None
        self.next_seq: int | None = None
        self.problem: str | None = None

    def heard(self, sighting: Heard, now_s: float) -> bool:
        """Take an advert in; return True when it says anything new."""
        previous = self.sighting
        self.sighting = sighting
        self.seen_s = now_s
        if previous is None or previous.advert.last_seq != sighting.advert.last_seq:
            self.reached_s = now_s
        return previous is None or previous.advert != sighting.advert

    def synced(self, next_seq: int) -> None:
        """Note that the store holds everything of the badge's present install below `next_seq`."""
        self.next_seq = next_seq
        self.problem = None

    @property
    def unsynced(self) -> int | None:
        """Return how many records the badge has that the store has not, None when unheard."""
        if self.sighting is None:
            return None
        last_seq = self.sighting.advert.last_seq
        made = 0 if last_seq == NO_SEQ else last_seq + 1
        held = self.next_seq or 0
        # Fewer than we hold: another life of the badge, of which we hold nothing yet.
        return made - held if made >= held else made

    def sync_delay_s(self) -> float | None:
        """Return in how many seconds a sync is due, None when there is nothing to fetch."""
        if self.sighting is None or self.sighting.advert.last_seq == NO_SEQ:
            return None
        made = self.sighting.advert.last_seq + 1
        if self.next_seq is None or made > self.next_seq:
            return 0.0
        return SETBACK_WAIT_S if made < self.next_seq else None

    def is_fresh(self, now_s: float) -> bool:
        """Return True when the badge was heard within FRESH_S."""
        return self.seen_s is not None and now_s - self.seen_s <= FRESH_S

    def game_ms(self, now_s: float, time_factor: float) -> int:
        """Return the badge's game time now, as well as the host can tell.

        From the moment an advert first named the newest record that is folded; game time stands
        still while a badge has no power, so without fresh adverts it is the last one's.
        """
        state_ms = self.projector.game_ms
        if self.sighting is None or self.reached_s is None or self.seen_s is None:
            return state_ms
        if self.sighting.advert.last_seq != self.projector.position[1]:
            return state_ms
        until_s = now_s if self.is_fresh(now_s) else self.seen_s
        return state_ms + int((until_s - self.reached_s) * time_factor * 1000)
