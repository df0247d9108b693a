"""The real firmware on a virtual badge: hit, light, journal, battery."""

import asyncio

import pytest

from redband import rules
from redband.demo.evidence import read_journal
from redband_core import journal

HIT = "hit"


def hits_on(badge) -> int:
    """Return the hits in the journal of a badge without power."""
    hit_id = next(event.id for event in rules.load("hits").events if event.name == HIT)
    count = 0
    for kind, _ms, payload in read_journal(badge.image_path).records.values():
        if kind == journal.EVENT and journal.parse_event(payload)[0] == hit_id:
            count += 1
    return count


def records_on(badge, *kinds: int) -> int:
    """Return how many records of `kinds` are in the journal."""
    records = read_journal(badge.image_path).records.values()
    return sum(kind in kinds for kind, _ms, _payload in records)


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
    assert records_on(badge, journal.BOOT) == 2


@pytest.mark.parametrize("clock", [{}, {"start_ticks_ms": (1 << 30) - 3000}])
async def test_twelve_bouncing_presses_a_second_are_all_recorded(make_player, clock):
    badge = await make_player(**clock)
    rest_ms = 1000 / 12 - 40
    presses = [badge.press(duration_ms=40, bounces=2, rest_ms=rest_ms) for _ in range(24)]
    assert all(await asyncio.gather(*presses))
    async with asyncio.timeout(20):
        while records_on(badge, journal.EVENT, journal.REFUSED) < 24:  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # the image tells nobody that it has changed
