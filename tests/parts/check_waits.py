"""The event loop on the silicon's clock: what wakes it, and what it says when nothing can."""

import asyncio
import unittest

import alone
from machine import Pin

from redband_hal import board
from redband_hal.event_loop import Wakeup


class Test(unittest.TestCase):
    def setUp(self):
        alone.new_board()
        asyncio.core.new_event_loop()

    def test_task_that_nothing_can_wake_is_named_and_does_not_spin(self):
        async def wait_for_event():
            await asyncio.Event().wait()

        async def wait_for_ring():
            await Wakeup()._readable()

        for wait in (wait_for_event, wait_for_ring):
            before_us = alone.now_us()
            with self.assertRaises(RuntimeError):
                asyncio.run(wait())
            self.assertTrue(alone.now_us() - before_us < 1000)
            asyncio.core.new_event_loop()

    def test_edge_in_an_hour_wakes_a_task_that_waits_for_nothing_else_and_at_its_time(self):
        wakeup = Wakeup()
        pin = Pin(board.PIN_BUTTON, Pin.IN, Pin.PULL_UP)
        pin.irq(lambda _pin: wakeup.set())
        edge_us = alone.now_us() + 3_600_000_000

        alone.move(board.PIN_BUTTON, [(3_600_000_000, 0)])
        asyncio.run(wakeup._readable())
        self.assertTrue(0 <= alone.now_us() - edge_us < 1000)
