"""NOTE codes of the badge's app that change how the journal is read.

The numbers are part of the journal's format; they are the app's own (`redband_badge.notes`), which
the host does not import. A test holds the two together.
"""

NEW_GAME = 34
"""The badge was provisioned anew: the state before this record was given up."""

BOOT_CONTINUES = 35
"""Value: boot id of the records that follow; begins a segment."""

EMERGENCY = 72
"""Value: 1 somebody is really hurt, 0 it is over."""

BROADCAST = 73
"""Value: number of a word to the fleet << 1 | 1 when the record that it made follows."""

SENT_BY = 74
"""Value: role of who asked by radio for what the next record says."""

GAME_ENDED, GAME_BEGUN = 59, 60

RULE_NOTE = 256
"""Plus the number of the ruleset's own note. Value: what the rules noted (amnesia's ms, say)."""

REFUSED_PAUSED = 0
"""Reason in a REFUSED record: the game stood still, and the engine was not asked."""
