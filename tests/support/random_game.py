"""Random games of any compiled ruleset, the same on both Pythons.

Problem: equality of the interpreters must be seen on states that players come to, while uniformly
random events soon kill or exclude a character for good. Guarantee: lives with random params and
sensible arguments (mostly small ones, also the limits, sometimes wrong ones), gaps from none to
weeks and often exactly up to a deadline; a life ends after LIFE_EVENTS events or when nothing is
applied any more. After each event time, outcome, signal, notes and snapshot go into a digest.
"""

import hashlib

from redband_core.engine import Engine

LIFE_EVENTS = 60
STUCK_EVENTS = 6  # refused in a row: nothing more will happen in this life
CHUNK_EVENTS = 5_000  # a digest is told for each, so that a difference is found soon
GAPS_MS = (0, 0, 1, 40, 300, 2_000, 9_999, 60_000, 290_000, 600_000, 3_600_000)
LONG_GAP_MS = 40 * 24 * 3600 * 1000  # longer than the clock of the chip runs without wrapping


class Dice:
    """A generator of numbers that both Pythons compute alike."""

    def __init__(self, seed):
        self._state = seed * 2 + 1

    def below(self, count):
        """Return 0 to `count` - 1, count at most 2**24."""
        self._state = (self._state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self._state >> 7) % count

    def between(self, low, high):
        """Return a number of the range: often a small one, at times a limit of it."""
        kind = self.below(8)
        if kind == 0:
            return low
        if kind == 1:
            return high
        if kind < 6:
            high = min(high, low + 4)
        return low + self.below(min(high - low + 1, 1 << 24))


def params(ruleset, dice):
    """Return a player's params: each second player's are the defaults."""
    if dice.below(2):
        return list(ruleset.defaults())
    values = []
    for default, low, high in ruleset.params:
        values.append(default if dice.below(3) == 0 else dice.between(low, high))
    return values


def arguments(ranges, dice):
    """Return an event's arguments; one time in fifty they are wrong."""
    args = [dice.between(low, high) for low, high in ranges]
    if dice.below(50) == 0:
        if args and dice.below(2):
            args[dice.below(len(args))] = (1 << 40) - dice.below(2) * (1 << 41)
        else:
            args.append(dice.below(9))
    return tuple(args)


def next_time(engine, dice):
    """Return the game time of the next event."""
    kind = dice.below(12)
    deadline = engine.next_deadline_ms()
    if kind < 3 and deadline >= 0:
        return deadline - 1 + kind  # just before, at, and just after a timer
    if kind == 11 and dice.below(40) == 0:
        return engine.now_ms + LONG_GAP_MS
    return engine.now_ms + GAPS_MS[dice.below(len(GAPS_MS))]


def event_of(ruleset, dice):
    """Return an event's number; void (0) comes often, an unknown one rarely."""
    kind = dice.below(60)
    if kind < 6:
        return 0
    if kind == 6:
        return len(ruleset.event_args) + dice.below(3) - 4 * dice.below(2) * dice.below(9)
    return dice.below(len(ruleset.event_args))


class Seen:
    """Which (track, state) and which applied events a game came to."""

    def __init__(self):
        self.states = set()
        self.applied = set()

    def look(self, engine, event, outcome):
        """Note where the engine is now."""
        for track in range(len(engine.ruleset.state_counts)):
            self.states.add((track, engine.track_state(track)))
        if not outcome:
            self.applied.add(event)


def play(ruleset, count, seed, seen=None):
    """Yield (digest so far as hex, events applied so far) after each CHUNK_EVENTS of `count`."""
    dice = Dice(seed)
    digest = hashlib.sha256()
    engine = None
    applied = left = refused = 0
    for number in range(1, count + 1):
        if not left or refused == STUCK_EVENTS:
            engine = Engine(ruleset, params(ruleset, dice))
            left = LIFE_EVENTS
            refused = 0
        left -= 1
        now_ms = next_time(engine, dice)
        event = event_of(ruleset, dice)
        known = 0 <= event < len(ruleset.arg_ranges)
        args = arguments(ruleset.arg_ranges[event] if known else (), dice)
        outcome = engine.step(now_ms, event, args)
        if outcome:
            refused += 1
        else:
            refused = 0
            applied += 1
        if seen:
            seen.look(engine, event, outcome)
        digest.update(bytes((outcome, engine.signal())))
        if engine.notes:
            digest.update(str(engine.notes).encode())
        digest.update(engine.snapshot())
        if number % CHUNK_EVENTS == 0:
            so_far = digest.digest()
            digest = hashlib.sha256(so_far)  # MicroPython can't go on with one that was read
            yield (so_far.hex(), applied)
