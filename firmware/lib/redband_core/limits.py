"""Every tunable number of the badge and the host's core, with its unit and its reason.

Guarantee: no other module of the core or the badge hides a number that one would want to tune.
What a game changes is not here but in its ruleset or in the settings of a badge.
"""

# --- Inputs (hit_filter, gestures) ---

INPUT_POLL_MS = 10
"""Period of the input task. Fingers press longer than 20 ms; the interrupt latches the rest."""

BUTTON_SETTLE_MS = 15
"""A button has rested when it was still for so long. Tactile switches bounce for up to 10 ms."""

BUTTON_REFRACTORY_MS = 50
"""Shortest time between two presses that count. 12 presses a second are 83 ms apart."""

IMPACT_SETTLE_MS = 40
"""A shake sensor rings for tens of ms after a blow; the blow is over when it was still so long."""

IMPACT_REFRACTORY_MS = 500
"""One blow is one hit, with its after-shake (PITFALLS G8)."""

VIBRATION_HOLD_OFF_MS = 500
"""The impact sensor is not believed for so long after our own motor ran (PITFALLS G9)."""

STUCK_MS = 30000
"""A contact closed for so long is a fault or a clamped button, not a player's finger."""

EDGE_QUEUE_DEPTH = 8
"""The ESP32 port queues so many interrupts; a burst of as many may have lost some (R3)."""

HOLD_MS = 1500
"""A press held so long is a hold: longer than any accidental press in a fight."""

TAP_GAP_MS = 400
"""Presses with less than this between release and press are one row of taps."""

TAPS_MAX = 9
"""Longer rows are hits in a fight, not a gesture: nobody counts to ten on a button."""

REPORTS_MAX = 32
"""Gesture reports kept for the app: more than three seconds of the fastest pressing."""

# --- Journal (journal) ---

RECORD_BODY_MAX_BYTES = 512
"""Kind, delta and payload of one record: a snapshot with its longest history fits."""

CHECKPOINT_MS = 30000
"""While a timer runs the time is journalled this often: what a battery pull can win at most."""

# --- Tasks ---

TASK_BLOCK_MAX_MS = 20
"""No task runs longer than this between two awaits; flash writes are excepted and measured."""
