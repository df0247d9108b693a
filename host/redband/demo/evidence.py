"""What the badges themselves wrote, read from their flash images after the power is off.

Problem: a summary that compares the host with the host proves nothing. Guarantee: the journal is
read from the littlefs image alone, with the segment format of `redband_core.journal`; neither the
radio nor the store has a part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from littlefs.errors import LittleFSError

from redband.errors import RedbandUserError
from redband.store.records import Record
from redband.virtual.image import read_image
from redband_core import journal
from redband_core.errors import JournalCorrupt

JOURNAL_FOLDER = "/journal/"

EVENT_KINDS = (journal.EVENT, journal.REFUSED)
"""Records that tell of an input: what happened, and what was refused."""

OWN_KINDS = (journal.CHECKPOINT, journal.SNAPSHOT, journal.NOTE)
"""Records that a badge writes by itself, and so also between the last sync and the power cut."""


@dataclass(frozen=True, slots=True)
class BadgeJournal:
    """The records found on a badge, by (install_id, seq): (kind, game_ms, payload)."""

    records: dict[tuple[int, int], tuple[int, int, bytes]]

    @property
    def events(self) -> int:
        """Return how many of the records tell of an input."""
        return sum(kind in EVENT_KINDS for kind, _ms, _payload in self.records.values())


def read_journal(image: Path) -> BadgeJournal:
    """Return the journal in a badge's littlefs image.

    Raises RedbandUserError when there is no file system in it.
    """
    try:
        files = read_image(image)
    except LittleFSError as error:
        raise RedbandUserError(
            f"The flash image {image} cannot be read ({error}); put it aside and start again."
        ) from error
    records: dict[tuple[int, int], tuple[int, int, bytes]] = {}
    for name in sorted(files):
        if name.startswith(JOURNAL_FOLDER) and name.endswith(".seg"):
            records |= _segment(files[name])
    return BadgeJournal(records)


def _segment(data: bytes) -> dict[tuple[int, int], tuple[int, int, bytes]]:
    try:
        header, found, _valid_bytes = journal.scan(data)
    except JournalCorrupt:
        return {}  # a segment that lost power before its header was whole holds nothing
    return {
        (header.install_id, seq): (kind, game_ms, bytes(payload))
        for seq, kind, game_ms, payload in found
    }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Journal against store for one badge.

    journal_events includes those of `released` records: acknowledged, and let go by the badge.
    agreeing, differing: records that both have, with the same bytes and not. missing: in the
    journal only. unknown: in the store only.
    """

    journal_events: int
    store_events: int
    agreeing: int
    released: int
    differing: int
    missing: int
    unknown: int

    @property
    def is_equal(self) -> bool:
        """Return True when every event of one is in the other, byte for byte."""
        return not (self.differing or self.missing or self.unknown)


def compare(on_badge: BadgeJournal, stored: Sequence[Record]) -> Comparison:
    """Compare a badge's journal with what the store holds of it.

    Counted as missing: records of the badge that the store has not, except what a badge writes by
    itself after the newest stored one. Unknown: stored ones, not older than the badge's oldest,
    that the badge has not.
    """
    held = {(r.install_id, r.seq): (r.kind, r.game_ms, r.payload) for r in stored}
    oldest: dict[int, int] = {}
    for install_id, seq in on_badge.records:
        oldest[install_id] = min(seq, oldest.get(install_id, seq))
    released = {key for key in held if key[1] < oldest.get(key[0], held_end(held, key[0]))}
    newest = {install: held_end(held, install) for install in oldest}
    missing = [
        key
        for key, (kind, _ms, _payload) in on_badge.records.items()
        if key not in held and not (kind in OWN_KINDS and key[1] >= newest[key[0]])
    ]
    both = held.keys() & on_badge.records.keys()
    released_events = sum(held[key][0] in EVENT_KINDS for key in released)
    return Comparison(
        journal_events=on_badge.events + released_events,
        store_events=sum(kind in EVENT_KINDS for kind, _ms, _payload in held.values()),
        agreeing=sum(held[key] == on_badge.records[key] for key in both),
        released=len(released),
        differing=sum(held[key] != on_badge.records[key] for key in both),
        missing=len(missing),
        unknown=len(held.keys() - on_badge.records.keys() - released),
    )


def held_end(held: dict[tuple[int, int], tuple[int, int, bytes]], install_id: int) -> int:
    """Return the number after the newest record of `install_id` in `held`."""
    return max((seq + 1 for install, seq in held if install == install_id), default=0)
