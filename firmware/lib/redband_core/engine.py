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
from redband_core.gestures import PRESS
from redband_core.ruleset_codes import (
    BAD_ARGUMENTS,
    ENDLESS,
    EXPRESSION_BYTES,
    NOTHING_TO_VOID,
    REFUSED_FIELDS,
    RETRACTED,
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
    After void: RETRACTED + number of each note that never was, then those made instead.
    """

    def __init__(self, ruleset, params=None):
        """Start a new character. params: ints in the ruleset's order (None: the defaults).

        Raises RulesError for a wrong number of params or one out of its range.
        """
        # Oldest first: (ms, event, args, values before, timers before), or (ms, event, args) of
        # one that was refused. The first is never a refused one.
        self._history = []
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
        chosen = self._chosen(self.ruleset.state_row(track, state) + EXPRESSION_BYTES)
        if not chosen or self._commit(chosen):
            self._signal = -1
            self._find_next()  # nothing was done, but the timer is over
        return track

    def step(self, now_ms: int, event_id: int, args=()) -> int:
        """Apply an event. Return 0, or the number (>= 1) of the refusal. Never raises.

        now_ms: game time; due timers fire first. args: ints as the ruleset's event declares. Void
        (event 0) takes how many to retract and, optionally, the source they must have come from.
        Minus how many, with the source, counts refused ones too: all presses of a gesture.
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
        chosen = self._chosen(ruleset.event_lists + 2 * event_id)
        outcome = ruleset.program[chosen[-1]] if chosen else ruleset.otherwise[event_id]
        if outcome:
            if self._history:
                self._remember((self.now_ms, event_id, tuple(args)))
            return outcome
        if not self._history and not ruleset.void_marks[event_id]:
            return self._commit(chosen)
        before = (tuple(values[: self._kept]), tuple(self._timers))
        outcome = self._commit(chosen)
        if not outcome:
            self._forget_old()
            if self._history or ruleset.void_marks[event_id]:
                self._remember((self.now_ms, event_id, tuple(args), before[0], before[1]))
        elif self._history:
            self._remember((self.now_ms, event_id, tuple(args)))
        return outcome

    def _chosen(self, rules):
        """Return which rules fit, of the list whose offset stands at `rules`."""
        program = self.ruleset.program
        return self._holding(program[rules] | program[rules + 1] << 8)

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

    def _remember(self, entry):
        """Keep an event while one before it can be voided: that could change its outcome."""
        self._history.append(entry)
        if len(self._history) > HISTORY_LIMIT:
            self._history = self._history[1:]
            self._forget_old()

    def _forget_old(self):
        """Drop what can't be voided any more; the first entry kept is one that can."""
        oldest_ms = self.now_ms - self.ruleset.void_window_ms
        drop = 0
        for entry in self._history:
            if entry[0] >= oldest_ms and self._is_voidable(entry):
                break
            drop += 1
        if drop:
            self._history = self._history[drop:]

    def _is_voidable(self, entry):
        return len(entry) > REFUSED_FIELDS and self.ruleset.void_marks[entry[1]] > 0

    def doomed(self, args) -> list:
        """Return indices of what void would retract among what is remembered, latest first.

        Refused presses among the presses retracted go with them: they were one gesture.
        """
        self._forget_old()
        count = args[0]
        press = self.ruleset.gesture_event(PRESS)
        found = []
        at = len(self._history)
        while at and count:
            at -= 1
            entry = self._history[at]
            mark = self.ruleset.void_marks[entry[1]]
            if not mark or not self._is_from(entry, mark, args):
                continue
            if count < 0:
                count += 1
            elif self._is_voidable(entry):
                count -= 1
            elif not args[1:] or entry[1:3] != press:
                continue
            found.append(at)
        return found

    def _is_from(self, entry, mark, args):
        if len(args) == 1:
            return True
        if mark < VOID_TAG:  # a ruleset without sources
            return args[0] < 0
        return entry[2][mark - VOID_TAG] == args[1]

    def _void(self, args):
        """Retract events: state, timers and what was refused as if they had never happened."""
        low, high = self.ruleset.arg_ranges[VOID][0]
        if not 1 <= len(args) <= 2:
            return BAD_ARGUMENTS
        if not low <= (abs(args[0]) if len(args) == 2 else args[0]) <= high:
            return BAD_ARGUMENTS
        doomed = self.doomed(args)
        history = self._history
        applied = [at for at in doomed if self._is_voidable(history[at])]
        if not doomed or not (applied or args[0] < 0):
            return NOTHING_TO_VOID
        kept = [history[at] for at in range(len(history)) if at not in doomed]
        if not applied:
            self._history = kept
            return 0
        now_ms = self.now_ms
        first = applied[-1]
        start = history[first]
        noted = self._replay(start, history[:first], history[first:], now_ms)
        before = [history[at] for at in range(first) if at not in doomed]
        made = self._replay(start, before, kept[len(before) :], now_ms)
        for note in noted:
            if note in made:
                made.remove(note)
            else:
                self.notes.append((RETRACTED + note[1], note[2]))
        self.notes.extend([note[1:] for note in made])
        return 0

    def _replay(self, start, history, entries, now_ms):
        """Go on from `start` with `entries` until `now_ms`; return (ms, number, value) noted."""
        self._load(start[0], start[-2], start[-1])
        self._history = history
        self.notes = []
        noted = []
        for entry in entries + [(now_ms,)]:
            fired = 0
            while fired >= 0:
                fired = self.advance_one(entry[0])
                if fired < 0 and len(entry) > 1:
                    self.step(entry[0], entry[1], entry[2])
                noted.extend([(self.now_ms, number, value) for number, value in self.notes])
                self.notes = []
        return noted

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
        self._replay(start, [], history, now_ms)
