"""A chip that sleeps, wakes and has a finger on its button, in time that the test owns."""

import asyncio
import unittest

import alone
import flash_device
import machine
import opcodes
import pins
import sleep as chip_sleep
from flash_device import FlashDevice, format_and_mount
from world import the_world

from redband_badge import files, limits, sleep
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.state import BadgeState
from redband_hal import board
from redband_hal.event_loop import Wakeup
from redband_hal.lights import Lights

ROOT = "/flash"
PIN = board.PIN_BUTTON
OUTPUTS = (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION)


def slept_ms(ended):
    """Return the ms of a deep sleep, 0: until a pin wakes the chip."""
    return int.from_bytes(ended.args[1][:4], "little")


class World:
    """A finger on the button, and an eye on the lights. Times are ms since the start.

    `presses`: (from, to). `lit_ms`: when a light went on.
    """

    def __init__(self, presses=()):
        self.start_us = the_world.now_us()
        self.presses = presses
        self.lit_ms = []
        the_world._sources[:] = [one for one in the_world._sources if not isinstance(one, World)]
        the_world.add(self)
        self.set_button()
        for pin in OUTPUTS:
            pins.listeners[pin] = self.changed

    @property
    def now_ms(self):
        return (the_world.now_us() - self.start_us) // 1000

    def changed(self, level):
        if level:
            self.lit_ms.append(self.now_ms)

    def next_us(self):
        edges_ms = [edge_ms for press in self.presses for edge_ms in press]
        coming_ms = [edge_ms for edge_ms in edges_ms if edge_ms > self.now_ms]
        return self.start_us + min(coming_ms) * 1000 if coming_ms else None

    def advance(self, _now_us):
        self.set_button()

    def set_button(self):
        is_down = any(start <= self.now_ms < end for start, end in self.presses)
        pins.drive(PIN, 0 if is_down else opcodes.OPEN)
        the_world.changed()


class Case(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(16)
        format_and_mount(self.device, ROOT)
        self.begin(machine.PWRON_RESET)

    def tearDown(self):
        flash_device.vfs.umount(ROOT)

    def begin(self, cause, presses=(), wake=0):
        """Let the chip begin by this cause; return its World."""
        pins.held.clear()
        pins._pins.clear()
        chip_sleep._wake[0] = ()
        machine.set_facts(cause, wake, b"123456")
        return World(presses)

    def start(self, cause, presses=(), wake=0):
        """Start the chip; return ("booted" or "reset" or "slept", ms of sleep, World)."""
        world = self.begin(cause, presses, wake)
        try:
            sleep.wake_check(ROOT)
        except alone.Ended as ended:
            if ended.args[0] == opcodes.RESET:
                return "reset", None, world
            return "slept", slept_ms(ended), world
        return "booted", None, world

    def pressed(self, *presses):
        return self.start(machine.DEEPSLEEP_RESET, presses, wake=7)

    def exists(self, path):
        return files.read_bytes(ROOT + path) is not None

    def set_mode(self, data=b"1"):
        files.replace(ROOT + limits.TRANSPORT_PATH, data)


class Badge:
    """What going to sleep needs of a Badge; its journal takes notes unless it is broken."""

    def __init__(self, is_broken=False):
        self.root = ROOT
        self.reason = 0
        self.has_radio = False
        self.state = BadgeState()
        self.note_queue = BoundedQueue(16, Wakeup())
        self.is_broken = is_broken
        self.noted = []
        self.lights = Lights()
        self.done = []
        self.store = self.boot = self

    def close(self):
        self.done.append("closed")

    def mark_healthy(self, is_safe_mode):
        self.done.append("healthy")

    async def keep_journal(self):
        while not self.is_broken:
            note = self.note_queue.front()
            if note is not None:
                self.noted.append(note)
                self.note_queue.remove_front()
            await asyncio.sleep_ms(1)

    def run(self, work):
        """Run a coroutine beside the journal; return the ms of the sleep it ended in (0: until
        the button is pressed), or None.
        """

        async def main():
            journal = asyncio.create_task(self.keep_journal())
            try:
                await work
            except alone.Ended as ended:
                return slept_ms(ended)
            finally:
                journal.cancel()
            return None

        return asyncio.run(main())
