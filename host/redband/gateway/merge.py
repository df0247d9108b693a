"""One row out of two sources: the badge's advert and the fold of its journal.

Guarantee: pure. The newer of the two is shown, by record number: an advert that names a record
which is not folded yet is ahead of the journal, and a fold ahead of the last advert wins. Nothing
is added to what the badge said (the first law in DESIGN): what neither says is None.
"""

from __future__ import annotations

from redband import number_texts
from redband.gateway.live import LiveBadge
from redband.overview.names import RuleNames
from redband.overview.rows import BadgeRow, led_views
from redband.store.projection import BadgeState
from redband.wire.advert import Advert
from redband_core import numbers
from redband_core.advert import NO_SEQ, NO_TIMER


def is_advert_ahead(advert: Advert | None, state: BadgeState) -> bool:
    """Return True when `advert` speaks of at least the newest record folded into `state`."""
    if advert is None:
        return False
    if state.signal is None:
        return True
    return advert.last_seq != NO_SEQ and advert.last_seq >= state.last_seq


def _advert_timer_s(advert: Advert, age_s: float) -> int | None:
    if advert.timer_s == NO_TIMER:
        return None
    if advert.is_paused:
        return advert.timer_s
    return max(0, advert.timer_s - int(age_s))


def _fold_timer_s(state: BadgeState) -> int | None:
    return None if state.timer_left_ms < 0 else -(-state.timer_left_ms // 1000)


def merge(
    live: LiveBadge,
    player: str,
    names: RuleNames,
    now_s: float,
) -> BadgeRow:
    """Return the row of one badge at `now_s` on the gateway's clock.

    names: titles of the badge's ruleset.
    """
    state = live.projector.state(live.game_ms(now_s))
    advert = live.sighting.advert if live.sighting is not None else None
    age_s = now_s - live.seen_s if live.seen_s is not None else None
    is_fresh = live.is_fresh(now_s)
    signal, hits, timer_s = state.signal, names.shown_value(state.counters), _fold_timer_s(state)
    is_paused = state.is_paused
    if advert is not None and is_advert_ahead(advert, state):
        signal, hits = advert.signal, advert.counter_a
        is_paused = advert.is_paused
        timer_s = _advert_timer_s(advert, live.advert_age_s(now_s))
    last = state.last_event
    return BadgeRow(
        badge_id=live.badge_id,
        player=player,
        role=_role_name(advert),
        signal=signal,
        state=names.signal(signal),
        leds=led_views(names.patterns(signal)),
        hits=hits,
        hits_max=names.shown_high(state.counter_ranges),
        timer_left_s=timer_s,
        timer=names.timer(signal) if timer_s is not None else None,
        last_event=names.event(last.event_id, last.args) if last is not None else None,
        event_count=state.events,
        last_seen_age_s=age_s,
        is_fresh=is_fresh,
        unsynced=live.unsynced,
        battery_pct=advert.battery_pct if advert is not None else None,
        flags=advert.flags if advert is not None else 0,
        is_emergency=advert is not None and advert.is_emergency,
        problem=live.problem or state.problem,
        is_paused=is_paused,
        restarts=state.restarts,
        lost_records=state.lost_records,
    )


def _role_name(advert: Advert | None) -> str:
    role = numbers.ROLE_PLAYER if advert is None else advert.role
    return number_texts.ROLES[role][0]
