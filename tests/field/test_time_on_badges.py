"""Time on whole virtual badges: a timer over the wrap of the ticks, and a player's quick pulls."""

from __future__ import annotations

import pytest
from tests.support.badge_journal import events_of, notes_of, records

from redband import rules
from redband_core import journal, numbers

HITS = rules.load("hits")
DEATH_MS = 20_000
WRAP = 1 << 30
RED_S = 20.0  # real seconds within which the game has to come so far, on a busy machine
PARAMS = tuple(HITS.param_values({"max_hits": 1, "death_ms": DEATH_MS}))


def shows_dead(leds) -> bool:
    return leds[0] == 1 and leds[1] == 0


async def has_steady_red(badge) -> None:
    """Wait until red is lit and does not blink for a second of game time."""
    while True:
        await badge.wait_led(shows_dead, timeout_s=RED_S)
        was_steady = True
        for _look in range(20):
            await badge.pause(50)
            was_steady = was_steady and shows_dead(badge.leds)
        if was_steady:
            return


@pytest.mark.parametrize("start_ticks_ms", [0, WRAP - 9000, (WRAP >> 1) - 9000])
async def test_R1_a_timer_runs_over_the_wrap_on_a_whole_badge(make_badge, start_ticks_ms: int):
    badge = await make_badge(
        with_firmware=True,
        has_radio=False,
        player="Raven",
        params=PARAMS,
        time_factor=5,
        start_ticks_ms=start_ticks_ms,
    )
    await badge.wait_led(lambda leds: leds[1] == 1, timeout_s=RED_S)
    await badge.press()
    await has_steady_red(badge)
    await badge.power_cut()
    told = records(badge)
    hits = [game_ms for _seq, kind, game_ms, _payload in told if kind == journal.EVENT]
    fired = [game_ms for _seq, kind, game_ms, _payload in told if kind == journal.CHECKPOINT]
    assert len(hits) == 1
    assert hits[0] + DEATH_MS in fired
    assert hits[0] < 30_000  # game time began at 0, whatever the ticks were


async def test_R12_quick_pulls_stay_in_the_game_and_are_written(make_badge):
    badge = await make_badge(
        with_firmware=True, has_radio=False, player="Raven", params=PARAMS, time_factor=2
    )
    await badge.wait_led(lambda leds: leds[1] == 1, timeout_s=RED_S)
    await badge.press()
    await badge.wait_led(shows_dead, timeout_s=RED_S)
    for _pull in range(4):  # within 10 s of game time, so that no start is healthy
        await badge.power_cut()
        await badge.power_on()
        await badge.wait_led(shows_dead, timeout_s=RED_S)
    await badge.power_cut()
    told = records(badge)
    boots = [journal.parse_boot(one.payload) for one in told if one.kind == journal.BOOT]
    assert [boot[1] for boot in boots] == [1, 2, 3, 4, 5]
    assert {boot[2] for boot in boots} == {1}
    codes = {code for code, _value in notes_of(told)}
    assert numbers.NOTE_SAFE_MODE not in codes
    assert len(events_of(told)) == 1
