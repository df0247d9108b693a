"""The battery pulled in every state of a ruleset; run by tests/proof/test_pulls.py.

REDBAND_WAYS names a JSON file: {"params", "ways"}; REDBAND_RULESET the compiled ruleset.
"""

import json
import os
import sys
import unittest

from game_bench import GameBench, MemoryStore, folded

from redband_badge import commands
from redband_core import journal, numbers
from redband_core.limits import CHECKPOINT_MS
from redband_core.ruleset import Ruleset

IS_MICROPYTHON = sys.implementation.name == "micropython"
with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    RULES = Ruleset.from_bytes(file.read())
with open(os.getenv("REDBAND_WAYS")) as file:
    PLAN = json.load(file)
PARAMS = tuple(PLAN["params"])
GAP_MS = 1000
PULLS = 20


def sleep_through(bench, ms):
    """Let `ms` pass without a checkpoint on the way: some timers run for a day."""
    bench.turn(ms)
    bench.wake()


def walk(bench, way):
    """Go a way: events GAP_MS apart, -1: until the next timer fires."""
    for event, args in way:
        if event < 0:
            sleep_through(bench, left_of(bench))
        else:
            bench.run(GAP_MS)
            bench.command(commands.EVENT, 1, (event, tuple(args), numbers.ROLE_GAME_MASTER))


def states_of(bench):
    return bench.shown()[0], bench.shown()[2:]


def left_of(bench):
    """Return ms left of the next timer, -1 when none runs."""
    engine = bench.game_journal.engine
    deadline_ms = engine.next_deadline_ms()
    return deadline_ms - engine.now_ms if deadline_ms >= 0 else -1


class EveryState(unittest.TestCase):
    def test_G10_pull_and_restart_in_every_state_and_the_game_master_sees_it(self):
        timers = 0
        for way in PLAN["ways"]:
            bench = GameBench(RULES, MemoryStore(), PARAMS)
            walk(bench, way)
            timers += left_of(bench) >= 0
            for lag_ms in (0, 1, CHECKPOINT_MS - 1, 3 * CHECKPOINT_MS + 7):
                if 0 <= left_of(bench) <= lag_ms:
                    continue
                bench.run(lag_ms)
                before, left_ms = states_of(bench), left_of(bench)
                boots = bench.count(journal.BOOT)
                for _again in range(2):
                    bench = bench.again()
                    self.assertEqual(states_of(bench), before, str(way))
                    self._check_setback(left_ms, left_of(bench), CHECKPOINT_MS, way)
                    left_ms = left_of(bench)
                self.assertEqual(bench.count(journal.BOOT), boots + 2)
                self.assertEqual(folded(bench), bench.game_journal.engine.snapshot())
        print("%s: %d states, %d with a timer" % (RULES.name, len(PLAN["ways"]), timers))
        self.assertTrue(len(PLAN["ways"]) > 3)

    def _check_setback(self, before_ms, after_ms, most_ms, way):
        """A pull lets a timer take longer, by a checkpoint at most, and never less long."""
        if before_ms < 0:
            self.assertEqual(after_ms, -1, str(way))
        else:
            self.assertTrue(before_ms <= after_ms <= before_ms + most_ms, str(way))

    def test_twenty_pulls_in_one_timer_win_no_penalty_and_cost_20_checkpoints_at_most(self):
        for way in PLAN["ways"]:
            bench = GameBench(RULES, MemoryStore(), PARAMS)
            walk(bench, way)
            whole_ms = left_of(bench)
            if whole_ms < 0:
                continue
            before = states_of(bench)
            on_ms = lost_ms = 0
            for pull in range(PULLS):
                nap_ms = min(left_of(bench) - 1, (CHECKPOINT_MS - 1, 7000, 1)[pull % 3])
                bench.run(nap_ms)
                on_ms += nap_ms
                left_ms = left_of(bench)
                bench = bench.again()
                lost_ms += left_of(bench) - left_ms
                self._check_setback(left_ms, left_of(bench), CHECKPOINT_MS, way)
                self.assertEqual(states_of(bench), before, str(way))
            # All time with power counts but what the pulls set back; none is given.
            self.assertEqual(left_of(bench), whole_ms - on_ms + lost_ms)
            self.assertTrue(0 <= lost_ms <= PULLS * CHECKPOINT_MS)
            self.assertEqual(bench.count(journal.BOOT), 1 + PULLS)
            sleep_through(bench, left_of(bench) - 1)
            self.assertEqual(states_of(bench)[0], before[0])
            bench.run(1)
            self.assertTrue(left_of(bench) != 0)

    def test_a_pull_in_a_pause_changes_nothing_at_all(self):
        for way in PLAN["ways"]:
            bench = GameBench(RULES, MemoryStore(), PARAMS)
            walk(bench, way)
            bench.run(0 if 0 <= left_of(bench) <= 5000 else 5000)
            bench.command(commands.PAUSE, 2)
            shown = bench.shown()
            for _pull in range(3):
                bench.turn(90_000)
                bench = bench.again()
                bench.wake()
                self.assertEqual(bench.shown(), shown, str(way))


if IS_MICROPYTHON:
    import flash_device
    from flash_device import FlashDevice, format_and_mount, power_cut

    from redband_badge.journal_store import JournalStore

    class OnLittlefs(unittest.TestCase):
        def test_G10_the_same_on_the_real_file_system(self):
            for way in PLAN["ways"]:
                device = FlashDevice(32)
                format_and_mount(device, "/flash")
                stores = [self._store()]
                bench = GameBench(RULES, stores[0], PARAMS)
                walk(bench, way)
                before, left_ms = states_of(bench), left_of(bench)
                for _pull in range(2):
                    power_cut(device, "/flash", stores)
                    stores.append(self._store())
                    bench = GameBench(RULES, stores[0], PARAMS)
                    self.assertEqual((states_of(bench), left_of(bench)), (before, left_ms))
                stores.pop().close()
                flash_device.vfs.umount("/flash")

        def _store(self):
            return JournalStore("/flash/journal", lambda _path: 1 << 30)
