"""The whole app for a minute from a tick value; prints what could be seen from outside, and when.

Started by test_wrap.py. REDBAND_TICKS: the tick counter at the start. REDBAND_ROOT: the badge's
files. Prints lines `<ms since the start> <what>`; the same from any start if nothing wraps badly.
"""

import os

import alone

alone.start(int(os.getenv("REDBAND_TICKS")))

import asyncio

import analog
import bluetooth
import bus
import opcodes
import pins
from lone_radio import LoneRadio

from redband_badge import commands, limits
from redband_badge.app import App
from redband_badge.boot_record import BootRecord
from redband_badge.journal_pages import JournalPages
from redband_badge.supervisor import attempt
from redband_core import journal
from redband_hal import board, system

BUTTON_DOWN = 0 if board.BUTTON_ACTIVE_LOW else 1
IMPACT_ON = 0 if board.IMPACT_ACTIVE_LOW else 1
LIGHTS = (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION)
# ms since the start, pin, level: a press that bounces, another, a hold, a blow, one within the
# refractory time, four taps and a hold, and a press in the pause.
INPUTS = [
    (2000, 0, 1), (2003, 0, 0), (2005, 0, 1), (2080, 0, 0),
    (4000, 0, 1), (4070, 0, 0),
    (6000, 0, 1), (7900, 0, 0),
    (9000, 1, 1), (9030, 1, 0), (9300, 1, 1), (9330, 1, 0),
    (11000, 0, 1), (11060, 0, 0), (11200, 0, 1), (11260, 0, 0), (11400, 0, 1), (11460, 0, 0),
    (11600, 0, 1), (11660, 0, 0), (11800, 0, 1), (13600, 0, 0),
    (19000, 0, 1), (19060, 0, 0),
]  # fmt: skip
STRANGER_MS = 22_000
END_MS = 45_000


BATTERY_MV, LOW_BATTERY_MV = 2000, 1650  # at the pin, which has half of it


def now_ms():
    return bus.the_bus.clock.peek_us() // 1000


def say(what):
    print("%d %s" % (now_ms(), what))


def listen_to_chip():
    """Say each change of the lights, and each time that the watchdog is fed."""
    line = bus.the_bus.line
    write = line.write
    seen = [None]

    def told(frame):
        write(frame)
        lights = [int(line.duties.get(pin, 0) > 0) for pin in LIGHTS]
        if lights != seen[0]:
            seen[0] = lights
            say("lights %d%d%d" % tuple(lights))
        if frame[2] == opcodes.WATCHDOG_FEED:
            say("fed")
            line.sent.clear()

    line.write = told


def listen_to_radio():
    advertise, disconnect = bluetooth.BLE.gap_advertise, bluetooth.BLE.gap_disconnect

    def told_advertise(self, interval_us, adv_data=None, **options):
        say("advert each %r us" % interval_us)
        advertise(self, interval_us, adv_data, **options)

    def told_disconnect(self, connection):
        say("disconnect")
        disconnect(self, connection)

    bluetooth.BLE.gap_advertise = told_advertise
    bluetooth.BLE.gap_disconnect = told_disconnect


async def until(ms):
    if ms > now_ms():
        await asyncio.sleep_ms(ms - now_ms())


async def press():
    for at_ms, which, level in INPUTS:
        await until(at_ms)
        if which:
            pins.drive(board.PIN_IMPACT, IMPACT_ON if level else 1 - IMPACT_ON)
        else:
            pins.drive(board.PIN_BUTTON, BUTTON_DOWN if level else 1 - BUTTON_DOWN)


async def play(app, radio):
    while not app.is_running:
        await asyncio.sleep_ms(10)
    say("running")
    hands = asyncio.create_task(press())
    badge = app.badge
    await until(16_000)
    badge.command_queue.put((commands.PAUSE, 1, None))
    await until(20_000)
    badge.command_queue.put((commands.RESUME, 2, None))
    await until(STRANGER_MS)
    radio.connect(1)  # and says nothing
    await until(30_000)
    analog.set_voltage(board.PIN_BATTERY_ADC, LOW_BATTERY_MV)
    await until(END_MS)
    hands.cancel()
    say("state %r %r %d" % (badge.state.counters, badge.state.signal, badge.state.flags))


def tell_journal(store):
    pages = JournalPages(store, None)
    page = pages.read(0, 500)
    while page is not None:
        seq, game_ms, data = page
        offset = 0
        while offset < len(data):
            kind, delta_ms, payload, offset = journal.decode_record(data, offset, seq)
            game_ms += delta_ms
            if kind in (journal.BOOT, journal.SNAPSHOT):
                payload = b""
            elif kind == journal.NOTE and journal.parse_note(payload)[0] == 35:
                payload = b"boot"
            print("record %d at %d: %d %r" % (seq, game_ms, kind, payload))
            seq += 1
        page = pages.read(seq, 500)


async def main(root):
    limits.FLASH_RESERVE_BYTES = 0
    listen_to_radio()
    radio = LoneRadio()
    analog.set_voltage(board.PIN_BATTERY_ADC, BATTERY_MV)
    listen_to_chip()
    boot = BootRecord(root + "/boot.cnt")
    cause = system.reset_cause()
    app = App(root, boot, cause, boot.begin(cause), system.Watchdog(8000))
    badge = asyncio.create_task(attempt(app.run()))
    await play(app, radio)
    badge.cancel()
    tell_journal(app.badge.store)
    print("END")


asyncio.run(main(os.getenv("REDBAND_ROOT")))
