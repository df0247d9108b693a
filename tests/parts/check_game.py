"""The game over the real journal: what is shown is written, and what is written comes back."""

import asyncio
import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut

from redband.wire import journal as wire_journal
from redband_badge import limits
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.game import Game
from redband_badge.game_task import GameTask
from redband_badge.journal_pages import JournalPages
from redband_badge.journal_store import JournalStore
from redband_badge.raw_game import RawGame
from redband_badge.state import BadgeState
from redband_badge.supervisor import attempt
from redband_core import gestures, journal, numbers
from redband_core.clock import GameClock
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_hal import system
from redband_hal.event_loop import Wakeup

with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    RULESET = Ruleset.from_bytes(file.read())

PRESS = gestures.PRESS
HOLD = gestures.HOLD
DEATH_MS = 900_000
MANY_HITS = (9,) + RULESET.defaults()[1:]


class Bench:
    """One boot of a badge's game, without its tasks."""

    opened = []

    def __init__(self, kind=Game, params=None):
        while Bench.opened:
            Bench.opened.pop().close()
        self.store = JournalStore("/flash/journal", lambda _path: 1 << 30)
        Bench.opened.append(self.store)
        self.state = BadgeState()
        if kind is Game:
            self.game_journal = Game(self.store, self.state, RULESET, params, 77, 1234)
        else:
            self.game_journal = RawGame(self.store, self.state, 77, 1234)
        self.game_journal.restore()
        self.game_journal.begin_boot(self.game_journal.boot_count + 1, 1, 5, RULESET.identity)
        self.game_journal.show()
        self.now_ms = self.store.last_ms

    def play(self, gesture, after_ms=1000, first_ms=None):
        self.now_ms += after_ms
        self.game_journal.tick(self.now_ms)
        if first_ms is None:
            first_ms = self.now_ms
        self.game_journal.take_gesture(gesture, first_ms, self.now_ms)

    def shown(self):
        engine = self.game_journal.engine
        tracks = [engine.track_state(track) for track in range(len(RULESET.state_counts))]
        return (tracks, self.state.counters, self.state.signal)


def records_of(store):
    """Return (kind, payload) of all records."""
    found = []
    pages = JournalPages(store, None)
    page = pages.read(0, 500)
    while page is not None:
        seq, _base_ms, data = page
        offset = 0
        while offset < len(data):
            kind, _delta_ms, payload, offset = journal.decode_record(data, offset, seq)
            found.append((kind, payload))
            seq += 1
        page = pages.read(seq, 500)
    return found


def payloads_of(store, wanted):
    return [payload for kind, payload in records_of(store) if kind == wanted]


def notes_of(store):
    return [journal.parse_note(payload) for payload in payloads_of(store, journal.NOTE)]


class GameTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        while Bench.opened:
            Bench.opened.pop().close()
        flash_device.vfs.umount("/flash")

    def test_press_costs_a_hit_at_once(self):
        bench = Bench()
        hits = bench.state.counters[0]
        bench.play(PRESS)
        self.assertEqual(bench.state.counters[0], hits - 1)
        self.assertEqual(bench.state.acknowledged, 1)

    def test_hold_takes_its_own_press_back_and_no_other_hit(self):
        bench = Bench(Game, MANY_HITS)
        hits = bench.state.counters[0]
        bench.play(PRESS)
        bench.play(gestures.IMPACT, 3000)
        bench.play(PRESS, 3000)
        first_ms = bench.now_ms
        bench.play(gestures.IMPACT, 500)
        bench.play(HOLD, 1000, first_ms)
        self.assertEqual(bench.state.counters[0], hits - 3)
        power_cut(self.device, "/flash", Bench.opened)
        self.assertEqual(Bench(Game, MANY_HITS).state.counters[0], hits - 3)

    def test_hold_after_a_refused_press_takes_no_hit_back(self):
        bench = Bench()
        while bench.state.counters[0]:
            bench.play(PRESS)
        bench.play(PRESS, 500)
        first_ms = bench.now_ms
        self.assertTrue(bench.state.refused > 0)
        bench.play(HOLD, 1500, first_ms)
        self.assertEqual(bench.state.counters[0], 0)

    def test_G10_restart_keeps_the_state_in_each_state_of_the_main_scenario(self):
        plays = [PRESS, PRESS, HOLD, PRESS, PRESS, PRESS, HOLD]
        for count in range(len(plays) + 1):
            flash_device.vfs.umount("/flash")
            self.device = FlashDevice()
            format_and_mount(self.device, "/flash")
            bench = Bench()
            for gesture in plays[:count]:
                bench.play(gesture, 11_000)
            shown = bench.shown()
            for _again in range(2):
                power_cut(self.device, "/flash", Bench.opened)
                bench = Bench()
                self.assertEqual(bench.shown(), shown)

    def test_restart_is_a_record_that_the_game_master_sees(self):
        Bench()
        Bench()
        bench = Bench()
        boots = payloads_of(bench.store, journal.BOOT)
        self.assertEqual([journal.parse_boot(payload)[1] for payload in boots], [1, 2, 3])

    def test_fired_timer_that_was_shown_survives_a_power_cut(self):
        bench = Bench()
        while bench.state.counters[0]:
            bench.play(PRESS)
        bench.now_ms += DEATH_MS + 1
        bench.game_journal.tick(bench.now_ms)
        shown = bench.shown()
        power_cut(self.device, "/flash", Bench.opened)
        self.assertEqual(Bench().shown(), shown)

    def test_battery_pull_wins_at_most_one_checkpoint(self):
        bench = Bench()
        while bench.state.counters[0]:
            bench.play(PRESS)
        for _second in range(100):
            bench.now_ms += 1000
            bench.game_journal.tick(bench.now_ms)
        left_ms = bench.state.timer_left_ms
        power_cut(self.device, "/flash", Bench.opened)
        again = Bench()
        self.assertTrue(left_ms <= again.state.timer_left_ms <= left_ms + 30_000)
        checkpoints = [
            1 for kind, _payload in records_of(again.store) if kind == journal.CHECKPOINT
        ]
        self.assertEqual(len(checkpoints), 3)

    def test_no_checkpoint_is_written_while_no_timer_runs(self):
        bench = Bench()
        for _hour in range(20):
            bench.now_ms += 3_600_000
            bench.game_journal.tick(bench.now_ms)
        kinds = [kind for kind, _payload in records_of(bench.store)]
        self.assertFalse(journal.CHECKPOINT in kinds)

    def test_power_cut_at_each_flash_operation_keeps_what_was_shown(self):
        cuts = 0
        segment_bytes = limits.SEGMENT_BYTES
        limits.SEGMENT_BYTES = 300  # so that some cuts fall into a rotation
        while self._play_until_cut(cuts):
            cuts += 1
        limits.SEGMENT_BYTES = segment_bytes
        print("game: %d cut points" % cuts)
        self.assertTrue(cuts > 60)

    def _play_until_cut(self, cut_at):
        flash_device.vfs.umount("/flash")
        device = FlashDevice(32)
        format_and_mount(device, "/flash")
        device.operations = 0
        device.cut_at = cut_at
        shown = later = None
        bench = None
        try:
            bench = Bench()
            shown = bench.shown()
            for gesture in (PRESS, HOLD, PRESS, PRESS, PRESS, PRESS, HOLD) * 6:
                later = None
                bench.play(gesture, 10_001)
                shown = bench.shown()
        except OSError:
            if not device.is_dead:
                raise
            if bench is not None:
                # The record may be there: the cut came before append() returned.
                bench.game_journal.show()
                later = bench.shown()
        was_cut = device.is_dead
        for _again in range(2):
            power_cut(device, "/flash", Bench.opened)
            found = Bench().shown()
            if shown is not None and found != shown and found != later:
                raise AssertionError("cut at %d: %r is not %r" % (cut_at, found, shown))
        return was_cut

    def test_safe_mode_without_rules_keeps_presses_and_the_old_state(self):
        bench = Bench()
        bench.play(PRESS)
        shown = bench.shown()
        raw = Bench(RawGame)
        for _press in range(400):
            raw.play(PRESS)
        raw.store.release(raw.store.next_seq)
        gestures_noted = [
            value for code, value in notes_of(raw.store) if code == numbers.NOTE_RAW_GESTURE
        ]
        self.assertEqual(gestures_noted, [PRESS] * 400)
        self.assertEqual(Bench().shown(), shown)

    def test_journal_of_another_ruleset_is_noticed(self):
        Bench()
        bench = Bench()
        broken = bytearray(bench.game_journal.snapshot())
        broken[3] ^= 1
        bench.store.begin_segment(bench.now_ms, bytes(broken))
        self.assertTrue(Bench().game_journal.has_foreign_state)

    def test_params_out_of_range_are_refused(self):
        with self.assertRaises(RulesError):
            Bench(Game, (1, 2))


