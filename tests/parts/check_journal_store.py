"""The journal on a real littlefs: recovery, writing in place, reading in pages."""

import unittest

import flash_device
import flashbdev
from flash_device import EACH, FlashDevice, format_and_mount, power_cut
from store_bench import (
    HIT,
    SNAPSHOT,
    add,
    number_of,
    numbered,
    numbers_of,
    open_store,
    opened,
    plenty,
)

from redband_badge import limits
from redband_badge.journal_store import JournalStore
from redband_core import journal
from redband_hal import raw_flash


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
                cut_at += EACH
                cuts += 1
        limits.SEGMENT_BYTES = segment_bytes
        print("journal_store: %d cut points" % cuts)
        self.assertTrue(cuts > 400 // EACH)

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
                payload = numbered(number) + bytes(12)
                state = numbered(promised) + bytes(60)
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
            last = number_of(found[-1][2]) if found else 0
            # One that was being written may be there too; never one that was not yet begun.
            if not promised <= last <= promised + 1:
                raise AssertionError("cut at %d: %d of %d" % (cut_at, last, promised))
        add(store, 5000)
        return was_cut

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

    def test_what_belongs_to_a_snapshot_is_there_with_it_or_not_at_all(self):
        carried = [(journal.PAUSE, b""), (journal.NOTE, journal.note_payload(300, 4))]
        cut_at = 0
        was_cut = True
        while was_cut:
            flash_device.vfs.umount("/flash")
            device = FlashDevice(16)
            format_and_mount(device, "/flash")
            store = open_store()
            add(store, 1)
            device.cut_at = device.operations + cut_at
            try:
                store.begin_segment(9, SNAPSHOT, carried)
            except OSError:
                pass
            was_cut = device.is_dead
            power_cut(device, "/flash", opened)
            found = []
            open_store(found)
            kinds = [record[0] for record in found]
            whole = [journal.SNAPSHOT, journal.PAUSE, journal.NOTE]
            self.assertIn(kinds, ([journal.SNAPSHOT, journal.EVENT], whole))
            cut_at += 1
        self.assertEqual(found[1:], [(kind, 9, payload) for kind, payload in carried])
        self.assertTrue(cut_at > 30)


class InPlaceTest(unittest.TestCase):
    """Records programmed into the block of the newest segment, beneath littlefs."""

    def setUp(self):
        self.device = FlashDevice()
        format_and_mount(self.device, "/flash")

    def tearDown(self):
        flash_device.vfs.umount("/flash")

    def fill(self, store, count=100):
        """Write events; return what each cost in erases."""
        costs = []
        for number in range(count):
            before = self.device.erase_count
            add(store, number * 100, numbered(number))
            costs.append(self.device.erase_count - before)
        return costs

    def test_R4_hits_between_two_segments_erase_nothing(self):
        costs = self.fill(open_store())
        self.assertTrue(costs[0] > 0)
        self.assertEqual(costs[1:], [0] * 99)
        self.assertEqual(self.device.not_erased_count, 0)

    def test_what_is_programmed_is_read_through_littlefs_at_once(self):
        store = open_store()
        for number in range(300):
            add(store, number, numbered(number))
            self.assertEqual(numbers_of(store)[-1], number)

    def test_first_record_after_a_start_goes_to_a_fresh_block(self):
        # What the cut left marginal in the old block is written anew before it is trusted.
        store = open_store()
        self.fill(store, 20)
        block = store.block
        power_cut(self.device, "/flash", opened)
        store = open_store()
        self.assertEqual(store.block, -1)
        add(store, 9000, numbered(20))
        self.assertTrue(store.block >= 0)
        self.assertTrue(store.block != block)
        self.assertEqual(numbers_of(store), list(range(21)))
        self.assertEqual(len(store.segments), 1)

    def test_without_the_block_device_each_record_goes_through_littlefs(self):
        flashbdev.bdev = None
        store = open_store()
        costs = self.fill(store)
        self.assertTrue(min(costs) > 0)
        self.assertEqual(numbers_of(open_store()), list(range(100)))

    def test_device_with_other_blocks_is_not_touched(self):
        class Small:
            def ioctl(self, operation, _argument):
                return 512 if operation == 5 else 100

        flashbdev.bdev = Small()
        self.assertIsNone(raw_flash.device())
        store = open_store()
        self.fill(store)
        self.assertEqual(numbers_of(open_store()), list(range(100)))

    def test_flash_that_is_not_the_file_systems_is_never_programmed(self):
        other = FlashDevice()
        flashbdev.bdev = other
        store = open_store()
        costs = self.fill(store)
        self.assertEqual(other.operations, 0)
        self.assertTrue(min(costs) > 0)
        # It gives up searching, so that a hit does not read the whole flash each time.
        self.assertEqual(other.read_bytes, limits.BLOCK_SEARCHES_MAX * other.blocks * 8)

    def test_block_of_another_file_with_the_mark_is_not_taken(self):
        store = open_store()
        find = raw_flash.find
        decoy = self.device.blocks - 1

        def find_decoy(device, mark, _near):
            device.erase(decoy)
            device.program(decoy, flash_device.BLOCK_BYTES - len(mark), mark)
            return decoy

        raw_flash.find = find_decoy
        costs = self.fill(store)
        raw_flash.find = find
        self.assertEqual(store.block, -1)
        self.assertTrue(min(costs) > 0)
        self.assertEqual(numbers_of(open_store()), list(range(100)))

    def test_program_that_fails_silently_is_an_error_and_the_record_comes_once(self):
        store = open_store()
        self.fill(store, 10)
        program = self.device.program

        def stuck(block, offset, buffer):
            program(block, offset, bytes([byte | 0x10 for byte in bytes(buffer)]))

        self.device.program = stuck
        with self.assertRaises(OSError):
            add(store, 5000, numbered(10))
        self.device.program = program
        store.recover(lambda kind, game_ms, payload: None)
        self.assertTrue(store.torn_bytes > 0)
        add(store, 5000, numbered(10))
        self.assertEqual(numbers_of(store), list(range(11)))
        self.assertEqual(len(store.segments), 2)

    def test_longest_record_finds_room_in_the_next_segment(self):
        store = open_store()
        while store.used_bytes <= limits.SEGMENT_BYTES - 20:
            add(store, 5)
        with self.assertRaises(OSError):
            add(store, 5, bytes(500), journal.SNAPSHOT)
        store.recover(lambda kind, game_ms, payload: None)
        store.force_segment()
        add(store, 5, bytes(500), journal.SNAPSHOT)
        found = []
        open_store(found)
        self.assertEqual(found[-1][2], bytes(500))
