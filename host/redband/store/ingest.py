"""One page into the tables, inside a transaction that the caller owns.

Guarantee: idempotent, and loud about a contradiction: a record that comes again must come with
the bytes it had. Records and cursor move together (PITFALLS G2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.engine import Connection

from redband.store import schema
from redband.store.dialect import insert_new
from redband.store.records import Page
from redband_core import journal, numbers
from redband_core.errors import ProtocolError

Decoded = Sequence[tuple[int, int, int, bytes]]
"""(seq, kind, game_ms, payload) of each record of a page."""


class StoreConflict(ProtocolError):
    """A badge sent other bytes under the name of a record that is already stored."""


def take_page(connection: Connection, page: Page, decoded: Decoded, now_ms: int) -> int:
    """Store the records of `page`; return the first sequence number not held then.

    now_ms: wall time of receipt. Raises StoreConflict when a known record has other bytes.
    """
    know_install(connection, page.badge_id, page.install_id, now_ms)
    rows = _rows(connection, page, decoded, now_ms)
    known = _known(connection, page, decoded)
    new = [row for row in rows if _content(row) not in known]
    if insert_new(connection, schema.record, new) != len(new):
        boots = ", ".join(sorted({f"{row['boot_id']:08x}" for row in new}))
        raise StoreConflict(
            f"badge {page.badge_id} sent other records {new[0]['seq']}..{new[-1]['seq']} of boot"
            f" {boots} than those stored before"
        )
    return _advance_cursor(connection, page, decoded)


def _content(row: dict[str, Any]) -> tuple[int, int, int, bytes]:
    """Return what makes two records of one install the same, whatever boot they were given."""
    return row["seq"], row["kind"], row["game_ms"], row["payload"]


def _known(
    connection: Connection, page: Page, decoded: Decoded
) -> set[tuple[int, int, int, bytes]]:
    """Return the content of the stored records in the page's range."""
    if not decoded:
        return set()
    table = schema.record
    query = select(table.c.seq, table.c.kind, table.c.game_ms, table.c.payload).where(
        table.c.badge_id == page.badge_id,
        table.c.install_id == page.install_id,
        table.c.seq.between(decoded[0][0], decoded[-1][0]),
    )
    return {
        (row.seq, row.kind, row.game_ms, bytes(row.payload)) for row in connection.execute(query)
    }


def know_install(connection: Connection, badge_id: int, install_id: int, now_ms: int) -> None:
    """Note badge and install, unless known, in the order of the host's contacts."""
    badge = {"badge_id": badge_id, "player": ""}
    badge |= {"first_contact_ms": now_ms, "last_contact_ms": now_ms}
    insert_new(connection, schema.badge, [badge])
    connection.execute(
        update(schema.badge)
        .where(schema.badge.c.badge_id == badge_id)
        .values(last_contact_ms=now_ms)
    )
    table = schema.install
    highest = select(func.max(table.c.ordinal)).where(table.c.badge_id == badge_id)
    ordinal = (connection.execute(highest).scalar() or 0) + 1
    row = {"badge_id": badge_id, "install_id": install_id, "ordinal": ordinal}
    insert_new(connection, table, [row | {"first_contact_ms": now_ms}])


def _rows(
    connection: Connection, page: Page, decoded: Decoded, received_ms: int
) -> list[dict[str, Any]]:
    """Name each record by its boot; boots that begin in this page are noted on the way."""
    boot_id = _boot_before(connection, page)
    rows: list[dict[str, Any]] = []
    name = {"badge_id": page.badge_id, "install_id": page.install_id}
    for seq, kind, game_ms, payload in decoded:
        found = _named_boot(kind, payload)
        if found is not None:
            # A segment's first records stand before the one that names their boot.
            for row in rows if boot_id == schema.UNKNOWN_BOOT else ():
                row["boot_id"] = found
            boot_id = found
        if kind == journal.BOOT and found is not None:
            _id, count, cause, _badge, identity = journal.parse_boot(payload)
            boot = name | {"boot_id": boot_id, "boot_count": count, "cause": cause}
            boot |= {"ruleset_identity": bytes(identity), "first_seq": seq}
            insert_new(connection, schema.boot, [boot])
        record = name | {"boot_id": boot_id, "seq": seq, "kind": kind}
        record |= {"game_ms": game_ms, "payload": payload, "received_ms": received_ms}
        rows.append(record)
    return rows


def _named_boot(kind: int, payload: bytes) -> int | None:
    """Return the boot id that a record names, None when it names none."""
    try:
        if kind == journal.BOOT:
            return journal.parse_boot(payload)[0]
        if kind == journal.NOTE:
            code, value = journal.parse_note(payload)
            return value if code == numbers.NOTE_BOOT_CONTINUES else None
    except ProtocolError:
        # Its checksum is right, so another version wrote it: kept, and read by who can.
        return None
    return None


def _boot_before(connection: Connection, page: Page) -> int:
    table = schema.record
    latest = (
        select(table.c.boot_id, table.c.seq)
        .where(table.c.badge_id == page.badge_id, table.c.install_id == page.install_id)
        .where(table.c.seq < page.first_seq)
        .order_by(table.c.seq.desc())
        .limit(1)
    )
    found = connection.execute(latest).first()
    # After a gap the boot record itself may be among what is missing.
    is_next = found is not None and found.seq == page.first_seq - 1
    return found.boot_id if found is not None and is_next else schema.UNKNOWN_BOOT


def _advance_cursor(connection: Connection, page: Page, decoded: Decoded) -> int:
    held = cursor(connection, page.badge_id, page.install_id)
    next_seq = max(held, decoded[-1][0] + 1) if decoded else held
    name = {"badge_id": page.badge_id, "install_id": page.install_id}
    insert_new(connection, schema.cursor, [name | {"next_seq": next_seq}])
    table = schema.cursor
    connection.execute(
        update(table)
        .where(table.c.badge_id == page.badge_id, table.c.install_id == page.install_id)
        .values(next_seq=next_seq)
    )
    return next_seq


def cursor(connection: Connection, badge_id: int, install_id: int) -> int:
    """Return the first sequence number of this install that is not committed yet."""
    table = schema.cursor
    query = select(table.c.next_seq).where(
        table.c.badge_id == badge_id, table.c.install_id == install_id
    )
    return connection.execute(query).scalar() or 0
