"""The gateway: one row a badge, one connection at a time, nobody starves, nothing is lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from bleak.backends.device import BLEDevice
from tests.support.gateway_radio import out_of_range, silence
from tests.support.gateways import Rig
from tests.support.journals import PlayingBadge, records_of

from redband.errors import RedbandUserError
from redband.gateway import gateway as gateway_module
from redband.gateway.live import FRESH_S, SETBACK_WAIT_S
from redband.gateway.queue import MORE_AFTER_SYNCS, Places, SyncQueue
from redband.overview.chronicle import Chronicle
from redband.overview.names import Rulesets, open_rulesets
from redband.radio import SyncError, SyncFailure
from redband.rules.loader import load
from redband.store.dialect import StoreFull
from redband.store.ingest import StoreConflict
from redband.store.store import Store

HITS = load("hits")
HIT = HITS.event("hit").id
SIGNALS = {signal.name: signal.id for signal in HITS.signals}


def playing(badge_id: int, hits: int = 1) -> PlayingBadge:
    badge = PlayingBadge(badge_id, 1000 + badge_id, HITS.ruleset)
    badge.start(boot_id=badge_id)
    for _ in range(hits):
        badge.happen(HIT, 1, 0)
    return badge


# --- queue -------------------------------------------------------------------------------------


def test_the_longest_waiting_badge_is_next() -> None:
    queue = SyncQueue()
    for badge_id, now_s in ((5, 1.0), (3, 2.0), (9, 0.5)):
        queue.want(badge_id, now_s)
    queue.want(9, 3.0)  # asking again does not change the place
    order = []
    while (badge_id := queue.next(10.0)) is not None:
        order.append(badge_id)
        queue.done(badge_id)
    assert order == [9, 5, 3]


def test_a_failing_badge_waits_longer_each_time_and_stays_in_line() -> None:
    queue = SyncQueue(retry_s=1, longest_s=8)
    queue.want(1, 0.0)
    assert [queue.failed(1, 0.0) for _ in range(6)] == [1, 2, 4, 8, 8, 8]
    queue.want(2, 1.0)
    assert queue.next(1.0) == 2
    assert queue.next(8.0) == 1
    assert queue.wait_s(0.5) == 0.5


def test_badge_that_found_no_place_waits_no_longer_the_next_time() -> None:
    queue = SyncQueue(retry_s=1)
    queue.want(1, 0.0)
    assert [queue.failed(1, 0.0, is_crowded=True) for _ in range(3)] == [1, 1, 1]
    assert [queue.failed(1, 0.0) for _ in range(3)] == [1, 2, 4]


def test_a_timer_that_ends_too_early_leaves_nothing_to_wait_for() -> None:
    queue = SyncQueue()
    queue.want(1, 0.1, 0.2)
    assert 0.1 + 0.2 > 0.3
    assert queue.next(0.3) == 1
    assert queue.next(0.29) is None


def test_busy_badge_is_not_next_and_nobody_waits_for_it() -> None:
    queue = SyncQueue()
    queue.want(1, 0.0)
    assert (queue.next(0.0, {1}), queue.wait_s(0.0, {1})) == (None, None)
    queue.want(2, 0.0, 3.0)
    assert (queue.next(0.0, {1}), queue.wait_s(0.0, {1})) == (None, 3.0)


def test_H5_places_shrink_when_the_adapter_refuses_and_grow_again() -> None:
    places = Places(3)
    assert places.is_free(2)
    assert not places.is_free(3)
    assert places.refused(1)
    assert not places.is_free(1)
    assert not places.refused(0)  # nobody else was connected: not for want of a place
    assert places.is_free(0)
    for _ in range(2 * MORE_AFTER_SYNCS):
        places.worked()
    assert places.is_free(2)
    for _ in range(9 * MORE_AFTER_SYNCS):
        places.worked()
    assert not places.is_free(3)


def test_an_empty_queue_has_nothing_to_wait_for() -> None:
    queue = SyncQueue()
    queue.done(4)
    assert (queue.next(1.0), queue.wait_s(1.0)) == (None, None)


# --- hearing -----------------------------------------------------------------------------------


async def test_a_thousand_equal_adverts_are_one_row_and_a_change_is_seen_at_once(rig: Rig) -> None:
    """PITFALLS H1: reported once and then silent, or endless repeats."""
    async with rig.running():
        for _ in range(1000):
            await rig.radio.advertise(7)
        assert len(rig.gateway.rows()) == 1
        await rig.radio.advertise(7, signal=SIGNALS["dying"], counter_a=0)
        row = rig.row(7)
    assert (row.state.en, row.state.ru) == (
        HITS.signals[SIGNALS["dying"]].title.en,
        HITS.signals[SIGNALS["dying"]].title.ru,
    )
    assert row.leds[0].pattern == HITS.signals[SIGNALS["dying"]].red


async def test_one_badge_heard_by_two_addresses_is_one_badge(rig: Rig) -> None:
    """PITFALLS H2: no MAC on macOS."""
    async with rig.running():
        await rig.radio.advertise(7, device=BLEDevice("C0:DE:00:00:00:07", None, None))
        await rig.radio.advertise(7, device=BLEDevice("6B3F-UUID", None, None))
        assert [row.badge_id for row in rig.gateway.rows()] == [7]


async def test_a_silent_badge_grows_old_in_its_row(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7, timer_s=100)
        rig.clock.now_s += 4
        fresh = rig.row(7)
        rig.clock.now_s += FRESH_S
        stale = rig.row(7)
    assert (fresh.is_fresh, fresh.last_seen_age_s, fresh.timer_left_s) == (True, 4.0, 96)
    # Silence may be a badge without power, whose game time stops.
    assert (stale.is_fresh, stale.timer_left_s) == (False, 100)


async def test_a_timer_counts_on_from_when_the_badge_said_it_and_not_in_a_pause(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7, timer_s=100, count=5)
        for _ in range(4):
            rig.clock.now_s += 1
            await rig.radio.advertise(7, timer_s=100, count=5)  # the same, said again
        running = rig.row(7)
        await rig.radio.advertise(7, timer_s=90, count=6, is_paused=True)
        rig.clock.now_s += 3
        paused = rig.row(7)
    assert running.timer_left_s == 96
    assert (paused.timer_left_s, paused.is_paused) == (90, True)


async def test_an_emergency_reaches_the_row(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7)
        assert not rig.row(7).is_emergency
        await rig.radio.advertise(7, is_emergency=True, count=2)
        assert rig.row(7).is_emergency


async def test_record_number_of_24_bits_is_widened_by_what_the_store_holds(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7)
        live = rig.gateway.live(7)
        assert live is not None
        live.next_seq = 0x2000006
        await rig.radio.advertise(7, last_seq=5, count=2)
    assert live.sighting is not None
    assert live.sighting.advert.last_seq == 0x2000005


async def test_G12_doubtful_advert_changes_no_row_and_a_session_clears_it_up(rig: Rig) -> None:
    rig.radio.badges[7] = playing(7)
    async with rig.running():
        await rig.radio.advertise(7, counter_a=2)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
        before, syncs = rig.row(7), rig.gateway.syncs
        await rig.radio.advertise(7, counter_a=0, is_doubtful=True)
        assert rig.row(7) == before
        # A badge that is heard as before was only recorded: nobody connects for that.
        await rig.radio.advertise(7, counter_a=2)
        rig.clock.now_s += SETBACK_WAIT_S
        assert rig.gateway.syncs == syncs
        await rig.radio.advertise(7, counter_a=0, is_doubtful=True)
        rig.clock.now_s += SETBACK_WAIT_S
        rig.gateway._work.set()
        await rig.settled(lambda: rig.gateway.syncs == syncs + 1)


async def test_doubtful_badge_that_was_never_believed_is_met(rig: Rig) -> None:
    """The host was restarted, and the badge installed anew meanwhile."""
    rig.radio.badges[7] = playing(7)
    async with rig.running():
        await rig.radio.advertise(7, is_doubtful=True)
        rig.clock.now_s += SETBACK_WAIT_S
        rig.gateway._work.set()
        await rig.settled(lambda: rig.gateway.syncs == 1)
    assert rig.store.next_seq(7, 1007) == rig.radio.badges[7].next_seq


async def test_flags_role_and_battery_come_from_the_advert(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7, flags=1 | 8, role=1, battery_pct=12)
        row = rig.row(7)
    assert (row.flag_names, row.role, row.battery_pct) == (
        ("safe mode", "low battery"),
        "medic",
        12,
    )


# --- syncing -----------------------------------------------------------------------------------


async def test_a_journal_is_fetched_folded_and_shown(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7, hits=2)
    await rig.gateway.name_player(7, "Raven")
    async with rig.running():
        await rig.radio.advertise(7, signal=SIGNALS["wounded"], counter_a=1)
        assert rig.row(7).unsynced == badge.next_seq
        await rig.settled(lambda: rig.row(7).unsynced == 0)
        row = rig.row(7)
    assert (row.player, row.hits, row.hits_max, row.event_count) == ("Raven", 1, 3, 2)
    assert row.state.en == "wounded"
    assert row.last_event is not None
    assert "hit" in row.last_event.en
    assert rig.store.next_seq(7, badge.install_id) == badge.next_seq
    assert [one.text.en for one in rig.gateway.recent(9)][-1] == "switched on"


async def test_the_advert_is_shown_until_the_journal_has_caught_up(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7, hits=1)
    async with rig.running():
        await rig.radio.advertise(7, counter_a=2, signal=SIGNALS["wounded"])
        await rig.settled(lambda: rig.row(7).unsynced == 0)
        badge.happen(HIT, 2, 0)
        rig.radio.faults[7] = out_of_range
        await rig.radio.advertise(7, counter_a=0, signal=SIGNALS["dying"])
        row = rig.row(7)
    assert (row.hits, row.state.en, row.event_count) == (0, "dying", 1)


@pytest.mark.parametrize("links", [1, 3])
async def test_H4_never_more_connections_at_a_time_than_told(rig: Rig, links: int) -> None:
    """All get their turn, the longest waiting first."""
    rig.gateway = rig.new_gateway(links)
    for badge_id in range(30):
        rig.radio.badges[badge_id] = playing(badge_id)
    async with rig.running():
        for badge_id in range(30):
            await rig.radio.advertise(badge_id)
        await asyncio.wait_for(rig.gateway.drained(set(range(30))), 20)
    assert rig.radio.most_at_once == links
    assert rig.radio.order == list(range(30))


async def test_badge_in_mid_sync_is_nobody_elses_next(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7)

    async def hit_meanwhile(page: int) -> None:
        if page < 2:
            badge.happen(HIT, 1, 0)
            await rig.radio.advertise(7)
            await asyncio.sleep(0.01)

    rig.radio.faults[7] = hit_meanwhile
    async with rig.running():
        await rig.radio.advertise(7)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
    assert rig.radio.most_at_once == 1


async def test_a_badge_that_fails_does_not_hold_up_the_others(rig: Rig) -> None:
    for badge_id in (1, 2, 3):
        rig.radio.badges[badge_id] = playing(badge_id)
    rig.radio.faults[1] = out_of_range
    async with rig.running():
        for badge_id in (1, 2, 3):
            await rig.radio.advertise(badge_id)
        await asyncio.wait_for(rig.gateway.drained({2, 3}), 10)
        assert rig.row(1).problem == "badge went out of range"
        del rig.radio.faults[1]
        rig.clock.now_s += 60
        await rig.radio.advertise(2)  # anything that wakes the gateway
        rig.radio.badges[2].happen(HIT, 1, 0)
        await rig.radio.advertise(2)
        await asyncio.wait_for(rig.gateway.drained({1}), 10)
        assert rig.row(1).problem is None
    assert rig.gateway.failed_syncs == 1


async def test_a_connect_that_never_returns_is_ended_and_others_sync(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PITFALLS H6: power loss in mid-operation hangs."""
    monkeypatch.setattr(gateway_module, "FETCH_LIMIT_S", 1.0)
    for badge_id in (1, 2):
        rig.radio.badges[badge_id] = playing(badge_id)
    rig.radio.faults[1] = silence
    async with rig.running():
        await rig.radio.advertise(1)
        await rig.radio.advertise(2)
        await asyncio.wait_for(rig.gateway.drained({2}), 10)
        await rig.settled(lambda: rig.row(1).problem == "no answer in time")


