"""Random games with hits taken back, each against the same game without them, on both Pythons.

Problem: after void everything must be as if the event had never been, in any ruleset and order.
Guarantee: what stays is judged afresh, from the start, by an engine that never hears of the event
or of void: states, counters and timers must be equal, and the notes that are not retracted, too.
"""

from tests.support import random_game

from redband_core import gestures
from redband_core.engine import Engine
from redband_core.ruleset_codes import RETRACTED, VOID, VOID_TAG

LIFE_EVENTS = 30  # fewer than the engine remembers
GAPS_MS = (0, 1, 40, 300, 300, 900, 2_000, 4_000, 9_999, 60_000)


def view(engine):
    """Return what can be seen of the state."""
    tracks = range(len(engine.ruleset.state_counts))
    return (
        engine.now_ms,
        [engine.track_state(track) for track in tracks],
        [engine.counter(index) for index in range(engine.ruleset.counter_count)],
        [engine.timer_left_ms(track) for track in tracks],
    )


def afresh(ruleset, params, events, now_ms):
    """Return (engine, outcomes, notes) of a character to whom only `events` happened."""
    engine = Engine(ruleset, params)
    outcomes = []
    notes = []
    for at_ms, event, args in events:
        while engine.advance_one(at_ms) >= 0:
            notes.extend(engine.notes)
        outcomes.append(engine.step(at_ms, event, args))
        notes.extend(engine.notes)
    while engine.advance_one(now_ms) >= 0:
        notes.extend(engine.notes)
    return engine, outcomes, notes


def gone(ruleset, events, outcomes, now_ms, void):
    """Return which of `events`, as indices, void takes back."""
    found = []
    count = void[0]
    for at in range(len(events) - 1, -1, -1):
        at_ms, event, args = events[at]
        mark = ruleset.void_marks[event]
        if not mark or at_ms < now_ms - ruleset.void_window_ms or not count:
            continue
        if len(void) > 1:
            if mark >= VOID_TAG and args[mark - VOID_TAG] != void[1]:
                continue
            if mark < VOID_TAG and void[0] > 0:
                continue  # nobody says where it came from
        if count < 0:
            count += 1
        elif outcomes[at] == 0:
            count -= 1
        elif len(void) == 1 or (event, args) != ruleset.gesture_event(gestures.PRESS):
            continue
        found.append(at)
    return found


class Life:
    """One character: the engine that is asked to take back, and what should be left."""

    def __init__(self, ruleset, dice):
        self.ruleset = ruleset
        self.params = random_game.params(ruleset, dice)
        self.engine = Engine(ruleset, self.params)
        self.events = []
        self.noted = []
        self.revived = 0

    def play(self, dice):
        """Let one thing happen; return whether it was taking back. Raises ValueError."""
        ruleset, engine = self.ruleset, self.engine
        now_ms = engine.now_ms + GAPS_MS[dice.below(len(GAPS_MS))]
        while engine.advance_one(now_ms) >= 0:
            self.note()
        _engine, outcomes, _notes = afresh(ruleset, self.params, self.events, now_ms)
        event = dice.below(3) and dice.below(len(ruleset.event_args))
        args = random_game.arguments(ruleset.arg_ranges[event], dice)
        if event == VOID:
            args = (1 + dice.below(3),) + (dice.below(2),) * dice.below(2)
            if len(args) == 2 and dice.below(2):
                args = (-args[0], args[1])
            found = gone(ruleset, self.events, outcomes, now_ms, args)
        elif dice.below(2):
            event, args = self.voidable(dice)
        outcome = engine.step(now_ms, event, args)
        self.note()
        if event == VOID:
            is_any = 0 in [outcomes[at] for at in found]
            if is_any and outcome or (args[0] > 0 and not is_any and not outcome):
                raise ValueError(f"void {args} at {now_ms}: outcome {outcome}")
            if outcome:
                found = []
            self.events = [self.events[i] for i in range(len(self.events)) if i not in found]
            outcomes = [outcomes[i] for i in range(len(outcomes)) if i not in found]
        elif len(args) == len(ruleset.arg_ranges[event]):
            self.events.append((now_ms, event, args))
        self.compare(now_ms, outcomes)
        return event == VOID and outcome == 0

    def voidable(self, dice):
        """Return (event, args) of a small hit."""
        marks = self.ruleset.void_marks
        events = [event for event in range(len(marks)) if marks[event]]
        event = events[dice.below(len(events))]
        ranges = self.ruleset.arg_ranges[event]
        return event, tuple([low + dice.below(min(high - low, 1) + 1) for low, high in ranges])

    def note(self):
        """Keep the account of notes as a reader of the journal does."""
        for number, value in self.engine.notes:
            if number < RETRACTED:
                self.noted.append((number, value))
            else:
                self.noted.remove((number - RETRACTED, value))
        self.engine.notes = []

    def compare(self, now_ms, outcomes):
        """Raise ValueError where the engine differs from one that never heard of it."""
        other, judged, notes = afresh(self.ruleset, self.params, self.events, now_ms)
        for at, outcome in enumerate(outcomes):
            self.revived += outcome != 0 and judged[at] == 0
        if view(other) != view(self.engine):
            raise ValueError(f"{self.events}: {view(self.engine)}, not {view(other)}")
        if sorted(notes) != sorted(self.noted):
            raise ValueError(f"{self.events}: notes {self.noted}, not {notes}")
        twin = Engine(self.ruleset)
        twin.restore(self.engine.snapshot())
        if twin.snapshot() != self.engine.snapshot():
            raise ValueError("another state after a restart: " + str(self.events))


def play(ruleset, lives, seed):
    """Return (times that void was applied, events that counted only by it). Raises ValueError."""
    dice = random_game.Dice(seed)
    voids = revived = 0
    for _ in range(lives):
        life = Life(ruleset, dice)
        for _ in range(LIFE_EVENTS):
            voids += life.play(dice)
        revived += life.revived
    return voids, revived
