"""The event store: idempotent, ordered, atomic, and clear about a database it cannot use."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support.journals import JournalMaker

from redband.errors import RedbandUserError
from redband.store import dialect, schema
from redband.store.dialect import StoreError, StoreFull
from redband.store.ingest import StoreConflict
from redband.store.records import Page
from redband.store.store import Store
from redband_core import journal, numbers
from redband_core.errors import ProtocolError


def _journal(badge_id: int = 3, install_id: int = 0xFFFFFFFE, boot_id: int = 0xABCDEF01):
    maker = JournalMaker(badge_id, install_id)
    maker.boot(boot_id)
    for index in range(9):
        maker.event(1, index % 3)
    return maker


def _names(store: Store) -> list[tuple[int, int, int]]:
    return [(r.install_order, r.seq, r.game_ms) for r in store.records()]


def test_G6_a_page_that_comes_five_times_stands_once(store: Store) -> None:
    maker = _journal()
    assert [store.ingest_page(maker.page(0)) for _ in range(5)] == [10] * 5
    assert _names(store) == [(1, seq, seq * 1000) for seq in range(10)]


def test_overlapping_pages_in_any_order_give_equal_records(tmp_path: Path) -> None:
    maker = _journal()
    pages = [maker.page(0, 4), maker.page(2, 7), maker.page(4, 10)]
    seen = set()
    for number, order in enumerate(permutations(pages)):
        one = Store(tmp_path / f"{number}.sqlite", wall_ms=lambda: 5)
        for page in order:
            one.ingest_page(page)
        # The boot of a page that came before the boot record is not known, all else is equal.
        seen.add(tuple((r.seq, r.kind, r.game_ms, r.payload) for r in one.records()))
        assert one.next_seq(3, maker.install_id) == 10
        one.close()
    assert len(seen) == 1


def test_G2_cursor_and_records_move_together_when_the_page_is_bad(store: Store) -> None:
    """PITFALLS G2: the cursor moved, the data did not."""
    maker = _journal()
    store.ingest_page(maker.page(0, 4))
    good = maker.page(4)
    damaged = Page(3, maker.install_id, 4, good.base_ms, good.data[:-1] + b"\x00")
    with pytest.raises(ProtocolError, match="badge 3 sent a damaged journal record 9"):
        store.ingest_page(damaged)
    assert store.next_seq(3, maker.install_id) == 4
    assert len(store.records()) == 4


def test_a_known_record_with_other_bytes_is_refused_by_name(store: Store) -> None:
    maker, other = _journal(), _journal()
    other.records[5] = (other.records[5][0], journal.encode_record(5, 2, 1000, b"\x02"))
    store.ingest_page(maker.page(0))
    before = store.records()
    with pytest.raises(StoreConflict, match=r"other records 5\.\.5 of boot abcdef01"):
        store.ingest_page(other.page(0))
    assert store.records() == before


def test_G4_a_wiped_badge_keeps_both_lives_apart(store: Store) -> None:
    """PITFALLS G4: counters restart after a reflash; neither life is lost or mixed."""
    old, new = _journal(install_id=9), _journal(install_id=2, boot_id=7)
    store.ingest_page(old.page(0))
    store.ingest_page(new.page(0))
    store.ingest_page(old.page(0))
    # The order of lives is that of the first contacts, whatever their random ids are.
    lives = [(r.install_order, r.install_id, r.seq) for r in store.records()]
    assert lives == [(1, 9, s) for s in range(10)] + [(2, 2, s) for s in range(10)]


def test_two_boots_name_their_records(store: Store) -> None:
    maker = _journal(boot_id=11)
    maker.boot(22)
    maker.event(1, 0)
    store.ingest_page(maker.page(0, 5))
    store.ingest_page(maker.page(5))
    assert [r.boot_id for r in store.records()] == [11] * 10 + [22] * 2


def test_records_behind_a_gap_belong_to_an_unknown_boot(store: Store) -> None:
    maker = _journal()
    store.ingest_page(maker.page(0, 2))
    assert store.ingest_page(maker.page(5)) == 10
    assert [r.boot_id == schema.UNKNOWN_BOOT for r in store.records()] == [False] * 2 + [True] * 5


def test_a_segment_that_continues_a_boot_names_its_records_behind_a_gap(store: Store) -> None:
    maker = _journal(boot_id=11)
    first = maker.add(journal.SNAPSHOT, b"")
    maker.add(journal.NOTE, journal.note_payload(numbers.NOTE_BOOT_CONTINUES, 11))
    maker.event(1, 0)
    store.ingest_page(maker.page(first))
    assert [r.boot_id for r in store.records()] == [11] * 3
    # The same records cut otherwise are still the same records.
    store.ingest_page(maker.page(first, first + 1))
    assert len(store.records()) == 3


def test_an_old_image_written_back_keeps_both_of_its_lives(store: Store) -> None:
    """One install, the same numbers, another boot: named apart, neither lost."""
    store.ingest_page(_journal(boot_id=11).page(0))
    store.ingest_page(_journal(boot_id=12).page(0, 1))
    assert [(r.seq, r.boot_id) for r in store.records()][:3] == [(0, 11), (0, 12), (1, 11)]


def test_what_is_committed_is_on_the_disk_before_a_badge_may_lose_it(
    tmp_path: Path,
) -> None:
    """SQLite's synchronous=FULL; with less, a power cut can lose what was acknowledged."""
    with dialect.open_engine(tmp_path / "s.sqlite").connect() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode", "foreign_keys")
        ]
    assert found == [2, "wal", 1]


