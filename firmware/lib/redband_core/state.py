"""One player's state: tracks, counters, params and timers, and the effects that change them.

Problem: the engine's decisions and the bookkeeping of values and deadlines are two things.
Guarantee: counters stay inside their bounds, deadlines are absolute game times, and nothing here
decides what may happen: that is `redband_core.engine`.
"""

from redband_core.errors import RulesError
from redband_core.expression import evaluate
from redband_core.ruleset import GO, NOTE, PAUSE, RESUME, SET, TIMER_ADD

COUNTER_LIMIT = 1 << 31
TIMER_LIMIT_MS = 100 * 24 * 3600 * 1000  # longer than any game; keeps deadlines packable

NO_TIMER = -1  # a value >= 0 is a deadline, one <= PAUSED a timer that stands still
PAUSED = -2  # minus the ms left


class State:
    """Values and timers of one player. See `Engine` for what may be called from outside.

    now_ms: game time, ms. notes: list of (number, value) noted by the last effects.
    """

    def __init__(self, ruleset, params):
        self.ruleset = ruleset
        self.now_ms = 0
        self.notes = []
        self._track_count = len(ruleset.tracks)
        self._kept = ruleset.first_param  # slots that change: tracks, counters
        self._timers = [NO_TIMER] * self._track_count
        self._next_ms = NO_TIMER
        self._signal = -1
        self._values = self._set_params(ruleset.param_defaults if params is None else params)
        self._start()

    def _set_params(self, params):
        """Set what follows from the params; return the slots of a character not yet begun."""
        ruleset = self.ruleset
        if len(params) != ruleset.param_count:
            raise RulesError("wrong number of params for this ruleset")
        values = [0] * (ruleset.slot_count - len(ruleset.constants))
        values.extend(ruleset.constants)
        slot = ruleset.first_param
        for (_default, low, high), value in zip(ruleset.params, params):
            if not low <= value <= high:
                raise RulesError("a param is out of its range")
            values[slot] = value
            slot += 1
        self._low = []
        self._high = []
        for low, high, _start in ruleset.counters:
            low = _clamp(evaluate(low, values, _no_timer), -COUNTER_LIMIT, COUNTER_LIMIT)
            high = _clamp(evaluate(high, values, _no_timer), low, COUNTER_LIMIT)
            self._low.append(low)
            self._high.append(high)
        return values

    def _start(self):
        values = self._values
        for i, (_low, _high, start) in enumerate(self.ruleset.counters):
            value = evaluate(start, values, _no_timer)
            values[self._track_count + i] = _clamp(value, self._low[i], self._high[i])
        for track, (initial, _timers) in enumerate(self.ruleset.tracks):
            values[track] = initial
        for track, (initial, timers) in enumerate(self.ruleset.tracks):
            if timers[initial] is not None:
                self._set_timer(track, evaluate(timers[initial], values, _no_timer))
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
            conditions = self.ruleset.signal_conditions
            self._signal = len(conditions) - 1
            for index, (where, guard) in enumerate(conditions):
                if self._holds(where, guard):
                    self._signal = index
                    break
        return self._signal

    def shown_timer_left_ms(self) -> int:
        """Return ms left of the timer that belongs to the signal, -1 when there is none."""
        return self.timer_left_ms(self.ruleset.signal_timers[self.signal()])

    def _holds(self, where, guard):
        values = self._values
        for test in where:
            if not (test >> 8 >> values[test & 0xFF]) & 1:
                return False
        return guard is None or evaluate(guard, values, self.timer_left_ms) != 0

    def _do(self, effects, moved):
        """Do one rule's effects; `moved` is the mask of tracks that went to a state already."""
        values = self._values
        for effect, expression in effects:
            op = effect & 7
            target = (effect >> 3) & 0xFF
            a = effect >> 11
            if op == SET:
                index = target - self._track_count
                value = evaluate(expression, values, self.timer_left_ms)
                values[target] = _clamp(value, self._low[index], self._high[index])
            elif op == GO:
                if (moved >> target) & 1:
                    continue
                moved |= 1 << target
                if expression is None:
                    expression = self.ruleset.tracks[target][1][a]
                if expression is None:
                    self._timers[target] = NO_TIMER
                else:
                    self._set_timer(target, evaluate(expression, values, self.timer_left_ms))
                values[target] = a
            elif op == NOTE:
                self.notes.append((a, evaluate(expression, values, self.timer_left_ms)))
            else:
                self._do_timer(op, target, expression)
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
            left = evaluate(expression, self._values, self.timer_left_ms)
            if op == TIMER_ADD:
                if timer == NO_TIMER:
                    return  # nothing to extend
                left += self.timer_left_ms(track)
            self._set_timer(track, left)
            if timer <= PAUSED and self._timers[track] >= 0:
                self._do_timer(PAUSE, track, None)  # a paused timer stays paused

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
