"""The host's event store: journal pages in, ordered records out.

Problem: a page can come twice, after an abort, from another gateway, or be the last thing before
a power cut. Guarantee: one transaction holds a page's records and the cursor that says so, it is
on the disk before `ingest_page` returns, and taking the same page again changes nothing. Records
come out ordered by (badge, install, seq), whatever order they came in (PITFALLS G2, G4, G5).
Not here: what the records mean (`projection`), and anything about one database (`dialect`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Row, delete, select, update
from sqlalchemy.engine import Connection

from redband.store import ingest, schema
from redband.store.dialect import WRITING, StoreError, insert_new, open_engine, sentences
from redband.store.records import Page, Record, decode_page
from redband.store.walltime import Meeting

STORE_FILE = "redband.sqlite"
"""Name of the store inside a data folder."""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class Store:
    """The event store in one database file.

    `path`: file, made when missing (its folder must exist). `wall_ms`: the host's clock in ms
    since 1970, an argument so that tests can turn it. Raises StoreError with one sentence when
    the file cannot be used. Methods block on the disk: call them in a worker thread from async
    code. One thread at a time may write; any may read.
    """

    def __init__(self, path: Path, wall_ms: Callable[[], int] = _now_ms) -> None:
        self.path = path
        self.wall_ms = wall_ms
        self._engine = open_engine(path)
        self._make_schema()

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        self._engine.dispose()

    def _make_schema(self) -> None:
        with self._writing() as connection:
            schema.metadata.create_all(connection)
            found = connection.execute(select(schema.schema_version.c.version)).scalar()
            if found is None:
                insert_new(connection, schema.schema_version, [{"version": schema.SCHEMA_VERSION}])
            elif found != schema.SCHEMA_VERSION:
                raise StoreError(
                    f"The store {self.path} has schema version {found}, this Redband knows"
                    f" {schema.SCHEMA_VERSION}; use the Redband that wrote it or another folder."
                )

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with sentences(self.path), self._engine.connect() as connection:
            connection = connection.execution_options(**WRITING)
            with connection.begin():
                yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with sentences(self.path), self._engine.connect() as connection, connection.begin():
            yield connection

    # --- writing ---------------------------------------------------------------------------

    def ingest_page(self, page: Page) -> int:
        """Commit the records of `page` and return the first sequence number not yet held.

        Only after this returns may the badge be told to release anything. Raises ProtocolError
        for damaged records and (StoreConflict) for a known record with other bytes, StoreError
        when the database cannot take it; then nothing of the page is stored.
        """
        decoded = decode_page(page)
        with self._writing() as connection:
            return ingest.take_page(connection, page, decoded, self.wall_ms())

    def note_contact(
        self,
        badge_id: int,
        install_id: int,
        boot_id: int,
        gateway: str,
        game_ms: int | None = None,
    ) -> Meeting:
        """Note that `gateway` has met this life of the badge and holds its journal to the cursor.

        game_ms: the badge's game time now, None if it did not tell. This is what maps game time
        to wall time later (`walltime`): every record below the cursor is older than this moment.
        """
        with self._writing() as connection:
            now_ms = self.wall_ms()
            ingest.know_install(connection, badge_id, install_id, now_ms)
            name = {"badge_id": badge_id, "install_id": install_id, "at_ms": now_ms}
            next_seq = ingest.cursor(connection, badge_id, install_id)
            row = name | {"boot_id": boot_id, "gateway": gateway, "next_seq": next_seq}
            insert_new(connection, schema.contact, [row])
            if game_ms is not None:
                insert_new(connection, schema.clock_reading, [name | {"game_ms": game_ms}])
        return Meeting(boot_id, next_seq, now_ms, game_ms)

    def set_player(self, badge_id: int, player: str) -> None:
        """Write down who wears the badge. `player`: at most 80 characters."""
        now_ms = self.wall_ms()
        with self._writing() as connection:
            row = {"badge_id": badge_id, "player": player}
            row |= {"first_contact_ms": now_ms, "last_contact_ms": now_ms}
            insert_new(connection, schema.badge, [row])
            connection.execute(
                update(schema.badge)
                .where(schema.badge.c.badge_id == badge_id)
                .values(player=player)
            )

    def keep_ruleset(self, identity: bytes, name: str, data: bytes) -> None:
        """Keep a compiled ruleset beside the events that were made under it."""
        with self._writing() as connection:
            row = {"identity": identity, "name": name, "data": data}
            insert_new(connection, schema.ruleset, [row])

    def keep_advert_counts(self, counts: dict[int, int]) -> None:
        """Keep the count of each badge's newest advert, by badge id."""
        if not counts:
            return
        table = schema.advert_count
        with self._writing() as connection:
            connection.execute(delete(table).where(table.c.badge_id.in_(counts)))
            rows = [{"badge_id": badge_id, "count": n} for badge_id, n in counts.items()]
            insert_new(connection, table, rows)

    def keep_broadcast(self, game_id: bytes, number: int, command: int, payload: bytes) -> None:
        """Keep a broadcast, under a number that no word of this game has."""
        with self._writing() as connection:
            row = {"game_id": game_id, "number": number, "command": command}
            row |= {"payload": payload, "said_ms": self.wall_ms()}
            insert_new(connection, schema.fleet_word, [row])

    # --- reading ---------------------------------------------------------------------------

    def next_seq(self, badge_id: int, install_id: int) -> int:
        """Return the first sequence number of this install that is not committed yet."""
        with self._reading() as connection:
            return ingest.cursor(connection, badge_id, install_id)

    def players(self) -> dict[int, str]:
        """Return the player's name for every badge known, by badge id."""
        query = select(schema.badge.c.badge_id, schema.badge.c.player)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(schema.badge.c.badge_id)).all()
        return {row.badge_id: row.player for row in rows}

    def advert_counts(self) -> dict[int, int]:
        """Return the count of each badge's newest advert, by badge id."""
        with self._reading() as connection:
            rows = connection.execute(select(schema.advert_count)).all()
        return {badge_id: count for badge_id, count in rows}  # noqa: C416 (typed rows)

    def newest_broadcast_number(self, game_id: bytes) -> int:
        """Return the number of the newest broadcast of a game, 0 for none."""
        words = self.broadcasts(game_id, 1)
        return words[0][0] if words else 0

    def broadcasts(self, game_id: bytes, limit: int) -> list[tuple[int, int, bytes]]:
        """Return (number, command, payload) of up to `limit` newest words, oldest first."""
        table = schema.fleet_word
        query = select(table).where(table.c.game_id == game_id)
        query = query.order_by(table.c.number.desc()).limit(limit)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return [(row.number, row.command, bytes(row.payload)) for row in rows][::-1]

    def boot_rulesets(self) -> dict[tuple[int, int, int], bytes]:
        """Return the ruleset identity of every boot, by (badge_id, install_id, boot_id)."""
        with self._reading() as connection:
            rows = connection.execute(select(schema.boot)).all()
        return {
            (row.badge_id, row.install_id, row.boot_id): bytes(row.ruleset_identity)
            for row in rows
        }

    def meetings(self, badge_id: int) -> dict[int, list[Meeting]]:
        """Return the meetings with each install of a badge, in the order of its journal."""
        contact, reading, install = schema.contact, schema.clock_reading, schema.install
        same = (contact.c.badge_id == install.c.badge_id) & (
            contact.c.install_id == install.c.install_id
        )
        told = (
            (contact.c.badge_id == reading.c.badge_id)
            & (contact.c.install_id == reading.c.install_id)
            & (contact.c.at_ms == reading.c.at_ms)
        )
        query = select(contact, install.c.ordinal, reading.c.game_ms).join(install, same)
        query = query.join(reading, told, isouter=True).where(contact.c.badge_id == badge_id)
        query = query.order_by(contact.c.next_seq, reading.c.game_ms, contact.c.at_ms)
        found: dict[int, list[Meeting]] = {}
        with self._reading() as connection:
            for row in connection.execute(query):
                meeting = Meeting(row.boot_id, row.next_seq, row.at_ms, row.game_ms)
                found.setdefault(row.ordinal, []).append(meeting)
        return found

    def rulesets(self) -> dict[bytes, tuple[str, bytes]]:
        """Return (name, data) of every compiled ruleset kept, by identity."""
        with self._reading() as connection:
            rows = connection.execute(select(schema.ruleset)).all()
        return {bytes(row.identity): (row.name, bytes(row.data)) for row in rows}

    def records(
        self, badge_id: int | None = None, after: tuple[int, int] | None = None
    ) -> list[Record]:
        """Return records in the order (badge, install, seq).

        badge_id: only this badge. after: only records after (install_order, seq) of that badge.
        """
        record, install = schema.record, schema.install
        same = (record.c.badge_id == install.c.badge_id) & (
            record.c.install_id == install.c.install_id
        )
        query = select(record, install.c.ordinal).join(install, same)
        if badge_id is not None:
            query = query.where(record.c.badge_id == badge_id)
        if after is not None:
            later_life = install.c.ordinal > after[0]
            query = query.where(
                later_life | ((install.c.ordinal == after[0]) & (record.c.seq > after[1]))
            )
        query = query.order_by(
            record.c.badge_id, install.c.ordinal, record.c.seq, record.c.boot_id
        )
        with self._reading() as connection:
            return [_record(row) for row in connection.execute(query)]


def _record(row: Row[Any]) -> Record:
    return Record(
        badge_id=row.badge_id,
        install_order=row.ordinal,
        install_id=row.install_id,
        boot_id=row.boot_id,
        seq=row.seq,
        kind=row.kind,
        game_ms=row.game_ms,
        payload=bytes(row.payload),
        received_ms=row.received_ms,
    )
