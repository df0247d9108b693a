"""Names of the ruleset "lab"; made by tests/support/rules_vectors.py, do not edit."""

EVENTS = (
    "void",
    "add",
    "switch",
    "swap",
    "guards",
    "twice",
    "lengthen",
    "set_timer",
    "pause",
    "resume",
    "stop",
    "loop",
    "chain",
    "remember",
    "smash",
    "wind",
    "open_for",
)
PARAMS = (
    "cap",
    "wait_ms",
)
COUNTERS = (
    "score",
    "debt",
)
TRACKS = (
    "lamp",
    "door",
    "pulse",
)
REFUSALS = (
    "applied",
    "not_applicable",
    "bad_arguments",
    "unknown_event",
    "endless",
    "nothing_to_void",
    "stuck",
    "broken",
)
SIGNALS = (
    "broken",
    "rich",
    "other",
)
STATES = (
    (
        "off",
        "on",
        "broken",
    ),
    (
        "closed",
        "open",
    ),
    (
        "tick",
        "tock",
        "still",
    ),
)
