"""NOTE codes of the badge's app that change how the journal is read.

The numbers are part of the journal's format; they are the app's own (`redband_badge.notes`), which
the host does not import. A test holds the two together.
"""

NEW_GAME = 34
"""The badge was provisioned anew: the state before this record was given up."""

BOOT_CONTINUES = 35
"""Value: boot id of the records that follow; begins a segment."""
