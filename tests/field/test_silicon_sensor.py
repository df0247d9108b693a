"""The accelerometer on a virtual badge: wired, shaken by the motor, powered beside the chip."""

import pytest

from redband.errors import RedbandUserError

LISTENS = """
import time
from machine import I2C, Pin
wire = I2C(0, scl=Pin(21), sda=Pin(20), freq=400000)
line = Pin(5, Pin.IN, Pin.PULL_UP)
edges = []
line.irq(lambda pin: edges.append(pin.value()), Pin.IRQ_RISING | Pin.IRQ_FALLING)
def write(register, value):
    wire.writeto_mem(0x19, register, bytes((value,)))
def read(register):
    return wire.readfrom_mem(0x19, register, 1)[0]
def listen(latch=0x08):
    write(0x25, 0x02)
    write(0x23, 0x30)
    write(0x24, latch)
    write(0x22, 0x40)
    write(0x32, 21)
    write(0x30, 0x2A)
    write(0x20, 0x77)
    time.sleep_ms(50)
    edges.clear()
"""
COUNTS = (
    LISTENS
    + """
listen()
print("ready", line.value())
count = 0
while True:
    time.sleep_ms(20)
    if edges:
        count += 1
        print("blow", count, hex(read(0x31)), edges)
        edges.clear()
"""
)


async def test_blow_is_an_edge_on_the_impact_pin_until_the_source_is_read(make_badge):
    badge = await make_badge(COUNTS, has_accelerometer=True)
    await badge.console.wait_output(b"ready 1")
    assert await badge.blow(9000)
    await badge.console.wait_output(b"blow 1 0x42 [0]")
    assert await badge.shake(12000)
    await badge.console.wait_output(b"blow 2 0x42")
    assert await badge.blow(3000)
    assert b"blow 3" not in badge.console.log


async def test_queued_blows_are_felt_one_by_one_at_any_pace(make_badge):
    badge = await make_badge(COUNTS, has_accelerometer=True)
    await badge.console.wait_output(b"ready 1")
    for number in range(1, 6):
        await badge.move([(0, 9000, 0, 0), (12_000, 0, 0, 1000), (100_000, 0, 0, 1000)])
        await badge.console.wait_output(b"blow %d " % number)


async def test_line_is_low_until_the_driver_sets_its_polarity(make_badge, mpremote):
    badge = await make_badge(has_accelerometer=True)
    said = await mpremote(badge, "exec", LISTENS + "print(line.value()); listen(); print(line())")
    assert said.endswith("0\n1\n")


async def test_broken_sensor_is_an_error_of_every_transfer_until_it_is_mended(
    make_badge, mpremote
):
    badge = await make_badge(has_accelerometer=True)
    ask = "\ntry: print('is', read(15))\nexcept OSError as error: print('errno', error.errno)\n"
    badge.break_sensor()
    assert (await mpremote(badge, "exec", LISTENS + ask)).endswith("errno 19\n")
    badge.break_sensor("ETIMEDOUT")
    assert (await mpremote(badge, "resume", "exec", ask)).endswith("errno 110\n")
    badge.break_sensor(None)
    assert (await mpremote(badge, "resume", "exec", ask)).endswith("is 51\n")


async def test_board_without_accelerometer_answers_nothing(make_badge, mpremote):
    badge = await make_badge()
    said = await mpremote(badge, "exec", LISTENS + "print(wire.scan(), line.value())")
    assert said.endswith("[] 1\n")
    with pytest.raises(RedbandUserError, match="no accelerometer"):
        await badge.blow()


async def test_accelerometer_takes_the_place_of_the_switch(make_badge):
    badge = await make_badge(has_accelerometer=True)
    with pytest.raises(RedbandUserError, match="in place of the impact switch"):
        await badge.play("IMPACT", [(0, True), (1000, False)])
    with pytest.raises(RedbandUserError, match="x, y or z"):
        await badge.blow(axis="w")
    with pytest.raises(RedbandUserError, match="32000"):
        await badge.blow(40_000)


async def test_registers_live_through_a_reset_and_are_lost_with_the_battery(make_badge):
    badge = await make_badge(
        LISTENS
        + "import machine\nprint('rate', read(0x20), line.value())\nlisten()\n"
        + "if machine.reset_cause() == 1: machine.reset()\n",
        has_accelerometer=True,
    )
    await badge.console.wait_output(b"rate 7 0\r\n")
    await badge.console.wait_output(b"rate 119 1\r\n")
    await badge.power_cut()
    badge.console.log.clear()
    await badge.power_on()
    await badge.console.wait_output(b"rate 7 0\r\n")


@pytest.mark.parametrize("latch", [0, 8])
async def test_blow_wakes_a_sleeping_badge(make_badge, latch):
    badge = await make_badge(
        LISTENS
        + "import esp32, machine\n"
        + "print('cause', machine.reset_cause(), machine.wake_reason(), read(0x31), line())\n"
        + f"listen({latch})\n"
        + "esp32.wake_on_gpio((line,), False)\n"
        + "if machine.reset_cause() == 1: machine.deepsleep()\n",
        has_accelerometer=True,
    )
    await badge.chip.wait_asleep()
    await badge.blow(2000)
    assert not badge.chip.is_running
    await badge.blow(9000)
    await badge.console.wait_output(b"cause 4 7 66 1" if latch else b"cause 4 7 0 1")


async def test_motor_shakes_the_accelerometer_unless_the_badge_is_told_not_to(make_badge):
    program = (
        LISTENS
        + """
motor = Pin(10, Pin.OUT, value=0)
write(0x32, 8)
listen()
write(0x32, 8)
motor.on()
time.sleep_ms(100)
motor.off()
print("felt", len(edges))
"""
    )
    badge = await make_badge(program, has_accelerometer=True)
    await badge.console.wait_output(b"felt 1")
    await badge.power_cut()
    badge.console.log.clear()
    badge.motor_shakes_sensor = False
    await badge.power_on()
    await badge.console.wait_output(b"felt 0")


async def test_motor_rattles_the_switch_when_the_badge_is_told_so(make_badge):
    program = """
import time
from machine import Pin
line, motor = Pin(5, Pin.IN, Pin.PULL_UP), Pin(10, Pin.OUT, value=0)
count = 0
def on_edge(pin):
    global count
    count += 1
line.irq(on_edge)
motor.on()
time.sleep_ms(200)
motor.off()
while_on = count
time.sleep_ms(200)
print("edges", while_on > 10, count - while_on < 2, line.value())
"""
    badge = await make_badge(program)
    await badge.console.wait_output(b"edges False True 1")
    await badge.power_cut()
    badge.console.log.clear()
    badge.motor_shakes_sensor = True
    await badge.power_on()
    await badge.console.wait_output(b"edges True True 1")
