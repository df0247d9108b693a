"""A whole badge whose tasks fail, hang, or may not start: it counts on and says which it was."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest
from tests.support.changed import changed_files
from tests.support.waiting import until

from redband import rules
from redband.virtual.image import write_image
from redband_core import journal, numbers
from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

BADGE = Path(__file__).parents[2] / "firmware" / "lib" / "redband_badge"
RULES = rules.load("hits")
REST_MS = 60_000
PARAMS = tuple(REST_MS if param.name == "rest_ms" else param.default for param in RULES.params)
HIT = 1
LIFE = 0  # the track whose state is healthy, wounded, resting
RESTING = (5, 6)  # its two halves, each with a timer

TASKS = {name: number for name, number in vars(numbers).items() if name[:5] == "TASK_" and number}
REASONS = {name: number for name, number in vars(numbers).items() if name[:7] == "REASON_"}

# The supervisor as it is, and a factory that does something else for the task in `/fault`.
PLANTED = """
import time
from redband_hal import system

_add = Supervisor.add
_done = []
with open("/fault") as _file:
    _fault, _number, _count = _file.read().split()


def _add_with_fault(self, number, factory):
    async def run(beat):
        beat.report()
        if len(_done) < int(_count):
            _done.append(1)
            if _fault == "raises":
                raise ValueError("planted")
            while system.reset_cause() == 1:
                if _fault == "spins":
                    time.sleep(60)
                else:
                    await asyncio.sleep(1)
        await factory(beat)

    _add(self, number, run if number == int(_number) else factory)


Supervisor.add = _add_with_fault
"""
RAISES, SPINS, WAITS = "raises", "spins", "waits"


def planted(number: int, fault: str, count: int = 1) -> dict[str, str | bytes]:
    source = (BADGE / "supervisor.py").read_text(encoding="utf-8")
    return {
        "/lib/redband_badge/supervisor.mpy": source + PLANTED,
        "/fault": f"{fault} {number} {count}".encode(),
    }


def spec_for(name: str) -> dict:
    """Return what a badge must have for this task to be on it."""
    if name != "TASK_SENSOR":
        return {}
    settings = {
        "badge_id": 7,
        "player": "Anna",
        "role": "player",
        "radio": True,
        "ruleset": "/ruleset.bin",
        "impact": "accelerometer",
    }
    return {"has_accelerometer": True, "settings": settings}


async def bench_with(make_bench, name: str, fault: str, count: int = 1, **options):
    spec = spec_for(name)
    replace = planted(TASKS[name], fault, count)
    settings = spec.pop("settings", None)
    if settings is not None:
        replace["/settings.json"] = json.dumps(settings).encode()
    return await make_bench(replace=replace, with_power=False, **spec, **options)


async def hits_count(bench) -> None:
    """Hit the badge until it shows one as counted: a task may just be starting again."""
    async with asyncio.timeout(30):
        while True:
            try:
                await bench.acknowledged(bench.badge.press(), timeout_s=2)
                return
            except TimeoutError:
                continue


def restarted(bench) -> list[int]:
    return [value for code, value in bench.notes() if code == numbers.NOTE_TASK_RESTARTED]


def safe_mode_reasons(bench) -> list[int]:
    return [value for code, value in bench.notes() if code == numbers.NOTE_SAFE_MODE]


# R15, R9: a task that raises.


@pytest.mark.parametrize("name", TASKS)
async def test_R15_task_that_raises_once_is_started_again_and_recorded(make_bench, name):
    bench = await bench_with(make_bench, name, RAISES)
    await bench.badge.power_on()
    await until(lambda: restarted(bench) == [TASKS[name]])
    await hits_count(bench)
    await bench.badge.power_cut()
    assert bench.badge.boots == 1
    assert restarted(bench) == [TASKS[name]]
    assert bench.events()[-1][0] == HIT


@pytest.mark.parametrize("name", TASKS)
async def test_R9_R15_task_that_raises_five_times_leads_to_safe_mode_that_counts(make_bench, name):
    bench = await bench_with(make_bench, name, RAISES, count=5)
    await bench.badge.power_on()
    await until(lambda: REASONS["REASON_TASKS"] in safe_mode_reasons(bench))
    await hits_count(bench)
    await bench.badge.power_cut()
    assert safe_mode_reasons(bench)[:1] == [REASONS["REASON_TASKS"]]
    assert bench.events()[-1][0] == HIT


# R8, R9: a task that hangs.


def hung_tasks(bench) -> list[int]:
    return [value for code, value in bench.notes() if code == numbers.NOTE_HUNG_TASK]


@pytest.mark.parametrize("name", TASKS)
async def test_R8_task_that_never_awaits_is_named_by_the_start_after_the_watchdog(
    make_bench, name
):
    bench = await bench_with(make_bench, name, SPINS)
    await bench.badge.power_on()
    await until(lambda: hung_tasks(bench))
    assert bench.badge.chip.watchdog_resets == 1
    assert hung_tasks(bench) == [TASKS[name]]
    await hits_count(bench)
    await bench.badge.power_cut()
    boots = [journal.parse_boot(record[3]) for record in bench.records() if record[1] == 1]
    assert [boot[2] for boot in boots] == [1, 3]


@pytest.mark.parametrize("name", ["TASK_LED", "TASK_GAME"])
async def test_R8_task_that_waits_for_ever_is_named_although_the_others_run(make_bench, name):
    bench = await bench_with(make_bench, name, WAITS)
    await bench.badge.power_on()
    await until(lambda: hung_tasks(bench))
    assert hung_tasks(bench) == [TASKS[name]]


@pytest.mark.parametrize("garbage", [b"", bytes(7), b"\xff" * 7, random.Random(7).randbytes(64)])
async def test_R10_garbage_in_the_rtc_memory_at_power_on_changes_nothing(make_bench, garbage):
    bench = await make_bench(with_power=False)
    for _start in range(2):
        bench.badge.chip.rtc_at_power_on = garbage
        await bench.badge.power_on()
        await bench.until_lit()
        await bench.acknowledged(bench.badge.press())
        await bench.badge.power_cut()
    assert [event for event, _args in bench.events()] == [HIT, HIT]
    assert hung_tasks(bench) == []


# No reason for safe mode forgives a state or stops a timer.


def life(bench) -> int:
    """Return the state of the wearer that the badge's journal gives on the host."""
    engine = Engine(Ruleset.from_bytes(RULES.data), list(PARAMS))
    for _seq, kind, game_ms, payload in bench.records():
        if kind == journal.SNAPSHOT and payload:
            engine.restore(payload)
        elif kind == journal.EVENT:
            engine.step(game_ms, *journal.parse_event(payload))
        else:
            engine.advance(game_ms)
    return engine.track_state(LIFE)


