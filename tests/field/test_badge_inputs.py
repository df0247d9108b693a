"""A whole badge's button and impact sensor: burst tables, blows, its own motor, faults."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from tests.support.waiting import until

from redband import rules
from redband.virtual.board_pins import BUTTON, IMPACT
from redband_core import journal

BURSTS = runpy.run_path(str(Path(__file__).parents[1] / "core" / "data" / "bursts.py"))["BURSTS"]
PLAYED = (
    "average bounce",
    "worst bounce",
    "R2 ten edges at release",
    "double tap",
    "twelve presses a second",
    "tap of 5 ms that bounces",
    "G8 spring that rings",
    "G8 two blows within the refractory time",
)
SENSOR, IMPACTS_IGNORED = 40, 42
MISSING, WORKS = 1, 0
BUTTON_SOURCE, SENSOR_SOURCE = 0, 1
SETTINGS = {
    "badge_id": 7,
    "player": "Anna",
    "role": "player",
    "radio": False,
    "ruleset": "/ruleset.bin",
}
MANY_HITS = 20
LATE_MS = 40


def settings(**changes) -> dict[str, bytes]:
    params = rules.load("hits").param_values({"max_hits": MANY_HITS})
    found = SETTINGS | {"params": list(params)} | changes
    return {"/settings.json": json.dumps(found).encode()}


@pytest.fixture
def make_fighter(make_bench):
    """Return make(settings={}, **spec): a badge of many hits, without radio."""

    async def make(has_accelerometer: bool = False, time_factor: float = 1.0, **changes):
        if has_accelerometer:
            changes = {"impact": "accelerometer"} | changes
        replace = settings(**changes)
        spec = {"has_radio": False, "has_accelerometer": has_accelerometer}
        return await make_bench(time_factor, replace, **spec)

    return make


async def until_noted(bench, code: int, value: int) -> None:
    await until(lambda: (code, value) in bench.notes())


def hit_times(bench, source: int) -> list[int]:
    """Return the game times of the hits from button or sensor."""
    return [
        ms
        for _seq, kind, ms, payload in bench.records()
        if kind == journal.EVENT and journal.parse_event(payload) == (1, (1, source))
    ]


def waits(edges) -> list[tuple[int, bool]]:
    """Return a table's edges as the virtual badge plays them."""
    found, before_us = [], edges[0]
    for number, edge_us in enumerate(edges):
        found.append((edge_us - before_us, number % 2 == 0))
        before_us = edge_us
    return found


@pytest.mark.parametrize("name", PLAYED)
async def test_burst_on_a_whole_badge(make_fighter, name):
    _name, contact, edges, expected = next(row for row in BURSTS if row[0] == name)
    bench = await make_fighter()
    assert await bench.badge.play(BUTTON if contact == "button" else IMPACT, waits(edges), 1500)
    await bench.badge.power_cut()
    times = hit_times(bench, BUTTON_SOURCE if contact == "button" else SENSOR_SOURCE)
    assert len(times) == len(expected), times
    # Never nearer to each other than in the table; a busy host makes it longer.
    for found_ms, (earliest_ms, _latest_ms) in zip(times, expected, strict=True):
        assert found_ms - times[0] >= earliest_ms - expected[0][1] - LATE_MS


async def test_a_blow_to_the_accelerometer_is_a_hit_and_a_weak_one_is_not(make_fighter):
    bench = await make_fighter(has_accelerometer=True, impact_threshold_mg=4000)
    await bench.badge.blow(2500)
    await bench.acknowledged(bench.badge.blow(9000))
    await bench.badge.power_cut()
    assert len(hit_times(bench, SENSOR_SOURCE)) == 1


async def test_the_threshold_of_the_setting_counts(make_fighter):
    bench = await make_fighter(has_accelerometer=True, impact_threshold_mg=1500)
    await bench.acknowledged(bench.badge.blow(2500))
    await bench.badge.power_cut()
    assert len(hit_times(bench, SENSOR_SOURCE)) == 1


async def test_G9_own_motor_shakes_the_sensor_and_gives_no_hit(make_fighter):
    # Each press that counts buzzes; the sensor is set so low that it feels that.
    bench = await make_fighter(has_accelerometer=True, impact_threshold_mg=600)
    for _press in range(3):
        await bench.acknowledged(bench.badge.press())
        await bench.quiet()
        await bench.badge.pause(700)
    await until_noted(bench, IMPACTS_IGNORED, 1)
    await bench.badge.power_cut()
    assert len(hit_times(bench, BUTTON_SOURCE)) == 3
    assert hit_times(bench, SENSOR_SOURCE) == []


async def test_accelerometer_that_is_not_there_is_noted_and_the_button_counts(make_fighter):
    bench = await make_fighter(impact="accelerometer")
    await bench.acknowledged(bench.badge.press())
    await until_noted(bench, SENSOR, MISSING)
    await bench.badge.power_cut()
    assert len(hit_times(bench, BUTTON_SOURCE)) == 1


async def test_accelerometer_that_fails_later_is_noted_tried_again_and_works(make_fighter):
    bench = await make_fighter(has_accelerometer=True, time_factor=6)
    bench.badge.break_sensor()
    await until_noted(bench, SENSOR, MISSING)
    await bench.acknowledged(bench.badge.press())
    await bench.quiet()
    bench.badge.break_sensor(None)
    await until_noted(bench, SENSOR, WORKS)
    await bench.acknowledged(bench.badge.blow(9000))
    await bench.badge.power_cut()
    assert len(hit_times(bench, SENSOR_SOURCE)) == 1


async def test_impact_sensor_that_is_off_counts_nothing(make_fighter):
    bench = await make_fighter(impact="off")
    await bench.badge.shake()
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert hit_times(bench, SENSOR_SOURCE) == []
