"""A chip that sleeps and wakes, with a finger on its button."""

import asyncio
import struct
import unittest

import alone
import flash_device
import machine
import opcodes
import pins
from flash_device import FlashDevice, format_and_mount

from redband_badge import files, limits, sleep
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.state import BadgeState
from redband_hal import board
from redband_hal.event_loop import Wakeup
from redband_hal.lights import Lights

ROOT = "/flash"
PIN = board.PIN_BUTTON
JAMMED = (0, 4_000_000)  # a press for longer than any test
ON_BUTTON = bytes((PIN, 0))
OUTPUTS = (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION)


class World:
    """A new start of the chip, and a finger with a plan.

    `presses`: (from, to) in ms since the start. `lit`: (ms, pin) when an output was switched on.
    """

    def __init__(self, presses=()):
        alone.new_board()
        self.lit = []
        self._start_us = alone.now_us()
        for pin in OUTPUTS:
            pins.listeners[pin] = lambda level, pin=pin: self._shown(pin, level)
        moves = []
        for start_ms, end_ms in presses:
            moves += [(start_ms * 1000, 0), (end_ms * 1000, opcodes.OPEN)]
        alone.move(PIN, moves)

    def _shown(self, pin, level):
        if level:
            self.lit.append((self.now_ms(), pin))

    def now_ms(self):
        return (alone.now_us() - self._start_us) // 1000


def slept(ended):
    """Return the sleep that an Ended is: (ms or None, wake pins and levels)."""
    opcode, payload = ended.args
    assert opcode == opcodes.DEEP_SLEEP
    return struct.unpack("<I", payload)[0] or None, payload[4:]


class Case(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(16)
        format_and_mount(self.device, ROOT)

    def tearDown(self):
        machine.set_facts(machine.PWRON_RESET, 0, bytes(6))
        flash_device.vfs.umount(ROOT)

    def start(self, cause, presses=(), wake=0):
        """Start the chip; return ("booted", "reset" or slept(), World)."""
        machine.set_facts(cause, wake, bytes(6))
        world = World(presses)
        try:
            sleep.wake_check(ROOT)
        except alone.Ended as ended:
            return "reset" if ended.args[0] == opcodes.RESET else slept(ended), world
        return "booted", world

    def pressed(self, *presses):
        return self.start(machine.DEEPSLEEP_RESET, presses, wake=7)

    def exists(self, path):
        return files.read_bytes(ROOT + path) is not None

    def set_mode(self):
        files.replace(ROOT + limits.TRANSPORT_PATH, b"1")


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
        """Run a coroutine beside the journal; return the slept() it ended with, or None."""

        async def main():
            journal = asyncio.create_task(self.keep_journal())
            try:
                await work
            except alone.Ended as ended:
                return slept(ended)
            finally:
                journal.cancel()
            return None

        return asyncio.run(main())
