"""The host's half of redband_core.journal: what only a host reads of a record."""

from redband_core.journal import parse_event
from redband_core.packing import Reader


def parse_refused(payload: bytes) -> "tuple[int, int, tuple[int, ...]]":
    """Return (reason, event_id, args) of a REFUSED record. Raises ProtocolError."""
    reader = Reader(payload)
    reason = reader.varint()
    event_id, args = parse_event(payload, reader)
    return reason, event_id, args
