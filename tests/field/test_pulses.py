"""Pulses at the contacts: on the badge's own clock, whatever the machine is busy with."""

import asyncio
import os
import signal
import time

import pytest

from redband.errors import RedbandUserError
from redband.virtual import pulses

# Prints each press with its length and the pause before it, in ms of the badge's own clock.
STAMPS = """
import asyncio, time
from machine import Pin
button = Pin(3, Pin.IN, Pin.PULL_UP)
edges = []
button.irq(lambda pin: edges.append((time.ticks_us(), pin.value())))
async def main():
    print("ready")
    up_us = time.ticks_us()
    down_us = up_us
    while True:
        await asyncio.sleep_ms(5)
        while edges:
            at_us, level = edges.pop(0)
            if level:
                print("press", time.ticks_diff(at_us, down_us) // 1000,
                    "after", time.ticks_diff(down_us, up_us) // 1000)
                up_us = at_us
            else:
                down_us = at_us
asyncio.run(main())
"""
LEVEL_AT_START = """
from machine import Pin
import machine, time
button = Pin(3, Pin.IN, Pin.PULL_UP)
print("cause", machine.reset_cause(), machine.wake_reason(), "level", button.value())
"""


def presses(badge) -> list[tuple[int, int]]:
    """Return (length, pause before) of each press that the badge has printed, in ms."""
    lines = [line.split() for line in badge.console.log.split(b"\r\n")]
    return [(int(line[1]), int(line[3])) for line in lines if line[:1] == [b"press"]]


async def until_printed(badge, count: int) -> list[tuple[int, int]]:
    await badge.console.wait_output(b"ready")
    async with asyncio.timeout(20):
        while len(presses(badge)) < count:  # noqa: ASYNC110 (the console tells bytes, not lines)
            await asyncio.sleep(0.01)
    return presses(badge)


async def test_presses_have_their_length_and_rest_on_the_badges_clock(make_badge):
    badge = await make_badge(STAMPS)
    await badge.console.wait_output(b"ready")
    for _ in range(5):
        assert await badge.press(40, rest_ms=100)
    seen = await until_printed(badge, 5)
    assert {length for length, _pause in seen} == {40}
    assert {pause for _length, pause in seen[1:]} == {100}


@pytest.mark.real_time
async def test_R2_presses_stay_apart_while_the_badge_gets_no_processor(make_badge):
    badge = await make_badge(STAMPS)
    await badge.console.wait_output(b"ready")
    queued = asyncio.gather(*[badge.press(30, rest_ms=60) for _ in range(12)])
    for _ in range(3):
        await asyncio.sleep(0.07)
        os.kill(badge.chip.pid, signal.SIGSTOP)
        await asyncio.sleep(0.3)  # three presses long
        os.kill(badge.chip.pid, signal.SIGCONT)
    assert all(await queued)
    seen = await until_printed(badge, 12)
    assert len(seen) == 12
    assert all(length >= 20 for length, _pause in seen)
    assert all(pause >= 50 for _length, pause in seen[1:])


@pytest.mark.real_time
async def test_R2_presses_do_not_stretch_while_the_owner_is_busy(make_badge):
    badge = await make_badge(STAMPS)
    await badge.console.wait_output(b"ready")
    queued = asyncio.gather(*[badge.press(30, rest_ms=60) for _ in range(8)])
    await asyncio.sleep(0.05)
    time.sleep(0.5)  # noqa: ASYNC251 (the owner's event loop stands still)
    assert all(await queued)
    seen = await until_printed(badge, 8)
    assert all(20 <= length < 300 for length, _pause in seen), seen
    assert all(50 <= pause < 300 for _length, pause in seen[1:]), seen


@pytest.mark.parametrize("sleep", ["time.sleep_ms(20000)", "asyncio.run(main())"])
async def test_edges_in_a_long_sleep_are_handled_when_they_come(make_badge, sleep):
    badge = await make_badge(
        f"""
import asyncio, time
from machine import Pin
edges = []
def on_edge(pin):
    edges.append(time.ticks_ms())
    if len(edges) == 4: print("spans", [time.ticks_diff(b, a) for a, b in zip(edges, edges[1:])])
Pin(3, Pin.IN, Pin.PULL_UP).irq(on_edge)
async def main():
    await asyncio.sleep(20)
print("ready")
{sleep}
""",
    )
    await badge.console.wait_output(b"ready")
    await badge.play("BUTTON", [(0, True), (300_000, False), (500_000, True), (200_000, False)])
    await badge.console.wait_output(b"]")
    spans_ms = eval(bytes(badge.console.log).split(b"spans ")[1].split(b"\r")[0])
    assert spans_ms == [300, 500, 200]


async def test_pulses_of_one_contact_queue_and_those_of_two_do_not(make_badge):
    badge = await make_badge(
        """
import time
from machine import Pin
edges = []
for number in (3, 5):
    Pin(number, Pin.IN, Pin.PULL_UP).irq(lambda pin: edges.append((pin, pin.value())))
print("ready")
while len(edges) < 6: time.sleep_ms(1)
print("order", "".join(str(pin)[4] + "ud"[1 - level] for pin, level in edges))
"""
    )
    await badge.console.wait_output(b"ready")
    await asyncio.gather(
        badge.press(40, rest_ms=40),
        badge.play("BUTTON", [(0, True), (40_000, False)]),
        badge.play("IMPACT", [(60_000, True), (10_000, False)]),
    )
    await badge.console.wait_output(b"order 3d3u5d5u3d3u")


