"""Bluetooth on the host: hear adverts, fetch journals. Real by bleak, or any backend given.

Everything here takes `radio: RadioBackend | None`; None is the Bluetooth of this computer.
"""

from redband.radio.backend import RadioBackend
from redband.radio.commands import Answered, command_badge, new_request
from redband.radio.errors import SyncError, SyncFailure
from redband.radio.reader import AdvertReader, Verdict
from redband.radio.scanner import Heard, ScanCounts, scan
from redband.radio.sync import SyncResult, sync_badge

__all__ = [
    "AdvertReader",
    "Heard",
    "Answered",
    "RadioBackend",
    "ScanCounts",
    "SyncError",
    "SyncFailure",
    "SyncResult",
    "Verdict",
    "new_request",
    "command_badge",
    "scan",
    "sync_badge",
]