@pytest.mark.parametrize("broken_page", range(4))
async def test_after_an_abort_exactly_the_rest_is_fetched(rig: Rig, broken_page: int) -> None:
    """PITFALLS G2: nothing is released before it is committed, nothing is fetched twice."""
    badge = rig.radio.badges[7] = playing(7, hits=7)

    async def break_once(page: int) -> None:
        if page == broken_page:
            del rig.radio.faults[7]
            raise SyncError(SyncFailure.DISCONNECTED, "cut")

    rig.radio.faults[7] = break_once
    async with rig.running():
        await rig.radio.advertise(7)
        await rig.settled(lambda: rig.gateway.failed_syncs == 1)
        held = rig.store.next_seq(7, badge.install_id)
        assert rig.radio.released.get(7, 0) == held == broken_page * 3
        rig.clock.now_s += 60
        rig.radio.badges[8] = playing(8)
        await rig.radio.advertise(8)
        await asyncio.wait_for(rig.gateway.drained({7, 8}), 10)
    assert len(rig.store.records(7)) == badge.next_seq
    live = rig.gateway.live(7)
    assert live is not None
    state = live.projector.state()
    assert state.events + state.refused == 7


async def test_a_wiped_badge_is_synced_from_its_start(rig: Rig) -> None:
    rig.radio.badges[7] = playing(7, hits=5)
    async with rig.running():
        await rig.radio.advertise(7)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
        fresh = PlayingBadge(7, 5, HITS.ruleset)
        fresh.start(boot_id=99)
        rig.radio.badges[7] = fresh
        await rig.radio.advertise(7)
        assert rig.row(7).unsynced == fresh.next_seq
        rig.clock.now_s += SETBACK_WAIT_S + 0.1
        rig.radio.badges[8] = playing(8)
        await rig.radio.advertise(8)
        await asyncio.wait_for(rig.gateway.drained({7, 8}), 10)
    assert rig.row(7).event_count == 0
    assert len(rig.store.records(7)) == 8 + fresh.next_seq


