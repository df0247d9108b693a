"""Names of the ruleset "unconscious"; made by tests/host/rules_vectors.py, do not edit."""

EVENTS = (
    "void",
    "damage",
    "sleep",
    "heal",
    "stabilise",
    "set_time",
    "interact",
    "noise",
    "turn",
    "master_wakes",
    "stand_up",
    "pick_up",
)
PARAMS = (
    "max_hp",
    "perception",
    "status_penalty",
    "natural_ms",
)
COUNTERS = (
    "hp",
    "penalty",
    "lowest_dc",
)
TRACKS = (
    "mind",
    "posture",
    "hands",
)
REFUSALS = (
    "applied",
    "not_applicable",
    "bad_arguments",
    "unknown_event",
    "endless",
    "nothing_to_void",
    "dying",
    "at_zero",
    "no_hp_left",
    "is_awake",
    "unconscious",
    "next_turn",
    "already_so",
    "no_check",
    "is_quiet",
    "not_plain_sleep",
    "not_dying",
    "no_time_runs",
)
SIGNALS = (
    "dying",
    "stable",
    "magic",
    "noise",
    "asleep",
    "waking",
    "prone",
    "dropped",
    "awake",
)
STATES = (
    (
        "awake",
        "waking",
        "asleep",
        "effect",
        "magic",
        "dying",
        "stable",
    ),
    (
        "standing",
        "prone",
    ),
    (
        "holding",
        "dropped",
    ),
)
