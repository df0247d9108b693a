"""A whole badge in trouble: it goes on counting, forgives nothing, and says what is wrong."""

from __future__ import annotations

import asyncio
import json

from tests.support.waiting import until

from redband_core import journal, numbers

HIT = (1, (1, 0))
LOW_BATTERY = numbers.NOTE_BATTERY_CRITICAL  # and low at once, at 3.4 V

FAILS_AT_START = """
def add_power(badge, supervisor):
    raise RuntimeError("broken at start")
"""
FAILS_WHILE_RUNNING = """
from redband_core import numbers


async def run(beat):
    raise RuntimeError("broken while running")


def add_power(badge, supervisor):
    supervisor.add(numbers.TASK_POWER, run)
"""
DEAD_RADIO = """
EVENT_CONNECTED = 1
EVENT_DISCONNECTED = 2
EVENT_WRITTEN = 3
EVENT_MTU = 4


class Radio:
    def __init__(self, service_uuid, info_uuid, control_uuid, log_uuid):
        self.is_started = False

    def start(self, name, firmware_version):
        raise OSError(19)

    def stop(self):
        pass

    def take_heard(self):
        return None
"""
SETTINGS = {
    "badge_id": 7,
    "player": "Anna",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}


async def in_safe_mode(bench, boots: int, code: int) -> None:
    """Wait for the start number `boots` and for the LED code: red and green in turn."""
    await until(lambda: bench.badge.boots >= boots, 20)
    for _flash in range(code):
        await bench.badge.wait_led(lambda leds: tuple(leds[:2]) == (1, 0))
        await bench.badge.wait_led(lambda leds: tuple(leds[:2]) == (0, 1))


async def hit_and_cut(bench) -> None:
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()


def safe_mode_reasons(bench) -> list[int]:
    return [value for code, value in bench.notes() if code == numbers.NOTE_SAFE_MODE]


async def test_R12_app_that_raises_at_start_gets_safe_mode_at_the_fourth_start(make_bench):
    bench = await make_bench(
        replace={"/lib/redband_badge/power_parts.mpy": FAILS_AT_START}, with_power=False
    )
    await bench.badge.power_on()
    await in_safe_mode(bench, boots=4, code=numbers.REASON_BOOTS)
    await hit_and_cut(bench)
    assert bench.events() == [HIT]
    assert safe_mode_reasons(bench) == [numbers.REASON_BOOTS]


async def test_app_that_cannot_be_imported_gets_safe_mode_at_once(make_bench):
    bench = await make_bench(
        replace={"/lib/redband_badge/app.mpy": b"not a module"}, with_power=False
    )
    await bench.badge.power_on()
    await in_safe_mode(bench, boots=1, code=numbers.REASON_BOOTS)
    await hit_and_cut(bench)
    assert bench.events() == [HIT]


async def test_R15_task_that_fails_five_times_gets_safe_mode_and_each_failure_is_recorded(
    make_bench,
):
    bench = await make_bench(
        replace={"/lib/redband_badge/power_parts.mpy": FAILS_WHILE_RUNNING}, with_power=False
    )
    await bench.badge.power_on()
    await in_safe_mode(bench, boots=2, code=numbers.REASON_TASKS)
    await hit_and_cut(bench)
    assert bench.events() == [HIT]
    restarts = [code for code, _value in bench.notes() if code == numbers.NOTE_TASK_RESTARTED]
    assert len(restarts) >= 3
    assert safe_mode_reasons(bench) == [numbers.REASON_TASKS]


async def test_G13_damaged_settings_give_safe_mode_that_keeps_the_wound(make_bench):
    bad = json.dumps(SETTINGS | {"badge_id": -1}).encode()
    good = json.dumps(SETTINGS).encode()
    bench = await make_bench(replace={"/settings.json": bad, "/settings.good": good})
    await in_safe_mode(bench, boots=1, code=numbers.REASON_SETTINGS)
    await hit_and_cut(bench)
    boot = next(r for r in bench.records() if r[1] == journal.BOOT)
    assert journal.parse_boot(boot[3])[3] == 7
    assert bench.events() == [HIT]
    assert bench.files()["/settings.json"] == bad
    await bench.badge.power_on()
    await in_safe_mode(bench, boots=2, code=numbers.REASON_SETTINGS)
    await hit_and_cut(bench)
    assert bench.events() == [HIT, HIT]


async def test_R14_battery_is_watched_in_safe_mode(make_bench):
    bench = await make_bench(replace={"/ruleset.bin": b"RBL1 but damaged"})
    await in_safe_mode(bench, boots=1, code=numbers.REASON_RULESET)
    bench.badge.set_battery_mv(3400)
    await until(lambda: any(code == LOW_BATTERY for code, _value in bench.notes()), 20)
    await bench.acknowledged(bench.badge.press())


async def test_damaged_ruleset_keeps_presses_as_notes(make_bench):
    bench = await make_bench(replace={"/ruleset.bin": b"RBL1 but damaged"})
    await in_safe_mode(bench, boots=1, code=numbers.REASON_RULESET)
    for _press in range(3):
        await bench.acknowledged(bench.badge.press(rest_ms=100))
    await bench.badge.power_cut()
    assert [value for code, value in bench.notes() if code == numbers.NOTE_RAW_GESTURE][:3] == [
        1,
        1,
        1,
    ]


async def test_B9_radio_that_never_starts_is_shown_and_the_game_runs(make_bench):
    bench = await make_bench(replace={"/lib/redband_hal/radio.mpy": DEAD_RADIO})
    await bench.acknowledged(bench.badge.press())
    await until(lambda: (numbers.NOTE_RADIO_OFF, 19) in bench.notes())
    await hit_and_cut(bench)
    assert bench.events() == [HIT, HIT]
    assert bench.badge.boots == 1


async def test_badge_with_the_radio_off_by_setting_plays(make_bench):
    bench = await make_bench(has_radio=False)
    await hit_and_cut(bench)
    assert bench.events() == [HIT]


async def test_technician_at_the_prompt_is_no_failed_start(make_bench):
    bench = await make_bench()
    for _time in range(4):
        port = bench.badge.usb_path.open("r+b", buffering=0)
        # Pending until the app has ended in order. As mpremote does, again and again: a port that
        # was just opened may lose what is written first (PITFALLS T1).
        async with asyncio.timeout(20):
            while bench.files()["/boot.cnt"][6]:
                port.write(b"\x03")
                await asyncio.sleep(0.5)
        port.write(b"\x04")
        port.close()
        await bench.badge.power_cut()
        await bench.badge.power_on()
        await bench.until_lit()
    await hit_and_cut(bench)
    assert safe_mode_reasons(bench) == []
    assert bench.events() == [HIT]
