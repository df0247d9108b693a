"""Wall times of what badges logged: order kept, errors bounded, the unknown said to be unknown."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.support.journals import JournalMaker, records_of

from redband.store.records import Record
from redband.store.store import Store
from redband.store.walltime import Meeting, Placed, WallMap, feed
from redband_core import journal

HOUR_MS = 3_600_000
START_MS = 1_785_600_000_000  # a day in August 2026
YEAR_2035_MS = 2_051_222_400_000
DRIFT_3 = 1.03
BOOT_A, BOOT_B = 0xA, 0xB


def record(seq: int, boot_id: int, game_ms: int, received_ms: int = 0) -> Record:
    return Record(3, 1, 9, boot_id, seq, journal.EVENT, game_ms, b"\x01", received_ms)


class Game:
    """A badge whose clock runs `speed` times as fast as true time, and its host's meetings."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.records: list[tuple[float, Record]] = []  # true time, record
        self.meetings: list[Meeting] = []

    def event(self, true_ms: float, boot_id: int = BOOT_A, off_ms: float = 0) -> None:
        game_ms = int((true_ms - off_ms) * self.speed)
        self.records.append((true_ms, record(len(self.records), boot_id, game_ms)))

    def sync(
        self,
        true_ms: float,
        boot_id: int = BOOT_A,
        off_ms: float = 0,
        host_error_ms: int = 0,
        tells: bool = True,
    ) -> None:
        game_ms = int((true_ms - off_ms) * self.speed) if tells else None
        at_ms = START_MS + int(true_ms) + host_error_ms
        self.meetings.append(Meeting(boot_id, len(self.records), at_ms, game_ms))

    def placed(self) -> list[tuple[float, Placed]]:
        wall_map = WallMap()
        feed(wall_map, [one for _true_ms, one in self.records], self.meetings)
        return [(true_ms, wall_map.place(one)) for true_ms, one in self.records]


def known_ms(placed: Placed) -> int:
    assert placed.before_boot is None
    assert placed.wall_ms is not None
    return placed.wall_ms


