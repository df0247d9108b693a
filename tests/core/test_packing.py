"""redband_core.packing: the same bytes and the same refusals on both interpreters."""

import unittest

from redband_core import packing
from redband_core.errors import ProtocolError, UsageError


def packed(put, value):
    buffer = bytearray()
    put(buffer, value)
    return buffer.hex()


class Golden(unittest.TestCase):
    def test_fixed_sizes_are_little_endian(self):
        self.assertEqual(packed(packing.put_u8, 0xA5), "a5")
        self.assertEqual(packed(packing.put_u16, 0x0102), "0201")
        self.assertEqual(packed(packing.put_u24, 0x010203), "030201")
        self.assertEqual(packed(packing.put_u32, 0xFEDCBA98), "98badcfe")

    def test_varints(self):
        for value, expected in (
            (0, "00"),
            (1, "01"),
            (127, "7f"),
            (128, "8001"),
            (300, "ac02"),
            (16383, "ff7f"),
            (16384, "808001"),
            ((1 << 30) - 1, "ffffffff03"),
            (1 << 31, "8080808008"),
            (1 << 53, "8080808080808010"),
        ):
            self.assertEqual(packed(packing.put_varint, value), expected)

    def test_signed_varints(self):
        for value, expected in (
            (0, "00"),
            (-1, "01"),
            (1, "02"),
            (-64, "7f"),
            (64, "8001"),
            (1 << 52, "8080808080808010"),
            (-(1 << 52), "ffffffffffffff0f"),
        ):
            self.assertEqual(packed(packing.put_signed, value), expected)
            self.assertEqual(packing.Reader(bytes.fromhex(expected)).signed(), value)


class RangesOut(unittest.TestCase):
    """`struct` of MicroPython cuts these values silently: 70000 as u16 gives 4464."""

    def refuse(self, put, value):
        buffer = bytearray(b"x")
        with self.assertRaises(UsageError):
            put(buffer, value)
        self.assertEqual(buffer, b"x")

    def test_too_large_or_negative_is_refused_and_writes_nothing(self):
        for put, maximum in (
            (packing.put_u8, 0xFF),
            (packing.put_u16, 0xFFFF),
            (packing.put_u24, 0xFFFFFF),
            (packing.put_u32, 0xFFFFFFFF),
            (packing.put_varint, 1 << 53),
        ):
            packed(put, maximum)
            self.refuse(put, maximum + 1)
            self.refuse(put, -1)
            self.refuse(put, 1 << 80)
        self.refuse(packing.put_signed, (1 << 52) + 1)
        self.refuse(packing.put_signed, -(1 << 52) - 1)

    def test_what_is_no_integer_is_refused(self):
        for value in (None, "1", b"1", (1,)):
            self.refuse(packing.put_u8, value)
            self.refuse(packing.put_varint, value)
            self.refuse(packing.put_signed, value)


class ReaderIn(unittest.TestCase):
    def test_values_in_order(self):
        data = bytes.fromhex("ff 0102 04030201 ac02 01 6162".replace(" ", ""))
        reader = packing.Reader(data)
        self.assertEqual(reader.u8(), 255)
        self.assertEqual(reader.u16(), 0x0201)
        self.assertEqual(reader.u32(), 0x01020304)
        self.assertEqual(reader.varint(), 300)
        self.assertEqual(reader.signed(), -1)
        self.assertFalse(reader.at_end())
        self.assertEqual(reader.take(2), b"ab")
        self.assertTrue(reader.at_end())
        self.assertEqual(reader.take(0), b"")

    def test_any_buffer_and_a_copy_out(self):
        source = bytearray(b"\x00abc\x00")
        taken = packing.Reader(memoryview(source), 1, 4).take(3)
        source[1] = 0
        self.assertEqual(taken, b"abc")
        self.assertTrue(isinstance(taken, bytes))

    def test_short_data_is_the_peers_fault_and_moves_nothing(self):
        for name, size in (("u8", 1), ("u16", 2), ("u32", 4), ("varint", 1)):
            reader = packing.Reader(b"\x80" * 9, 2, 2 + size - 1)
            with self.assertRaises(ProtocolError):
                getattr(reader, name)()
            self.assertEqual(reader.offset, 2)
        with self.assertRaises(ProtocolError):
            packing.Reader(b"abc").take(4)

    def test_one_value_has_one_spelling(self):
        for spelling in ("8000", "ff00", "80808080808080808001", "8080808080808011", "ff" * 12):
            reader = packing.Reader(bytes.fromhex(spelling))
            with self.assertRaises(ProtocolError):
                reader.varint()
            self.assertEqual(reader.offset, 0)

    def test_bounds_are_the_callers_fault(self):
        for offset, end in ((-1, 2), (3, 2), (0, 4), (4, None)):
            with self.assertRaises(UsageError):
                packing.Reader(b"abc", offset, end)
        with self.assertRaises(UsageError):
            packing.Reader(b"abc").take(-1)


if __name__ == "__main__":
    unittest.main()