async def test_an_advert_from_before_the_sync_asks_for_no_second_one(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7, hits=3)
    rig.radio.badges[8] = playing(8)
    async with rig.running():
        await rig.radio.advertise(7)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
        await rig.radio.advertise(7, last_seq=badge.next_seq - 3)
        await rig.radio.advertise(8)
        await asyncio.wait_for(rig.gateway.drained({8}), 10)
        await rig.radio.advertise(7)
        rig.clock.now_s += SETBACK_WAIT_S + 1
        rig.radio.badges[8].happen(HIT, 1, 0)
        await rig.radio.advertise(8)
        await asyncio.wait_for(rig.gateway.drained({7, 8}), 10)
    assert rig.radio.order == [7, 8, 8]


async def test_what_is_told_during_a_sync_is_fetched_by_the_next_one(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7, hits=1)
    seen_seq = badge.next_seq

    async def hit_behind_the_last_page(page: int) -> None:
        if page == 1:
            del rig.radio.faults[7]
            badge.happen(HIT, 1, 0)
            rig.radio.ends[7] = seen_seq  # the badge had told its end before
            await rig.radio.advertise(7)

    rig.radio.faults[7] = hit_behind_the_last_page
    async with rig.running():
        await rig.radio.advertise(7)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
    assert rig.radio.order == [7, 7]
    assert rig.store.next_seq(7, badge.install_id) == seen_seq + 1


