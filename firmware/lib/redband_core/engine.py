"""The rules engine: one player's state under a compiled ruleset. Time is an argument.

Problem: badge and host must come to the same state from the same events, in any ruleset.
Guarantee: pure and total. Every event is applied or refused with a reason, a refusal changes
nothing, timers fire in the order of their deadlines and exactly once, and how the time between two
events is cut into calls makes no difference. Same input, same bytes on both Pythons.
It does no input or output, reads no clock and knows no names.

Order within one event (docs/rules.md): due timers, then the guards of all the event's rules
against the state as it is, then the effects from top to bottom with at most one transition a
track, then the "always" rules until nothing changes.
"""

from redband_core import numbers
from redband_core.errors import RulesError
from redband_core.ruleset import (
    BAD_ARGUMENTS,
    ENDLESS,
    EXPRESSION_BYTES,
    NOTHING_TO_VOID,
    UNKNOWN_EVENT,
    VOID,
    VOID_TAG,
)
from redband_core.snapshot import HISTORY_LIMIT, pack, unpack
from redband_core.state import NO_TIMER, State

ALWAYS_ROUNDS = 8  # a chain of "always" rules longer than this is a fault of the ruleset


class Engine(State):
    """One player's state and what events and time do to it.

    now_ms: game time, ms, never decreases. notes: list of (number, value) that the rules noted at
    the last event or timer; who wants them all fires timers with `advance_one` before `step`.
    """

    def __init__(self, ruleset, params=None):
        """Start a new character. params: ints in the ruleset's order (None: the defaults).

        Raises RulesError for a wrong number of params or one out of its range.
        """
        self._history = []  # tuples (ms, event, args, values before, timers before), oldest first
        State.__init__(self, ruleset, params)
        self._commit([])

    # What happens.

    def advance(self, now_ms: int) -> int:
        """Let time pass; return how many timers fired. A time before `now_ms` counts as now."""
        fired = 0
        while self.advance_one(now_ms) >= 0:
            fired += 1
        return fired

    def advance_one(self, now_ms: int) -> int:
        """Fire at most the next due timer; return its track, or -1 and then `now_ms` is reached.

        While it returns a track, game time stands at that timer's deadline.
        """
        deadline = self._next_ms
        if deadline < 0 or deadline > now_ms:
            if now_ms > self.now_ms:
                self.now_ms = now_ms
            return -1
        self.notes = []
        track = self._timers.index(deadline)
        self.now_ms = deadline
        self._timers[track] = NO_TIMER
        state = self._values[track]
        if self._apply(self.ruleset.state_row(track, state) + EXPRESSION_BYTES, ENDLESS):
            self._signal = -1
            self._find_next()  # nothing was done, but the timer is over
        return track

    def step(self, now_ms: int, event_id: int, args=()) -> int:
        """Apply an event. Return 0, or the number (>= 1) of the refusal. Never raises.

        now_ms: game time; due timers fire first. args: ints as the ruleset's event declares. Void
        (event 0) takes how many to retract and, optionally, the source they must have come from.
        """
        if 0 <= self._next_ms <= now_ms:
            self.advance(now_ms)
        elif now_ms > self.now_ms:
            self.now_ms = now_ms
        if self.notes:
            self.notes = []
        ruleset = self.ruleset
        if not 0 <= event_id < len(ruleset.event_args):
            return UNKNOWN_EVENT
        if event_id == VOID:
            return self._void(args)
        ranges = ruleset.arg_ranges[event_id]
        if len(args) != len(ranges):
            return BAD_ARGUMENTS
        values = self._values
        slot = ruleset.first_arg
        for (low, high), value in zip(ranges, args):
            if not low <= value <= high:
                return BAD_ARGUMENTS
            values[slot] = value
            slot += 1
        rules = ruleset.event_lists + 2 * event_id
        otherwise = ruleset.otherwise[event_id]
        if not self._history and not ruleset.void_marks[event_id]:
            return self._apply(rules, otherwise)
        before = (tuple(values[: self._kept]), tuple(self._timers))
        outcome = self._apply(rules, otherwise)
        if not outcome:
            self._remember(event_id, args, before)
        return outcome

    def _apply(self, rules, otherwise):
        """Decide by the rules whose list's offset stands at `rules`; return 0 or the refusal."""
        program = self.ruleset.program
        chosen = self._holding(program[rules] | program[rules + 1] << 8)
        if not chosen:
            return otherwise
        return program[chosen[-1]] or self._commit(chosen)

    def _commit(self, chosen):
        """Do the effects, then the "always" rules. Return 0, or ENDLESS with nothing changed."""
        always = self.ruleset.always
        values = self._values
        kept = self._kept
        before = values[:kept]
        timers = self._timers[:]
        moved = 0
        for effects in chosen:
            moved = self._do(effects, moved)
        rounds = 0
        while always:
            last = values[:kept]
            moved = 0
            for effects in self._holding(always):
                moved = self._do(effects, moved)
            if values[:kept] == last:
                break
            rounds += 1
            if rounds > ALWAYS_ROUNDS:
                values[:kept] = before
                self._timers = timers
                self.notes = []
                return ENDLESS
        self._signal = -1
        self._find_next()
        return 0

    # Taking back.

    def _remember(self, event_id, args, before):
        """Keep an applied event with the state before it. Refused ones leave no trace at all."""
        self._forget_old()
        if not self._history and not self.ruleset.void_marks[event_id]:
            return
        self._history.append((self.now_ms, event_id, tuple(args), before[0], before[1]))
        if len(self._history) > HISTORY_LIMIT:
            self._history = self._history[1:]
            self._forget_old()

    def _forget_old(self):
        """Drop what can't be voided any more; the first entry kept is one that can."""
        oldest_ms = self.now_ms - self.ruleset.void_window_ms
        marks = self.ruleset.void_marks
        drop = 0
        for entry in self._history:
            if entry[0] >= oldest_ms and marks[entry[1]]:
                break
            drop += 1
        if drop:
            self._history = self._history[drop:]

    def _void(self, args):
        """Retract the latest voidable events: state and timers as if they had never happened."""
        low, high = self.ruleset.arg_ranges[VOID][0]
        if not 1 <= len(args) <= 2 or not low <= args[0] <= high:
            return BAD_ARGUMENTS
        self._forget_old()
        history = self._history
        doomed = [i for i in range(len(history)) if self._is_voidable(history[i], args[1:])]
        doomed = doomed[-args[0] :]
        if not doomed:
            return NOTHING_TO_VOID
        now_ms = self.now_ms
        first = doomed[0]
        self._load(history[first][0], history[first][3], history[first][4])
        self._history = history[:first]
        self._replay([history[i] for i in range(first, len(history)) if i not in doomed], now_ms)
        return 0

    def _is_voidable(self, entry, source):
        mark = self.ruleset.void_marks[entry[1]]
        if not mark or not source:
            return mark > 0
        return mark >= VOID_TAG and entry[2][mark - VOID_TAG] == source[0]

    def _replay(self, entries, now_ms):
        for entry in entries:
            self.step(entry[0], entry[1], entry[2])
        self.advance(now_ms)
        self.notes = []

    # Saving.

    def snapshot(self) -> bytes:
        """Return the state, with params and what can still be voided; see `restore`."""
        self._forget_old()
        ruleset = self.ruleset
        start = (self.now_ms, self._values[: self._kept], self._timers)
        if self._history:
            oldest = self._history[0]
            start = (oldest[0], oldest[3], oldest[4])
        params = self._values[ruleset.first_param : ruleset.first_arg]
        return pack(ruleset, params, start, self.now_ms, self._history)

    def restore(self, data) -> None:
        """Become the engine that made the snapshot, params included.

        Raises RulesError for anything that is not a snapshot of this ruleset; unchanged then.
        """
        params, start, now_ms, history = unpack(self.ruleset, data)
        old = self._values[self._kept : self.ruleset.first_arg]
        values = self._set_params(params)
        for index in range(self._track_count, self._kept):
            low, high = self.counter_range(index - self._track_count)
            if not low <= start[1][index] <= high:
                self._set_params(old)
                raise RulesError(numbers.ERROR_SNAPSHOT_COUNTER)
        self._values = values
        self._load(start[0], start[1], start[2])
        self._history = []
        self._replay(history, now_ms)