def damaged(files: dict[str, bytes], reason: str) -> dict[str, bytes]:
    """Return the badge's files with what leads to safe mode for this reason."""
    if reason == "REASON_SETTINGS":
        return files | {"/settings.json": files["/settings.json"][:30]}
    if reason == "REASON_RULESET":
        return files | {"/ruleset.bin": files["/ruleset.bin"][:-1]}
    if reason == "REASON_TASKS":
        return files | changed_files(planted(TASKS["TASK_LED"], RAISES, 5))
    broken = "def add_power(badge, supervisor):\n    raise RuntimeError('x')\n"
    return files | changed_files({"/lib/redband_badge/power_parts.mpy": broken})


def exchange(bench, files: dict[str, bytes]) -> None:
    write_image(bench.badge.image_path, files)


async def wounded_and_treated(make_bench):
    bench = await make_bench(params=PARAMS)
    await bench.acknowledged(bench.badge.press())
    await until(lambda: len(bench.events()) >= 1)
    await bench.badge.pause(3000)
    await bench.badge.hold(1900)
    await until(lambda: life(bench) in RESTING)
    await bench.badge.power_cut()
    assert life(bench) == RESTING[0]
    return bench


# That of the journal is in tests/parts/check_badge.py: a virtual flash can't be told to fail.
@pytest.mark.parametrize("reason", ["REASON_SETTINGS", "REASON_TASKS", "REASON_BOOTS"])
async def test_safe_mode_keeps_a_state_with_its_timer_and_lets_it_run(make_bench, reason):
    bench = await wounded_and_treated(make_bench)
    exchange(bench, damaged(bench.files(), reason))
    await bench.badge.power_on()
    await until(lambda: REASONS[reason] in safe_mode_reasons(bench))
    assert life(bench) in RESTING
    await bench.badge.pause(REST_MS)
    await until(lambda: life(bench) > RESTING[1])
    timers = [r[2] for r in bench.records() if r[1] == journal.CHECKPOINT]
    treated_ms = next(r[2] for r in bench.records() if r[1] == journal.EVENT and r[3][0] != HIT)
    assert timers[-1] - treated_ms >= REST_MS // 2, "the rest took its time"
    await hits_count(bench)
    await bench.badge.power_cut()
    assert bench.events()[-1][0] == HIT


async def test_safe_mode_without_rules_keeps_the_state_for_the_start_that_has_them(make_bench):
    bench = await wounded_and_treated(make_bench)
    good = bench.files()["/ruleset.bin"]
    exchange(bench, damaged(bench.files(), "REASON_RULESET"))
    await bench.badge.power_on()
    await until(lambda: REASONS["REASON_RULESET"] in safe_mode_reasons(bench))
    await bench.until_lit()  # the reason is journalled before anybody looks at the button
    await bench.badge.press()
    await until(lambda: (numbers.NOTE_RAW_GESTURE, 1) in bench.notes())
    await bench.badge.power_cut()
    exchange(bench, bench.files() | {"/ruleset.bin": good})
    await bench.badge.power_on()
    await bench.until_lit()
    await bench.badge.power_cut()
    assert numbers.NOTE_NEW_GAME not in [code for code, _value in bench.notes()]
    assert life(bench) in RESTING


# R12, B9.


async def test_R12_player_who_flips_the_switch_in_the_first_seconds_stays_in_the_game(make_bench):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    for _flip in range(5):
        await bench.restart()
    await bench.badge.power_cut()
    assert safe_mode_reasons(bench) == []
    assert [event for event, _args in bench.events()] == [HIT]


TIRED_RADIO = """
_tries = []
_start = Radio.start


def _start_at_third(self, *arguments):
    _tries.append(1)
    if len(_tries) < 3:
        raise OSError(19)
    _start(self, *arguments)


Radio.start = _start_at_third
"""


async def test_B9_radio_that_starts_at_the_third_try_and_a_game_from_the_first_second(make_bench):
    radio = (BADGE.parent / "redband_hal" / "radio.py").read_text(encoding="utf-8")
    bench = await make_bench(replace={"/lib/redband_hal/radio.mpy": radio + TIRED_RADIO})
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert [event for event, _args in bench.events()] == [HIT]
    assert numbers.NOTE_RADIO_OFF not in [code for code, _value in bench.notes()]
    assert bench.badge.boots == 1
