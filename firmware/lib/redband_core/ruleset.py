"""A compiled ruleset, decoded and checked: the tables that the engine runs.

Problem: the badge gets its game as a file that may be damaged, old or not a ruleset at all.
Guarantee: `Ruleset.from_bytes` either gives tables in which every index is valid and every
expression is safe to run, or raises RulesError. The engine need not check again.
It holds no names: titles of states and events stay on the host (`redband.rules`).

Reading is done by `ruleset_reader`, which knows the layout and leaves a badge's memory afterwards.
"""

MAGIC = b"RBL1"
SIZE_LIMIT = 8192  # bytes; four times the largest shipped ruleset

# Refusals that every ruleset has; its own follow.
NOT_APPLICABLE = 1
BAD_ARGUMENTS = 2
UNKNOWN_EVENT = 3
ENDLESS = 4
NOTHING_TO_VOID = 5
BUILT_IN_REFUSALS = 5

VOID = 0  # the event that retracts others
NEVER_VOID = 0
VOID_ANY = 1  # larger marks: VOID_TAG + number of the argument that tells the source
VOID_TAG = 2

# Effects: (op, target, a, expression).
SET = 1  # counter slot = expression, kept inside the counter's bounds
GO = 2  # track to state a, timer from the expression or, without one, from the state
TIMER_SET = 3  # track's timer = expression in ms; 0 or less stops it
TIMER_ADD = 4  # track's running or paused timer grows by expression in ms
PAUSE = 5
RESUME = 6
NOTE = 7  # note number a with the value of the expression


class Ruleset:
    """Decoded tables; made by `from_bytes` only.

    identity: 8 bytes that name this exact ruleset. name: short text. params: tuple of
    (default, low, high). tracks: tuple of (initial state, tuple of timer expressions or None).
    counters: tuple of (low, high, start) expressions. rules: tuple of
    (where, guard expression or None, refusal or 0, effects); where: tuple of
    mask << 8 | track; effects: tuple of (op | target << 3 | a << 11, expression or None).
    event_rules, timer_rules[track][state], always: tuples of rules.
    signals: tuple of (red, green, vibration) pattern codes.
    """

    name: str
    void_window_ms: int
    params: tuple
    param_count: int
    param_defaults: tuple
    counters: tuple
    tracks: tuple
    first_param: int
    first_arg: int
    arg_slots: int
    constants: tuple
    slot_count: int
    rules: tuple
    event_roles: tuple
    void_marks: tuple
    otherwise: tuple
    arg_ranges: tuple
    event_rules: tuple
    event_args: tuple
    timer_rules: tuple
    always: tuple
    refusal_count: int
    signal_conditions: tuple
    signals: tuple
    signal_timers: tuple
    shown_counters: tuple
    _gestures: tuple

    def __init__(self, identity):
        self.identity = identity

    @classmethod
    def from_bytes(cls, data):
        """Return the ruleset in `data`. Raises RulesError when anything is wrong with it."""
        from redband_core import ruleset_reader  # leaves a badge's memory when it has read

        return ruleset_reader.read(cls, data)

    def gesture_event(self, code: int):
        """Return (event id, args) bound to the gesture code, or None."""
        for bound, event, args in self._gestures:
            if bound == code:
                return (event, args)
        return None
