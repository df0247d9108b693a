"""PITFALLS R4: a flash write stops everything. Inputs, journal and timers over such a flash.

The store's append takes 80 ms, every 50th 400 ms. Meanwhile nothing of ours runs: contacts move,
their interrupts come at the end, all with that time. Everything else is the badge's own: contacts,
filter, gestures, input task, game task, engine, journal on littlefs.
"""

import os
import unittest

import alone
import bus
import flash_device
from flash_device import FlashDevice, format_and_mount
from store_bench import read_all

from redband_badge.bounded_queue import BoundedQueue
from redband_badge.game import Game
from redband_badge.game_task import GameTask
from redband_badge.input_task import InputTask
from redband_badge.journal_pages import JournalPages
from redband_badge.journal_store import JournalStore
from redband_badge.state import BadgeState
from redband_core import journal, limits
from redband_core.clock import GameClock
from redband_core.ruleset import Ruleset
from redband_hal import board, event_loop, system
from redband_hal.event_loop import Wakeup
from redband_hal.inputs import Contact

STALL_MS = 80
LONG_STALL_MS = 400
LONG_STALL_EACH = 50
DEATH_MS = 20_000

with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    HITS = Ruleset.from_bytes(file.read())


class Bench:
    """A badge whose time the test turns: 10 ms a look, and the length of each stall."""

    def __init__(self, edges, params=None):
        alone.new_board()
        event_loop._left_ticks_ms[0] = event_loop._IDLE
        self.appends = 0
        self.state = BadgeState()
        self.store = JournalStore("/flash/journal", lambda _path: 1 << 30)
        self._append, self.store.append = self.store.append, self.stalling_append
        self.game_journal = Game(self.store, self.state, HITS, params, 77, 1234)
        self.game_journal.restore()
        self.game_journal.begin_boot(1, 1, 5, HITS.identity)
        self.appends = 0
        alone.set_ticks(0)
        self.start_us = alone.now_us()
        moves = [(at_ms * 1000, index & 1) for index, at_ms in enumerate(edges)]
        alone.move(board.PIN_BUTTON, moves)
        clock = GameClock(self.store.last_ms)
        clock.start(0)
        wakeup = Wakeup()
        self.queue = BoundedQueue(32, wakeup)
        notes = BoundedQueue(16, wakeup)
        button = Contact(board.PIN_BUTTON, board.BUTTON_ACTIVE_LOW)
        self.inputs = InputTask(clock, button, None, self.queue, notes, self.state)
        self.game = GameTask(
            self.game_journal, clock, (self.queue, notes, wakeup), self.state, False
        )
        self.due_ms = 0

    def stalling_append(self, kind, game_ms, payload):
        seq = self._append(kind, game_ms, payload)
        self.appends += 1
        event_loop._left_ticks_ms[0] = system.ticks_ms()
        span_ms = LONG_STALL_MS if self.appends % LONG_STALL_EACH == 0 else STALL_MS
        alone.stall_until(alone.now_us() + span_ms * 1000)
        bus.dispatch()
        event_loop._left_ticks_ms[0] = event_loop._IDLE
        return seq

    def now_ms(self):
        return (alone.now_us() - self.start_us) // 1000

    def run(self, until_ms, look=None):
        while self.now_ms() < until_ms:
            self.inputs.sample(self.now_ms())
            now_ms = self.now_ms()
            if self.queue.front() is not None or now_ms >= self.due_ms:
                self.due_ms = now_ms + self.game.work(now_ms)
            if look is not None:
                look()
            alone.run_until(alone.now_us() + limits.INPUT_POLL_MS * 1000)

    def hits(self):
        """Return the game times of all judged inputs in the journal."""
        rows = read_all(JournalPages(self.store, None))[0]
        return [row[1] for row in rows if row[3] in (journal.EVENT, journal.REFUSED)]


class StallTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def press_often(self, period_ms, count):
        edges = []
        presses = []
        at_ms = 1000
        for number in range(count):
            presses.append(at_ms)
            edges += [at_ms, at_ms + 60]
            at_ms += period_ms + number * 37 % 90
        self.bench = Bench(edges)
        self.bench.run(at_ms + 2000)
        return presses

    def test_R4_no_hit_is_lost_and_each_has_its_time_within_one_stall(self):
        presses = self.press_often(
            410, 240
        )  # nearer ones may both fall into one stall: one contact, one hit
        hits = self.bench.hits()
        self.assertEqual(len(hits), len(presses))
        self.assertTrue(self.bench.appends > 4 * LONG_STALL_EACH)
        errors = [hits[number] - presses[number] for number in range(len(hits))]
        self.assertTrue(min(errors) >= -limits.INPUT_POLL_MS)
        self.assertTrue(max(errors) <= LONG_STALL_MS + limits.INPUT_POLL_MS)
        # A press is late only when a stall hid it; the others are exact.
        late = [error for error in errors if error > limits.INPUT_POLL_MS]
        print(
            "stalls: %d presses, %d of them late, by %d ms at most"
            % (len(presses), len(late), max(errors))
        )
        self.assertTrue(0 < len(late) < len(errors) // 10)
        self.assertEqual(sorted(hits), hits)
        self.assertEqual(self.bench.queue.dropped_count, 0)

    def test_R4_the_fastest_pressing_is_counted_while_each_write_takes_80_ms(self):
        presses = self.press_often(170, 40)
        self.assertEqual(len(self.bench.hits()), len(presses))

    def test_R4_no_timer_ends_later_than_one_stall(self):
        params = list(HITS.defaults())
        params[0] = 1
        params[1] = DEATH_MS
        edges = []
        for number in range(60):
            edges += [1000 + number * 430, 1060 + number * 430]
        self.bench = bench = Bench(edges, tuple(params))
        changes = []

        def look():
            state = bench.game_journal.engine.track_state(0)
            if not changes or changes[-1][1] != state:
                changes.append((bench.now_ms(), state))

        bench.run(30_000, look)
        died_ms = bench.hits()[0] + DEATH_MS
        healthy, dying, dead = [state for _at_ms, state in changes]
        self.assertTrue(healthy != dying != dead)
        shown_ms = changes[2][0]
        print("stalls: timer of %d ms shown %d ms late" % (DEATH_MS, shown_ms - died_ms))
        self.assertTrue(0 <= shown_ms - died_ms <= LONG_STALL_MS + 2 * limits.INPUT_POLL_MS)
        # In the journal it ended when it was due.
        rows = read_all(JournalPages(bench.store, None))[0]
        self.assertIn(died_ms, [row[1] for row in rows if row[3] == journal.CHECKPOINT])
