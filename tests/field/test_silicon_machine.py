"""The stand-ins for `machine`: never kinder than the chip."""

import asyncio
from pathlib import Path

import pytest

IRQ = """
import asyncio, time
from machine import Pin
count = 0
def on_edge(pin):
    global count
    count += 1
button = Pin(3, Pin.IN, Pin.PULL_UP)
button.irq(on_edge, Pin.IRQ_RISING | Pin.IRQ_FALLING)
red, green = Pin(6, Pin.OUT), Pin(7, Pin.OUT)
"""
REFUSALS = {
    "Pin(22)": "ValueError",
    "Pin(12)": "ValueError",
    "Pin('3')": "ValueError",
    "Pin(3, 99)": "ValueError",
    "Pin(3).irq(print, hard=True)": "TypeError",
    "Pin(3).irq(7)": "TypeError",
    "ADC(5)": "ValueError",
    "ADC(4, atten=9)": "ValueError",
    "PWM(6, duty_u16=70000)": "ValueError",
    "PWM(6, freq=0)": "ValueError",
    "WDT(timeout=0)": "ValueError",
    "WDT(id=1, timeout=5000)": "ValueError",
    "machine.freq(12345)": "ValueError",
    "machine.I2C(1)": "ValueError",
    "machine.I2C(0, scl=Pin(22))": "ValueError",
    "machine.SPI(1)": "AttributeError",
}


async def test_R3_only_eight_edges_wait_while_the_program_does_not(make_badge):
    badge = await make_badge(
        IRQ
        + """
green.on()
while button.value(): pass
while not button.value(): pass
while count == 0 and red.value() == 0:
    end = time.ticks_add(time.ticks_ms(), 400)
    while time.ticks_diff(end, time.ticks_ms()) > 0: pass
    time.sleep_ms(1)
print("edges", count)
"""
    )
    await badge.wait_led(lambda leds: leds[1] == 1)
    await badge.press(bounces=15)
    await badge.console.wait_output(b"edges 8\r\n")


async def test_level_is_read_now_and_handlers_run_later(make_badge):
    badge = await make_badge(
        IRQ
        + """
green.on()
while button.value(): pass
print("low, handlers run:", count)
time.sleep_ms(1)
print("after a sleep:", count)
"""
    )
    await badge.wait_led(lambda leds: leds[1] == 1)
    await badge.press()
    log = await badge.console.wait_output(b"after a sleep: 1")
    assert b"low, handlers run: 0" in log


async def test_error_in_a_handler_is_printed_and_the_program_goes_on(make_badge):
    badge = await make_badge(
        IRQ.replace("    count += 1", "    count += 1\n    raise ValueError('in handler')")
        + """
async def main():
    green.on()
    while count < 2: await asyncio.sleep_ms(5)
    print("went on")
asyncio.run(main())
"""
    )
    await badge.wait_led(lambda leds: leds[1] == 1)
    await badge.press()
    log = await badge.console.wait_output(b"went on")
    assert log.count(b"ValueError: in handler") == 2


@pytest.mark.both_paces
async def test_handler_sees_one_edge_per_contact_change_and_none_of_another_pin(make_badge):
    badge = await make_badge(
        IRQ
        + """
async def main():
    green.on()
    while not count: await asyncio.sleep_ms(5)
    await asyncio.sleep_ms(100)
    print("edges", count)
asyncio.run(main())
"""
    )
    await badge.wait_led(lambda leds: leds[1] == 1)
    await badge.shake()
    await badge.press(duration_ms=20)
    await badge.console.wait_output(b"edges 2\r\n")


async def test_floating_input_does_not_read_as_released(make_badge, mpremote):
    badge = await make_badge()
    said = await mpremote(
        badge,
        "exec",
        "from machine import Pin; print(Pin(3, Pin.IN).value(), Pin(3, Pin.IN, Pin.PULL_UP)())",
    )
    assert said.endswith("0 1\n")


