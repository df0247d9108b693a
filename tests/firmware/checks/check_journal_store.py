"""The journal on a real littlefs: torn files, power cuts, rotation, release, reading in pages."""

import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut, read_file, write_file

from redband_badge import limits
from redband_badge.journal_archive import archive
from redband_badge.journal_pages import JournalPages
from redband_badge.journal_store import JournalStore
from redband_core import journal

HIT = journal.event_payload(1, (1, 0))
SNAPSHOT = bytes(range(60))


def plenty(_path):
    return 1 << 30


opened = []


def open_store(records=None, free_bytes=plenty):
    # A file that is left to the collector would be closed, and so written, at any later time.
    while opened:
        opened.pop().close()
    store = JournalStore("/flash/journal", free_bytes)
    opened.append(store)
    found = [] if records is None else records
    store.recover(lambda kind, game_ms, payload: found.append((kind, game_ms, payload)))
    return store


def add(store, game_ms, payload=HIT, kind=journal.EVENT, snapshot=SNAPSHOT):
    if store.needs_segment():
        store.begin_segment(store.last_ms, snapshot)
    return store.append(kind, game_ms, payload)


class JournalStoreTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_empty_flash_begins_an_install_of_its_own(self):
        store = open_store()
        self.assertEqual(store.next_seq, 0)
        self.assertTrue(store.install_id > 0)
        add(store, 10)
        found = []
        again = open_store(found)
        self.assertEqual(again.install_id, store.install_id)
        self.assertEqual(again.next_seq, 2)
        self.assertEqual(found, [(journal.SNAPSHOT, 0, SNAPSHOT), (journal.EVENT, 10, HIT)])

    def test_R6_appended_record_is_there_after_a_power_cut_without_closing(self):
        store = open_store()
        for number in range(1, 400):
            add(store, number * 100)
        last_seq = store.next_seq
        power_cut(self.device, "/flash", opened)
        found = []
        again = open_store(found)
        self.assertEqual(again.next_seq, last_seq)
        self.assertEqual(again.last_ms, 39900)
        self.assertEqual(found[-1], (journal.EVENT, 39900, HIT))
        self.assertEqual(again.torn_bytes, 0)

    def test_replay_begins_at_the_newest_snapshot(self):
        store = open_store()
        for number in range(1, 1000):
            add(store, number)
        self.assertTrue(len(store.segments) > 2)
        found = []
        open_store(found)
        self.assertEqual(found[0][0], journal.SNAPSHOT)
        self.assertTrue(len(found) < 500)
        self.assertEqual(len([1 for record in found if record[0] == journal.SNAPSHOT]), 1)

    def test_power_cut_at_each_flash_operation_loses_nothing_that_append_returned(self):
        cuts = 0
        segment_bytes = limits.SEGMENT_BYTES
        limits.SEGMENT_BYTES = 600  # so that many cuts fall into a rotation
        for tears in (False, True):
            cut_at = 0
            while self._write_until_cut(cut_at, tears):
                cut_at += 1
                cuts += 1
        limits.SEGMENT_BYTES = segment_bytes
        print("journal_store: %d cut points" % cuts)
        self.assertTrue(cuts > 400)

    def _write_until_cut(self, cut_at, tears):
        """Write 80 records with the power failing; return whether it failed before the end."""
        device = FlashDevice(32)
        flash_device.vfs.umount("/flash")
        format_and_mount(device, "/flash")
        device.operations = 0
        device.cut_at = cut_at
        device.tears = tears
        promised = 0
        store = JournalStore("/flash/journal", plenty)
        opened.append(store)
        try:
            store.recover(lambda kind, game_ms, payload: None)
            for number in range(1, 80):
                payload = journal.event_payload(1, (number, 0)) + bytes(12)
                state = journal.event_payload(1, (promised, 0)) + bytes(60)
                add(store, number * 10, payload, journal.EVENT, state)
                promised = number
                if number == 50:
                    store.release(store.next_seq)
        except OSError:
            if not device.is_dead:
                raise
        was_cut = device.is_dead
        device.tears = False
        for _again in range(2):
            power_cut(device, "/flash", opened)
            found = []
            store = open_store(found)
            # The snapshot holds the number of the event before it, like the state of a game.
            last = journal.parse_event(found[-1][2])[1][0] if found else 0
            # One that was being written may be there too; never one that was not yet begun.
            if not promised <= last <= promised + 1:
                raise AssertionError("cut at %d: %d of %d" % (cut_at, last, promised))
        add(store, 5000)
        return was_cut

    def test_torn_file_at_each_byte_gives_the_whole_records_before_and_no_append_behind(self):
        store = open_store()
        for number in range(1, 60):
            add(store, number * 10)
        store._merge_tail()
        path = store.path(0)
        os.remove("/flash/journal/tail")
        whole = read_file(path)
        for length in range(len(whole)):
            write_file(path, whole[:length])
            found = []
            torn = open_store(found)
            count = torn.next_seq
            torn_bytes = torn.torn_bytes
            seq = add(torn, 700)
            if count:
                self.assertEqual(seq, count + (1 if torn_bytes else 0))
            found = []
            again = open_store(found)
            self.assertEqual(again.next_seq, seq + 1)
            self.assertEqual(found[-1], (journal.EVENT, max(700, torn.last_ms), HIT))
            flash_device.remove_all("/flash/journal")

    def test_flipped_bit_at_each_byte_is_never_taken_for_a_record(self):
        store = open_store()
        for number in range(1, 30):
            add(store, number * 10)
        data = read_file("/flash/journal/tail")
        good = []
        open_store(good)
        for index in range(len(data)):
            broken = bytearray(data)
            broken[index] ^= 1 << (index & 7)
            write_file("/flash/journal/tail", broken)
            found = []
            again = open_store(found)
            self.assertEqual(found, good[: len(found)])
            self.assertTrue(again.torn_bytes > 0)
            seq = add(again, 900)
            found = []
            self.assertEqual(open_store(found).next_seq, seq + 1)
            self.assertEqual(found[-1], (journal.EVENT, 900, HIT))
            for name in os.listdir("/flash/journal"):
                if name.endswith(".seg") and name != "00000000.seg":
                    os.remove("/flash/journal/" + name)

    def test_stale_tail_behind_a_cut_after_copying_is_not_counted_twice(self):
        store = open_store()
        for number in range(1, 5):
            add(store, number)
        store._merge_tail()
        found = []
        again = open_store(found)
        self.assertEqual(again.next_seq, 5)
        self.assertEqual(len(found), 5)
        add(again, 9)
        found = []
        self.assertEqual(open_store(found).next_seq, 6)
        self.assertEqual([record[1] for record in found], [0, 1, 2, 3, 4, 9])

    def test_write_error_is_raised_and_recover_finds_each_record_once(self):
        store = open_store()
        for number in range(1, 40):
            add(store, number)
        for failing in range(40):
            self.device.fail_at = self.device.operations + (failing % 5)
            self.device.fail_count = 1
            number = store.next_seq
            try:
                add(store, 1000 + failing)
            except OSError:
                self.device.fail_at = None
                store.recover(lambda kind, game_ms, payload: None)
                if store.next_seq == number:
                    store.force_segment()
                    add(store, 1000 + failing)
            self.device.fail_at = None
        found = []
        open_store(found)
        pages = JournalPages(store, None)
        self.assertEqual(len(read_all(pages)[0]), store.next_seq)

    def test_release_keeps_the_newest_snapshot_and_what_the_host_has_not(self):
        store = open_store()
        for number in range(1, 1200):
            add(store, number)
        segments = list(store.segments)
        store.release(segments[1] + 3)
        self.assertEqual(store.segments, segments[1:])
        store.release(store.next_seq)
        self.assertEqual(store.segments, segments[-1:])
        self.assertEqual(store.oldest_seq, segments[-1])
        found = []
        self.assertEqual(open_store(found).next_seq, store.next_seq)

    def test_full_journal_gives_up_the_oldest_segment_and_says_how_many_records(self):
        store = open_store(None, lambda _path: 1000)
        shed = 0
        for number in range(1, 1500):
            if store.needs_segment():
                shed += store.begin_segment(store.last_ms, SNAPSHOT)
            store.append(journal.EVENT, number, HIT)
        self.assertTrue(len(store.segments) <= 2)
        self.assertEqual(shed, store.oldest_seq)

    def test_segment_without_snapshot_is_replayed_from_further_back(self):
        store = open_store()
        for number in range(1, 5):
            add(store, number)
        store.begin_segment(5, b"")
        add(store, 6)
        found = []
        again = open_store(found)
        self.assertEqual([record[1] for record in found], [0, 1, 2, 3, 4, 5, 6])
        again.release(again.next_seq)
        self.assertEqual(len(again.segments), 2)

    def test_archive_keeps_one_old_life_aside(self):
        for _life in range(3):
            store = open_store()
            add(store, 1)
            store.close()
            archive("/flash/journal")
        self.assertIn("00000000.seg", os.listdir("/flash/journal.old"))
        self.assertEqual(open_store().next_seq, 0)


