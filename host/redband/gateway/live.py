"""What the gateway knows of one badge, and when that means that it should be synced.

Guarantee: decisions are pure functions of adverts, cursor and time; the object never talks to a
radio or a store. Times are seconds of the gateway's monotonic clock.
"""

from __future__ import annotations

from dataclasses import replace

from redband.gateway.broadcasts import Broadcast
from redband.radio import Heard
from redband.store.projection import Projector
from redband.wire.advert import Advert, widened
from redband_core.advert import NO_SEQ

FRESH_S = 16.0
"""An advert older than this says where a badge was, not what it is: a badge whose radio is on in
windows is heard each five seconds, so three windows in a row were missed. It is never called gone
or dead: its age is shown (PITFALLS B11)."""

SETBACK_WAIT_S = 2.0
"""An advert that claims fewer records than we hold is mostly one that was on its way while we
synced; one that still says so after this time comes from a wiped badge."""


class LiveBadge:
    """One badge in the gateway's view. `projector` folds what the store holds of it.

    sighting: the newest advert that is believed. doubtful: an older one that came after it, until
    a session has told why. seen_s: when the badge was last heard; said_s: when it first said what
    it still says, which is how old its timer is. told_number: newest broadcast that it was
    told in a session; is_told_next: the next session is for such broadcasts.
    """

    def __init__(self, badge_id: int, projector: Projector) -> None:
        self.badge_id = badge_id
        self.projector = projector
        self.sighting: Heard | None = None
        self.doubtful: Heard | None = None
        self.seen_s: float | None = None
        self.said_s: float | None = None
        self.reached_s: float | None = None
        self.next_seq: int | None = None
        self.told_number = 0
        self.is_told_next = False
        self.problem: str | None = None

    def heard(self, sighting: Heard, now_s: float) -> bool:
        """Take an advert in; return True when it says anything new."""
        previous = self.sighting
        sighting = replace(sighting, advert=self._whole(sighting.advert))
        self.sighting = sighting
        self.seen_s = now_s
        if previous is None or previous.advert.count != sighting.advert.count:
            self.said_s = now_s
        if previous is None or previous.advert.last_seq != sighting.advert.last_seq:
            self.reached_s = now_s
        return previous is None or _shown(previous.advert) != _shown(sighting.advert)

    def _whole(self, advert: Advert) -> Advert:
        """Return the advert with its record number widened by what is known of the badge."""
        return advert._replace(last_seq=widened(advert.last_seq, self.next_seq or 0))

    def synced(self, next_seq: int) -> None:
        """Note that the store holds everything of the badge's present install below `next_seq`."""
        self.next_seq = next_seq
        self.problem = None

    @property
    def broadcast_number(self) -> int:
        """Return the number of the newest broadcast that it is known to have heard."""
        return max(self.told_number, self.projector.broadcast_number)

    @property
    def rssi_dbm(self) -> int:
        """Return how loud its newest advert was."""
        return -128 if self.sighting is None else self.sighting.rssi_dbm

    def shows(self, broadcast: Broadcast) -> bool:
        """Return whether its newest advert shows what a broadcast asks for."""
        return self.sighting is not None and self.sighting.advert.is_paused is broadcast.pauses

    def has_heard(self, broadcast: Broadcast) -> bool:
        """Return whether it is known to have obeyed a broadcast, or shows it."""
        return self.broadcast_number >= broadcast.number or self.shows(broadcast)

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

    def advert_age_s(self, now_s: float) -> float:
        """Return how long ago the badge said what its newest advert says, up to its last packet.

        Of a badge that is heard, up to now.
        """
        if self.said_s is None or self.seen_s is None:
            return 0.0
        return (now_s if self.is_fresh(now_s) else self.seen_s) - self.said_s

    def game_ms(self, now_s: float) -> int:
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
        return state_ms + int((until_s - self.reached_s) * 1000)


def _shown(advert: Advert) -> Advert:
    """Return what of an advert anybody sees: it is renewed, under a new count, all the time."""
    return advert._replace(count=0)
