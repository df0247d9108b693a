"""A whole badge: what its lights show is in its journal, whatever happens to the battery."""

from __future__ import annotations

import asyncio
import json

import pytest

from redband import rules
from redband.virtual.image import write_image
from redband_core import journal
from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

HIT = 1
TREAT = 4
BUTTON = 0
SENSOR = 1


def replayed(bench) -> Engine:
    """Return the state that the badge's journal gives on the host."""
    engine = Engine(Ruleset.from_bytes(rules.load("hits").data))
    for _seq, kind, game_ms, payload in bench.records():
        if kind == journal.SNAPSHOT:
            engine.restore(payload)
        elif kind == journal.EVENT:
            engine.step(game_ms, *journal.parse_event(payload))
        else:
            engine.advance(game_ms)
    return engine


def state_of(engine: Engine) -> tuple[list[int], list[int], int]:
    tracks = [engine.track_state(track) for track in range(len(engine.ruleset.state_counts))]
    counters = [engine.counter(index) for index in range(engine.ruleset.counter_count)]
    return tracks, counters, engine.signal()


async def test_R6_hit_shown_by_the_lights_is_in_the_journal_after_a_power_cut(make_bench):
    bench = await make_bench(
        params=(20, *Ruleset.from_bytes(rules.load("hits").data).defaults()[1:])
    )
    for count in range(1, 13):
        press = asyncio.ensure_future(bench.badge.press(60))
        await bench.acknowledged(asyncio.sleep(0))
        await bench.badge.power_cut()
        assert bench.events() == [(HIT, (1, BUTTON))] * count
        await press
        await bench.badge.power_on()
        await bench.until_lit()


@pytest.mark.both_paces
async def test_sensor_and_button_are_told_apart(make_bench):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.shake())
    await bench.quiet()
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert bench.events() == [(HIT, (1, SENSOR)), (HIT, (1, BUTTON))]


async def test_G10_power_switch_heals_nobody_in_any_state(make_bench):
    bench = await make_bench()
    badge = bench.badge

    async def press():
        await bench.acknowledged(badge.press())

    async def hold():
        await bench.acknowledged(badge.hold(1900))

    # Healthy, wounded, resting, wounded again, dying, and what a medic makes of that.
    for number, action in enumerate((None, press, hold, press, press, hold)):
        if action is not None:
            await action()
            await bench.quiet()
        before = state_of(replayed(bench))
        await bench.restart()
        assert state_of(replayed(bench)) == before, number
        signal = replayed(bench).ruleset.signals[before[2]]
        for light, wanted in zip(signal[:2], ((1, 0), (0, 1)), strict=True):
            if light:
                await badge.wait_led(lambda leds, wanted=wanted: leds[:2] == wanted, 5.0)
    boots = [r for r in bench.records() if r[1] == journal.BOOT]
    assert [journal.parse_boot(r[3])[1] for r in boots] == list(range(1, len(boots) + 1))
    assert len({journal.parse_boot(r[3])[0] for r in boots}) == len(boots)


async def test_hold_gives_a_void_and_a_treatment(make_bench):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press(rest_ms=600))
    await bench.badge.hold(1800)
    await bench.badge.power_cut()
    assert bench.events()[:2] == [(HIT, (1, BUTTON))] * 2
    assert bench.events()[2] == (0, (1, BUTTON))
    assert bench.events()[3][0] == TREAT


async def test_R2_twelve_bouncing_presses_a_second_lose_none_and_count_none_twice(make_bench):
    # Slow, because a badge that gets no processor amid a bounce would feel one of that length.
    bench = await make_bench()
    presses = [bench.badge.press(35, bounces=3, rest_ms=40) for _ in range(31)]
    assert all(await asyncio.gather(*presses))
    await bench.until_journal(31)
    await bench.badge.power_cut()
    inputs = [r for r in bench.records() if r[1] in (journal.EVENT, journal.REFUSED)]
    assert len(inputs) == 31


async def test_G4_badge_of_another_player_begins_anew_and_the_old_life_is_kept(
    make_bench,
):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    old = bench.files()
    for change, hits_lost in (({"player": "Anna Maria"}, 1), ({"badge_id": 8}, 0)):
        files = bench.files()
        files["/settings.json"] = json.dumps(json.loads(files["/settings.json"]) | change).encode()
        write_image(bench.badge.image_path, files)
        await bench.badge.power_on()
        await bench.until_lit()
        await bench.badge.power_cut()
        assert len(bench.events()) == hits_lost
    kept = [name for name in bench.files() if name.startswith("/journal.old/")]
    assert len(kept) == len([name for name in old if name.startswith("/journal/")])


@pytest.mark.parametrize("start_ticks_ms", [(1 << 30) - 700, (1 << 29) - 700])
async def test_R1_hits_count_across_the_wrap_of_the_ticks(make_bench, start_ticks_ms):
    bench = await make_bench(start_ticks_ms=start_ticks_ms)
    for _press in range(3):
        await bench.acknowledged(bench.badge.press(rest_ms=500))
    await bench.badge.power_cut()
    assert bench.events() == [(HIT, (1, BUTTON))] * 3
    times_ms = [r[2] for r in bench.records()]
    assert times_ms == sorted(times_ms)
    assert times_ms[-1] < 10_000
