"""The advert: exact bytes, nothing that fits two states, and strangers that must not matter."""

import binascii
import unittest

from redband.wire import advert as wire_advert
from redband_core import advert
from redband_core.errors import ProtocolError, UsageError

WOUNDED = wire_advert.Advert(
    42, 0x140007, 3, 2, 1, 300, 1234, 87, 1, advert.FLAG_FAULT, False, True
)
WOUNDED_HEX = b"2a00" + b"07001400" + b"030201" + b"2c01" + b"d20400" + b"d7" + b"30"
NEW = wire_advert.Advert(1, 0, 0, 0, 0, advert.NO_TIMER, advert.NO_SEQ, 100, 0, 0, False, False)
NEW_HEX = b"0100" + b"00000000" + b"000000" + b"ffff" + b"ffffff" + b"64" + b"00"
LARGEST = wire_advert.Advert(
    65535, 0xFFFFFFFF, 127, 255, 255, 65534, 0xFFFFFE, 100, 4, 31, True, True
)

FIELDS = ("badge_id", "count", "signal", "counter_a", "counter_b", "timer_s", "last_seq")
FIELDS += ("battery_pct", "role", "flags", "is_paused", "is_emergency")


def changed(**values):
    """Return WOUNDED with some fields changed."""
    return wire_advert.Advert(*[values.get(name, getattr(WOUNDED, name)) for name in FIELDS])


class StateTest(unittest.TestCase):
    def test_golden_vectors(self):
        for value, text in ((WOUNDED, WOUNDED_HEX), (NEW, NEW_HEX)):
            block = advert.encode_state(value)
            self.assertEqual(binascii.hexlify(block), text)
            self.assertEqual(wire_advert.decode_state(block), value)

    def test_largest_values_come_back(self):
        block = advert.encode_state(LARGEST)
        self.assertEqual(len(block), advert.BLOCK_BYTES)
        self.assertEqual(wire_advert.decode_state(block), LARGEST)

    def test_pause_and_emergency_change_nothing_else(self):
        for is_paused in (False, True):
            for is_emergency in (False, True):
                value = changed(is_paused=is_paused, is_emergency=is_emergency)
                self.assertEqual(wire_advert.decode_state(advert.encode_state(value)), value)

    def test_value_out_of_range_is_not_cut_in_silence(self):
        bad = {
            "badge_id": 65536,
            "count": -1,
            "signal": 128,
            "counter_a": 256,
            "counter_b": -1,
            "timer_s": 65536,
            "last_seq": 1 << 32,
            "battery_pct": 101,
            "role": 5,
            "flags": 32,
        }
        for name, value in bad.items():
            with self.assertRaises(UsageError):
                advert.encode_state(changed(**{name: value}))

    def test_blocks_that_are_no_state_are_refused_and_nothing_else_is_raised(self):
        good = advert.encode_state(WOUNDED)
        cases = [b"", good[:-1], good + b"\x00"]
        cases.append(good[:14] + b"\x65" + good[15:])  # battery of 101 %
        cases.append(good[:15] + b"\xa0")  # role 5
        for block in cases:
            with self.assertRaises(ProtocolError):
                wire_advert.decode_state(block)

    def test_any_block_decodes_to_what_encodes_back_or_is_refused(self):
        state = 1
        good = advert.encode_state(WOUNDED)
        for _ in range(2000):
            block = bytearray(good)
            for _change in range(3):
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                block[(state >> 8) % 16] = (state >> 16) & 0xFF
            try:
                value = wire_advert.decode_state(block)
            except ProtocolError:
                continue
            self.assertEqual(advert.encode_state(value), bytes(block))


class RecordNumberTest(unittest.TestCase):
    def test_lower_24_bits_are_widened_by_what_is_known(self):
        for seq, near in (
            (0, 0),
            (1234, 0),
            (5, 1000),  # a new install
            (0x1000005, 0xFFFFF0),
            (0xFFFFF0, 0x1000005),
            (0x3000000, 0x2FFFFFF),
            (0xFFFFF0, 5),  # never below nothing
        ):
            shown = advert.shown_seq(seq)
            self.assertEqual(wire_advert.widened(shown, near), seq)
        self.assertEqual(wire_advert.widened(advert.NO_SEQ, 77), advert.NO_SEQ)

    def test_number_whose_lower_bits_mean_none_is_shown_as_one_less(self):
        self.assertEqual(advert.shown_seq(0x1FFFFFF), 0xFFFFFE)
        self.assertEqual(advert.shown_seq(advert.NO_SEQ), 0xFFFFFF)


class PacketTest(unittest.TestCase):
    def test_A4_advertisement_has_exactly_31_bytes_and_the_scan_response_fits(self):
        payload = advert.encode_unkeyed(65535, 31)
        data = advert.advertising_data(payload)
        self.assertEqual(len(data), advert.AD_MAX_BYTES)
        self.assertEqual(binascii.hexlify(data[:7]), b"0201061bffffff")
        self.assertEqual(data[7:], payload)
        self.assertTrue(len(advert.scan_response()) <= advert.AD_MAX_BYTES)
        with self.assertRaises(UsageError):
            advert.advertising_data(payload + b"\0")

    def test_G12_scan_response_is_the_same_for_all_badges(self):
        self.assertEqual(
            binascii.hexlify(advert.scan_response()),
            b"1107" + b"646e62646552269f8a4c1e5b0100a7d3" + b"0809" + b"52656462616e64",
        )

    def test_badge_without_keys_says_its_number_and_nothing_of_a_game(self):
        payload = advert.encode_unkeyed(300, advert.FLAG_SAFE_MODE)
        self.assertEqual(binascii.hexlify(payload), b"522f2c0101" + b"00" * 19)
        self.assertEqual(wire_advert.decode_unkeyed(payload), (300, advert.FLAG_SAFE_MODE))
        with self.assertRaises(ProtocolError):
            wire_advert.decode_unkeyed(payload[:-1] + b"\1")
        for badge_id, flags in ((65536, 0), (1, 256)):
            with self.assertRaises(UsageError):
                advert.encode_unkeyed(badge_id, flags)


if __name__ == "__main__":
    unittest.main()
