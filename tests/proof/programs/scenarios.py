"""The main scenario of each shipped ruleset: one player's way through every state of its tracks.

Data only. A step is (ms to let pass before it, what, arguments ...): what is a gesture of the
player ("press", "hold", "taps_4_hold": with the presses that it begins with), an event of the
ruleset by name, "pause", "resume", or "time" for nothing but time that passes. Params not named
have the ruleset's defaults; the short ones keep the 30-second checkpoints few.
"""

S = 1000

HITS = (
    {
        "death_ms": 65 * S,
        "rest_ms": 40 * S,
        "recovery_ms": 35 * S,
        "unconscious_ms": 20 * S,
        "knockdown_ms": 10 * S,
    },
    (
        (5 * S, "press"),  # wounded
        (4 * S, "impact"),
        (3 * S, "taps_2_hold"),  # the impact hit a shield: the sensor's hit is taken back
        (15 * S, "impact"),
        (30 * S, "hold"),  # dying for 1.5 s, then the press is taken back: resting
        (20 * S, "bandage"),  # bandage_due -> rested
        (21 * S, "stun"),  # healthy, knockdown
        (2 * S, "treat"),  # refused: nothing to treat
        (9 * S, "press"),
        (12 * S, "hold"),  # resting
        (5 * S, "hit", 1, 2),  # a hit during the rest cancels it: wounded
        (12 * S, "hold"),
        (41 * S, "treat"),  # bandage_overdue -> healthy
        (5 * S, "hit", 3, 1),  # dying
        (31 * S, "operation_start", 0),  # a checkpoint came before; operation
        (5 * S, "operation", 0, 0),  # recovering
        (2 * S, "pause"),
        (1 * S, "resume"),
        (35 * S, "knock_out"),  # healthy, unconscious
        (5 * S, "hit", 9, 0),
        (5 * S, "operation_start", 1),  # radical
        (16 * S, "operation", 1, 0),  # awake; recovering with a trauma
        (36 * S, "diagnose", 0, 1, 1),
        (5 * S, "sudden", 1, 0),  # sudden
        (5 * S, "place", 1),  # safe
        (5 * S, "press"),  # refused: not in combat
        (5 * S, "place", 0),
        (5 * S, "sudden_end", 0),
        (5 * S, "hit", 3, 0),
        (66 * S, "press"),  # dead by its timer; refused
        (5 * S, "exclude"),  # excluded
        (5 * S, "press"),
    ),
)

WOUNDS = (
    {"kit_ms": 40 * S, "wait_ms": 35 * S, "amnesia_ms": 60 * S},
    (
        (5 * S, "press"),  # light
        (12 * S, "hold"),  # heavy for 1.5 s, then taken back: patched
        (15 * S, "taps_4_hold"),  # the presses are taken back; treated: none
        (15 * S, "impact"),
        (41 * S, "kit", 1),  # heavy, as no kit came in time; refused
        (36 * S, "press"),  # armband; refused: heavily wounded already
        (3 * S, "admit"),  # hospital
        (3 * S, "place", 1),  # safe
        (3 * S, "place", 0),
        (3 * S, "discharge"),
        (3 * S, "hit", 3, 2),  # heavy at once
        (3 * S, "fight_over", 0),  # armband
        (3 * S, "pause"),
        (1 * S, "resume"),
        (3 * S, "escort"),  # escorted
        (3 * S, "sudden", 0, 1),
        (61 * S, "admit"),  # calm again
        (3 * S, "sudden", 2, 0),
        (3 * S, "sudden_end", 1),
        (3 * S, "discharge"),
        (3 * S, "foul", 0, 3),
        (3 * S, "press"),
        (3 * S, "exclude"),  # excluded, dead
        (3 * S, "press"),
    ),
)

