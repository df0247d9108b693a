"""One player's state: tracks, counters, params and timers, and the effects that change them.

Problem: the engine's decisions and the bookkeeping of values and deadlines are two things.
Guarantee: counters stay inside their bounds, deadlines are absolute game times, and nothing here
decides what may happen: that is `redband_core.engine`.
"""

from redband_core import numbers
from redband_core.errors import RulesError
from redband_core.expression import NONE, evaluate
from redband_core.ruleset_codes import (
    EFFECT_BYTES,
    EXPRESSION_BYTES,
    GO,
    NOTE,
    PAUSE,
    RESUME,
    SET,
    TIMER_ADD,
)

COUNTER_LIMIT = 1 << 31
TIMER_LIMIT_MS = 100 * 24 * 3600 * 1000  # longer than any game; keeps deadlines packable

NO_TIMER = -1  # a value >= 0 is a deadline, one <= PAUSED a timer that is paused
PAUSED = -2  # minus the ms left


class State:
    """Values and timers of one player. See `Engine` for what may be called from outside.

    now_ms: game time, ms. notes: list of (number, value) noted by the last effects.
    """

    def __init__(self, ruleset, params):
        self.ruleset = ruleset
        self.now_ms = 0
        self.notes = []
        self._track_count = len(ruleset.state_counts)
        self._kept = ruleset.first_param  # slots that change: tracks, counters
        self._timers = [NO_TIMER] * self._track_count
        self._next_ms = NO_TIMER
        self._signal = -1
        if params is None:
            params = ruleset.defaults()
        self._values = self._set_params(params)
        self._start()

    def _set_params(self, params):
        """Set what follows from the params; return the slots of a character not yet begun."""
        ruleset = self.ruleset
        program = ruleset.program
        if len(params) != len(ruleset.params):
            raise RulesError(numbers.ERROR_PARAM_COUNT)
        values = [0] * (ruleset.slot_count - len(ruleset.constants))
        values.extend(ruleset.constants)
        slot = ruleset.first_param
        for (_default, low, high), value in zip(ruleset.params, params):
            if not low <= value <= high:
                raise RulesError(numbers.ERROR_PARAM_RANGE)
            values[slot] = value
            slot += 1
        self._low = []
        self._high = []
        at = ruleset.counter_rows
        for _ in range(ruleset.counter_count):
            low = evaluate(program, at, values, _no_timer)
            low = _clamp(low, -COUNTER_LIMIT, COUNTER_LIMIT)
            high = evaluate(program, at + EXPRESSION_BYTES, values, _no_timer)
            self._low.append(low)
            self._high.append(_clamp(high, low, COUNTER_LIMIT))
            at += 3 * EXPRESSION_BYTES
        return values

    def _start(self):
        ruleset = self.ruleset
        program = ruleset.program
        values = self._values
        at = ruleset.counter_rows + 2 * EXPRESSION_BYTES
        for i in range(ruleset.counter_count):
            value = evaluate(program, at, values, _no_timer)
            values[self._track_count + i] = _clamp(value, self._low[i], self._high[i])
            at += 3 * EXPRESSION_BYTES
        for track in range(self._track_count):
            values[track] = program[ruleset.track_rows[track] - 1]
        for track in range(self._track_count):
            timer = ruleset.state_row(track, values[track])
            self._set_timer(track, evaluate(program, timer, values, _no_timer))
        self._find_next()

    def track_state(self, track: int) -> int:
        """Return the state number of a track."""
        return self._values[track]

    def counter(self, index: int) -> int:
        """Return the value of a counter."""
        return self._values[self._track_count + index]

    def counter_range(self, index: int) -> tuple:
        """Return (lowest, highest) value the counter can have with this player's params."""
        return (self._low[index], self._high[index])

    def timer_left_ms(self, track: int) -> int:
        """Return ms left of the track's timer, running or paused; -1 when it has none."""
        if not 0 <= track < self._track_count:
            return NO_TIMER
        timer = self._timers[track]
        if timer == NO_TIMER:
            return NO_TIMER
        return timer - self.now_ms if timer >= 0 else PAUSED - timer

    def next_deadline_ms(self) -> int:
        """Return the game time at which the next timer fires, -1 when none runs."""
        return self._next_ms

    def signal(self) -> int:
        """Return the number of the signal: the first whose condition holds, else the last."""
        if self._signal < 0:
            found = self._holding(self.ruleset.signal_list)
            number = self.ruleset.program[found[0]] if found else len(self.ruleset.signals)
            self._signal = number - 1
        return self._signal

    def shown_timer_left_ms(self) -> int:
        """Return ms left of the timer that belongs to the signal, -1 when there is none."""
        return self.timer_left_ms(self.ruleset.signal_timers[self.signal()])

    def _holding(self, rules):
        """Return where the outcome byte is of each rule, of a list, whose condition holds.

        The first that has an outcome, a refusal or signal, is the last.
        """
        program = self.ruleset.program
        test_bytes = self.ruleset.test_bytes
        values = self._values
        found = []
        at = program[rules] | program[rules + 1] << 8
        while at:
            count = program[at]
            at += 1
            while count:
                state = values[program[at]]
                if not (program[at + 1 + (state >> 3)] >> (state & 7)) & 1:
                    break
                at += test_bytes
                count -= 1
            else:
                if program[at + 2] == NONE or evaluate(program, at, values, self.timer_left_ms):
                    at += EXPRESSION_BYTES
                    found.append(at)
                    if program[at]:
                        break
            rules += 2
            at = program[rules] | program[rules + 1] << 8
        return found

    def _do(self, at, moved):
        """Do a rule's effects, after its outcome byte at offset `at`; return the new `moved`.

        `moved`: mask of the tracks that went to a state already.
        """
        program = self.ruleset.program
        values = self._values
        count = program[at + 1]
        at += 2
        while count:
            op = program[at]
            target = program[at + 1]
            expression = at + 4
            if op == SET:
                index = target - self._track_count
                value = evaluate(program, expression, values, self.timer_left_ms)
                values[target] = _clamp(value, self._low[index], self._high[index])
            elif op == GO:
                if not (moved >> target) & 1:
                    moved |= 1 << target
                    state = program[at + 2]
                    if program[expression + 2] == NONE:
                        expression = self.ruleset.state_row(target, state)
                    left = evaluate(program, expression, values, self.timer_left_ms)
                    self._set_timer(target, left)
                    values[target] = state
            elif op == NOTE:
                value = evaluate(program, expression, values, self.timer_left_ms)
                self.notes.append((program[at + 2] | program[at + 3] << 8, value))
            else:
                self._do_timer(op, target, expression)
            at += EFFECT_BYTES
            count -= 1
        return moved

    def _do_timer(self, op, track, expression):
        timer = self._timers[track]
        if op == PAUSE:
            if timer >= 0:
                self._timers[track] = PAUSED - (timer - self.now_ms)
        elif op == RESUME:
            if timer <= PAUSED:
                self._timers[track] = self.now_ms + (PAUSED - timer)
        else:
            left = evaluate(self.ruleset.program, expression, self._values, self.timer_left_ms)
            if op == TIMER_ADD:
                if timer == NO_TIMER:
                    return  # nothing to extend
                left += self.timer_left_ms(track)
            self._set_timer(track, left)
            if timer <= PAUSED and self._timers[track] >= 0:
                self._do_timer(PAUSE, track, 0)  # a paused timer stays paused

    def _set_timer(self, track, left_ms):
        if left_ms <= 0:
            self._timers[track] = NO_TIMER  # documented: a duration of 0 means "no timer"
        else:
            self._timers[track] = self.now_ms + min(left_ms, TIMER_LIMIT_MS)

    def _find_next(self):
        best = NO_TIMER
        for timer in self._timers:
            if timer >= 0 and (best < 0 or timer < best):
                best = timer
        self._next_ms = best

    def _load(self, now_ms, values, timers):
        self.now_ms = now_ms
        self._values[: self._kept] = values
        self._timers = list(timers)
        self._signal = -1
        self._find_next()


def _clamp(value, low, high):
    return low if value < low else high if value > high else value


def _no_timer(_track):
    return NO_TIMER
