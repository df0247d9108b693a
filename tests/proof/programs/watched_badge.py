"""A badge that is watched while it starts and plays, for programs that cut its power.

Runs on MicroPython with the compiled firmware, which has no names for its constants.
"""

from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.journal_pages import JournalPages
from redband_core import journal

ROOT = "/flash"
POWER_ON = 1
BOOT, SNAPSHOT, NOTE, PAUSE = 1, 4, 6, 7
JUDGED = (2, 3)  # EVENT, REFUSED
PRESS, IMPACT, HOLD, TAPS_HOLD = 1, 2, 3, 0x20


class Life:
    """One start of a badge on a flash, watched: see the module's text.

    `found`: records that recovery found. `shown`: records that have been acknowledged so far.
    `begun`: those and the one being written. `states`: number of records -> what the badge is.
    `written`: number of a record -> (kind, payload). `lit`: what the player sees, and how many
    records and inputs there were when it was last shown.
    """

    def __init__(self):
        boot = BootRecord(ROOT + "/boot.cnt")
        reason = boot.begin(POWER_ON)
        self.badge = Badge(ROOT, boot, POWER_ON, reason)
        self.store = self.badge.store
        self.found = self.shown = self.begun = 0
        self.found_state = None
        self.states = {}
        self.written = {}
        self.lit = (None, 0, 0)
        self._append, self.store.append = self.store.append, self.append
        self._begin, self.store.begin_segment = self.store.begin_segment, self.begin_segment

    def start(self):
        """Start as the app does; later what it found is in `found` and `found_state`."""
        self.badge.load()
        if self.badge.reason:
            raise AssertionError("safe mode for reason %d" % self.badge.reason)
        game_journal = self.badge.game_journal
        self._show, game_journal.show = game_journal.show, self.show
        self.show()
        return self

    def show(self):
        self._show()
        state = self.badge.state
        inputs = state.acknowledged + state.refused
        view = (state.signal, state.counters, self.badge.game_journal.is_paused)
        self.lit = (view, self.store.next_seq, inputs)

    def append(self, kind, game_ms, payload):
        self._notice()
        self.begun = self.store.next_seq + 1
        seq = self._append(kind, game_ms, payload)
        self.written[seq] = (kind, payload)
        self._done()
        return seq

    def begin_segment(self, game_ms, snapshot, carried=()):
        self._notice()
        seq = self.store.next_seq
        self.begun = seq + 1 + len(carried)
        shed_count = self._begin(game_ms, snapshot, carried)
        self.written[seq] = (SNAPSHOT, snapshot)
        for kind, payload in carried:
            seq += 1
            self.written[seq] = (kind, payload)
        self._done()
        return shed_count

    def _notice(self):
        if self.found_state is None:
            self.found = self.shown = self.store.next_seq
            self.found_state = self.state()

    def _done(self):
        self.shown = self.store.next_seq
        self.states[self.shown] = self.state()

    def judged(self, count):
        """Return how many inputs the first `count` records tell of."""
        return len([1 for seq in range(count) if self.written[seq][0] in JUDGED])

    def state(self):
        """Return all that the player and the rules can tell apart."""
        game_journal = self.badge.game_journal
        engine = game_journal.engine
        ruleset = engine.ruleset
        tracks = range(len(ruleset.state_counts))
        return (
            tuple([engine.track_state(track) for track in tracks]),
            tuple([engine.counter(index) for index in range(ruleset.counter_count)]),
            tuple([engine.timer_left_ms(track) for track in tracks]),
            max(engine.now_ms, self.store.last_ms),
            game_journal.is_paused,
        )

    def records(self):
        """Return number -> (kind, payload) of the journal, read as a host reads it."""
        found = {}
        pages = JournalPages(self.store, None)
        page = pages.read(0, 480)
        while page is not None:
            seq, _base_ms, data = page
            offset = 0
            while offset < len(data):
                kind, _delta_ms, payload, offset = journal.decode_record(data, offset, seq)
                found[seq] = (kind, payload)
                seq += 1
            page = pages.read(seq, 480)
        return found


class Player:
    """Plays the steps of a scenario on a badge."""

    def __init__(self, badge, names):
        self.badge = badge
        self.names = names
        self.now_ms = badge.store.last_ms
        self.visited = set()

    def look(self):
        engine = self.badge.game_journal.engine
        for track in range(len(engine.ruleset.state_counts)):
            self.visited.add((track, engine.track_state(track)))

    def pass_time(self, ms):
        end_ms = self.now_ms + ms
        game_journal = self.badge.game_journal
        while True:
            wait_ms = game_journal.wait_ms(self.now_ms)
            is_last = wait_ms < 0 or self.now_ms + wait_ms >= end_ms
            self.now_ms = end_ms if is_last else self.now_ms + wait_ms
            game_journal.tick(self.now_ms)
            self.look()
            if is_last:
                return

    def do(self, step):
        what, arguments = step[1], step[2:]
        self.pass_time(step[0])
        game_journal = self.badge.game_journal
        if what == "pause":
            game_journal.pause(self.now_ms)
        elif what == "resume":
            game_journal.resume(self.now_ms)
        elif what == "press":
            game_journal.take_gesture(PRESS, self.now_ms, self.now_ms)
        elif what == "impact":
            game_journal.take_gesture(IMPACT, self.now_ms, self.now_ms)
        elif what == "hold":
            self.hold(HOLD, 1)
        elif what.startswith("taps_"):
            taps = int(what[5:6])
            self.hold(TAPS_HOLD + taps, taps)
        elif what != "time":
            game_journal.apply(self.now_ms, self.names.EVENTS.index(what), arguments)
        self.look()

    def hold(self, code, presses):
        first_ms = self.now_ms
        for _press in range(presses):
            self.badge.game_journal.take_gesture(PRESS, self.now_ms, self.now_ms)
            self.look()
            self.pass_time(250)
        self.pass_time(1500)
        self.badge.game_journal.take_gesture(code, first_ms, self.now_ms)
