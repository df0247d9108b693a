"""A journal store on the real littlefs over a flash in RAM, for several checks."""

from redband_badge.journal_pages import JournalPages
from redband_badge.journal_store import JournalStore
from redband_core import journal

HIT = journal.event_payload(1, (1, 0))
SNAPSHOT = bytes(range(60))
opened = []


def plenty(_path):
    return 1 << 30


def open_store(records=None, free_bytes=plenty):
    """Start: recover what is there, to `records` as (kind, game_ms, payload)."""
    while opened:
        opened.pop().close()
    store = JournalStore("/flash/journal", free_bytes)
    opened.append(store)
    found = [] if records is None else records
    store.recover(lambda kind, game_ms, payload: found.append((kind, game_ms, payload)))
    return store


def add(store, game_ms, payload=HIT, kind=journal.EVENT, snapshot=SNAPSHOT):
    """Write a record as the game does."""
    if store.needs_segment():
        store.begin_segment(store.last_ms, snapshot)
    return store.append(kind, game_ms, payload)


def numbered(number):
    """Return the payload of an event that says its number."""
    return journal.event_payload(1, (number, 0))


def number_of(payload):
    """Return the number in it."""
    return journal.parse_event(payload)[1][0]


def read_all(pages, limit_bytes=300, from_seq=0):
    """Return (list of (seq, game_ms, payload, kind), pages read)."""
    records = []
    count = 0
    page = pages.read(from_seq, limit_bytes)
    while page is not None:
        seq, game_ms, data = page
        offset = 0
        count += 1
        while offset < len(data):
            kind, delta_ms, payload, offset = journal.decode_record(data, offset, seq)
            game_ms += delta_ms
            records.append((seq, game_ms, payload, kind))
            seq += 1
        page = pages.read(seq, limit_bytes)
    return records, count


def numbers_of(store):
    """Return the numbers of all events in the journal, as a host reads them."""
    records, _count = read_all(JournalPages(store, None))
    return [number_of(payload) for _seq, _ms, payload, kind in records if kind == journal.EVENT]
