"""Power, resets and the watchdog of the virtual badge; what flash keeps."""

import asyncio
import os
import random
import signal

import pytest

from redband.virtual.image import read_image

CAUSE = 'import machine\nprint("cause", machine.reset_cause(), machine.wake_reason())\n'
WRITES = """
from machine import Pin
red, green = Pin(6, Pin.OUT), Pin(7, Pin.OUT)
log = open("/log", "a")
log.write("flushed\\n")
log.flush()
red.on()
log.write("not flushed\\n")
green.on()
import time
time.sleep(3600)
"""
COUNTS = """
count = 0
while True:
    with open("/part", "w") as file:
        file.write("%08d" % count * 40)
    import os
    os.rename("/part", "/whole")
    with open("/log", "a") as file:
        file.write("%08d\\n" % count)
    count += 1
"""
FED = """
import asyncio, machine, time
print("cause", machine.reset_cause())
led = machine.Pin(6, machine.Pin.OUT)
watchdog = machine.WDT(timeout=5000)
async def main():
    for turn in range(8):
        await asyncio.sleep_ms(2500)
        watchdog.feed()
    led.on()
    print("hangs")
    time.sleep(3600)
asyncio.run(main())
"""


@pytest.mark.both_paces
async def test_R6_appended_data_is_lost_until_flush_and_kept_after(make_badge):
    badge = await make_badge(WRITES)
    await badge.wait_led(lambda leds: leds[:2] == (1, 1))
    await badge.power_cut()
    assert read_image(badge.image_path)["/log"] == b"flushed\n"


async def test_power_cut_at_any_instant_leaves_a_file_system_that_mounts(make_badge):
    badge = await make_badge(COUNTS)
    pause = random.Random(5)
    for _ in range(12):
        await asyncio.sleep(0.1 + pause.random() * 0.05)  # any instant will do
        await badge.power_cut()
        files = read_image(badge.image_path)
        whole = files.get("/whole", b"")
        assert len(whole) in (0, 320)
        assert whole[:8] * 40 == whole
        assert set(files.get("/log", b"")) <= set(b"0123456789\n")
        await badge.power_on()
    assert badge.boots == 13


@pytest.mark.both_paces
async def test_lights_go_out_with_the_battery(make_badge):
    badge = await make_badge(
        "from machine import Pin\nPin(6, Pin.OUT).on()\nPin(10, Pin.OUT).on()"
    )
    await badge.wait_led(lambda leds: leds == (1, 0, 1))
    await badge.power_cut()
    assert badge.leds == (0, 0, 0)
    assert not badge.is_powered


@pytest.mark.both_paces
async def test_battery_in_and_out_twice_changes_nothing(make_badge):
    badge = await make_badge(CAUSE)
    await badge.power_on()
    assert badge.boots == 1
    await badge.power_cut()
    await badge.power_cut()
    assert badge.boots == 1


async def test_R11_every_start_has_the_cause_that_an_esp32_reports(make_badge, mpremote):
    badge = await make_badge(CAUSE)
    await badge.console.wait_output(b"cause 1")
    await mpremote(badge, "reset")
    await badge.console.wait_output(b"cause 2")
    await badge.power_cut()
    badge.console.log.clear()
    await badge.power_on()
    await badge.console.wait_output(b"cause 1")


async def test_watchdog_bites_in_game_time_and_only_when_nobody_feeds(make_badge):
    badge = await make_badge(FED)
    await badge.console.wait_output(b"hangs", timeout_s=21)
    assert badge.chip.watchdog_resets == 0
    await badge.console.wait_output(b"cause 3")
    assert badge.chip.watchdog_resets == 1
    assert badge.leds == (0, 0, 0)


async def test_R8_watchdog_survives_a_soft_reset(make_badge, mpremote):
    badge = await make_badge(CAUSE)
    await mpremote(badge, "exec", "from machine import WDT; WDT(timeout=2500)")
    await mpremote(badge, "exec", "print('soft reset before this')")
    await badge.console.wait_output(b"cause 3")


async def test_deep_sleep_ends_by_time_and_by_the_button(make_badge):
    badge = await make_badge(
        CAUSE
        + "import esp32\n"
        + "esp32.wake_on_gpio((machine.Pin(3),), False)\n"
        + "machine.deepsleep(4000 if machine.reset_cause() == 1 else 3600000)\n",
    )
    await badge.console.wait_output(b"cause 4 4")
    badge.console.log.clear()
    await badge.chip.wait_asleep()
    assert badge.is_powered
    await badge.press()
    await badge.console.wait_output(b"cause 4 7")


@pytest.mark.both_paces
async def test_program_that_ends_with_system_exit_starts_again_as_on_a_board(make_badge):
    badge = await make_badge(CAUSE + "if machine.reset_cause() == 1: raise SystemExit\n")
    await badge.console.wait_output(b"MPY: soft reboot\r\ncause 5 0\r\n")


@pytest.mark.real_time
async def test_crash_of_the_interpreter_is_a_reset(make_badge):
    badge = await make_badge(CAUSE)
    await badge.console.wait_output(b">>> ")
    os.kill(badge.chip.pid, signal.SIGSEGV)
    await badge.console.wait_output(b"cause 2")
