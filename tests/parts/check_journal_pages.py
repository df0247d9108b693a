"""The journal read in pages, as a host fetches it, on a real littlefs."""

import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, read_file, write_file
from store_bench import HIT, add, open_store, read_all

from redband_badge.journal_pages import JournalPages
from redband_core import journal


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
