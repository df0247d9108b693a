"""A full flash, and a flash that fails to write: the journal keeps what it had promised."""

import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut
from store_bench import add, numbered, numbers_of, open_store, opened

from redband_badge import limits
from redband_core import journal

ENOSPC = 28


class FullFlashTest(unittest.TestCase):
    """Other files fill the flash."""

    def setUp(self):
        self.device = FlashDevice(48)
        format_and_mount(self.device, "/flash")
        self.segment_bytes = limits.SEGMENT_BYTES
        limits.SEGMENT_BYTES = 300

    def tearDown(self):
        limits.SEGMENT_BYTES = self.segment_bytes
        flash_device.vfs.umount("/flash")

    def fill(self):
        """Fill the flash to its last block, as a technician's copied film does."""
        with open("/flash/film", "ab") as file:
            try:
                while True:
                    file.write(bytes(1024))
                    file.flush()
            except OSError as error:
                self.assertEqual(error.errno, ENOSPC)

    def write(self, store, numbers):
        """Write until the flash refuses; return the numbers that were promised, and those shed."""
        promised = []
        shed_count = 0
        for number in numbers:
            try:
                if store.needs_segment():
                    shed_count += store.begin_segment(store.last_ms, numbered(number) + bytes(40))
                store.append(journal.EVENT, number, numbered(number))
            except OSError as error:
                self.assertEqual(error.errno, ENOSPC)
                break
            promised.append(number)
        return promised, shed_count

    def test_full_flash_sheds_the_oldest_segments_and_counts_them(self):
        store = open_store()
        promised, shed_count = self.write(store, range(100))
        self.assertEqual((len(promised), shed_count), (100, 0))
        segments = len(store.segments)
        self.assertTrue(segments > 4)
        self.fill()
        more, shed_count = self.write(store, range(100, 200))
        self.assertEqual(len(more), 100)
        self.assertTrue(shed_count > 0)
        self.assertEqual(store.oldest_seq, shed_count)
        self.assertEqual(numbers_of(open_store()), numbers_of(store))
        self.assertEqual(numbers_of(store)[-1], 199)

    def test_flash_that_is_full_at_any_time_loses_nothing_that_was_promised(self):
        for before in range(60):
            flash_device.vfs.umount("/flash")
            self.device = FlashDevice(24)
            format_and_mount(self.device, "/flash")
            store = open_store()
            promised, _shed = self.write(store, range(before))
            self.fill()
            more, _shed = self.write(store, range(before, before + 100))
            promised += more
            power_cut(self.device, "/flash", opened)
            store = open_store()
            found = numbers_of(store)
            # The oldest may be shed, the newest never; the state (the snapshot) is after those.
            self.assertEqual(found, promised[len(promised) - len(found) :], before)
            self.assertTrue(found or not promised, before)
            os.remove("/flash/film")
            store = open_store()
            add(store, 9999, numbered(999))
            self.assertEqual(numbers_of(open_store())[-1], 999)

    def test_full_flash_still_takes_hits_into_the_block_that_is_open(self):
        limits.SEGMENT_BYTES = self.segment_bytes
        store = open_store()
        self.write(store, range(10))
        self.fill()
        before = self.device.erase_count
        promised, shed_count = self.write(store, range(10, 200))
        self.assertEqual(
            (len(promised), shed_count, self.device.erase_count - before), (190, 0, 0)
        )


class WriteErrorTest(unittest.TestCase):
    """The flash refuses an operation: each one, once, done all the same or not."""

    def setUp(self):
        self.segment_bytes = limits.SEGMENT_BYTES
        limits.SEGMENT_BYTES = 300

    def tearDown(self):
        limits.SEGMENT_BYTES = self.segment_bytes

    def play(self, device, fail_at, count, is_late):
        """Write 60 events over failing operations; return how often the store failed."""
        format_and_mount(device, "/flash")
        store = open_store()
        device.operations = 0
        device.fail_at, device.fail_count, device.is_late = fail_at, count, is_late
        failures = 0
        for number in range(60):
            seq = -1
            while seq < 0:
                try:
                    if store.needs_segment():
                        store.begin_segment(store.last_ms, bytes(40))
                    seq = pending = store.next_seq
                    store.append(journal.EVENT, number, numbered(number))
                except OSError:
                    failures += 1
                    seq = self.recover(store, seq, pending if seq >= 0 else -1)
        power_cut(device, "/flash", opened)
        self.assertEqual(numbers_of(open_store()), list(range(60)), (fail_at, is_late))
        operations = device.operations
        flash_device.vfs.umount("/flash")
        return failures, operations

    def recover(self, store, seq, pending):
        """Do as the game task: recover, until it works; return -1 when the record is not there."""
        while True:
            try:
                store.recover(lambda kind, game_ms, payload: None)
                break
            except OSError:
                continue
        is_there = 0 <= pending < store.next_seq
        store.force_segment()
        return seq if is_there else -1

    def test_each_operation_fails_once(self):
        tried = failed = 0
        fail_at, operations = 0, 1
        while fail_at < operations:
            for is_late in (False, True):
                failures, operations = self.play(FlashDevice(32), fail_at, 1, is_late)
                tried += 1
                failed += failures > 0
            fail_at += 1
        print("write errors: %d tried, %d seen by the store" % (tried, failed))
        self.assertTrue(tried > 400)
        self.assertTrue(failed > 300)

    def test_operations_fail_in_a_row(self):
        for count in (2, 3, 5, 9, 20):
            for fail_at in range(0, 240, 16):
                self.play(FlashDevice(32), fail_at, count, False)

    def test_flash_that_fails_for_good_keeps_what_it_had(self):
        for fail_at in range(60, 240, 7):
            device = FlashDevice(32)
            format_and_mount(device, "/flash")
            store = open_store()
            device.operations = 0
            device.fail_at, device.fail_count = fail_at, 1 << 29
            promised = []
            try:
                for number in range(100):
                    add(store, number, numbered(number))
                    promised.append(number)
            except OSError:
                pass
            store.give_up()
            seq = store.append(journal.EVENT, 9999, numbered(1))
            self.assertEqual(store.next_seq, seq + 1)
            device.fail_at = None
            power_cut(device, "/flash", opened)
            found = numbers_of(open_store())
            self.assertIn(found, (promised, promised + [len(promised)]))
            flash_device.vfs.umount("/flash")
