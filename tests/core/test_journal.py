"""redband_core.journal: golden bytes, and recovery from every torn, flipped or stale byte."""

import binascii
import unittest

from redband.wire import journal as wire_journal
from redband_core import journal, limits, numbers
from redband_core.errors import JournalCorrupt, ProtocolError, UsageError
from redband_core.packing import put_u32, put_varint

INSTALL_ID = 0x1BADB002
DAY_MS = 24 * 3600 * 1000
IDENTITY = bytes.fromhex("0123456789abcdef")


def sample_records(first_seq):
    """Return [(seq, kind, delta_ms, payload)] with every kind, short and long."""
    records = [
        (journal.BOOT, 0, journal.boot_payload(0xFEEDF00D, 7, 1, 513, IDENTITY)),
        (journal.EVENT, 61234, journal.event_payload(1, (1, 0))),
        (journal.EVENT, 0, journal.event_payload(1, (2, 1))),
        (journal.REFUSED, 90, journal.refused_payload(4, 1, (1, -1))),
        (journal.SNAPSHOT, 1, bytes(range(200))),
        (journal.CHECKPOINT, 30000, b""),
        (journal.NOTE, 5, journal.note_payload(numbers.NOTE_LOW_BATTERY, 3405)),
        (journal.PAUSE, 128, b""),
        (journal.RESUME, 0, b""),
    ]
    return [(first_seq + i, record[0], record[1], record[2]) for i, record in enumerate(records)]


def segment(first_seq=300, base_ms=1000, install_id=INSTALL_ID):
    """Return (bytes of a segment, ends of its records, what scan must give)."""
    data = journal.encode_header(install_id, first_seq, base_ms)
    ends = [len(data)]
    expected = []
    game_ms = base_ms
    for seq, kind, delta_ms, payload in sample_records(first_seq):
        data += journal.encode_record(seq, kind, delta_ms, payload)
        game_ms += delta_ms
        ends.append(len(data))
        expected.append((seq, kind, game_ms, payload))
    return data, ends, expected


class Golden(unittest.TestCase):
    """Bytes on flash: a change here is a new format."""

    def test_R19_header(self):
        self.assertEqual(
            journal.encode_header(0xDEADBEEF, 3, 1000000).hex(),
            "52424a31" + "efbeadde" + "03000000" + "c0843d" + "03980bdc",
        )

    def test_R19_records_are_the_same_bytes_on_both_interpreters(self):
        # Length, kind, delta, payload; then the CRC-32 seeded with the number, little-endian, made
        # by a bitwise CRC that shares nothing with the code under test.
        golden = (
            "120100" + "0df0edfe" + "07" + "01" + "0102" + "0123456789abcdef" + "2ac4c95b",
            "0702" + "b2de03" + "01" + "02" + "00" + "776ffa7c",
            "050200" + "01" + "04" + "02" + "99e0a910",
            "06035a" + "04" + "01" + "02" + "01" + "247ab333",
            "ca010401" + bytes(range(200)).hex() + "e0ad3c31",
            "0405b0ea01" + "5c824936",
            "050605" + "08" + "9a35" + "9f4d4dfe",
            "03078001" + "d2f36699",
            "020800" + "79fb650e",
        )
        encoded = [journal.encode_record(*record).hex() for record in sample_records(300)]
        self.assertEqual(encoded, list(golden))

    def test_a_plain_hit_is_at_most_twelve_bytes(self):
        half_an_hour_ms = 30 * 60 * 1000
        hit = journal.event_payload(1, (1, 0))
        record = journal.encode_record(123456, journal.EVENT, half_an_hour_ms, hit)
        self.assertTrue(len(record) <= 12)
        for delta_ms, size in ((100, 10), (16000, 11), (34 * 60 * 1000, 12), (3 * DAY_MS, 13)):
            self.assertEqual(len(journal.encode_record(1, journal.EVENT, delta_ms, hit)), size)


