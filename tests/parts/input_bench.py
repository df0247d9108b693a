"""An input task on the silicon's pins, hands on its contacts. Times are ms since the start."""

import time

import alone
import bus
import opcodes
import pins

from redband_badge.bounded_queue import BoundedQueue
from redband_badge.input_task import InputTask
from redband_badge.state import BadgeState
from redband_core import limits
from redband_core.clock import GameClock
from redband_hal import board, event_loop
from redband_hal.event_loop import Wakeup
from redband_hal.inputs import Contact

GAME_START_MS = 5_000_000
TICKS_START = (1 << 30) - 4000  # they wrap within each test


class Hands:
    """A chip that has just started, and what a person does to its contacts."""

    def __init__(self, start_ticks_ms=0):
        pins._pins.clear()
        for pin in (board.PIN_BUTTON, board.PIN_IMPACT):
            pins.drive(pin, opcodes.OPEN)
        event_loop._left_ticks_ms[0] = event_loop._IDLE
        self.start_us = alone.show_ticks(start_ticks_ms)

    @property
    def now_ms(self):
        return (bus.the_bus.clock.peek_us() - self.start_us) // 1000

    def live_to(self, at_ms):
        """Let time pass, and interrupts come at once."""
        self.live_to_us(at_ms * 1000)

    def live_to_us(self, at_us):
        time.sleep_us(self.start_us + at_us - bus.the_bus.clock.peek_us())

    def stall_to(self, at_ms):
        """Let time pass while the interpreter runs nothing, no interrupt either."""
        self.stall_to_us(at_ms * 1000)

    def stall_to_us(self, at_us):
        while bus.the_bus.clock.peek_us() < self.start_us + at_us:
            bus.the_bus.rest(self.start_us + at_us)
            bus.receive()

    def drive(self, pin, level):
        """Set a contact; its interrupt comes with the next passing of time."""
        pins.drive(pin, level)

    def toggle(self, pin):
        pins.drive(pin, 1 - pins.Pin(pin)._level)

    def spike(self, pin):
        """Close a contact for so short a time that its interrupts find it open, twice."""
        pins.drive(pin, 0)
        pins.drive(pin, 1)
        bus.dispatch()


class Bench(Hands):
    """The input task and its queues. woke: the press that woke the chip is latched."""

    def __init__(self, has_impact=True, woke=False, is_held=False):
        super().__init__(TICKS_START)
        if is_held:
            self.drive(board.PIN_BUTTON, 0)
        self.clock = GameClock(GAME_START_MS)
        self.clock.start(time.ticks_ms())
        self.state = BadgeState()
        self.queue = BoundedQueue(32, Wakeup())
        self.note_queue = BoundedQueue(16, Wakeup())
        self.button = Contact(board.PIN_BUTTON, board.BUTTON_ACTIVE_LOW)
        if woke:
            self.button.latch()
        impact = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW) if has_impact else None
        queues = (self.queue, self.note_queue)
        self.task = InputTask(self.clock, self.button, impact, *queues, self.state)
        self.sampled_count = 0
        self.run_to(0)

    def look(self):
        """What run() does each INPUT_POLL_MS."""
        task = self.task
        if task.is_busy or not task.is_quiet():
            task.sample(time.ticks_ms())
            self.sampled_count += 1

    def run_to(self, end_ms, edges=(), pin=board.PIN_BUTTON, stalls=()):
        """Live until `end_ms`. edges: times at which the pin toggles, beginning with closed.

        stalls: (from, to) in which the interpreter runs nothing: handlers, of as many edges as
        the chip's queue holds, run at its end. Each 10 ms otherwise the task looks.
        """
        moments = [(at_ms, 0) for at_ms in edges]
        poll_ms = self.now_ms
        while poll_ms <= end_ms:
            at_ms = poll_ms
            for begin_ms, finish_ms in stalls:
                if begin_ms <= at_ms < finish_ms:
                    at_ms = finish_ms
            moments.append((at_ms, 1))
            poll_ms = at_ms + limits.INPUT_POLL_MS
        for begin_ms, finish_ms in stalls:
            moments.append((begin_ms, -1))
            moments.append((finish_ms, 0.5))
        is_stalled = False
        for at_ms, kind in sorted(moments):
            if is_stalled:
                self.stall_to(at_ms)
            else:
                self.live_to(at_ms)
            if kind == -1:
                is_stalled = True
                event_loop._left_ticks_ms[0] = time.ticks_ms()
            elif kind == 0:
                self.toggle(pin)
            elif kind == 1:
                self.look()
            else:
                is_stalled = False
                bus.dispatch()
                event_loop._left_ticks_ms[0] = event_loop._IDLE
        self.live_to(end_ms)

    def blow(self, edges, end_ms, **options):
        self.run_to(end_ms, edges, board.PIN_IMPACT, **options)

    def taken(self):
        """Return what came out: (gesture, presses, ms since the start)."""
        found = []
        while self.queue.front() is not None:
            code, presses, game_ms = self.queue.front()
            found.append((code, presses, game_ms - GAME_START_MS))
            self.queue.remove_front()
        return found

    def notes(self):
        found = []
        while self.note_queue.front() is not None:
            found.append(self.note_queue.front())
            self.note_queue.remove_front()
        return found
