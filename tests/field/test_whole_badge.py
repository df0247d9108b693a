"""The real firmware on a virtual badge: hit, light, journal, battery."""

import asyncio

import pytest
from tests.support.badge_journal import events, kinds
from tests.support.waiting import until

from redband import rules
from redband_core import journal

HIT = "hit"


def hits_on(badge) -> int:
    """Return the hits in the journal of a badge without power."""
    hit_id = next(event.id for event in rules.load("hits").events if event.name == HIT)
    return [number for number, _args in events(badge)].count(hit_id)


@pytest.fixture
def make_player(make_badge):
    """Return make(**options): a badge with the firmware and the hits ruleset, healthy."""

    async def make(**options):
        badge = await make_badge(with_firmware=True, player="Raven", **options)
        await badge.wait_led(lambda leds: leds[1] == 1, timeout_s=20)
        return badge

    return make


async def test_press_is_a_hit_in_the_journal_and_a_red_light(make_player):
    badge = await make_player()
    pressed = asyncio.create_task(badge.press(bounces=3))
    await badge.wait_led(lambda leds: leds[0] == 1, timeout_s=5)
    await badge.power_cut()  # what was shown is in the journal, at any instant
    await pressed
    assert hits_on(badge) == 1


async def test_G10_battery_out_and_in_is_no_medic(make_player):
    badge = await make_player()
    for _ in range(2):
        await badge.press()
    await badge.wait_led(lambda leds: leds[0] == 1, timeout_s=5)
    await badge.power_cut()
    hits = hits_on(badge)
    assert hits >= 1
    await badge.power_on()
    await badge.wait_led(lambda leds: leds[0] == 1, timeout_s=10)
    await badge.power_cut()
    assert hits_on(badge) == hits
    assert kinds(badge).count(journal.BOOT) == 2


@pytest.mark.parametrize("clock", [{}, {"time_factor": 0.5, "start_ticks_ms": (1 << 30) - 3000}])
async def test_twelve_bouncing_presses_a_second_are_all_recorded(make_player, clock):
    badge = await make_player(**clock)
    rest_ms = 1000 / 12 - 40
    presses = [badge.press(duration_ms=40, bounces=2, rest_ms=rest_ms) for _ in range(24)]
    assert all(await asyncio.gather(*presses))
    inputs = (journal.EVENT, journal.REFUSED)
    await until(lambda: sum(kind in inputs for kind in kinds(badge)) >= 24)