def test_ids_with_the_top_bit_set_come_back_unchanged(store: Store) -> None:
    maker = _journal(badge_id=65535, install_id=0xFFFFFFFF, boot_id=0xFFFFFFFF)
    store.ingest_page(maker.page(0))
    first = store.records()[0]
    assert (first.badge_id, first.install_id, first.boot_id) == (65535, 0xFFFFFFFF, 0xFFFFFFFF)


def test_reading_on_from_a_position_crosses_lives(store: Store) -> None:
    store.ingest_page(_journal(install_id=9).page(0))
    store.ingest_page(_journal(install_id=2).page(0))
    later = store.records(3, after=(1, 7))
    assert [(r.install_order, r.seq) for r in later] == [(1, 8), (1, 9)] + [
        (2, seq) for seq in range(10)
    ]


def test_contact_says_what_the_host_held_and_when(store: Store) -> None:
    maker = _journal()
    store.ingest_page(maker.page(0))
    store.note_contact(3, maker.install_id, 0xABCDEF01, "tent")
    with store._reading() as connection:
        row = connection.execute(select(schema.contact)).one()
    assert (row.next_seq, row.gateway, row.at_ms) == (10, "tent", 1_000_000)


def test_players_and_rulesets_are_kept(store: Store) -> None:
    store.set_player(4, "Ворон")
    store.set_player(4, "Raven")
    store.keep_ruleset(b"12345678", "hits", b"data")
    store.keep_ruleset(b"12345678", "hits", b"data")
    assert store.players() == {4: "Raven"}
    assert store.rulesets() == {b"12345678": ("hits", b"data")}


def test_a_second_program_reads_while_the_first_writes(tmp_path: Path) -> None:
    writer, reader = Store(tmp_path / "s.sqlite"), Store(tmp_path / "s.sqlite")
    writer.ingest_page(_journal().page(0))
    assert len(reader.records()) == 10


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match="schema version 99, this Redband knows 1"):
        Store(path)


def test_a_locked_database_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialect, "LOCK_WAIT_S", 0.05)
    path = tmp_path / "s.sqlite"
    store = Store(path)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"s\.sqlite is locked by another program; end"):
        store.set_player(1, "Raven")
    blocker.execute("ROLLBACK")
    store.set_player(1, "Raven")


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"this is a shopping list, and a long one at that" * 100)
    with pytest.raises(RedbandUserError, match="is not a Redband store"):
        Store(path)


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened; check that its folder exists"):
        Store(tmp_path / "none" / "s.sqlite")


def test_a_full_database_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    maker = _journal()
    store.ingest_page(maker.page(0, 5))
    with store._reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    big = JournalMaker(8, 8)
    big.boot(1)
    for index in range(2000):
        big.event(1, index)
    with pytest.raises(StoreFull, match=r"The disk that holds .*s\.sqlite is full; free some"):
        store.ingest_page(big.page(0))
    assert len(store.records()) == 5
    assert store.next_seq(8, 8) == 0


_READ_ONLY = """
import pathlib, sys
from redband.errors import RedbandUserError
from redband.store.store import Store
try:
    Store(pathlib.Path(sys.argv[1]))
except RedbandUserError as error:
    print(error)
"""


def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Store(path).close()
    # Root may write whatever the mode bits say, so the folder is mounted read-only.
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" -c "$3" "$4"'
    command = ["unshare", "-rm", "sh", "-c", script, "sh", str(tmp_path), sys.executable]
    result = subprocess.run(
        [*command, _READ_ONLY, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    assert result.stdout.count("\n") == 1
    assert "check that its folder exists and that you may write there" in result.stdout


def test_a_database_that_became_read_only_is_one_sentence(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    with store._reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only=ON")
    with pytest.raises(StoreError, match="cannot be written; make the file and its folder"):
        store.set_player(1, "Raven")
    store.close()
