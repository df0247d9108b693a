"""What a virtual badge's flash holds of its journal, with or without power."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from redband.virtual.badge import VirtualBadge
from redband.virtual.image import files_of
from redband_core import journal
from redband_core.errors import JournalCorrupt


class JournalRecord(NamedTuple):
    """seq: its number since the badge was installed. game_ms: game time."""

    seq: int
    kind: int
    game_ms: int
    payload: bytes


def records(badge: VirtualBadge) -> Sequence[JournalRecord]:
    """Return all that is in the journal now, in order; a torn tail is left out."""
    return _records_of(badge.image_path.read_bytes())


@lru_cache(maxsize=8)  # who waits for a record looks often, and mostly sees the same bytes
def _records_of(image: bytes) -> Sequence[JournalRecord]:
    found: dict[int, JournalRecord] = {}
    for name, content in files_of(image, under="/journal/").items():
        if name.endswith(".seg") and content:
            try:
                scanned = journal.scan(content)[1]
            except JournalCorrupt:
                continue  # a segment whose first bytes are being written
            found |= {record[0]: JournalRecord(*record) for record in scanned}
    return tuple(found[seq] for seq in sorted(found))


async def cut_and_read(badge: VirtualBadge) -> Sequence[JournalRecord]:
    """Pull the battery and return what the journal holds."""
    await badge.power_cut()
    return records(badge)


def kinds(badge: VirtualBadge) -> list[int]:
    return [record.kind for record in records(badge)]


def events(badge: VirtualBadge) -> list[tuple[int, tuple[int, ...]]]:
    """Return (event id, args) of what was applied."""
    return events_of(records(badge))


def events_of(found: Sequence[tuple[int, int, int, bytes]]) -> list[tuple[int, tuple[int, ...]]]:
    return [journal.parse_event(one[3]) for one in found if one[1] == journal.EVENT]


def notes(badge: VirtualBadge) -> list[tuple[int, int]]:
    """Return (code, value) of the notes."""
    return notes_of(records(badge))


def notes_of(found: Sequence[tuple[int, int, int, bytes]]) -> list[tuple[int, int]]:
    return [journal.parse_note(one[3]) for one in found if one[1] == journal.NOTE]


def noted(badge: VirtualBadge, code: int) -> list[int]:
    """Return the values of the notes of a code."""
    return noted_in(records(badge), code)


def noted_in(found: Sequence[tuple[int, int, int, bytes]], code: int) -> list[int]:
    return [value for one, value in notes_of(found) if one == code]
