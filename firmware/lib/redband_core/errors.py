"""The errors of the core, one class for each party that can be at fault.

Guarantee: a byte from a peer, a ruleset or the flash raises one of these and nothing else. What
the badge raises holds an ERROR_ number and what belongs to it, no text, of which its heap would
pay each: the host's redband.number_texts.error_text has them.
"""

from redband_core import numbers


class RedbandError(Exception):
    """Any error that the core raises on purpose."""


class RulesError(RedbandError):
    """A compiled ruleset, a parameter or a snapshot is not valid."""


class ProtocolError(RedbandError):
    """The peer, or whoever made the bytes, is at fault."""


class UsageError(RedbandError):
    """The caller is at fault: a value out of range, a call out of order."""


class JournalCorrupt(RedbandError):
    """The journal's bytes are not a record. `offset`: where the bad record begins, in bytes."""

    def __init__(self, offset: int) -> None:
        """Keep the offset, in bytes from the start of the data that was read."""
        super().__init__(numbers.ERROR_JOURNAL_RECORD, offset)
        self.offset = offset
