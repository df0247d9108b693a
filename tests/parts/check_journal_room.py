"""Room in the journal: rotation, what is left out when it fills, what is let go, what it costs."""

import os
import sys
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut
from store_bench import add, number_of, numbered, numbers_of, open_store, opened, read_all

from redband_badge import limits
from redband_badge.game import Game
from redband_badge.journal_pages import JournalPages
from redband_badge.journal_store import JournalStore
from redband_badge.state import BadgeState
from redband_core import gestures, journal, numbers
from redband_core.advert import FLAG_JOURNAL_FULL
from redband_core.ruleset import Ruleset

DATA = os.getenv("REDBAND_RULES_DATA") or "../core/data"
sys.path.append(DATA)
FOUL = __import__("hits_names").EVENTS.index("foul")
FOUL_OF_BOTH = __import__("wounds_hospital_names").EVENTS.index("foul")
BOOT_ID = 1234
PROVISIONED = 77


def ruleset(name):
    with open(DATA + "/" + name + ".bin", "rb") as file:
        return Ruleset.from_bytes(file.read())


class Badge:
    """A game over the real store: one start."""

    def __init__(self, rules, free_bytes=lambda _path: 1 << 30, params=None):
        while opened:
            opened.pop().close()
        self.store = JournalStore("/flash/journal", free_bytes)
        opened.append(self.store)
        self.state = BadgeState()
        self.game_journal = Game(self.store, self.state, rules, params, PROVISIONED, BOOT_ID)
        self.game_journal.restore()
        self.game_journal.begin_boot(self.game_journal.boot_count + 1, 1, 5, rules.identity)
        self.now_ms = self.store.last_ms

    def press(self, after_ms=11_000):
        end_ms = self.now_ms + after_ms
        while self.now_ms < end_ms:
            wait_ms = self.game_journal.wait_ms(self.now_ms)
            left_ms = end_ms - self.now_ms
            self.now_ms += left_ms if wait_ms < 0 else min(wait_ms, left_ms)
            self.game_journal.tick(self.now_ms)
        self.game_journal.take_gesture(gestures.PRESS, self.now_ms, self.now_ms)

    def records(self):
        """Return (seq, kind, payload) of all."""
        pages = JournalPages(self.store, None)
        return [(seq, kind, payload) for seq, _ms, payload, kind in read_all(pages)[0]]

    def notes(self):
        found = [journal.parse_note(row[2]) for row in self.records() if row[1] == journal.NOTE]
        return [note for note in found if note[0] < numbers.NOTE_OF_RULES]

    def count(self, kind):
        return len([row for row in self.records() if row[1] == kind])


class Limits:
    """Small limits, and the real ones afterwards."""

    NAMES = ("SEGMENT_BYTES", "SEGMENTS_MAX", "SHED_FROM_SEGMENTS")

    def __init__(self, *values):
        self.real = [getattr(limits, name) for name in self.NAMES]
        self.set(values)

    def set(self, values):
        for index, value in enumerate(values):
            setattr(limits, self.NAMES[index], value)

    def restore(self):
        self.set(self.real)