HOSPITAL = (
    {
        "rehab_intact_ms": 6 * S,
        "rehab_damaged_ms": 12 * S,
        "mortuary_intact_ms": 5 * S,
        "mortuary_damaged_ms": 30 * S,
        "mortuary_infected_ms": 45 * S,
    },
    (
        (5 * S, "infect"),  # hidden
        (5 * S, "place", 1),  # safe
        (5 * S, "place", 0),
        (5 * S, "sudden", 0, 1),
        (61 * S, "admit"),  # calm again; admitted, rehabilitation
        (5 * S, "examine", 1, 1),
        (5 * S, "identify"),  # identified
        (5 * S, "use_resource"),  # cured
        (5 * S, "prescribe", 0, 0),  # treatment
        (3 * S, "discharge"),  # refused: the time is not over
        (3 * S, "pay", 0),
        (2 * S, "pause"),
        (1 * S, "resume"),
        (80 * S, "discharge"),  # time_over; outside
        (5 * S, "game_death", 0),  # clinical
        (5 * S, "admit"),  # mortuary
        (5 * S, "prescribe", 0, 0),  # refused: roll first
        (5 * S, "roll", 3),
        (5 * S, "examine", 3, 2),
        (5 * S, "prescribe", 1, 0),  # suspended
        (31 * S, "pay", 1),  # time_over
        (5 * S, "discharge"),
        (5 * S, "sudden", 1, 0),
        (5 * S, "admit"),
        (5 * S, "exclude"),  # excluded, outside
        (5 * S, "admit"),
    ),
)

UNCONSCIOUS = (
    {"max_hp": 12},
    (
        (5 * S, "taps_3_hold"),  # the presses are taken back; asleep, prone, dropped
        (15 * S, "noise", 18, 1),
        (5 * S, "turn", 2),  # does not wake
        (5 * S, "hold"),  # damage wakes; taken back: asleep; interact wakes: awake
        (15 * S, "taps_4_hold"),  # standing
        (15 * S, "pick_up"),  # holding
        (5 * S, "sleep", 1, 1, 1),  # effect
        (5 * S, "turn", 20),  # refused: no noise
        (5 * S, "sleep", 2, 0, 0),  # magic
        (5 * S, "noise", 5, 0),  # refused: no check
        (5 * S, "heal", 2, 0),  # awake
        (5 * S, "damage", 12, 0, 0, 0),  # dying
        (31 * S, "press"),  # refused
        (5 * S, "stabilise"),  # stable
        (601 * S, "stand_up"),  # awake by its timer, prone; standing
        (5 * S, "press"),  # dying
        (5 * S, "heal", 5, 0),  # waking
        (5 * S, "turn", 1),  # awake
        (2 * S, "pause"),
        (1 * S, "resume"),
        (5 * S, "place", 1),  # safe
        (5 * S, "place", 0),
        (5 * S, "sudden", 2, 1),
        (61 * S, "damage", 9, 1, 0, 1),  # calm again; stable
        (5 * S, "sudden", 0, 0),
        (5 * S, "exclude"),  # excluded
        (5 * S, "press"),
    ),
)

WOUNDS_HOSPITAL = (
    {
        "kit_ms": 40 * S,
        "wait_ms": 35 * S,
        "rehab_intact_ms": 6 * S,
        "rehab_damaged_ms": 12 * S,
        "mortuary_intact_ms": 5 * S,
        "mortuary_damaged_ms": 30 * S,
        "mortuary_infected_ms": 45 * S,
    },
    (
        (5 * S, "press"),  # light
        (12 * S, "hold"),  # patched
        (15 * S, "taps_4_hold"),  # treated
        (15 * S, "impact"),
        (41 * S, "press"),  # heavy by its timer; refused
        (36 * S, "infect"),  # armband; hidden
        (5 * S, "escort"),  # escorted
        (5 * S, "admit"),  # hospital, admitted, rehabilitation
        (5 * S, "press"),  # refused: inside
        (5 * S, "identify"),  # identified
        (5 * S, "use_resource"),  # cured
        (5 * S, "prescribe", 0, 0),  # treatment
        (5 * S, "pay", 0),
        (2 * S, "pause"),
        (1 * S, "resume"),
        (80 * S, "discharge"),  # time_over; outside, none
        (5 * S, "hit", 3, 0),  # heavy
        (5 * S, "game_death", 0),  # clinical, none
        (5 * S, "admit"),  # mortuary, hospital
        (5 * S, "roll", 2),
        (5 * S, "prescribe", 1, 0),  # suspended
        (15 * S, "pay", 1),
        (31 * S, "discharge"),
        (5 * S, "place", 1),  # safe
        (5 * S, "place", 0),
        (5 * S, "sudden", 0, 1),  # sudden
        (61 * S, "sudden", 1, 0),
        (5 * S, "impact"),
        (5 * S, "exclude"),  # excluded, dead
        (5 * S, "press"),
    ),
)

SCENARIOS = {
    "hits": HITS,
    "wounds": WOUNDS,
    "hospital": HOSPITAL,
    "unconscious": UNCONSCIOUS,
    "wounds_hospital": WOUNDS_HOSPITAL,
}
