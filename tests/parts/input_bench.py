"""An input task on the silicon's pins, with hands on the contacts."""

import alone
import bus
import machine
import pins

from redband_badge.bounded_queue import BoundedQueue
from redband_badge.input_task import InputTask
from redband_badge.state import BadgeState
from redband_core import limits
from redband_core.clock import GameClock
from redband_hal import board, event_loop, system
from redband_hal.event_loop import Wakeup
from redband_hal.inputs import Contact

GAME_START_MS = 5_000_000
TICKS_START = (1 << 30) - 4000  # they wrap within each test


class Bench:
    """The input task, its queues, and hands on the contacts. Times are ms since the start."""

    def __init__(self, has_impact=True, woke=False, is_held=False, is_new=True):
        """is_new: of a board with nothing soldered to it but contacts."""
        if is_new:
            alone.new_board()
        alone.set_ticks(TICKS_START)
        self.start_us = alone.now_us()
        event_loop._left_ticks_ms[0] = event_loop._IDLE
        if is_held:
            pins.drive(board.PIN_BUTTON, 0)
        self.clock = GameClock(GAME_START_MS)
        self.clock.start(system.ticks_ms())
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

    def now_ms(self):
        return (alone.now_us() - self.start_us) // 1000

    def go_to(self, at_ms):
        """Let time go on, handlers with it; nobody looks."""
        alone.run_until(self.start_us + at_ms * 1000)

    def look(self):
        """What run() does each INPUT_POLL_MS."""
        task = self.task
        if task.is_busy or not task.is_quiet():
            task.sample(system.ticks_ms())
            self.sampled_count += 1

    def run_to(self, end_ms, edges=(), pin=board.PIN_BUTTON, stalls=()):
        """Live until `end_ms`. edges: times at which the pin toggles, beginning with closed.

        stalls: (from, to) in which the interpreter runs nothing: the handlers of as many edges as
        the chip keeps run at its end. Each 10 ms otherwise the task looks.
        """
        moments = [(at_ms, 0) for at_ms in edges]
        poll_ms = self.now_ms()
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
            at_us = self.start_us + at_ms * 1000
            (alone.stall_until if is_stalled else alone.run_until)(at_us)
            if kind == -1:
                event_loop._left_ticks_ms[0] = system.ticks_ms()
                is_stalled = True
            elif kind == 0:
                toggle(pin)
                if not is_stalled:
                    bus.dispatch()
            elif kind == 1:
                self.look()
            else:
                bus.dispatch()
                is_stalled = False
                event_loop._left_ticks_ms[0] = event_loop._IDLE
        self.go_to(end_ms)

    def blow(self, edges, end_ms, **options):
        self.run_to(end_ms, edges, board.PIN_IMPACT, **options)

    def spike(self, pin):
        """Close a contact and open it before any handler runs: each finds it open."""
        toggle(pin)
        toggle(pin)
        bus.dispatch()

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


def toggle(pin):
    """Open or close a contact."""
    pins.drive(pin, 1 - machine.Pin(pin).value())