class Codecs(unittest.TestCase):
    def test_payloads_come_back(self):
        for event_id, args in ((0, (3,)), (1, (1, 0)), (300, ()), (7, (-1, 1 << 40, -(1 << 52)))):
            payload = journal.event_payload(event_id, args)
            self.assertEqual(journal.parse_event(payload), (event_id, args))
            refused = journal.refused_payload(130, event_id, args)
            self.assertEqual(wire_journal.parse_refused(refused), (130, event_id, args))
        boot = (0xFFFFFFFF, 70000, 255, 65535, IDENTITY)
        self.assertEqual(journal.parse_boot(journal.boot_payload(*boot)), boot)
        self.assertEqual(journal.parse_note(journal.note_payload(9, -12)), (9, -12))

    def test_a_later_version_may_say_more_about_a_boot(self):
        boot = (1, 2, 3, 4, IDENTITY)
        self.assertEqual(journal.parse_boot(journal.boot_payload(*boot) + b"more"), boot)

    def test_a_short_payload_is_the_peers_fault(self):
        for parse, payload in (
            (journal.parse_event, b""),
            (journal.parse_event, b"\x01\x80"),
            (wire_journal.parse_refused, b"\x01"),
            (journal.parse_boot, journal.boot_payload(1, 2, 3, 4, IDENTITY)[:-1]),
            (journal.parse_note, b"\x01"),
        ):
            with self.assertRaises(ProtocolError):
                parse(payload)

    def test_values_out_of_range_are_the_callers_fault(self):
        for call in (
            lambda: journal.encode_record(-1, 1, 0, b""),
            lambda: journal.encode_record(journal.SEQ_MAX + 1, 1, 0, b""),
            lambda: journal.encode_record(0, 0, 0, b""),
            lambda: journal.encode_record(0, 256, 0, b""),
            lambda: journal.encode_record(0, 1, -1, b""),
            lambda: journal.encode_record(0, 1, 0, bytes(limits.RECORD_BODY_MAX_BYTES - 1)),
            lambda: journal.encode_header(1 << 32, 0, 0),
            lambda: journal.encode_header(0, 0xFFFFFFFF, 0),
            lambda: journal.encode_header(0, 0, -1),
            lambda: journal.boot_payload(0, 0, 0, 0, b"short"),
            lambda: journal.event_payload(-1),
            lambda: journal.decode_record(b"", 1, 0),
            lambda: journal.decode_record(b"", -1, 0),
            lambda: journal.decode_record(b"", 0, -1),
        ):
            with self.assertRaises(UsageError):
                call()

    def test_the_longest_record_comes_back(self):
        payload = bytes(limits.RECORD_BODY_MAX_BYTES - 2)
        record = journal.encode_record(journal.SEQ_MAX, 255, 0, payload)
        decoded = journal.decode_record(memoryview(record), 0, journal.SEQ_MAX)
        self.assertEqual(decoded, (255, 0, payload, len(record)))