class RoomTest(unittest.TestCase):
    """Segments of 400 bytes, eight at most, notes and refusals left out from the sixth on."""

    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")
        self.limits = Limits(400, 8, 6)
        self.rules = ruleset("hits")

    def tearDown(self):
        self.limits.restore()
        flash_device.vfs.umount("/flash")

    def full(self):
        """Return a badge whose player is dying and goes on pressing: refusals, until it sheds."""
        badge = Badge(self.rules)
        while not badge.store.is_shedding():
            badge.press()
        return badge

    def test_each_segment_begins_with_snapshot_boot_and_provisioning(self):
        badge = self.full()
        found = {seq: (kind, payload) for seq, kind, payload in badge.records()}
        self.assertTrue(len(badge.store.segments) > 4)
        for first in badge.store.segments:
            self.assertEqual(found[first][0], journal.SNAPSHOT)
            self.assertTrue(found[first][1])
            codes = [journal.parse_note(found[first + step][1]) for step in (1, 2)]
            expected = [
                (numbers.NOTE_BOOT_CONTINUES, BOOT_ID),
                (numbers.NOTE_PROVISIONED, PROVISIONED),
            ]
            self.assertEqual(codes, expected)

    def test_refusals_and_notes_are_left_out_first_counted_and_shown(self):
        badge = self.full()
        refused = badge.state.refused
        written = badge.count(journal.REFUSED)
        left_out = refused - written
        self.assertTrue(left_out <= 1)
        for _press in range(7):
            badge.press()
        badge.game_journal.note(badge.now_ms, numbers.NOTE_INPUT_DROPPED, 3)
        self.assertEqual(badge.count(journal.REFUSED), written)
        self.assertEqual(badge.state.refused, refused + 7)
        badge.game_journal.apply(badge.now_ms, FOUL, (0, 9))
        self.assertTrue(badge.count(journal.EVENT) > 0)
        badge.store.force_segment()
        badge.game_journal.apply(badge.now_ms, FOUL, (1, 2))
        self.assertIn((numbers.NOTE_SHED, left_out + 8), badge.notes())
        self.assertTrue(badge.state.flags & FLAG_JOURNAL_FULL)

    def test_no_event_is_left_out_until_the_oldest_segment_has_to_go(self):
        badge = self.full()
        state = badge.game_journal.engine.snapshot()
        before = badge.store.oldest_seq
        fouls = 0
        while badge.store.oldest_seq == before:
            badge.game_journal.apply(badge.now_ms, FOUL, (1, fouls))
            fouls += 1
        events = [row[2] for row in badge.records() if row[1] == journal.EVENT]
        told = [journal.parse_event(payload)[1][1] for payload in events[-fouls:]]
        self.assertEqual(told, list(range(fouls)))
        self.assertTrue(len(badge.store.segments) <= 8)
        self.assertIn((numbers.NOTE_SHED_SEGMENT, badge.store.oldest_seq), badge.notes())
        self.assertTrue(badge.state.flags & FLAG_JOURNAL_FULL)
        # The state outlives the records that made it.
        shown = badge.game_journal.engine
        again = Badge(self.rules).game_journal.engine
        self.assertEqual(again.counter(0), shown.counter(0))
        self.assertEqual(again.track_state(0), shown.track_state(0))
        self.assertTrue(state)

    def test_end_and_begin_of_the_game_are_no_notes_to_leave_out(self):
        badge = self.full()
        for kind in (numbers.NOTE_GAME_ENDED, numbers.NOTE_GAME_BEGUN):
            badge.game_journal.note(badge.now_ms, numbers.NOTE_INPUT_DROPPED, 1)
            badge.game_journal.note(badge.now_ms, kind, 0)
            self.assertEqual(badge.notes()[-1], (kind, 0))
            again = Badge(self.rules)
            self.assertEqual(again.state.is_in_game, kind == numbers.NOTE_GAME_BEGUN)

    def test_host_that_comes_ends_the_shedding(self):
        badge = self.full()
        badge.game_journal.release(badge.store.next_seq)
        self.assertEqual(len(badge.store.segments), 1)
        self.assertFalse(badge.state.flags & FLAG_JOURNAL_FULL)
        written = badge.count(journal.REFUSED)
        badge.press()
        self.assertEqual(badge.count(journal.REFUSED), written + 1)

    def test_journal_without_rules_keeps_the_last_state_however_long_it_gets(self):
        store = open_store()
        add(store, 1, numbered(1))
        for number in range(200):
            add(store, number, snapshot=b"")
        store.release(store.next_seq)
        self.assertEqual(store.oldest_seq, 0)
        found = []
        open_store(found)
        self.assertEqual(found[1][2], numbered(1))


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")
        self.limits = Limits(300, 40, 40)
        self.store = open_store()
        for number in range(120):
            add(self.store, number, numbered(number))
        self.image = bytes(self.device.data)

    def tearDown(self):
        self.limits.restore()
        flash_device.vfs.umount("/flash")

    def again(self):
        flash_device.vfs.umount("/flash")
        self.device.data[:] = self.image
        self.device.cut_at = None
        flash_device.mount(self.device, "/flash")
        return open_store()

    def test_G2_nothing_is_let_go_that_the_host_has_not_acknowledged_by_number(self):
        segments = self.store.segments
        self.assertTrue(len(segments) > 4)
        for before_seq in range(self.store.next_seq + 1):
            store = self.again()
            store.release(before_seq)
            self.assertTrue(store.oldest_seq <= before_seq)
            # As much as that number allows, and never the newest snapshot.
            begun = [first for first in segments if first <= before_seq]
            self.assertEqual(store.oldest_seq, min(begun[-1], segments[-1]))
            rows = read_all(JournalPages(store, None))[0]
            expected = list(range(store.oldest_seq, store.next_seq))
            self.assertEqual([row[0] for row in rows], expected)

    def test_G2_power_cut_in_the_middle_of_letting_go_loses_nothing_else(self):
        target = self.store.segments[-2] + 1
        cut_at = 0
        was_cut = True
        while was_cut:
            store = self.again()
            self.device.cut_at = self.device.operations + cut_at
            try:
                store.release(target)
            except OSError:
                pass
            was_cut = self.device.is_dead
            power_cut(self.device, "/flash", opened)
            store = open_store()
            self.assertTrue(store.oldest_seq <= target)
            rows = read_all(JournalPages(store, None))[0]
            expected = list(range(store.oldest_seq, store.next_seq))
            self.assertEqual([row[0] for row in rows], expected)
            self.assertEqual(number_of(rows[-1][2]), 119)
            cut_at += 1
        self.assertTrue(cut_at > 5)

    def test_full_store_gives_up_the_oldest_segment_and_says_how_many_records(self):
        store = open_store(None, lambda _path: 1000)
        shed = 0
        for number in range(500):
            if store.needs_segment():
                shed += store.begin_segment(store.last_ms, numbered(number))
            store.append(journal.EVENT, number, numbered(number))
        self.assertTrue(len(store.segments) <= 2)
        self.assertEqual(shed, store.oldest_seq)
        self.assertEqual(numbers_of(store)[-1], 499)


class CostTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(512)
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def bytes_of_press(self, rules, gap_ms, params=None):
        flash_device.remove_all("/flash")
        badge = Badge(rules, params=params)
        badge.press(gap_ms)
        store = badge.store
        append = store.append
        sizes = []

        def measured(kind, game_ms, payload):
            before = store.used_bytes
            seq = append(kind, game_ms, payload)
            if kind == journal.EVENT:
                sizes.append(store.used_bytes - before)
            return seq

        store.append = measured
        badge.press(gap_ms)
        self.assertEqual(len(sizes), 1)
        return sizes[0]

    def test_plain_hit_has_at_most_12_bytes_checksum_included(self):
        hits = ruleset("hits")
        many = (9,) + hits.defaults()[1:]
        for gap_ms, most in ((100, 10), (16_000, 11), (60_000, 12), (2_097_000, 12)):
            self.assertEqual(self.bytes_of_press(hits, gap_ms, many), most)
        # After 35 quiet minutes, up to three days:
        self.assertEqual(self.bytes_of_press(hits, 2_110_000, many), 13)
        self.assertEqual(self.bytes_of_press(hits, 72 * 3_600_000, many), 13)

    def test_hit_of_the_wounds_has_as_many_and_damage_in_points_two_more(self):
        self.assertEqual(self.bytes_of_press(ruleset("wounds"), 16_000), 11)
        self.assertEqual(self.bytes_of_press(ruleset("unconscious"), 16_000), 13)

    def test_R4_thousand_hits_erase_four_blocks_and_write_24_bytes_each(self):
        store = open_store()
        add(store, 1)
        self.device.erase_count = self.device.written_bytes = 0
        for number in range(1000):
            add(store, number * 5000)
        cost = (self.device.erase_count, self.device.written_bytes)
        print("1000 hits: %d blocks erased, %d bytes written" % cost)
        self.assertTrue(cost[0] <= 4)
        self.assertTrue(cost[1] <= 24_000)

    def test_recovery_of_a_full_journal_reads_one_segment_and_a_piece_of_the_directory(self):
        badge = Badge(ruleset("wounds_hospital"))
        for number in range(20_000):
            if len(badge.store.segments) == limits.SEGMENTS_MAX:
                break
            badge.now_ms += 3000
            badge.game_journal.apply(badge.now_ms, FOUL_OF_BOTH, (number % 3, number))
        self.assertEqual(len(badge.store.segments), limits.SEGMENTS_MAX)
        while badge.store.used_bytes < limits.SEGMENT_BYTES - 30:
            badge.now_ms += 3000
            badge.game_journal.apply(badge.now_ms, FOUL_OF_BOTH, (1, 1))
        power_cut(self.device, "/flash", opened)
        self.device.read_bytes = 0
        found = []
        store = open_store(found)
        print("full journal: %d records read, %d bytes" % (len(found), self.device.read_bytes))
        self.assertEqual(store.next_seq, badge.store.next_seq)
        self.assertTrue(len(found) < 400)
        self.assertTrue(self.device.read_bytes < 260_000)
