"""Bluetooth on the host: hear adverts, fetch journals. Real by bleak, or any backend given.

Everything here takes `radio: RadioBackend | None`; None is the Bluetooth of this computer.
"""

from redband.radio.backend import RadioBackend
from redband.radio.errors import SyncError, SyncFailure
from redband.radio.orders import Ordered, new_request, order_badge
from redband.radio.reader import AdvertReader, Verdict
from redband.radio.scanner import Heard, ScanCounts, scan
from redband.radio.sync import SyncResult, sync_badge

__all__ = [
    "AdvertReader",
    "Heard",
    "Ordered",
    "RadioBackend",
    "ScanCounts",
    "SyncError",
    "SyncFailure",
    "SyncResult",
    "Verdict",
    "new_request",
    "order_badge",
    "scan",
    "sync_badge",
]
