"""Names of the ruleset "wounds"; made by tests/support/rules_vectors.py, do not edit."""

EVENTS = (
    "void",
    "hit",
    "kit",
    "treat",
    "escort",
    "fight_over",
    "sudden",
    "sudden_end",
    "place",
    "foul",
    "exclude",
    "admit",
    "discharge",
)
PARAMS = (
    "kit_ms",
    "wait_ms",
    "amnesia_ms",
    "patched_hit_is_heavy",
)
COUNTERS = (
    "wounds",
    "sudden_kind",
    "fouls",
)
TRACKS = (
    "wound",
    "mind",
    "place",
    "conduct",
)
REFUSALS = (
    "applied",
    "not_applicable",
    "bad_arguments",
    "unknown_event",
    "endless",
    "nothing_to_void",
    "already_heavy",
    "no_light_wound",
    "nothing_to_treat",
    "needs_hospital",
    "not_heavy",
    "not_waiting",
    "must_stay",
    "excluded",
    "not_in_combat",
    "no_sudden_state",
    "already_there",
    "not_in_hospital",
    "not_admitted",
)
SIGNALS = (
    "excluded",
    "heavy",
    "armband",
    "escorted",
    "in_hospital",
    "sudden",
    "light",
    "patched",
    "safe",
    "healthy",
)
STATES = (
    (
        "none",
        "light",
        "patched",
        "heavy",
        "armband",
        "escorted",
        "hospital",
        "dead",
    ),
    (
        "calm",
        "sudden",
    ),
    (
        "combat",
        "safe",
    ),
    (
        "playing",
        "excluded",
    ),
)
