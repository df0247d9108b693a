"""A compiled ruleset, checked: the bytes that the engine runs in place, and where their rows are.

Problem: the badge gets its game as a file that may be damaged, old or not a ruleset at all, and
tables of it would take five times the file's bytes of a heap that is short.
Guarantee: `Ruleset.from_bytes` either gives a ruleset in which every index is valid and every
expression is safe to run, or raises RulesError. The engine need not check again.
It holds no names: titles of states and events stay on the host (`redband.rules`).

Reading is done by `ruleset_reader`, which knows the layout and leaves a badge's memory afterwards.
"""

from redband_core.packing import Reader
from redband_core.ruleset_codes import STATE_BYTES


class Ruleset:
    """A checked ruleset; made by `from_bytes` only.

    identity: 8 bytes that name this exact ruleset. name: short text. params: tuple of
    (default, low, high). state_counts: of each track. counter_count: of counters.
    event_args: number of arguments of each event; arg_ranges: tuples of (low, high) of them.
    event_roles, void_marks, otherwise: one number for each event.
    signals: tuple of (red, green, vibration) pattern codes. shown_counters: tuple of counters.
    signal_timers: the track of each signal, or a number that no track has.

    program: what the engine runs in place, as ruleset_reader lays it out; its rows are read
    through offsets: `track_rows`, `counter_rows`, `event_lists`, `always`, `signal_list`.
    test_bytes: of one test of a condition.
    """

    name: str
    void_window_ms: int
    params: tuple
    state_counts: tuple
    counter_count: int
    first_param: int
    first_arg: int
    arg_slots: int
    constants: tuple
    slot_count: int
    event_roles: bytes
    void_marks: bytes
    otherwise: bytes
    arg_ranges: tuple
    event_args: bytes
    refusal_count: int
    signals: tuple
    signal_timers: bytes
    shown_counters: tuple
    program: bytes
    test_bytes: int
    track_rows: tuple
    counter_rows: int
    event_lists: int
    always: int
    signal_list: int
    gesture_rows: int

    def __init__(self, identity):
        self.identity = identity

    @classmethod
    def from_bytes(cls, data):
        """Return the ruleset in `data`. Raises RulesError when anything is wrong with it."""
        from redband_core import ruleset_reader  # leaves a badge's memory when it has read

        return ruleset_reader.read(cls, data)

    def defaults(self) -> tuple:
        """Return the params of a player for whom nothing else is said."""
        return tuple([default for default, _low, _high in self.params])

    def state_row(self, track: int, state: int) -> int:
        """Return the offset of a state's timer expression and, after it, of its end's rules."""
        return self.track_rows[track] + state * STATE_BYTES

    def gesture_event(self, code: int):
        """Return (event id, args) bound to the gesture code, or None."""
        rows = Reader(self.program, self.gesture_rows)
        for _ in range(rows.varint()):
            bound, event = rows.varint(), rows.varint()
            args = tuple([rows.signed() for _ in range(rows.varint())])
            if bound == code:
                return (event, args)
        return None
