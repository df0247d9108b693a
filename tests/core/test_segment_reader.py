"""redband_core.segment_reader: recovery piece by piece gives what a whole scan gives."""

import unittest

from redband_core import journal
from redband_core.errors import JournalCorrupt
from redband_core.segment_reader import SegmentReader


def segment():
    data = journal.encode_header(5, 40, 900)
    for number in range(12):
        payload = bytes(number * 11)
        data += journal.encode_record(40 + number, journal.SNAPSHOT, number * 100, payload)
    return data


def read(data, piece_bytes):
    """Feed the data in pieces; return (the reader, its records)."""
    reader = SegmentReader()
    records = []
    for begin in range(0, len(data), piece_bytes):
        reader.feed(data[begin : begin + piece_bytes])
        record = reader.next_record()
        while record is not None:
            records.append(record)
            record = reader.next_record()
    return reader, records


class Pieces(unittest.TestCase):
    def check(self, data, piece_bytes):
        reader, records = read(data, piece_bytes)
        try:
            header, expected, valid_length = journal.scan(data)
        except JournalCorrupt:
            header, expected, valid_length = None, [], 0
        self.assertEqual(records, expected)
        self.assertEqual(reader.header, header)
        self.assertEqual(reader.valid_bytes, valid_length)
        self.assertEqual(reader.pending_bytes, len(data) - valid_length)
        if expected:
            self.assertEqual(reader.next_seq, expected[-1][0] + 1)
            self.assertEqual(reader.game_ms, expected[-1][2])
        return reader

    def test_pieces_of_any_size(self):
        data = segment()
        for piece_bytes in (1, 2, 3, 7, 19, 64, 512, len(data)):
            reader = self.check(data, piece_bytes)
            self.assertFalse(reader.is_corrupt)
            self.assertEqual((reader.next_seq, reader.pending_bytes), (52, 0))

    def test_R6_torn_at_every_byte(self):
        data = segment()
        for length in range(len(data)):
            self.check(data[:length], 64)

    def test_damage_stops_it_for_good(self):
        data = segment()
        for place in range(0, len(data), 5):
            damaged = bytearray(data)
            damaged[place] ^= 0x10
            reader = self.check(bytes(damaged), 33)
            reader.feed(data)
            if reader.is_corrupt:
                self.assertIsNone(reader.next_record())

    def test_a_foreign_file_is_corrupt_a_short_one_only_torn(self):
        reader, records = read(b"x" * 100, 10)
        self.assertEqual((reader.is_corrupt, reader.pending_bytes, records), (True, 100, []))
        reader, records = read(segment()[:10], 10)
        self.assertEqual((reader.is_corrupt, reader.pending_bytes, records), (False, 10, []))
        self.assertIsNone(reader.header)

    def test_nothing_follows_the_last_number_of_all(self):
        data = journal.encode_header(5, journal.SEQ_MAX, 0)
        data += journal.encode_record(journal.SEQ_MAX, journal.EVENT, 0, b"\x01")
        reader = self.check(data, 64)
        reader.feed(b"\x02\x02\x00\x00\x00\x00\x00")
        self.assertIsNone(reader.next_record())
        self.assertTrue(reader.is_corrupt)

    def test_erased_flash_behind_the_records_is_no_torn_tail(self):
        data = segment()
        record = journal.encode_record(52, journal.EVENT, 3000, b"\x01\x02\x00")
        for piece_bytes in (1, 7, 64, 1000):
            for erased in (0, 1, 2, 9, 700):
                blank = b"\xff" * erased
                self.assertEqual(read(data + blank, piece_bytes)[0].torn_bytes(), 0)
                for length in range(1, len(record)):
                    torn = record[:length]
                    reader, _records = read(data + torn + blank, piece_bytes)
                    self.assertEqual(reader.torn_bytes(), length)
                reader, _records = read(data + blank + b"\x00" + blank, piece_bytes)
                self.assertEqual(reader.torn_bytes(), erased + 1)
        self.assertEqual(read(b"", 1)[0].torn_bytes(), 0)
        self.assertEqual(read(b"\xff" * 100, 8)[0].torn_bytes(), 0)

    def test_an_empty_piece_is_nothing(self):
        reader = SegmentReader()
        reader.feed(b"")
        self.assertIsNone(reader.next_record())
        self.assertEqual((reader.pending_bytes, reader.is_corrupt), (0, False))


if __name__ == "__main__":
    unittest.main()
