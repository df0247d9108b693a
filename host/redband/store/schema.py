"""The tables of the host's event store, in SQLAlchemy's own terms only.

Problem: events of many badges arrive late, twice, in pieces and from several lives of a badge.
Guarantee: a record is named by (badge, install, boot, seq) and by nothing the host invents, so
the same record can come any number of times and stands once. Wall time is data beside it
(`received_ms`, `contact`), never a key and never an order.
Not here: anything a single database understands (`dialect`), reading and writing (`store`).

Numbers that a badge makes as u32 need 64 bits in a signed SQL integer. All wall times are
milliseconds since 1970 UTC by the host's clock.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

SCHEMA_VERSION = 1
"""Raised with every change of a table; a store of a higher version is refused by name."""

UNKNOWN_BOOT = 0
"""Boot id of records whose boot record the host never got (it was released to another host)."""

metadata = MetaData(
    naming_convention={
        # Named constraints, as a later migration (Alembic) can only change what has a name.
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

schema_version = Table(
    "schema_version", metadata, Column("version", Integer, primary_key=True, autoincrement=False)
)

ruleset = Table(
    "ruleset",
    metadata,
    Column("identity", LargeBinary(8), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""The compiled rulesets met so far, so that an old store can be folded for ever."""

badge = Table(
    "badge",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("player", String(80), nullable=False, default=""),
    Column("first_contact_ms", BigInteger, nullable=False),
    Column("last_contact_ms", BigInteger, nullable=False),
)

install = Table(
    "install",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    # A random install id has no order: 1, 2, 3 ... in the order of the host's first contacts.
    Column("ordinal", Integer, nullable=False),
    Column("first_contact_ms", BigInteger, nullable=False),
    ForeignKeyConstraint(["badge_id"], ["badge.badge_id"]),
)

boot = Table(
    "boot",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    Column("boot_id", BigInteger, primary_key=True, autoincrement=False),
    Column("boot_count", BigInteger, nullable=False),
    Column("cause", Integer, nullable=False),
    Column("ruleset_identity", LargeBinary(8), nullable=False),
    Column("first_seq", BigInteger, nullable=False),
    ForeignKeyConstraint(["badge_id", "install_id"], ["install.badge_id", "install.install_id"]),
)

record = Table(
    "record",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    Column("boot_id", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Integer, nullable=False),
    Column("game_ms", BigInteger, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
    ForeignKeyConstraint(["badge_id", "install_id"], ["install.badge_id", "install.install_id"]),
    Index(None, "badge_id", "install_id", "seq"),
)

contact = Table(
    "contact",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, primary_key=True, autoincrement=False),
    Column("boot_id", BigInteger, nullable=False),
    Column("next_seq", BigInteger, nullable=False),
    Column("gateway", String(80), nullable=False),
    ForeignKeyConstraint(["badge_id", "install_id"], ["install.badge_id", "install.install_id"]),
)
"""When which gateway had a badge's journal up to `next_seq`: bounds the wall time of records."""

clock_reading = Table(
    "clock_reading",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, primary_key=True, autoincrement=False),
    Column("game_ms", BigInteger, nullable=False),
    ForeignKeyConstraint(["badge_id", "install_id"], ["install.badge_id", "install.install_id"]),
)
"""The badge's game time at a contact, when it told it: a row beside that of `contact`. A table of
its own, so that an older store is still one of this version."""

cursor = Table(
    "cursor",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("install_id", BigInteger, primary_key=True, autoincrement=False),
    Column("next_seq", BigInteger, nullable=False),
    ForeignKeyConstraint(["badge_id", "install_id"], ["install.badge_id", "install.install_id"]),
)
"""First sequence number not yet committed; written in the transaction of the records (G2)."""

advert_count = Table(
    "advert_count",
    metadata,
    Column("badge_id", Integer, primary_key=True, autoincrement=False),
    Column("count", BigInteger, nullable=False),
)
"""The count of the newest advert believed of each badge: what comes with a lower one is a
recording. A store without this table gets it when it is opened."""

fleet_word = Table(
    "fleet_word",
    metadata,
    Column("game_id", LargeBinary(4), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("command", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("said_ms", BigInteger, nullable=False),
)
"""What was said to all badges of a game: the payload of the advert, sealed, under its number.
A store without this table gets it when it is opened."""
