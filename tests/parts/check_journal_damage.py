"""A damaged journal: torn, flipped, zeroed, stale.

What is whole in front of the damage is found, nothing is invented, and the badge writes on.
"""

import os
import unittest

import flash_device
from flash_device import BLOCK_BYTES, FlashDevice, format_and_mount, read_file, write_file
from store_bench import add, numbered, numbers_of, open_store

from redband_core import journal

EVENTS = 30
RECORDS_END = BLOCK_BYTES - 12  # after it: proof and mark of the block


class DamageTest(unittest.TestCase):
    """30 events in the newest segment's block, which is then damaged on the flash itself."""

    def setUp(self):
        self.device = FlashDevice(16)
        format_and_mount(self.device, "/flash")
        store = open_store()
        self.ends = []
        for number in range(EVENTS):
            add(store, number * 5000, numbered(number))
            self.ends.append(store.used_bytes)
        self.start = store.block * BLOCK_BYTES
        self.used_bytes = store.used_bytes
        self.image = bytes(self.device.data)
        self.install_id = store.install_id

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def damage(self, offset, data):
        """Start anew from the good flash with `data` at `offset` of the block."""
        flash_device.vfs.umount("/flash")
        self.device.data[:] = self.image
        self.device.data[self.start + offset : self.start + offset + len(data)] = data
        flash_device.mount(self.device, "/flash")

    def check(self, whole, is_torn, what):
        """The first `whole` events are found; an event written now is after them, for good."""
        store = open_store()
        self.assertEqual(numbers_of(store), list(range(whole)), what)
        self.assertEqual(store.torn_bytes > 0, is_torn, what)
        self.assertEqual(store.install_id, self.install_id)
        add(store, 900_000, numbered(99))
        for _again in range(2):
            self.assertEqual(numbers_of(store), list(range(whole)) + [99], what)
            store = open_store()
        # After a torn tail nothing is appended: it is in a segment of its own.
        self.assertEqual(len(store.segments), 2 if is_torn else 1, what)

    def whole_before(self, offset):
        return len([end for end in self.ends if end <= offset])

    def test_undamaged(self):
        self.damage(0, b"")
        self.check(EVENTS, False, "nothing")

    def test_every_flipped_bit_of_the_last_three_records_and_behind_them(self):
        for offset in range(self.ends[-4], self.used_bytes + 14):
            old = self.image[self.start + offset]
            for bit in range(8):
                self.damage(offset, bytes((old ^ 1 << bit,)))
                self.check(self.whole_before(offset), True, (offset, bit))

    def test_flipped_bits_all_over_the_segment(self):
        first_end = self.ends[0]
        for offset in range(first_end, RECORDS_END, 17):
            old = self.image[self.start + offset]
            self.damage(offset, bytes((old ^ 1 << offset % 8,)))
            self.check(self.whole_before(offset), True, offset)

    def test_torn_at_each_byte_and_behind_it_erased_zero_or_old_bytes(self):
        old = self.image[self.start : self.start + 64] * 64
        for offset in range(self.ends[-4], self.used_bytes):
            whole = self.whole_before(offset)
            for filler in (b"\xff", b"\x00", None):
                size = RECORDS_END - offset
                self.damage(offset, filler * size if filler else old[:size])
                # A cut right after a record leaves no trace, nor does one before its first byte.
                is_torn = filler != b"\xff" or offset not in self.ends
                self.check(whole, is_torn, (offset, filler))

    def test_the_same_records_once_more_behind_the_end_are_not_taken_again(self):
        last = self.image[self.start + self.ends[-3] : self.start + self.ends[-1]]
        self.damage(self.used_bytes, last)
        self.check(EVENTS, True, "stale")

    def test_half_programmed_record_of_each_length_is_torn(self):
        record = journal.encode_record(EVENTS + 1, journal.EVENT, 700, numbered(77))
        for length in range(1, len(record)):
            self.damage(self.used_bytes, record[:length])
            self.check(EVENTS, True, length)
        self.damage(self.used_bytes, record)
        store = open_store()
        self.assertEqual(numbers_of(store), list(range(EVENTS)) + [77])

    def test_zero_filled_and_erased_files(self):
        store = open_store()
        path = store.path(store.segments[-1])
        for data in (b"", bytes(BLOCK_BYTES), b"\xff" * BLOCK_BYTES, b"\x00", b"\xff" * 30):
            self.damage(0, b"")
            flash_device.remove_all("/flash/journal")
            write_file(path, data)
            store = open_store()
            self.assertEqual(store.next_seq, 0)
            add(store, 5, numbered(1))
            self.assertEqual(numbers_of(open_store()), [1])
            names = os.listdir("/flash/journal")
            # What holds no record is kept aside for the technician, unless it is empty.
            self.assertEqual(len([name for name in names if name.endswith(".bad")]), bool(data))

    def test_file_cut_at_each_byte_is_never_appended_to(self):
        whole = read_file("/flash/journal/00000000.seg")
        for length in range(self.used_bytes + 4):
            flash_device.remove_all("/flash/journal")
            write_file("/flash/journal/00000000.seg", whole[:length])
            store = open_store()
            count = self.whole_before(length)
            self.assertEqual(numbers_of(store), list(range(count)))
            add(store, 900_000, numbered(99))
            self.assertEqual(numbers_of(open_store()), list(range(count)) + [99])
            if count:
                self.assertEqual(read_file("/flash/journal/00000000.seg"), whole[:length])


class OldSegmentTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def test_damage_in_an_old_segment_leaves_a_hole_and_the_present_state(self):
        store = open_store()
        for number in range(1000):
            add(store, number, numbered(number))
        first, second, third = store.segments[:3]
        path = store.path(second)
        data = bytearray(read_file(path))
        data[2000] ^= 0x10
        write_file(path, data)
        found = []
        store = open_store(found)
        self.assertEqual(store.next_seq, 1000 + len(store.segments))
        self.assertEqual(found[0][0], journal.SNAPSHOT)
        self.assertEqual(store.torn_bytes, 0)
        numbers = numbers_of(store)
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertIn(second - 2, numbers)  # of the first segment, the last
        self.assertIn(third, numbers)
        self.assertEqual(numbers[-1], 999)
        self.assertTrue(600 < len(numbers) < 1000)
