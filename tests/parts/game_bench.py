"""A badge's game with its task, on a tick counter and a journal in memory, on both Pythons.

`MemoryStore` stands in for journal_store.JournalStore: the same calls, without littlefs. What was
appended survives `GameBench.again()`, a power cut; nothing else does.
"""

import os

from redband_badge import limits
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.game import Game
from redband_badge.game_task import GameTask
from redband_badge.state import BadgeState
from redband_core import journal
from redband_core.clock import TICKS_PERIOD, GameClock
from redband_core.ruleset import Ruleset
from redband_hal.event_loop import Wakeup

DATA = os.getenv("REDBAND_RULES_DATA") or "../core/data"
HIT = 1  # event of the rulesets `hits` and `wounds`
BOOT_ID = 1234


def ruleset(name):
    """Return a shipped ruleset."""
    with open(DATA + "/" + name + ".bin", "rb") as file:
        return Ruleset.from_bytes(file.read())


class MemoryStore:
    """Records in a list. `fail_at`: number of the write that fails, None for none.

    `is_late`: whether a write that fails is done all the same.
    """

    def __init__(self, segment_records=100):
        self.records = []  # (kind, game_ms, payload)
        self.segment_records = segment_records
        self.next_seq = self.last_ms = self.torn_bytes = 0
        self.install_id = 7
        self.is_lost = False
        self.writes = 0
        self.fail_at = None
        self.is_late = False
        self._needs_segment = True
        self._in_segment = 0

    def recover(self, apply):
        start = 0
        for index, (kind, _game_ms, payload) in enumerate(self.records):
            if kind == journal.SNAPSHOT and payload:
                start = index
        self.next_seq = len(self.records)
        self.last_ms = 0
        for kind, game_ms, payload in self.records[start:]:
            self.last_ms = game_ms
            apply(kind, game_ms, payload)
        self._needs_segment = not self.records
        self._in_segment = self.next_seq - start

    def needs_segment(self):
        return self._needs_segment or self._in_segment >= self.segment_records

    def force_segment(self):
        self._needs_segment = True

    def is_shedding(self):
        return False

    def _write(self, new):
        number = self.writes
        self.writes += 1
        fails = self.fail_at == number
        if not self.is_lost and (not fails or self.is_late):
            self.records.extend(new)
        if fails:
            raise OSError(5)
        self.next_seq += len(new)
        self.last_ms = new[-1][1]

    def append(self, kind, game_ms, payload):
        if self._needs_segment:
            raise AssertionError("make_room() was forgotten")
        self._in_segment += 1
        self._write([(kind, max(game_ms, self.last_ms), payload)])
        return self.next_seq - 1

    def begin_segment(self, game_ms, snapshot, carried=()):
        game_ms = max(game_ms, self.last_ms)
        new = [(journal.SNAPSHOT, game_ms, snapshot)]
        for kind, payload in carried:
            new.append((kind, game_ms, payload))
        self._write(new)
        self._needs_segment = False
        self._in_segment = len(new)
        return 0

    def release(self, before_seq):
        pass

    def give_up(self):
        self.is_lost = True
        self._needs_segment = False


class GameBench:
    """One boot. `ticks_ms`: the counter, which the test turns."""

    def __init__(self, rules, store=None, params=None, ticks_ms=0, kind=Game, cause=1):
        self.rules = rules
        self.params = params
        self.kind = kind
        self.store = store or MemoryStore()
        self.state = BadgeState()
        if kind is Game:
            self.game_journal = Game(self.store, self.state, rules, params, 77, BOOT_ID)
        else:
            self.game_journal = kind(self.store, self.state, 77, BOOT_ID)
        self.game_journal.restore()
        self.game_journal.begin_boot(self.game_journal.boot_count + 1, cause, 5, rules.identity)
        self.game_journal.show()
        self.ticks_ms = ticks_ms
        self.clock = GameClock(self.game_journal.game_ms())
        self.clock.start(ticks_ms)
        wakeup = Wakeup()
        self.queue = BoundedQueue(32, wakeup)
        self.notes = BoundedQueue(8, wakeup)
        self.commands = BoundedQueue(8, wakeup)
        queues = (self.queue, self.notes, wakeup, self.commands)
        self.task = GameTask(self.game_journal, self.clock, queues, self.state, False)
        self.answers = []
        self.state.on_answer = self._answered

    def _answered(self, number, answer):
        self.answers.append((number, answer))

    def again(self, cause=1):
        """Pull the battery and put it back."""
        return GameBench(self.rules, self.store, self.params, self.ticks_ms, self.kind, cause)

    def turn(self, ms):
        """Let ticks pass while the task does not run."""
        self.ticks_ms = (self.ticks_ms + ms) % TICKS_PERIOD

    def wake(self):
        return self.task.work(self.ticks_ms)

    def run(self, ms):
        """Let `ms` pass with the task waking as it asks to."""
        wait_ms = self.wake()
        while ms > 0:
            step_ms = min(ms, max(wait_ms, 1))
            self.turn(step_ms)
            ms -= step_ms
            wait_ms = self.wake()

    def put(self, gesture, age_ms=0):
        """Queue a gesture whose first contact closed `age_ms` ago."""
        self.clock.update(self.ticks_ms)
        self.queue.put((gesture, 1, self.clock.at((self.ticks_ms - age_ms) % TICKS_PERIOD)))

    def play(self, gesture, age_ms=0):
        self.put(gesture, age_ms)
        self.wake()

    def command(self, kind, number, value=None):
        """Give a command and return its answer."""
        self.commands.put((kind, number, value))
        self.wake()
        return self.answers[-1][1] if self.answers and self.answers[-1][0] == number else None

    def shown(self):
        """Return all that a player can see of the state, and the timers."""
        engine = self.game_journal.engine
        tracks = [engine.track_state(track) for track in range(len(self.rules.state_counts))]
        timers = [engine.timer_left_ms(track) for track in range(len(self.rules.state_counts))]
        state = self.state
        return (tracks, timers, state.counters, state.signal, state.is_paused)

    def count(self, kind):
        """Return how many records of a kind there are."""
        return len(self.of(kind))

    def of(self, kind):
        """Return (game ms, payload) of all records of a kind."""
        return [record[1:] for record in self.store.records if record[0] == kind]

    def notes_of(self, code):
        """Return (game ms, value) of all notes with this code."""
        found = []
        for game_ms, payload in self.of(journal.NOTE):
            noted, value = journal.parse_note(payload)
            if noted == code:
                found.append((game_ms, value))
        return found


def folded(bench):
    """Return the snapshot that the journal alone gives, at the game's present time."""
    twin = Game(bench.store, BadgeState(), bench.rules, bench.params, 77, BOOT_ID)
    twin.restore()
    twin.engine.advance(bench.game_journal.engine.now_ms)
    return twin.engine.snapshot()


assert limits.TIMERS_PER_WAKE_UP > 1
