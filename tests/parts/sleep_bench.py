"""A chip that sleeps, wakes and has a finger on its button, in time that the test owns."""

import asyncio
import unittest

import esp32
import flash_device
import machine
from flash_device import FlashDevice, format_and_mount
from machine import Chip

from redband_badge import files, limits, sleep
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.state import BadgeState
from redband_hal import board, power, system
from redband_hal.event_loop import Wakeup
from redband_hal.lights import Lights

ROOT = "/flash"
PIN = board.PIN_BUTTON
OUTPUTS = (board.PIN_LED_RED, board.PIN_LED_GREEN, board.PIN_VIBRATION)


class World:
    """Time that passes only while the program waits, and a finger with a plan.

    `presses`: (from, to) in ms since the start. `lit_ms`: when a light or the motor was on.
    """

    def __init__(self, presses=()):
        self.now_ms = 0
        self.presses = presses
        self.lit_ms = []
        self.set_button()

    def set_button(self):
        is_down = any(start <= self.now_ms < end for start, end in self.presses)
        Chip.levels[PIN] = 0 if is_down else 1

    def pause_ms(self, duration_ms):
        for _ in range(duration_ms):
            if any(Chip.levels.get(pin) for pin in OUTPUTS):
                self.lit_ms.append(self.now_ms)
            self.now_ms += 1
        self.set_button()

    def ticks_ms(self):
        return self.now_ms


class Case(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(16)
        format_and_mount(self.device, ROOT)
        self.real = power.pause_ms, system.ticks_ms
        Chip.levels.clear()
        Chip.held.clear()
        esp32.Chip.wake_pins = ()

    def tearDown(self):
        power.pause_ms, system.ticks_ms = self.real
        Chip.cause = machine.PWRON_RESET
        Chip.wake_reason = 0
        flash_device.vfs.umount(ROOT)

    def start(self, cause, presses=(), wake=0):
        """Start the chip; return ("booted" or "reset" or "slept", ms of sleep, World)."""
        Chip.cause, Chip.wake_reason = cause, wake
        world = World(presses)
        power.pause_ms, system.ticks_ms = world.pause_ms, world.ticks_ms
        esp32.Chip.wake_pins = ()
        try:
            sleep.wake_check(ROOT)
        except machine.SleepError as error:
            return "slept", error.args[0], world
        except machine.ResetError:
            return "reset", None, world
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
        """Run a coroutine beside the journal; return the SleepError it ended with, or None."""

        async def main():
            journal = asyncio.create_task(self.keep_journal())
            try:
                await work
            except machine.SleepError as error:
                return error
            finally:
                journal.cancel()
            return None

        return asyncio.run(main())