class Alive:
    """Takes the task's reports."""

    def report(self):
        pass


class TaskTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")
        limits.GAME_WAIT_MS = 20

    def tearDown(self):
        while Bench.opened:
            Bench.opened.pop().close()
        flash_device.vfs.umount("/flash")

    def _run(self, bench, is_safe_mode, between):
        wakeup = Wakeup()
        queue = BoundedQueue(32, wakeup)
        clock = GameClock(bench.now_ms)
        clock.start(system.ticks_ms())
        queues = (queue, BoundedQueue(8, wakeup), wakeup)
        task = GameTask(bench.game_journal, clock, queues, bench.state, is_safe_mode)
        errors = []

        async def keep():
            while True:
                errors.append(await attempt(task.run(Alive())))

        async def play():
            keeper = asyncio.create_task(keep())
            await between(queue)
            for _wait in range(100):
                if queue.front() is None:
                    break
                await asyncio.sleep_ms(5)
            keeper.cancel()

        asyncio.run(play())
        return errors

    def test_write_errors_lose_no_hit_and_count_none_twice(self):
        for skip in range(12):
            for is_late in (False, True):
                self._fail_once(skip, is_late)

    def _fail_once(self, skip, is_late):
        flash_device.vfs.umount("/flash")
        device = self.device = FlashDevice()
        format_and_mount(device, "/flash")
        bench = Bench()

        async def fail_once(queue):
            for number in range(8):
                if number == 3:
                    device.fail_at = device.operations + skip
                    device.fail_count = 1
                    device.is_late = is_late
                queue.put((gestures.IMPACT, 1, bench.now_ms + number * 1000))
                await asyncio.sleep_ms(1)

        self._run(bench, False, fail_once)
        device.fail_at = None
        for game_journal in (bench, Bench()):
            inputs = payloads_of(game_journal.store, journal.EVENT)
            inputs += payloads_of(game_journal.store, journal.REFUSED)
            self.assertEqual(len(inputs), 8)

    def test_dead_flash_in_safe_mode_still_counts(self):
        bench = Bench()
        hits = bench.state.counters[0]
        device = self.device

        async def fail_for_ever(queue):
            device.fail_at = device.operations
            device.fail_count = 1 << 29
            for _press in range(2):
                queue.put((PRESS, 1, bench.now_ms))

        self._run(bench, True, fail_for_ever)
        self.assertEqual(bench.state.counters[0], hits - 2)
        device.fail_count = 0

    def test_refused_input_is_journalled_with_its_reason(self):
        bench = Bench()
        while bench.state.counters[0]:
            bench.play(PRESS)
        bench.play(PRESS)
        refused = payloads_of(bench.store, journal.REFUSED)
        self.assertEqual(len(refused), 1)
        self.assertTrue(wire_journal.parse_refused(refused[0])[0] >= 1)