async def test_a_contradiction_shows_in_the_row_and_stores_nothing(rig: Rig) -> None:
    badge = rig.radio.badges[7] = playing(7)
    rig.store.ingest_page(badge.page(0))
    other = PlayingBadge(7, badge.install_id, HITS.ruleset)
    other.start(boot_id=7)
    other.happen(HIT, 2, 1)
    other.happen(HIT, 2, 1)
    with pytest.raises(StoreConflict):
        rig.store.ingest_page(other.page(0))
    assert len(rig.store.records()) == badge.next_seq


async def test_a_full_disk_ends_the_gateway_with_its_sentence(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PITFALLS H10: an error while ingesting must not be lost in a callback."""

    def full(_page: object) -> int:
        raise StoreFull("The disk is full; free some space.")

    monkeypatch.setattr(rig.store, "ingest_page", full)
    rig.radio.badges[7] = playing(7)
    task = asyncio.create_task(rig.gateway.run())
    await rig.radio.advertise(7)
    with pytest.raises(RedbandUserError, match="disk is full"):
        await asyncio.wait_for(task, 10)


async def test_a_new_gateway_starts_with_what_the_store_holds(rig: Rig) -> None:
    rig.radio.badges[7] = playing(7, hits=2)
    await rig.gateway.name_player(7, "Raven")
    async with rig.running():
        await rig.radio.advertise(7)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
    before = rig.row(7)
    later = rig.new_gateway()
    await later.load()
    row = later.rows()[0]
    assert (row.player, row.hits, row.event_count) == ("Raven", before.hits, before.event_count)
    assert (row.last_seen_age_s, row.unsynced, row.battery_pct) == (None, None, None)


async def test_time_runs_on_between_adverts_and_a_timer_ends_in_the_row(rig: Rig) -> None:
    badge = PlayingBadge(7, 1, HITS.ruleset, tuple(HITS.param_values({"max_hits": 1})))
    badge.start(boot_id=1)
    badge.happen(HIT, 1, 0)
    rig.radio.badges[7] = badge
    async with rig.running():
        await rig.radio.advertise(7, signal=SIGNALS["dying"], timer_s=900)
        await asyncio.wait_for(rig.gateway.drained({7}), 10)
        rig.clock.now_s += 60
        await rig.radio.advertise(7, signal=SIGNALS["dying"], timer_s=840)
        assert rig.row(7).timer_left_s == 840
        live = rig.gateway.live(7)
        assert live is not None
        assert live.projector.state(live.game_ms(rig.clock())).timer_left_ms == 840_000


def test_the_log_keeps_the_order_of_things_though_pages_came_late() -> None:
    """PITFALLS G3: a boot that was fetched after the next one had begun is older all the same."""
    names = Rulesets([HITS]).names(None)
    badge = playing(7, hits=2)
    first = [replace(record, received_ms=101_000) for record in records_of(badge)]
    badge.start(boot_id=2)
    badge.happen(HIT, 1, 1, after_ms=500)
    second = [
        replace(record, boot_id=2, received_ms=101_000)
        for record in records_of(badge)[len(first) :]
    ]
    chronicle = Chronicle()
    for record in first + second:
        chronicle.add([record], names)
    lines = [(one.time_s, one.text.en) for one in chronicle.newest(9)]
    unknown = " (before boot 00000002, time unknown)"
    assert lines == [
        (101.0, "hit (1, impact sensor)"),
        (100.5, "started again: battery out or brownout"),
        (100.5, "hit (1, button)" + unknown),
        (100.5, "hit (1, button)" + unknown),
        (100.5, "switched on" + unknown),
    ]
    assert [one.is_time_known for one in chronicle.newest(9)] == [True, True, False, False, False]


def test_a_ruleset_known_only_as_bytes_has_numbers_for_names(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    store.keep_ruleset(HITS.identity, "hits", HITS.data)
    rulesets = Rulesets([])
    rulesets.exchange(store)
    names = rulesets.names(HITS.identity)
    assert rulesets.ruleset(HITS.identity) is not None
    assert names.event(1, (2, 0)).en == "event 1 (2, 0)"
    assert names.signal(0).ru == "сигнал 0"
    assert names.patterns(0) == HITS.ruleset.signals[0]
    store.close()


def test_the_book_keeps_the_shipped_rulesets_in_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    rulesets = open_rulesets(store)
    assert store.rulesets()[HITS.identity] == ("hits", HITS.data)
    assert rulesets.names(None).signal(0).en == HITS.signals[0].title.en
    store.close()


def test_a_damaged_ruleset_in_the_store_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    store.keep_ruleset(b"12345678", "odd", b"nonsense")
    rulesets = Rulesets([HITS])
    rulesets.exchange(store)
    assert rulesets.ruleset(b"12345678") is None
    store.close()


def test_badge_with_another_shipped_ruleset_is_named_and_its_ruleset_kept(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    try:
        rulesets = open_rulesets(store, "hits")
        preset = load("one_heal")
        assert preset.identity not in store.rulesets()
        assert rulesets.names(preset.identity).event(0, ()).en == preset.events[0].title.get("en")
        assert preset.identity in store.rulesets()
    finally:
        store.close()
