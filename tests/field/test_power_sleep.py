"""Transport mode, switching off and light sleep of the whole firmware on a virtual badge."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.support.waiting import until

from redband import rules
from redband_core import journal
from redband_core.ruleset import Ruleset

TRANSPORT_ON, TRANSPORT_WOKEN, BATTERY_CRITICAL, GAME_ENDED = 56, 57, 58, 59
SLEEP_TRANSPORT, SLEEP_AUTO_OFF = 1, 2
HIT = 1
ALLOWED, ADVERTISING, RECENT_ACTION, TIMER_DUE = 0, 3, 5, 9
DARK = (0, 0, 0)

# A badge on which something happens two seconds after its start, once.
ONCE = """
import gc
gc.threshold(4096)
import asyncio, os
import redband_badge.app
import redband_badge.power_parts
real = redband_badge.power_parts.add_power

async def later(badge):
    await asyncio.sleep_ms(2000)
    try:
        os.stat("/done")
    except OSError:
        open("/done", "w").close()
        {action}

def add_power(badge, supervisor):
    real(badge, supervisor)
    asyncio.create_task(later(badge))

redband_badge.power_parts.add_power = add_power
redband_badge.app.run()
"""
TO_TRANSPORT = "from redband_badge import sleep; sleep.enter_transport(badge.state)"
GAME_OVER = "badge.note_queue.put((59, 0))"


def main_that(action: str) -> dict[str, str | bytes]:
    return {"/main.py": ONCE.format(action=action).encode()}


async def until_asleep(bench) -> None:
    async with asyncio.timeout(30):
        await bench.badge.chip.wait_asleep()
    assert tuple(bench.badge.leds) == DARK


async def until_noted(bench, code: int, count: int = 1, timeout_s: float = 20.0) -> None:
    await until(lambda: [one for one, _value in bench.notes()].count(code) >= count, timeout_s)


async def until_boots(bench, boots: int) -> None:
    await until(lambda: bench.badge.boots >= boots, 20)


def values_of(bench, code: int) -> list[int]:
    return [value for noted, value in bench.notes() if noted == code]


async def test_transport_mode_sleeps_through_presses_and_wakes_at_a_hold(make_bench):
    bench = await make_bench(replace=main_that(TO_TRANSPORT))
    badge = bench.badge
    await bench.acknowledged(badge.press())
    await until_asleep(bench)
    assert values_of(bench, TRANSPORT_ON) == [SLEEP_TRANSPORT]
    assert bench.files()["/transport"] == b"1"
    before = bench.events()
    bench.lights.clear()
    for press_ms in (80, 1500):
        boots = badge.boots
        await badge.press(press_ms)
        await until_boots(bench, boots + 1)
        await until_asleep(bench)
    assert bench.lights == []
    held = asyncio.ensure_future(badge.hold(4500))
    await badge.wait_led(lambda leds: tuple(leds[:2]) == (1, 1), timeout_s=20)
    await held
    await until_noted(bench, TRANSPORT_WOKEN)
    await bench.until_lit()
    # The hold was no input of the game, and nothing of the state was lost or forgiven.
    await asyncio.sleep(1)
    await badge.power_cut()
    assert bench.events() == before
    assert "/transport" not in bench.files()
    assert "/transport.woke" not in bench.files()


async def test_R12_battery_pull_in_transport_mode_does_not_end_it(make_bench):
    bench = await make_bench(replace=main_that(TO_TRANSPORT))
    await until_asleep(bench)
    await bench.badge.power_cut()
    bench.lights.clear()
    await bench.badge.power_on()
    await until_asleep(bench)
    assert bench.lights == []


async def test_game_time_stands_still_in_transport_mode(make_bench):
    # Half a minute of bleeding before the sleep, hours in the box: the timer goes on after it.
    bench = await make_bench(replace=main_that(TO_TRANSPORT))
    badge = bench.badge
    await bench.acknowledged(badge.press())
    await until_asleep(bench)
    slept_at_ms = bench.records()[-1][2]
    await asyncio.sleep(4 * 3600)
    held = asyncio.ensure_future(badge.hold(4500))
    await until_noted(bench, TRANSPORT_WOKEN)
    await held
    boot = [record for record in bench.records() if record[1] == journal.BOOT][-1]
    assert boot[2] == slept_at_ms


async def test_transport_mode_from_the_prompt(make_bench):
    bench = await make_bench()
    badge = bench.badge
    process = await asyncio.create_subprocess_exec(
        *_mpremote(badge),
        "exec",
        "--no-follow",
        "from redband_badge import sleep; sleep.begin_transport()",
    )
    async with asyncio.timeout(30):
        assert await process.wait() == 0
    await until_asleep(bench)
    assert bench.files()["/transport"] == b"0"
    held = asyncio.ensure_future(badge.hold(4500))
    await until_noted(bench, TRANSPORT_WOKEN)
    await held
    assert values_of(bench, TRANSPORT_ON) == [SLEEP_TRANSPORT]


def _mpremote(badge) -> list[str]:
    return [sys.executable, "-m", "mpremote", "connect", str(badge.usb_path)]


async def test_idle_badge_in_no_game_warns_and_switches_itself_off_and_a_press_wakes_it(
    make_bench,
):
    bench = await make_bench(
        replace=main_that(GAME_OVER) | {"/settings.json": settings(auto_off_min=1)},
    )
    badge = bench.badge
    await until_noted(bench, GAME_ENDED)
    # Both lamps each second: the warning. That a press ends it is in check_auto_off.
    await badge.wait_led(lambda leds: tuple(leds[:2]) == (1, 1), timeout_s=120)
    await until_noted(bench, TRANSPORT_ON, timeout_s=120)
    await until_asleep(bench)
    assert values_of(bench, TRANSPORT_ON) == [SLEEP_AUTO_OFF]
    hits = len(bench.events())
    boots = badge.boots
    await badge.press()
    await until_boots(bench, boots + 1)
    await bench.until_journal(hits + 1)  # R13: the press that woke it is counted once
    await asyncio.sleep(1)
    await badge.power_cut()
    assert len(bench.events()) == hits + 1


async def test_badge_in_a_game_never_switches_itself_off(make_bench):
    bench = await make_bench(replace={"/settings.json": settings(auto_off_min=1)})
    await asyncio.sleep(300)  # five times what it would take between two games
    assert bench.badge.boots == 1
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert bench.records()[-1].game_ms > 300_000
    assert values_of(bench, TRANSPORT_ON) == []


def settings(**changes) -> bytes:
    return json.dumps(
        {
            "badge_id": 7,
            "player": "Anna",
            "role": "player",
            "radio": True,
            "ruleset": "/ruleset.bin",
        }
        | changes
    ).encode()


async def refusal_of(bench) -> int:
    """Ask a running badge over USB why it does not sleep."""
    badge = bench.badge
    badge.console.log.clear()
    badge.console.input(b"?")
    await badge.console.wait_output(b"}")
    line = bytes(badge.console.log).split(b"STATUS ")[1].splitlines()[0]
    return json.loads(line)["sleep_refusal"]


async def until_refusal(bench, allowed: tuple[int, ...]) -> None:
    async with asyncio.timeout(30):
        while await refusal_of(bench) not in allowed:  # noqa: ASYNC110
            await asyncio.sleep(0.3)


async def test_light_sleep_without_a_radio_loses_no_press(make_bench):
    params = Ruleset.from_bytes(rules.load("hits").data).defaults()
    chosen = settings(radio=False, impact="off", params=[20, *params[1:]])
    bench = await make_bench(replace={"/settings.json": chosen})
    badge = bench.badge
    assert await refusal_of(bench) == RECENT_ACTION
    for number in range(1, 4):
        # An interrupt of a press in light sleep comes never; the next look at the button does.
        await until_refusal(bench, (ALLOWED, TIMER_DUE))
        await bench.acknowledged(badge.press(120))
        await bench.until_journal(number)
    await badge.power_cut()
    assert [event for event in bench.events() if event[0] == HIT] == [(HIT, (1, 0))] * 3


async def test_R14_low_battery_is_noted_once_and_the_game_goes_on(make_bench):
    bench = await make_bench()
    badge = bench.badge
    badge.set_battery_mv(3400)
    await until_noted(bench, BATTERY_CRITICAL)
    await bench.acknowledged(badge.press())
    await asyncio.sleep(30)  # three measurements
    badge.set_battery_mv(4000)
    await asyncio.sleep(20)
    await bench.acknowledged(badge.press())
    await badge.power_cut()
    assert len(bench.events()) == 2
    assert len(values_of(bench, BATTERY_CRITICAL)) == 1
    assert abs(values_of(bench, BATTERY_CRITICAL)[0] - 3400) <= 20


async def test_brightness_of_the_settings_is_that_of_the_lights(make_bench):
    bench = await make_bench(replace={"/settings.json": settings(brightness_pct=30)})
    await bench.badge.wait_led(lambda leds: leds[1] == 1)
    assert bench.badge.light_levels == (0, 30, 0)
    seen = asyncio.ensure_future(bench.badge.wait_led(lambda leds: tuple(leds) == (1, 1, 1)))
    pressed = asyncio.ensure_future(bench.badge.press())
    await seen
    assert bench.badge.light_levels == (30, 30, 100)  # the motor is never dimmed
    await pressed


async def test_B10_badge_with_a_radio_says_why_it_does_not_sleep(make_bench):
    bench = await make_bench()
    assert await refusal_of(bench) == ADVERTISING
