"""Every tunable number of the badge and the host's core, with its unit and its reason.

Guarantee: no other module of the core or the badge hides a number that one would want to tune.
What a game changes is not here but in its ruleset or in the settings of a badge.
"""

# --- Inputs (hit_filter, gestures) ---

INPUT_POLL_MS = 10
"""Period of the looks at a contact that moves. The interrupt latches what is shorter."""

INPUT_FIRST_LOOK_MS = 3
"""From the edge that wakes the input task to its first look: longer than a spike."""

INPUT_IDLE_MS = 1000
"""Contacts at rest are looked at so often all the same: an interrupt may have been lost."""

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

BUTTON_CONTACT_MS = 2
"""A button closed for less than this is a spike (EMI, static): the shortest real tap is 5 ms."""

IMPACT_CONTACT_MS = 1
"""A spring closes for tenths of a ms: what the interrupt saw closed at all is a contact."""

EDGES_APART_MS = 2
"""Edges stamped closer together than this waited for a busy interpreter, or are a spike."""

HANDLER_LATE_MS = 5
"""An interrupt's handler may be so late when the event loop has not waited for so long: what it
says of a contact's length is not believed then, and what may be a contact counts."""

INPUT_NOTE_MS = 1000
"""Ignored contacts are noted together, at most so often."""

EDGES_NOTE_MS = 60000
"""Lost edges and spikes are noted with their count, at most so often: a fault of the wiring."""

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

# --- Sessions (session, and redband.wire) ---

MTU_DEFAULT = 23
"""ATT MTU until the peers agreed on another (Bluetooth Core, Vol 3 Part F 3.2.8)."""

FRAME_MAX_BYTES = 244
"""Longest frame either way, whatever the MTU: with 7 bytes of headers it fills one link-layer
packet of 251. One byte more would take two packets. Fits the firmware's write buffer, too."""

CONTROL_MESSAGE_MAX_BYTES = 512
"""Longest message that is put together from writes: bounds the badge's memory."""

WINDOW_FRAMES = 120
"""Log frames on their way without an acknowledgement: below half of the frame number's period of
256, so that a lost frame is never taken for a repeated one, and a bound for the host's queue."""

PAGE_FRAMES = 40
"""A host commits after so many frames at the latest, and acknowledges: a third of the window, so
that the next ones flow meanwhile."""

PAGE_BYTES = 2048
"""A host commits when it has so many bytes of records: some 170 hits in a transaction."""

READ_MAX_BYTES = 480
"""The badge reads so much of its journal at a time: in a heap that has run for days a larger piece
may not be free."""

SESSION_HELLO_MS = 5000
"""A peer that has not said hello by then is a stranger, and the badge has few links to give."""

SESSION_PROOF_MS = 10000
"""A peer that has not shown its key by then is a stranger as well: time for a proof that is said
again twice over a bad link."""

PROOF_GAP_MS = 500
"""After a wrong proof the next one waits for so long, whoever says it: guessing 16 bytes is
hopeless anyway, and this keeps the badge's processor for the game."""

SESSION_IDLE_MS = 15000
"""A link on which nothing went either way for so long is dead: longer than the host's patience."""

REFUSAL_LINGER_MS = 1000
"""Time for a refusal to reach the peer before the badge ends the link."""

BAD_FRAMES_MAX = 16
"""Broken writes in one session before the badge takes the peer for broken."""

STALLS_MAX = 4
"""Times that the host asks a silent badge again before it gives up."""

RESTARTS_MAX = 24
"""Gaps in a row, without one new record between them, before the host gives up."""

# --- Lights (light_show) ---

LED_REFRESH_MS = 1000
"""All outputs are set again at least so often: one corrupted output heals itself (R21)."""

ACKNOWLEDGE_MS = 50
"""A counted hit blinks both lamps so long; 12 hits a second leave a gap between."""

IDENTIFY_MS = 10000
"""A badge that somebody asked for shows itself so long: time to look around among forty."""

CODE_PERIOD_MS = 8000
"""An LED code is shown so often; nine flashes take four seconds of it."""

BATTERY_MARK_AT_MS = 5000
"""The mark of a low battery comes so long after the code began: they never meet."""

BATTERY_MARK_PERIOD_MS = 16000
"""The mark comes so often: a multiple of the code's period. It hides the state for 1.6 s."""

SAVING_BRIGHTNESS_PCT = 20
"""The lamps are no brighter on a low battery: still seen by day from near."""

CRITICAL_BRIGHTNESS_PCT = 5
"""And no brighter before it is empty: for the night, or a hand held over it."""