@pytest.mark.parametrize("speed", [DRIFT_3, 1 / DRIFT_3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_G14_a_badge_3_percent_off_for_8_hours_with_hourly_syncs(speed: float, seed: int) -> None:
    rng = random.Random(seed)
    game = Game(speed)
    for hour in range(8):
        for at_ms in sorted(rng.randrange(HOUR_MS) for _ in range(20)):
            game.event(hour * HOUR_MS + at_ms)
        game.sync((hour + 1) * HOUR_MS)
    placed = game.placed()
    worst_ms = max(abs(known_ms(one) - START_MS - true_ms) for true_ms, one in placed)
    assert worst_ms < HOUR_MS * 0.03
    times = [known_ms(one) for _true_ms, one in placed]
    assert times == sorted(times)


def test_G14_between_the_meetings_the_drift_is_taken_out() -> None:
    game = Game(DRIFT_3)
    game.event(0)
    game.sync(1)
    for minute in range(1, 60):
        game.event(minute * 60_000)
    game.sync(HOUR_MS)
    worst_ms = max(abs(known_ms(one) - START_MS - true_ms) for true_ms, one in game.placed())
    assert worst_ms < 10


def test_G14_a_badge_that_tells_no_time_is_placed_at_the_latest() -> None:
    """Prompt syncs place its records as well as the radio is quick; a late one is outdone."""
    game = Game(DRIFT_3)
    for number in range(480):
        true_ms = number * 60_000
        game.event(true_ms)
        game.sync(true_ms + (2000 if number % 10 else 50_000), tells=False)
    errors = [known_ms(one) - START_MS - true_ms for true_ms, one in game.placed()]
    assert min(errors) >= -0.03 * 120_000
    assert max(errors) <= 2000 + 0.03 * 120_000
    times = [known_ms(one) for _true_ms, one in game.placed()]
    assert times == sorted(times)


def test_R17_a_laptop_with_the_date_2035_then_a_right_one() -> None:
    wrong_by_ms = YEAR_2035_MS - START_MS
    for tells in (True, False):
        game = Game(1.0)
        game.event(1000)
        game.sync(2000, host_error_ms=wrong_by_ms, tells=tells)
        first = known_ms(game.placed()[0][1])
        assert abs(first - YEAR_2035_MS) < 5000
        game.event(HOUR_MS)
        game.sync(HOUR_MS + 1000, tells=tells)
        times = [known_ms(one) for _true_ms, one in game.placed()]
        assert abs(times[0] - START_MS - 1000) <= 1000
        assert abs(times[1] - START_MS - HOUR_MS) <= 1000


def test_R17_a_laptop_that_believes_it_is_1990_then_a_right_one() -> None:
    game = Game(1.0)
    game.event(1000)
    game.sync(2000, host_error_ms=-36 * 365 * 24 * HOUR_MS)
    game.event(HOUR_MS)
    game.sync(HOUR_MS + 1000)
    times = [known_ms(one) for _true_ms, one in game.placed()]
    assert times == [START_MS + 1000, START_MS + HOUR_MS]


def test_R17_a_wrong_date_in_an_earlier_boot_is_given_up_for_unknown() -> None:
    game = Game(1.0)
    game.event(1000)
    game.sync(2000, host_error_ms=YEAR_2035_MS - START_MS)
    game.event(10_000, BOOT_B)
    game.sync(12_000, BOOT_B)
    placed = [one for _true_ms, one in game.placed()]
    assert placed[0] == Placed(START_MS + 10_000, BOOT_B)
    assert known_ms(placed[1]) == START_MS + 10_000


def test_G3_a_boot_that_nobody_met_lies_before_the_next_in_order_and_never_in_1970() -> None:
    game = Game(1.0)
    for number in range(5):
        game.event(number * 60_000)  # boot A, out of range
    off_ms = 2 * HOUR_MS  # without power
    game.event(5 * 60_000 + off_ms, BOOT_B, off_ms)
    game.event(6 * 60_000 + off_ms, BOOT_B, off_ms)
    game.sync(7 * 60_000 + off_ms, BOOT_B, off_ms)
    placed = [one for _true_ms, one in game.placed()]
    start_b_ms = START_MS + 5 * 60_000 + off_ms
    assert placed[:5] == [Placed(start_b_ms, BOOT_B)] * 5
    assert [known_ms(one) for one in placed[5:]] == [start_b_ms, start_b_ms + 60_000]


def test_G3_what_was_met_in_time_keeps_its_time_over_the_restart() -> None:
    game = Game(1.0)
    game.event(60_000)
    game.sync(90_000)
    game.event(120_000)  # not fetched before the battery went
    game.event(HOUR_MS, BOOT_B, HOUR_MS - 121_000)
    game.sync(HOUR_MS + 5000, BOOT_B, HOUR_MS - 121_000)
    times = [known_ms(one) for _true_ms, one in game.placed()]
    assert times == [START_MS + at_ms for at_ms in (60_000, 120_000, HOUR_MS)]


def test_G3_a_boot_that_was_never_met_and_none_after_it_is_unknown() -> None:
    wall_map = WallMap()
    one, other = record(0, BOOT_A, 5), record(1, BOOT_B, 9)
    for each in (one, other):
        wall_map.see(each)
    wall_map.meet(Meeting(BOOT_A, 1, START_MS, 10))
    wall_map.meet(Meeting(BOOT_B, 2, START_MS - 36 * 365 * 24 * HOUR_MS, 10))
    assert wall_map.place(one).before_boot == BOOT_B
    assert wall_map.place(other).before_boot is None


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_the_journal_is_kept_whatever_the_meetings_say(seed: int) -> None:
    rng = random.Random(seed)
    game = Game(rng.choice((DRIFT_3, 1 / DRIFT_3)))
    boots, true_ms, off_ms = [1], 0.0, 0.0
    for _ in range(120):
        true_ms += rng.choice((10, 1000, 60_000, HOUR_MS))
        deed = rng.random()
        if deed < 0.05:
            boots.append(len(boots) + 1)
            lost_ms = rng.randrange(HOUR_MS)
            true_ms += lost_ms
            off_ms += lost_ms
        elif deed < 0.3 and game.records and game.records[-1][1].boot_id == boots[-1]:
            error_ms = rng.choice((0, 0, 3000, -3000, YEAR_2035_MS - START_MS, -(10**12)))
            game.sync(true_ms, boots[-1], off_ms, error_ms, tells=rng.random() < 0.7)
        else:
            game.event(true_ms, boots[-1], off_ms)
    walls = [one.wall_ms for _true_ms, one in game.placed() if one.wall_ms is not None]
    assert all(earlier <= later for earlier, later in pairwise(walls))


def test_a_host_clock_set_back_a_little_between_two_syncs_turns_no_order_round() -> None:
    game = Game(1.0)
    game.event(0)
    game.sync(500, host_error_ms=4000)
    game.event(1000)
    game.event(1500)
    game.sync(2000)
    times = [known_ms(one) for _true_ms, one in game.placed()]
    assert times == sorted(times)
    assert times[-1] <= START_MS + 2000


def test_the_store_gives_the_meetings_of_each_install_in_order(tmp_path) -> None:
    clock = iter(range(1000, 99_000, 1000))
    store = Store(tmp_path / "s.sqlite", wall_ms=lambda: next(clock))
    maker = JournalMaker(3, 9)
    maker.boot(BOOT_A)
    store.ingest_page(maker.page(0))
    assert store.note_contact(3, 9, BOOT_A, "tent", 5000).game_ms == 5000
    maker.event(1, 1, 0)
    store.ingest_page(maker.page(1))
    store.note_contact(3, 9, BOOT_A, "tent")
    assert store.meetings(3) == {
        1: [Meeting(BOOT_A, 1, 2000, 5000), Meeting(BOOT_A, 2, 4000, None)]
    }
    assert store.meetings(4) == {}
    store.close()


def test_a_store_of_before_the_clock_readings_is_read_and_goes_on(tmp_path) -> None:
    path = tmp_path / "s.sqlite"
    store = Store(path)
    maker = JournalMaker(3, 9)
    maker.boot(BOOT_A)
    store.ingest_page(maker.page(0))
    store.note_contact(3, 9, BOOT_A, "tent", 5)
    with store._writing() as connection:
        connection.exec_driver_sql("DROP TABLE clock_reading")
    store.close()
    store = Store(path)
    assert [one.game_ms for one in store.meetings(3)[1]] == [None]
    store.close()


def test_receipts_place_the_newest_boot_until_its_first_sync_is_over() -> None:
    maker = JournalMaker(3, 9)
    maker.boot(BOOT_A)
    maker.event(1, 1, 0, after_ms=60_000)
    wall_map = WallMap()
    records = [replace(one, received_ms=START_MS) for one in records_of(maker)]
    feed(wall_map, records, [])
    assert [known_ms(wall_map.place(one)) for one in records] == [START_MS - 60_000, START_MS]
