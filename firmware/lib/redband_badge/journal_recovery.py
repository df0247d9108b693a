"""Finds what a journal's files hold, after a start or a failed write; leaves the memory then.

Guarantee: see `journal_store`, whose JournalStore it fills. Nothing is written; a segment that a
cut left without a record is put away.
"""

import os

from redband_badge.journal_store import RECORDS_END_BYTES
from redband_core import journal
from redband_core.segment_reader import SegmentReader
from redband_hal import system

_PIECE_BYTES = 128  # small, so that a fragmented heap has room for it
_EEXIST = 17


def recover(store, apply) -> None:
    """Fill `store` with what was written; see JournalStore.recover. Raises OSError."""
    store.block = -1
    _make_directory(store.directory)
    store.segments = sorted(
        [int(name[:-4], 16) for name in os.listdir(store.directory) if name.endswith(".seg")]
    )
    store.install_id = store.next_seq = store.last_ms = store.torn_bytes = store.used_bytes = 0
    start = _newest_snapshot(store)
    store.keep_from_seq = store.segments[start] if store.segments else 0
    store.is_ended = not store.segments
    torn_bytes = 0
    for first_seq in store.segments[start:]:
        torn_bytes = _replay(store, store.path(first_seq), apply)
    store.torn_bytes += torn_bytes
    if torn_bytes:
        store.is_ended = True
    if not store.install_id:
        store.install_id = system.random_u32() or 1


def _make_directory(directory: str) -> None:
    try:
        os.mkdir(directory)
    except OSError as error:
        if error.errno != _EEXIST:
            raise


def _newest_snapshot(store) -> int:
    """Return the index of the newest segment that begins with a usable snapshot, else 0.

    Segments at the end that hold no record are put away on the way there.
    """
    index = len(store.segments) - 1
    while index >= 0:
        path = store.path(store.segments[index])
        record, pending_bytes = _first_record(path)
        if record is None and index == len(store.segments) - 1:
            _put_away(store, path, pending_bytes)
        elif record is not None and record[1] == journal.SNAPSHOT and record[3]:
            return index
        index -= 1
    return 0


def _put_away(store, path: str, pending_bytes: int) -> None:
    # A cut between making a segment's file and its first flush leaves an empty one. One with
    # bytes and no record is kept aside for the technician.
    if pending_bytes:
        store.torn_bytes += pending_bytes
        os.rename(path, path[:-4] + ".bad")
    else:
        os.remove(path)
    store.segments.pop()


def _first_record(path: str) -> tuple:
    """Return (first record or None, bytes of the file that belong to none)."""
    reader = SegmentReader()
    with open(path, "rb") as file:
        record = None
        piece = file.read(_PIECE_BYTES)
        while piece and record is None:
            reader.feed(piece)
            record = reader.next_record()
            piece = file.read(_PIECE_BYTES)
    return record, reader.pending_bytes


def _replay(store, path: str, apply) -> int:
    """Apply the file's records from `next_seq` on; return the torn bytes after them."""
    reader = SegmentReader()
    left_bytes = RECORDS_END_BYTES
    with open(path, "rb") as file:
        while left_bytes:
            piece = file.read(min(_PIECE_BYTES, left_bytes))
            if not piece:
                break
            left_bytes -= len(piece)
            reader.feed(piece)
            record = reader.next_record()
            while record is not None:
                seq, kind, game_ms, payload = record
                if seq >= store.next_seq:
                    store.next_seq = seq + 1
                    store.last_ms = max(store.last_ms, game_ms)
                    apply(kind, store.last_ms, payload)
                record = reader.next_record()
    if reader.header is not None:
        store.install_id = reader.header.install_id
    store.used_bytes = reader.valid_bytes
    if left_bytes:
        store.is_ended = True  # not a whole block: not written by us
    return reader.torn_bytes()
