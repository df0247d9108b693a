"""Time on the badge: asyncio on its clock behaves as asyncio on the chip."""

import asyncio

import pytest

NEAR_WRAP_MS = (1 << 30) - 700
WRAPS = {"start_ticks_ms": NEAR_WRAP_MS}

ORDER = """
import asyncio
async def say(ms, text):
    await asyncio.sleep_ms(ms)
    print(text, end=" ")
async def main():
    await asyncio.gather(*[say(ms, ms) for ms in (900, 300, 600, 0, 1500, 1200)])
    print("in order")
asyncio.run(main())
"""
EQUAL = """
import asyncio
from asyncio import core
order = []
async def turn(name):
    order.append(name)
async def main():
    at = core.ticks_add(core.ticks(), 1000)
    tasks = [asyncio.create_task(turn(name)) for name in "abcdef"]
    await asyncio.sleep_ms(0)
    print("".join(order))
asyncio.run(main())
"""
CANCEL = """
import asyncio, time
async def long(name):
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print(name, "cancelled")
        raise
async def waits_for(task):
    await task
async def main():
    first = asyncio.create_task(long("sleeper"))
    inner = asyncio.create_task(long("inner"))
    outer = asyncio.create_task(waits_for(inner))
    locked = asyncio.Lock()
    await locked.acquire()
    waiter = asyncio.create_task(locked.acquire())
    await asyncio.sleep_ms(10)
    print(first.cancel(), outer.cancel(), waiter.cancel())
    for task in (first, outer, inner, waiter):
        try:
            await task
        except asyncio.CancelledError:
            print("seen")
    print("done", first.done(), inner.done(), outer.done(), first.cancel())
asyncio.run(main())
"""
WAIT_FOR = """
import asyncio, time
async def value():
    await asyncio.sleep_ms(300)
    return 7
async def fails():
    await asyncio.sleep_ms(100)
    raise ValueError("mine")
async def minute():
    await asyncio.sleep(60)
async def main():
    print(await asyncio.wait_for_ms(value(), 5000))
    start = time.ticks_ms()
    try:
        await asyncio.wait_for(minute(), 2)
    except asyncio.TimeoutError:
        spent = time.ticks_diff(time.ticks_ms(), start)
        print("timeout in time" if spent == 2000 else spent)
    try:
        await asyncio.wait_for(fails(), 5)
    except ValueError as error:
        print("got", error)
    print(await asyncio.gather(value(), fails(), return_exceptions=True))
    try:
        await asyncio.gather(value(), fails())
    except ValueError:
        print("gather raised")
asyncio.run(main())
"""
HANDLER = """
import asyncio
asyncio.new_event_loop()
def report(loop, context):
    print("handler got", repr(context["exception"]))
async def fails():
    raise ValueError("alone")
async def main():
    asyncio.get_event_loop().set_exception_handler(report)
    task = asyncio.create_task(fails())
    await asyncio.sleep_ms(100)
    print("goes on", task.done())
    event = asyncio.Event()
    async def setter():
        await asyncio.sleep_ms(50)
        event.set()
    asyncio.create_task(setter())
    await event.wait()
    print("event")
asyncio.run(main())
"""
PROGRAMS = {
    "order": (ORDER, b"0 300 600 900 1200 1500 in order"),
    "equal": (EQUAL, b"abcdef"),
    "cancel": (
        CANCEL,
        b"True True True\r\nsleeper cancelled\r\ninner cancelled\r\nseen\r\nseen\r\nseen\r\nseen"
        b"\r\ndone True True True False",
    ),
    "wait_for": (
        WAIT_FOR,
        b"7\r\ntimeout in time\r\ngot mine\r\n[7, ValueError('mine',)]\r\ngather raised",
    ),
    "handler": (HANDLER, b"handler got ValueError('alone',)\r\ngoes on True\r\nevent"),
}


@pytest.mark.parametrize("clock", [{}, WRAPS], ids=["chip", "wrap"])
@pytest.mark.parametrize("name", PROGRAMS)
async def test_asyncio_behaves_the_same_on_any_clock(make_badge, name, clock):
    program, wanted = PROGRAMS[name]
    badge = await make_badge(program, **clock)
    await badge.console.wait_output(wanted, timeout_s=20)


async def test_R1_ticks_wrap_and_differences_hold(make_badge):
    badge = await make_badge(
        "import time\nstart = time.ticks_ms()\ntime.sleep_ms(1500)\nend = time.ticks_ms()\n"
        "print(start > end, time.ticks_diff(end, start), "
        "time.ticks_add(start, 1 << 28) < start)\n",
        **WRAPS,
    )
    await badge.console.wait_output(b"True 1500 True")


async def test_ten_minutes_of_sleep_are_ten_minutes_of_the_fields_clock(make_badge):
    badge = await make_badge(
        "import asyncio\nprint('began')\n"
        "async def main():\n    await asyncio.sleep(600)\nasyncio.run(main())\nprint('woke')",
    )
    await badge.console.wait_output(b"began")
    began_s = asyncio.get_running_loop().time()
    await badge.console.wait_output(b"woke", timeout_s=601)
    assert asyncio.get_running_loop().time() - began_s == pytest.approx(600, abs=0.001)


async def test_interrupt_handlers_run_during_a_blocking_sleep(make_badge):
    badge = await make_badge(
        "from machine import Pin\nimport time\nhits = []\n"
        "def hit(pin): hits.append(time.ticks_ms())\n"
        "Pin(3, Pin.IN, Pin.PULL_UP).irq(hit)\nPin(6, Pin.OUT).on()\n"
        "began = time.ticks_ms()\n"
        "while not hits: time.sleep_ms(20000)\n"
        "print('hits', len(hits), hits[1] - hits[0], time.ticks_ms() - began)",
    )
    await badge.wait_led(lambda leds: leds[0] == 1)
    await badge.press(duration_ms=5)
    await badge.console.wait_output(b"hits 2 5 20000", timeout_s=21)


async def test_sleep_of_more_than_half_the_ring_overflows_as_on_the_chip(make_badge):
    badge = await make_badge(
        "import asyncio\nasync def main():\n    await asyncio.sleep(604800)\nasyncio.run(main())",
        **WRAPS,
    )
    await badge.console.wait_output(b"OverflowError")
