"""The one module that knows which database holds the store.

Problem: SQLite needs settings per connection, its own words for "insert unless there", and reports
a full disk or a lock as codes. Guarantee: all of that is here, so that PostgreSQL is one more
branch here and a migration elsewhere. Not here: tables (`schema`), queries (`store`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Table, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from redband.errors import RedbandUserError

LOCK_WAIT_S = 5.0
"""How long a write waits for another program's transaction; ours take some milliseconds."""

WRITING = {"redband_writes": True}
"""Execution options of a connection that is going to write."""


class StoreError(RedbandUserError):
    """The database cannot be used now; the sentence says why and what to do."""


class StoreFull(StoreError):
    """There is no room for the database to grow."""


def open_engine(path: Path) -> Engine:
    """Return an engine on the SQLite file `path`, which is made when it is not there.

    WAL lets a reader (watch, events) look on while the gateway writes. `synchronous=FULL`, as a
    badge throws its copy away once we say that ours is on the disk.
    """
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": LOCK_WAIT_S})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by sqlite3
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A read that turns into a write can fail at once when another program wrote between
        # (SQLITE_BUSY_SNAPSHOT), so a writer takes the lock first and waits for it.
        writes = connection.get_execution_options().get("redband_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def insert_new(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> int:
    """Insert those of `rows` whose primary key is not in `table` yet; return how many were."""
    if not rows:
        return 0
    added = 0
    # One statement for many rows; bounded, as a statement takes at most 999 values everywhere.
    step = max(1, 900 // len(rows[0]))
    for start in range(0, len(rows), step):
        statement = sqlite.insert(table).values(rows[start : start + step])
        statement = statement.on_conflict_do_nothing()
        added += connection.execute(statement).rowcount
    return added


_SENTENCES = {
    "SQLITE_FULL": "The disk that holds {path} is full; free some space and start again"
    " (everything stored so far is kept, the badges keep the rest).",
    "SQLITE_READONLY": "The database {path} cannot be written; make the file and its folder"
    " writable for you or choose another folder.",
    "SQLITE_BUSY": "The database {path} is locked by another program;"
    " end that program and start again.",
    "SQLITE_LOCKED": "The database {path} is locked by another program;"
    " end that program and start again.",
    "SQLITE_CANTOPEN": "The database {path} cannot be opened; check that its folder exists and"
    " that you may write there.",
    "SQLITE_NOTADB": "The file {path} is not a Redband store; name another file or move it away.",
    "SQLITE_CORRUPT": "The database {path} is damaged; keep a copy of it aside and start with a"
    " new one (badges send again what they still hold).",
}


def _base_code(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    # Extended codes carry the cause after the base name: SQLITE_READONLY_DIRECTORY.
    return "_".join(name.split("_")[:2])


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn a database error inside the block into a `StoreError` with one sentence.

    An error without a sentence of its own (a bug of ours) passes unchanged, with its trace.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        # SQLAlchemy wraps errors of statements, not those of our settings at connect.
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, sqlite3.Error):
            raise
        code = _base_code(cause)
        if code == "SQLITE_IOERR":
            raise StoreError(
                f"The disk refused a read or write of {path} ({cause});"
                " check the disk and its free space."
            ) from error
        if code not in _SENTENCES:
            raise
        kind = StoreFull if code == "SQLITE_FULL" else StoreError
        raise kind(_SENTENCES[code].format(path=path)) from error