def read_all(pages, limit_bytes=300, from_seq=0):
    """Return (list of (seq, game_ms, payload), pages read)."""
    records = []
    count = 0
    page = pages.read(from_seq, limit_bytes)
    while page is not None:
        seq, game_ms, data = page
        offset = 0
        count += 1
        while offset < len(data):
            _kind, delta_ms, payload, offset = journal.decode_record(data, offset, seq)
            game_ms += delta_ms
            records.append((seq, game_ms, payload))
            seq += 1
        page = pages.read(seq, limit_bytes)
    return records, count


class JournalPagesTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")
        self.store = open_store()
        for number in range(1, 700):
            add(self.store, number * 7)

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_pages_give_each_record_once_with_its_time(self):
        for limit_bytes in (1, 20, 100, 300, 2000):
            records, _count = read_all(JournalPages(self.store, None), limit_bytes)
            self.assertEqual([record[0] for record in records], list(range(self.store.next_seq)))
            times = [record[1] for record in records if record[2] == HIT]
            self.assertEqual(times, [number * 7 for number in range(1, 700)])

    def test_page_is_no_longer_than_asked_for(self):
        page = JournalPages(self.store, None).read(5, 100)
        self.assertTrue(len(page[2]) <= 100)
        self.assertEqual(page[0], 5)

    def test_reading_can_begin_anywhere(self):
        pages = JournalPages(self.store, None)
        for seq in (0, 1, 250, 251, 699, 17, self.store.next_seq - 1):
            page = pages.read(seq, 60)
            self.assertEqual(page[0], seq)
            journal.decode_record(page[2], 0, seq)
        self.assertIsNone(pages.read(self.store.next_seq, 60))

    def test_released_records_are_skipped(self):
        self.store.release(self.store.segments[1])
        page = JournalPages(self.store, None).read(0, 60)
        self.assertEqual(page[0], self.store.segments[0])

    def test_hole_in_a_damaged_segment_is_stepped_over(self):
        path = self.store.path(self.store.segments[0])
        data = bytearray(read_file(path))
        data[400] ^= 0x10
        write_file(path, data)
        records, _count = read_all(JournalPages(self.store, None))
        numbers = [record[0] for record in records]
        self.assertIn(self.store.segments[1], numbers)
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_records_written_while_reading_follow(self):
        pages = JournalPages(self.store, None)
        records, _count = read_all(pages)
        add(self.store, 9000)
        more, _count = read_all(pages, 300, records[-1][0] + 1)
        self.assertEqual([record[1] for record in more], [9000])


class WearTest(unittest.TestCase):
    def test_R4_an_append_seldom_erases_a_block(self):
        device = FlashDevice()
        format_and_mount(device, "/flash")
        store = open_store()
        add(store, 1)
        device.erase_count = device.written_bytes = 0
        for number in range(1000):
            add(store, number * 100)
        print(
            "1000 hits: %d blocks erased, %d bytes written"
            % (device.erase_count, device.written_bytes)
        )
        self.assertTrue(device.erase_count < 250)
        self.assertTrue(limits.TAIL_BYTES <= 128)
        flash_device.vfs.umount("/flash")
