"""A badge whose heap is short starts again: when, what its journal says, and when it does not."""

import asyncio
import sys
import unittest

import esp32
from alone import Ended

from redband_badge import heap_keeper
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.state import BadgeState
from redband_core import numbers
from redband_hal import system
from redband_hal.event_loop import Wakeup


class Engine:
    deadline_ms = -1

    def next_deadline_ms(self):
        return self.deadline_ms


class Journal:
    def __init__(self):
        self.engine = Engine()


class Badge:
    """What the keeper sees of a badge; `written`: notes that reached the journal."""

    def __init__(self):
        self.root = "/nowhere"
        self.tap = None  # of its Observer
        self.inputs_seen = None
        self.state = BadgeState()
        self.game_journal = Journal()
        wakeup = Wakeup()
        self.queue, self.command_queue = BoundedQueue(4, wakeup), BoundedQueue(4, wakeup)
        self.note_queue = BoundedQueue(4, wakeup)
        self.written = []

    async def look(self):
        queues = (self.queue, self.note_queue, self.command_queue)
        playing = (self.state, self.game_journal, queues, self)
        self.inputs_seen = await heap_keeper.look(self.root, playing, self.inputs_seen)

    def write(self):
        while self.note_queue.front() is not None:
            self.written.append(self.note_queue.front())
            self.note_queue.remove_front()


def looks(badge, count=2):
    """Let the keeper look so often, with a journal that writes meanwhile; return whether the chip
    was started again.
    """

    async def sleep_ms(_ms):
        badge.write()

    real, asyncio.sleep_ms = asyncio.sleep_ms, sleep_ms
    try:
        for _ in range(count):
            asyncio.run(badge.look())
    except Ended:
        return True
    finally:
        asyncio.sleep_ms = real
    return False


class KeeperTest(unittest.TestCase):
    def test_badge_that_stands_still_notes_it_and_starts_again(self):
        badge = Badge()
        self.assertTrue(looks(badge))
        self.assertEqual([code for code, _bytes in badge.written], [numbers.NOTE_HEAP_SHORT])

    def test_one_look_is_no_minute_without_an_input(self):
        self.assertFalse(looks(Badge(), 1))

    def test_whatever_goes_on_keeps_it_running(self):
        ways = {
            "timer": lambda badge: setattr(badge.game_journal.engine, "deadline_ms", 5),
            "tap": lambda badge: setattr(badge, "tap", object()),
            "host": lambda badge: setattr(badge.state, "is_connected", True),
            "gesture": lambda badge: setattr(badge.state, "is_input_busy", True),
            "emergency": lambda badge: setattr(badge.state, "is_emergency", True),
            "safe mode": lambda badge: setattr(badge.state, "safe_mode_reason", 1),
            "input": lambda badge: badge.queue.put((1,)),
            "command": lambda badge: badge.command_queue.put((1,)),
            "trial": lambda badge: setattr(badge, "root", "/flash"),
        }
        exists = heap_keeper.files.exists
        heap_keeper.files.exists = lambda path: path == "/flash/slot"
        try:
            for what in ways:
                badge = Badge()
                ways[what](badge)
                self.assertFalse(looks(badge, 3), what)
                self.assertEqual(badge.written, [], what)
        finally:
            heap_keeper.files.exists = exists

    def test_upload_keeps_it_running(self):
        sys.modules["redband_badge.update"] = heap_keeper
        try:
            self.assertFalse(looks(Badge(), 3))
        finally:
            del sys.modules["redband_badge.update"]

    def test_press_while_the_note_is_written_keeps_it_running(self):
        badge = Badge()
        write = badge.write

        def pressed():
            badge.state.acknowledged += 1
            write()

        badge.write = pressed
        self.assertFalse(looks(badge, 2))


class HeapTest(unittest.TestCase):
    def test_G16_the_system_s_largest_piece_is_no_room_of_python(self):
        esp32.heap_regions = [(1000, 400, 300, 9), (2000, 900, 800, 9)]
        python_bytes, free, largest = system.heap_bytes()
        self.assertEqual((free, largest), (1300, 800))
        self.assertTrue(python_bytes > system.HEAP_LEFT_BYTES)
        self.assertFalse(system.is_heap_short())
        self.assertTrue(system.is_heap_short(1 << 40))


if __name__ == "__main__":
    unittest.main()
