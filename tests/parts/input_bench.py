"""An input task on the stand-in's pins, with hands on the contacts and a clock of its own."""

import machine

from redband_badge import input_task
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.input_task import InputTask
from redband_badge.state import BadgeState
from redband_core import limits
from redband_core.clock import GameClock
from redband_hal import board, event_loop, inputs, system
from redband_hal.event_loop import Wakeup
from redband_hal.inputs import Contact

GAME_START_MS = 5_000_000
TICKS_START = (1 << 30) - 4000  # they wrap within each test


class Ticks:
    """Stands for `time` in redband_hal.inputs and for `system.ticks_ms`."""

    now_ms = 0

    @staticmethod
    def ticks_ms():
        return (TICKS_START + Ticks.now_ms) % (1 << 30)

    @staticmethod
    def ticks_diff(later_ms, earlier_ms):
        return ((later_ms - earlier_ms + (1 << 29)) % (1 << 30)) - (1 << 29)


class Bench:
    """The input task, its queues, and hands on the contacts. Times are ms since the start."""

    def __init__(self, has_impact=True, woke=False, is_held=False):
        inputs.time = event_loop.time = Ticks
        event_loop._left_ticks_ms[0] = event_loop._IDLE
        system.ticks_ms = Ticks.ticks_ms
        input_task.system = system
        system.ticks_diff = Ticks.ticks_diff
        Ticks.now_ms = 0
        machine.Chip.levels.clear()
        machine.Chip.handlers.clear()
        if is_held:
            machine.Chip.levels[board.PIN_BUTTON] = 0
        self.clock = GameClock(GAME_START_MS)
        self.clock.start(Ticks.ticks_ms())
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
            task.sample(Ticks.ticks_ms())
            self.sampled_count += 1

    def run_to(self, end_ms, edges=(), pin=board.PIN_BUTTON, stalls=(), delivered=1000):
        """Live until `end_ms`. edges: times at which the pin toggles, beginning with closed.

        stalls: (from, to) in which the interpreter runs nothing: the handlers of at most
        `delivered` edges run at its end. Each 10 ms otherwise the task looks.
        """
        moments = [(at_ms, 0) for at_ms in edges]
        poll_ms = Ticks.now_ms
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
        waiting = []
        for at_ms, kind in sorted(moments):
            stalled = [one for one in stalls if one[0] <= at_ms < one[1]]
            if kind == -1:
                event_loop._left_ticks_ms[0] = (TICKS_START + at_ms) % (1 << 30)
            elif kind == 0 and stalled:
                level = 1 - machine.Chip.levels[pin]
                machine.Chip.levels[pin] = level
                waiting.append(pin)
            elif kind == 0:
                Ticks.now_ms = at_ms
                machine.drive(pin, 1 - machine.Chip.levels[pin])
            elif kind == 1:
                Ticks.now_ms = at_ms
                self.look()
            else:
                Ticks.now_ms = at_ms
                for number in waiting[:delivered]:
                    handler, one = machine.Chip.handlers[number]
                    handler(one)
                waiting = []
                event_loop._left_ticks_ms[0] = event_loop._IDLE
        Ticks.now_ms = end_ms

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
