"""The flash of a virtual badge when it is slow, broken, full; and what is counted of it."""

import pytest

from redband.errors import RedbandUserError
from redband.virtual.flash_faults import SLOW_FLASH, FlashFaults
from redband.virtual.image import read_image

WRITES = """
import time
def write(name, text="x"):
    start_ms = time.ticks_ms()
    try:
        with open(name, "w") as file: file.write(text)
        result = "written"
    except OSError as error:
        result = error.errno
    return result, time.ticks_diff(time.ticks_ms(), start_ms)
"""


async def test_writes_fail_from_an_operation_on_and_work_when_the_flash_is_mended(
    make_badge, mpremote
):
    badge = await make_badge()
    assert (await mpremote(badge, "exec", WRITES + "print(write('/a')[0])")).endswith("written\n")
    badge.set_flash(FlashFaults(fail_after=0))
    assert (await mpremote(badge, "resume", "exec", "print(write('/b')[0])")).endswith("5\n")
    badge.set_flash(FlashFaults())
    assert (await mpremote(badge, "resume", "exec", "print(write('/c')[0])")).endswith("written\n")
    await badge.power_cut()
    assert set(read_image(badge.image_path)) == {"/a", "/c"}


async def test_only_so_many_operations_fail(make_badge, mpremote):
    badge = await make_badge()
    badge.set_flash(FlashFaults(fail_after=1, fail_count=1))
    said = await mpremote(
        badge, "exec", WRITES + "print([write('/f%d' % n, 'y' * 300)[0] for n in range(4)])"
    )
    results = eval(said.splitlines()[-1])
    assert results.count(5) == 1
    assert results[-1] == "written"


async def test_faults_that_were_set_without_power_hold_from_the_start(make_badge, mpremote):
    badge = await make_badge(files=(("/main.py", (WRITES + "print(write('/a')[0])").encode()),))
    await badge.console.wait_output(b"written")
    await badge.power_cut()
    badge.set_flash(FlashFaults(fail_after=0))
    badge.console.log.clear()
    await badge.power_on()
    await badge.console.wait_output(b"5\r\n")


async def test_slow_flash_holds_the_program_up_in_game_time(make_badge):
    program = WRITES + "print('took', max([write('/a', 'z' * 500)[1] for _ in range(14)]))"
    badge = await make_badge(with_power=False)
    badge.set_flash(SLOW_FLASH)
    await badge.power_on()
    await badge.console.wait_output(b">>> ")
    badge.console.log.clear()
    badge.console.input(f"exec({program!r})\r".encode())
    await badge.console.wait_output(b"took ")
    await badge.console.wait_output(b">>> ")
    took_ms = int(bytes(badge.console.log).split(b"took ")[-1].split()[0])
    assert took_ms >= 480


async def test_no_handler_runs_while_the_flash_is_busy(make_badge):
    badge = await make_badge(
        WRITES
        + """
from machine import Pin
button, red = Pin(3, Pin.IN, Pin.PULL_UP), Pin(6, Pin.OUT)
calls = []
button.irq(calls.append)
red.on()
while button.value(): pass
write("/a")
print("level", button.value(), "calls", len(calls))
time.sleep_ms(1)
print("then", len(calls))
while True: time.sleep_ms(10)
"""
    )
    await badge.wait_led(lambda leds: leds[0] == 1)
    badge.set_flash(FlashFaults(erase_stall_ms=700))
    await badge.press(40)
    await badge.console.wait_output(b"level 1 calls 0\r\nthen 2\r\n")


@pytest.mark.both_paces
async def test_programs_and_erases_are_counted(make_badge):
    badge = await make_badge(
        WRITES
        + """
from machine import Pin
button, red = Pin(3, Pin.IN, Pin.PULL_UP), Pin(6, Pin.OUT)
print("ready")
while button.value(): time.sleep_ms(5)
write("/a", "z" * 5000)
red.on()
while True: time.sleep_ms(5)
"""
    )
    await badge.console.wait_output(b"ready")
    before = await badge.count_flash()
    assert before.programs == before.blocks_erased == before.bytes_programmed == 0
    await badge.press(200)
    await badge.wait_led(lambda leds: leds[0] == 1)
    after = await badge.count_flash()
    assert 5000 < after.bytes_programmed < 7000
    assert after.blocks_erased >= 2
    assert after.programs > 40


async def test_full_flash_says_so(make_badge, mpremote):
    badge = await make_badge(WRITES, with_power=True)
    with pytest.raises(RedbandUserError, match="Pull the battery"):
        badge.fill_flash()
    await badge.power_cut()
    badge.fill_flash(free_blocks=3)
    await badge.power_on()
    said = await mpremote(badge, "exec", WRITES + "print(write('/a', 'q' * 40000)[0])")
    assert said.endswith("28\n")


async def test_program_only_clears_bits_of_what_is_not_erased(make_badge, mpremote):
    badge = await make_badge()
    said = await mpremote(
        badge,
        "exec",
        "from flashbdev import bdev\nb = bytearray(4)\n"
        "bdev.ioctl(6, 500)\nbdev.writeblocks(500, b'\\xf0\\x0f', 1)\n"
        "bdev.writeblocks(500, b'\\x3c\\xff', 1)\nbdev.readblocks(500, b, 0)\nprint(bytes(b))\n"
        "bdev.writeblocks(500, b'\\x55' * 4096)\nbdev.readblocks(500, b, 0)\nprint(bytes(b))\n",
    )
    assert said.endswith("b'\\xff0\\x0f\\xff'\nb'UUUU'\n")


@pytest.mark.parametrize(
    "faults", [{"erase_stall_ms": -1}, {"write_stall_each": 0}, {"fail_after": -1}]
)
def test_faults_that_are_none_are_one_sentence(faults):
    with pytest.raises(RedbandUserError):
        FlashFaults(**faults)
