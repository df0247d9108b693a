"""Why a sync ended early: a reason to decide by, and one sentence to show."""

from __future__ import annotations

from enum import StrEnum

from redband_core.errors import RedbandError


class SyncFailure(StrEnum):
    """What kept a sync from its end. All but the last eight pass by themselves: try again."""

    CONNECT = "connect"
    """No connection came about in time: out of range, no power, or another host has it."""

    DISCONNECTED = "disconnected"
    """The connection ended before the sync did."""

    SILENT = "silent"
    """The badge, or this computer's Bluetooth, gave no answer in time."""

    LOSSY = "lossy"
    """Too much was lost or changed on the way."""

    DEADLINE = "deadline"
    """The time given was over; what came until then is kept."""

    RADIO = "radio"
    """This computer's Bluetooth reported an error."""

    WRONG_BADGE = "wrong badge"
    """The device at this address is another badge by now."""

    STALE_SERVICES = "stale services"
    """The operating system shows services which are not a badge's, also when asked afresh."""

    VERSION = "version"
    """Badge and program speak different versions of the protocol."""

    CURSOR_AHEAD = "cursor ahead"
    """The store holds records that the badge has not written: its journal was damaged."""

    ACCESS = "access"
    """The badge does not know our key."""

    FORGED = "forged"
    """The badge's proof is wrong."""

    ROLE = "role"
    """The badge knows our key, and its role may not fetch a journal."""

    REFUSED = "refused"
    """The badge refused what every badge of this version grants."""


class SyncError(RedbandError):
    """A sync that ended early. What was committed before stays, and is not fetched again.

    `reason`: for decisions. The message is one sentence for people.
    """

    def __init__(self, reason: SyncFailure, message: str) -> None:
        super().__init__(message)
        self.reason = reason
