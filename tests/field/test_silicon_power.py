"""Sleep, held outputs, dimmed lights, RTC memory and a tired battery, as an ESP32-C3 has them."""

import asyncio

import pytest
from bleak import BleakScanner

from redband.errors import RedbandUserError
from redband.virtual.battery import BatteryFaults
from redband.virtual.bleak_backend import backend

LIGHT_SLEEP = """
import esp32, machine, time
from machine import Pin
button = Pin(3, Pin.IN, Pin.PULL_UP)
calls = []
button.irq(calls.append)
def sleep(*span):
    start_ms = time.ticks_ms()
    machine.lightsleep(*span)
    return time.ticks_diff(time.ticks_ms(), start_ms)
"""
ADVERTISES = """
import bluetooth, machine, time
ble = bluetooth.BLE()
def start():
    ble.active(False)
    ble.active(True)
    ble.gap_advertise(100000, b"\\x02\\x01\\x06\\x04\\x09abc")
start()
print("starts")
time.sleep_ms(1500)
print("sleeps")
machine.lightsleep(2000)
print("woke")
time.sleep_ms(1500)
print("again")
start()
while True: time.sleep_ms(100)
"""


async def test_light_sleep_ends_in_time_or_by_its_pin_and_calls_no_handler(make_badge):
    badge = await make_badge(
        LIGHT_SLEEP
        + """
print("slept", 300 <= sleep(300) < 3000)
esp32.wake_on_gpio((button,), False)
print("ready")
print("woken", sleep(20000) < 15000, button.value())
esp32.wake_on_gpio((), False)
print("blind")
print("slept", 900 <= sleep(900))
time.sleep_ms(50)
print("calls", len(calls))
"""
    )
    await badge.console.wait_output(b"slept True\r\nready")
    await badge.press(100)
    await badge.console.wait_output(b"woken True 0\r\nblind")
    await badge.press(100)
    # The release after the waking is the program's to see; what came in its sleep is not.
    log = await badge.console.wait_output(b"calls ")
    assert b"slept True" in log.split(b"blind")[1]
    await badge.console.wait_output(b">>> ")
    assert int(bytes(badge.console.log).split(b"calls ")[1].split()[0]) <= 1


async def test_light_sleep_is_in_game_time(make_badge):
    badge = await make_badge(LIGHT_SLEEP + "print('slept', sleep(3000) >= 3000)")
    await badge.console.wait_output(b"slept True")


async def test_B10_light_sleep_cuts_the_radio_until_it_is_switched_off_and_on(make_badge):
    badge = await make_badge(ADVERTISES)
    heard: set[str] = set()
    control = badge.image_path.parents[1] / "control"
    radio = backend(str(control.resolve().with_name("hci")))
    async with BleakScanner(lambda device, _: heard.add(device.address), backend=radio.scanner):
        await badge.console.wait_output(b"sleeps")
        assert badge.spec.address in heard
        await badge.console.wait_output(b"woke")
        heard.clear()
        await badge.console.wait_output(b"again")
        assert heard == set()
        async with asyncio.timeout(10):
            while badge.spec.address not in heard:  # noqa: ASYNC110 (the scanner has no event)
                await asyncio.sleep(0.02)
    await radio.close()


async def test_chip_has_no_ext_wake_and_names_its_pins_as_micropython_does(make_badge, mpremote):
    badge = await make_badge()
    said = await mpremote(
        badge,
        "exec",
        "import esp32, machine\n"
        "print(hasattr(esp32, 'wake_on_ext0'), hasattr(esp32, 'wake_on_ext1'), machine.PIN_WAKE)\n"
        "esp32.wake_on_gpio((machine.Pin(7),), True)\n"
        "try: machine.deepsleep(10)\n"
        "except ValueError as error: print(error)\n",
    )
    assert said.endswith("False False 2\nwake-up pin not supported\n")


async def test_deep_sleep_of_no_time_at_all_wakes_at_once(make_badge):
    badge = await make_badge(
        "import machine\nprint('cause', machine.reset_cause(), machine.wake_reason())\n"
        "if machine.reset_cause() == 1: machine.deepsleep(0)\n"
    )
    await badge.console.wait_output(b"cause 4 4")