class Recovery(unittest.TestCase):
    def check_prefix(self, data, count, expected, ends):
        header, records, valid_length = journal.scan(data)
        self.assertEqual(header, (INSTALL_ID, 300, 1000, ends[0]))
        self.assertEqual(records, expected[:count])
        self.assertEqual(valid_length, ends[count])

    def test_a_whole_segment(self):
        data, ends, expected = segment()
        self.check_prefix(data, len(expected), expected, ends)
        self.check_prefix(bytearray(data), len(expected), expected, ends)
        self.check_prefix(memoryview(data), len(expected), expected, ends)

    def test_R6_torn_at_every_byte(self):
        data, ends, expected = segment()
        for length in range(len(data) + 1):
            if length < ends[0]:
                with self.assertRaises(JournalCorrupt) as caught:
                    journal.scan(data[:length])
                self.assertEqual(caught.exception.offset, 0)
                continue
            count = len([end for end in ends[1:] if end <= length])
            self.check_prefix(data[:length], count, expected, ends)

    def test_every_single_bit_flipped(self):
        data, ends, expected = segment()
        for place in range(len(data)):
            count = len([end for end in ends[1:] if end <= place])
            for bit in range(8):
                flipped = bytearray(data)
                flipped[place] ^= 1 << bit
                if place < ends[0]:
                    with self.assertRaises(JournalCorrupt):
                        journal.scan(flipped)
                else:
                    self.check_prefix(flipped, count, expected, ends)

    def test_old_bytes_behind_the_end_are_not_taken_for_records(self):
        data, ends, expected = segment()
        for old_first_seq in (0, 1, 299, 301, 308, 309):
            old, old_ends, _ = segment(first_seq=old_first_seq)
            for count in range(len(expected) + 1):
                torn = data[: ends[count]] + old[ends[count] :]
                self.check_prefix(torn, count, expected, ends)
            # Shifted too: any old record of another number right after the end.
            for index, begin in enumerate(old_ends[:-1]):
                if old_first_seq + index != 304:
                    self.check_prefix(data[: ends[4]] + old[begin:], 4, expected, ends)

    def test_a_record_written_twice_counts_once(self):
        data, ends, expected = segment()
        last = data[ends[-2] :]
        self.check_prefix(data + last, len(expected), expected, ends)

    def test_erased_and_zeroed_flash_behind_the_end(self):
        data, ends, expected = segment()
        for fill in (b"\x00", b"\xff"):
            for length in (1, 2, 9, 600):
                for count in (0, 1, len(expected)):
                    torn = data[: ends[count]] + fill * length
                    self.check_prefix(torn, count, expected, ends)

    def test_flash_that_lost_a_block_is_no_segment(self):
        data, _, _ = segment()
        for junk in (b"", b"\x00" * 700, b"\xff" * 700, b"RBJ1", b"RBJ2" + data[4:], data[1:]):
            with self.assertRaises(JournalCorrupt):
                journal.scan(junk)

    def test_the_error_says_where(self):
        data, ends, _ = segment()
        damaged = bytearray(data)
        damaged[ends[2] + 3] ^= 0x40
        with self.assertRaises(JournalCorrupt) as caught:
            journal.decode_record(damaged, ends[2], 302)
        self.assertEqual(caught.exception.offset, ends[2])

    def test_bytes_with_a_good_checksum_can_still_be_no_record(self):
        for body in (b"", b"\x02", b"\x00\x00", b"\x02\x80", b"\x02\x00" + bytes(600)):
            record = bytearray()
            put_varint(record, len(body))
            record += body
            put_u32(record, binascii.crc32(record, 7))
            with self.assertRaises(JournalCorrupt):
                journal.decode_record(record, 0, 7)
        for magic, first_seq in ((b"RBJ2", 3), (b"RBJ1", 0xFFFFFFFF)):
            header = bytearray(magic + bytes(4))
            put_u32(header, first_seq)
            header.append(0)
            put_u32(header, binascii.crc32(header))
            with self.assertRaises(JournalCorrupt):
                journal.decode_header(header)

    def test_nothing_is_no_record(self):
        data, ends, _ = segment()
        for bytes_before in (b"", data, b"\x2d\x01\x00\x00"):
            with self.assertRaises(JournalCorrupt) as caught:
                journal.decode_record(bytes_before, len(bytes_before), 301)
            self.assertEqual(caught.exception.offset, len(bytes_before))

    def test_G4_a_record_of_another_number_is_refused(self):
        record = journal.encode_record(7, journal.EVENT, 0, b"\x01")
        for seq in list(range(7)) + list(range(8, 300)) + [journal.SEQ_MAX]:
            with self.assertRaises(JournalCorrupt):
                journal.decode_record(record, 0, seq)

    def test_kinds_of_a_later_version_are_kept(self):
        record = journal.encode_record(7, 200, 3, b"new")
        self.assertEqual(journal.decode_record(record, 0, 7), (200, 3, b"new", len(record)))

    def test_the_last_number_of_all_ends_the_scan(self):
        data = journal.encode_header(INSTALL_ID, journal.SEQ_MAX, 0)
        data += journal.encode_record(journal.SEQ_MAX, journal.EVENT, 0, b"\x01")
        _, records, valid_length = journal.scan(data + b"\x02\x02\x00")
        self.assertEqual((len(records), valid_length), (1, len(data)))


if __name__ == "__main__":
    unittest.main()
