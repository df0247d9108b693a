"""A badge that tests itself at its first start, before the game."""

from __future__ import annotations

from tests.support.self_tests import hits, try_out

from redband_core import numbers

BUTTON_AND_IMPACT = 32 | 64


async def test_first_start_tests_before_the_game_and_never_again(make_bench):
    bench = await make_bench(replace={"/selftest": b"run"}, with_power=False)
    await bench.badge.power_on()
    await try_out(bench)
    await bench.badge.console.wait_output(b"SELFTEST end impact ok")
    await bench.until_lit()
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert hits(bench) == 1
    assert "/selftest" not in bench.files()
    bench.badge.console.log.clear()
    await bench.badge.power_on()
    await bench.until_lit()
    await bench.acknowledged(bench.badge.press())
    assert b"SELFTEST" not in bench.badge.console.log
    await bench.badge.power_cut()
    assert hits(bench) == 2


async def test_battery_pulled_in_the_first_test_gives_a_game_and_a_named_failure(make_bench):
    bench = await make_bench(replace={"/selftest": b"run"}, with_power=False)
    await bench.badge.power_on()
    await bench.badge.console.wait_output(b"SELFTEST begin button")
    await bench.badge.power_cut()
    bench.badge.console.log.clear()
    await bench.badge.power_on()
    await bench.until_lit()
    await bench.acknowledged(bench.badge.press())
    assert b"SELFTEST" not in bench.badge.console.log
    await bench.badge.power_cut()
    results = [value for code, value in bench.notes() if code == numbers.NOTE_SELF_TEST]
    assert [value & 0xFFFF for value in results] == [128]


async def test_test_that_nobody_attends_ends_and_the_game_begins(make_bench):
    bench = await make_bench(replace={"/selftest": b"run"}, with_power=False)
    await bench.badge.power_on()
    await bench.badge.console.wait_output(
        b"SELFTEST end impact failed", timeout_s=60
    )  # twice 20 s for a hand
    await bench.until_lit()
    await bench.badge.press()
    await bench.until_journal(1)
    await bench.badge.power_cut()
    assert bench.badge.chip.watchdog_resets == 0
    results = [value for code, value in bench.notes() if code == numbers.NOTE_SELF_TEST]
    assert [value & 0xFFFF for value in results] == [BUTTON_AND_IMPACT]


async def test_badge_that_nobody_asked_to_test_itself_does_not(make_bench):
    bench = await make_bench()
    assert b"SELFTEST" not in bench.badge.console.log
