"""What travels between the radio, the store and the projection: pages and records.

Guarantee: decoding a page is pure and total; a page that does not check out record by record is
the peer's fault (`ProtocolError`), never a half-decoded list.
"""

from __future__ import annotations

from dataclasses import dataclass

from redband_core import journal
from redband_core.errors import JournalCorrupt, ProtocolError

_KIND_NAMES = {
    journal.BOOT: "boot",
    journal.EVENT: "event",
    journal.REFUSED: "refused",
    journal.SNAPSHOT: "snapshot",
    journal.CHECKPOINT: "checkpoint",
    journal.NOTE: "note",
    journal.PAUSE: "pause",
    journal.RESUME: "resume",
    journal.TAP: "tap",
}


def kind_name(kind: int) -> str:
    """Return the word for a record kind; a number for one of a later version."""
    return _KIND_NAMES.get(kind, f"kind {kind}")


@dataclass(frozen=True, slots=True)
class Page:
    """A run of whole journal records as a badge sent it.

    badge_id: 0..65535; install_id: u32 of the journal. first_seq: number of the first record;
    base_ms: game time that the first record's delta counts from, in ms. data: encoded records.
    """

    badge_id: int
    install_id: int
    first_seq: int
    base_ms: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """One journal record in its place in the host's order.

    install_order: 1, 2, ... by the host's first contact with each install of this badge.
    seq: number within the install. game_ms: absolute game time in ms. kind, payload: see
    `redband_core.journal`. received_ms: wall time of receipt in ms since 1970: data, no order.
    """

    badge_id: int
    install_order: int
    install_id: int
    boot_id: int
    seq: int
    kind: int
    game_ms: int
    payload: bytes
    received_ms: int = 0


def decode_page(page: Page) -> list[tuple[int, int, int, bytes]]:
    """Return (seq, kind, game_ms, payload) for each record of `page`.

    Raises ProtocolError when any record is damaged: the sync then fails where one can see it,
    and the badge keeps the page.
    """
    decoded = []
    offset = 0
    seq = page.first_seq
    game_ms = page.base_ms
    while offset < len(page.data):
        try:
            kind, delta_ms, payload, offset = journal.decode_record(page.data, offset, seq)
        except JournalCorrupt as error:
            raise ProtocolError(
                f"badge {page.badge_id} sent a damaged journal record {seq}"
            ) from error
        game_ms += delta_ms
        decoded.append((seq, kind, game_ms, bytes(payload)))
        seq += 1
    return decoded