async def test_button_held_at_power_on_is_seen(make_badge):
    badge = await make_badge(
        "from machine import Pin\nprint('level', Pin(3, Pin.IN, Pin.PULL_UP).value())",
        with_power=False,
    )
    held = asyncio.create_task(badge.hold(60_000))
    await asyncio.sleep(0)
    await badge.power_on()
    await badge.console.wait_output(b"level 0")
    held.cancel()


async def test_outputs_show_pin_and_pwm(make_badge, mpremote):
    badge = await make_badge()
    await mpremote(badge, "exec", "from machine import *; p = Pin(6, Pin.OUT, value=1)")
    assert badge.leds == (1, 0, 0)
    await mpremote(badge, "resume", "exec", "p.off(); w = PWM(Pin(10), freq=200, duty_u16=9000)")
    assert badge.leds == (0, 0, 1)
    await mpremote(badge, "resume", "exec", "w.deinit(); p.toggle()")
    assert badge.leds == (1, 0, 0)


async def test_R7_converter_follows_the_battery_with_noise_and_clips(make_badge, mpremote):
    badge = await make_badge(battery_mv=3700)
    read = "from machine import ADC; a = ADC(4, atten=ADC.ATTN_11DB); print(a.read_uv() // 1000)"
    readings = "print([a.read_uv() // 1000 for _ in range(9)])"
    assert abs(int((await mpremote(badge, "exec", read)).split()[-1]) - 1850) <= 5
    badge.set_battery_mv(3300)
    values = eval(await mpremote(badge, "resume", "exec", readings))
    assert all(abs(value - 1650) <= 5 for value in values)
    assert len(set(values)) > 1
    badge.set_battery_mv(5000)
    said = await mpremote(badge, "resume", "exec", "a.atten(ADC.ATTN_6DB); print(a.read_uv())")
    assert said.endswith("1300000\n")


async def test_wrong_arguments_raise_as_on_a_board(make_badge, mpremote):
    badge = await make_badge()
    lines = ["import machine", "from machine import *"]
    for call in REFUSALS:
        lines += [
            "try:",
            f"    {call}",
            f'    print("ACCEPTED", {call!r})',
            "except Exception as error:",
            f"    print({call!r}, type(error).__name__)",
        ]
    said = await mpremote(badge, "exec", "\n".join(lines))
    for call, name in REFUSALS.items():
        assert f"{call} {name}\n" in said


async def test_program_finds_the_modules_and_paths_of_a_board_and_none_of_ours(
    make_badge, mpremote
):
    badge = await make_badge()
    said = await mpremote(
        badge, "exec", "import sys, os; print(sys.path, os.listdir('/'), sorted(sys.modules))"
    )
    assert "['', '.frozen', '/lib'] []" in said
    for name in ("bus", "pins", "flash", "clock", "runner", "radio_frames"):
        assert f"'{name}'" not in said
    for name in ("bus", "opcodes", "gatt_values"):
        assert "ImportError" in await mpremote(badge, "resume", "exec", f"import {name}", code=1)


async def test_unique_id_is_the_radio_address(make_badge, mpremote):
    badge = await make_badge(badge_id=0x0A0B)
    said = await mpremote(badge, "exec", "import machine; print(machine.unique_id().hex(':'))")
    assert said.strip().upper().endswith(badge.spec.address)


async def test_idle_program_costs_nearly_nothing(make_badge):
    badge = await make_badge(
        "import asyncio\nprint('idle')\nasync def main():\n    await asyncio.Event().wait()\n"
        "async def other():\n    while True: await asyncio.sleep(20)\n"
        "async def both():\n    asyncio.create_task(other())\n    await main()\n"
        "asyncio.run(both())",
    )
    await badge.console.wait_output(b"idle")

    def cpu_ticks() -> int:
        fields = Path(f"/proc/{badge.chip.pid}/stat").read_text("ascii").split()
        return int(fields[13]) + int(fields[14])

    before = cpu_ticks()
    await asyncio.sleep(1.5)  # the time measured
    assert cpu_ticks() - before <= 2
