"""Numbers in a compiled ruleset, for who writes, checks or runs one: limits, refusals, effects.

It costs the badge nothing: its build puts the numbers where the names stand.
"""

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

REFUSED_FIELDS = 3  # of what the engine remembers of a refused event
RETRACTED = 256  # + number of a note that void took back: NOTE_RETRACTED - NOTE_OF_RULES

# Effects: (op, target, a, expression).
SET = 1  # counter slot = expression, kept inside the counter's bounds
GO = 2  # track to state a, timer from the expression or, without one, from the state
TIMER_SET = 3  # track's timer = expression in ms; 0 or less stops it
TIMER_ADD = 4  # track's running or paused timer grows by expression in ms
PAUSE = 5
RESUME = 6
NOTE = 7  # note number a with the value of the expression


# Bytes of `program`, see `ruleset_reader`.
EXPRESSION_BYTES = 3
STATE_BYTES = 5  # timer expression, offset of the rules of its end
EFFECT_BYTES = 7