async def test_recorded_edges_arrive_as_they_were_recorded(make_badge):
    badge = await make_badge(
        """
import time
from machine import Pin
button = Pin(3, Pin.IN, Pin.PULL_UP)
seen = [button.value()]
print("ready")
while len(seen) < 7:
    level = button.value()
    if level != seen[-1]: seen.append(level)
print("levels", seen)
"""
    )
    await badge.console.wait_output(b"ready")
    edges = [(0, True), (7000, False), (6000, True), (9000, False), (6000, True), (20_000, False)]
    assert await badge.play("BUTTON", edges)
    await badge.console.wait_output(b"levels [1, 0, 1, 0, 1, 0, 1]")


HOARD = b"""
import gc
gc.collect()
hoard = []
while gc.mem_free() > 30000: hoard.append(bytearray(90))
"""


async def test_hundreds_of_queued_presses_do_not_fill_the_badges_memory(make_badge):
    badge = await make_badge(
        STAMPS + "\n",
        files=(("/boot.py", HOARD),),
    )
    await badge.console.wait_output(b"ready")
    presses = [badge.press(30, bounces=10, rest_ms=40) for _ in range(200)]
    assert all(await asyncio.gather(*presses))
    assert badge.boots == 1
    assert b"Error" not in badge.console.log


async def test_program_that_computes_misses_what_happens_meanwhile(make_badge):
    badge = await make_badge(
        """
import time
from machine import Pin
button, red = Pin(3, Pin.IN, Pin.PULL_UP), Pin(6, Pin.OUT)
count = 0
def on_edge(pin):
    global count
    count += 1
button.irq(on_edge)
red.on()
while button.value(): pass
end = time.ticks_add(time.ticks_ms(), 1500)
while time.ticks_diff(end, time.ticks_ms()) > 0: pass
print("level", button.value())
time.sleep_ms(1)
print("calls", count)
while True: time.sleep_ms(10)
"""
    )
    await badge.wait_led(lambda leds: leds[0] == 1)
    assert all(await asyncio.gather(*[badge.press(20, rest_ms=20) for _ in range(6)]))
    await badge.console.wait_output(b"level 1\r\ncalls 8\r\n")


@pytest.mark.real_time
async def test_press_returns_though_the_program_never_looks(make_badge, monkeypatch):
    monkeypatch.setattr(pulses, "PATIENCE_S", 0.2)
    badge = await make_badge("print('deaf')\nwhile True: pass")
    await badge.console.wait_output(b"deaf")
    assert not await badge.press(20)


async def test_button_that_is_held_over_a_power_cut_is_held_at_the_next_start(make_badge):
    badge = await make_badge(
        LEVEL_AT_START + "while not button.value(): time.sleep_ms(5)\n"
        "print('open')\nwhile True: time.sleep_ms(5)\n"
    )
    await badge.console.wait_output(b"open")
    held = asyncio.ensure_future(badge.hold(1500))
    await asyncio.sleep(0.05)
    await badge.power_cut()
    badge.console.log.clear()
    await badge.power_on()
    log = await badge.console.wait_output(b"open")
    assert b"cause 1 0 level 0" in log
    assert await held


async def test_reset_in_the_middle_of_a_hold_neither_ends_nor_prolongs_it(make_badge):
    badge = await make_badge(
        LEVEL_AT_START
        + """
print("ready")
start_ms = time.ticks_ms()
while button.value(): time.sleep_ms(5)
if machine.reset_cause() == 1:
    time.sleep_ms(2000)
    machine.reset()
while not button.value(): time.sleep_ms(5)
print("held", time.ticks_diff(time.ticks_ms(), start_ms))
"""
    )
    await badge.console.wait_output(b"ready")
    assert await badge.hold(3000)
    await badge.console.wait_output(b"held ")
    log = await badge.console.wait_output(b">>> ")
    assert b"cause 2 0 level 0" in log
    assert int(log.split(b"held ")[1].split()[0]) < 2500


WAKES = (
    LEVEL_AT_START
    + """
import esp32
esp32.wake_on_gpio((button,), False)
if machine.reset_cause() == 1: machine.deepsleep()
start_ms = time.ticks_ms()
while not button.value(): time.sleep_ms(5)
print("held", time.ticks_diff(time.ticks_ms(), start_ms) > 1500)
"""
)


async def test_hold_that_wakes_a_badge_goes_on_at_its_clock(make_badge):
    badge = await make_badge(WAKES)
    await badge.chip.wait_asleep()
    assert await badge.hold(3000)
    log = await badge.console.wait_output(b"held True")
    assert b"cause 4 7 level 0" in log


async def test_R13_press_too_short_for_the_boot_wakes_it_and_is_over(make_badge):
    badge = await make_badge(WAKES, files=(("/boot.py", b"import time; time.sleep_ms(600)"),))
    await badge.chip.wait_asleep()
    assert await badge.press(20)
    await badge.console.wait_output(b"cause 4 7 level 1")


async def test_presses_in_a_badge_without_power_are_over_in_their_time(make_badge):
    badge = await make_badge(STAMPS, with_power=False)
    started_s = asyncio.get_running_loop().time()
    assert all(await asyncio.gather(*[badge.press(50) for _ in range(4)]))
    assert 0.2 <= asyncio.get_running_loop().time() - started_s < 2


async def test_pulse_that_is_none_is_one_sentence(make_badge):
    badge = await make_badge(with_power=False)
    for edges, word in (
        ([], "0"),
        ([(0, True)] * 401, "401"),
        ([(-1, True)], "-1"),
        ([(1 << 32, True)], "4294967296"),
    ):
        with pytest.raises(RedbandUserError, match=word):
            await badge.play("BUTTON", edges)
    with pytest.raises(RedbandUserError, match="BUTTON or IMPACT"):
        await badge.play("LID", [(0, True)])