async def test_held_output_stays_in_deep_sleep_and_after_it_until_it_is_let_go(make_badge):
    badge = await make_badge(
        """
import esp32, machine
from machine import Pin
if machine.reset_cause() == 1:
    Pin(6, Pin.OUT, value=1, hold=True)
    Pin(7, Pin.OUT, value=1)
    esp32.wake_on_gpio((Pin(3),), False)
    machine.deepsleep()
red = Pin(6, Pin.OUT, value=0)
print("woke")
while Pin(3, Pin.IN, Pin.PULL_UP).value() == 0: pass
while Pin(3).value() == 1: pass
Pin(6, Pin.OUT, value=0, hold=False)
print("let go")
"""
    )
    await badge.chip.wait_asleep()
    assert badge.leds == (1, 0, 0)
    await badge.press(100)
    await badge.console.wait_output(b"woke")
    assert badge.leds == (1, 0, 0)
    await badge.press(100)
    await badge.wait_led(lambda leds: leds == (0, 0, 0))
    await badge.power_cut()
    assert badge.leds == (0, 0, 0)


async def test_dimmed_light_shows_its_share_of_time(make_badge, mpremote):
    badge = await make_badge()
    await mpremote(
        badge,
        "exec",
        "from machine import *; w = PWM(Pin(6), freq=4000, duty_u16=6554); Pin(7, Pin.OUT).on()",
    )
    assert badge.light_levels == (11, 100, 0)
    assert badge.leds == (1, 1, 0)
    await mpremote(badge, "resume", "exec", "w.duty_u16(65535)")
    assert badge.light_levels == (100, 100, 0)
    await mpremote(badge, "resume", "exec", "w.duty_u16(0)")
    assert badge.light_levels == (0, 100, 0)


RTC = """
import machine
memory = machine.RTC()
print("cause", machine.reset_cause(), memory.memory())
memory.memory(b"kept")
"""


async def test_R10_rtc_memory_survives_resets_and_not_the_battery(make_badge):
    badge = await make_badge(
        RTC
        + "if machine.reset_cause() == 1: machine.reset()\n"
        + "if machine.reset_cause() == 2: machine.deepsleep(10)\n"
        + "if machine.reset_cause() == 4: machine.soft_reset()\n"
    )
    log = await badge.console.wait_output(b"cause 5 b'kept'")
    assert b"cause 1 b''\r\n" in log
    assert log.count(b"b'kept'") == 3
    await badge.power_cut()
    badge.chip.rtc_at_power_on = b"\xa5garbage"
    badge.console.log.clear()
    await badge.power_on()
    await badge.console.wait_output(b"cause 1 b'\\xa5garbage'")


async def test_cell_sags_while_the_motor_runs(make_badge, mpremote):
    badge = await make_badge(battery_mv=3700)
    badge.set_battery_faults(BatteryFaults(sag_mv=300))
    read = "print('mv', a.read_uv() // 1000)\n"
    said = await mpremote(
        badge,
        "exec",
        "from machine import *; a = ADC(4, atten=ADC.ATTN_11DB); m = Pin(10, Pin.OUT)\n"
        + read
        + "m.on()\n"
        + read
        + "m.off()\n"
        + read,
    )
    before, under_load, after = (int(word) for word in said.split() if word.isdigit())
    assert abs(before - 1850) <= 7
    assert abs(under_load - 1700) <= 7
    assert abs(after - 1850) <= 7


async def test_R7_spikes_reach_both_ends_of_the_range(make_badge, mpremote):
    badge = await make_badge(battery_mv=3700)
    badge.set_battery_faults(BatteryFaults(spike_each=5, noise_times=4))
    said = await mpremote(
        badge,
        "exec",
        "from machine import *; a = ADC(4, atten=ADC.ATTN_11DB)\n"
        "print([a.read_uv() // 1000 for _ in range(20)])",
    )
    values = eval(said.splitlines()[-1])
    assert values.count(0) == 2
    assert values.count(2500) == 2
    usual = [value for value in values if value not in (0, 2500)]
    assert max(usual) - min(usual) > 20
    assert all(abs(value - 1850) <= 20 for value in usual)


@pytest.mark.parametrize("faults", [{"sag_mv": -1}, {"sag_mv": 2001}, {"spike_each": 1001}])
def test_battery_that_is_none_is_one_sentence(faults):
    with pytest.raises(RedbandUserError):
        BatteryFaults(**faults)


async def test_program_sees_that_a_host_is_at_the_usb_port(make_badge, mpremote):
    badge = await make_badge(
        """
import machine, time
def is_host():
    first = machine.mem32[0x60043024]
    time.sleep_ms(20)
    return machine.mem32[0x60043024] != first
print("alone", is_host())
while not is_host(): pass
print("host", is_host())
while is_host(): pass
print("gone")
"""
    )
    await badge.console.wait_output(b"alone False")
    port = await asyncio.to_thread(open, badge.usb_path, "rb", 0)
    await badge.console.wait_output(b"host True")
    port.close()
    await badge.console.wait_output(b"gone")
