"""The advert: exact bytes, room for a tag, and strangers that must not matter."""

import binascii
import unittest

from redband_core import advert, host_frames
from redband_core.errors import ProtocolError, UsageError

WOUNDED = advert.Advert(42, 7, 3, 2, 1, 300, 1234, 87, advert.ROLE_MEDIC, advert.FLAG_FAULT)
WOUNDED_HEX = b"524201" + b"2a000700" + b"030201" + b"2c01" + b"d2040000" + b"57" + b"30"
NEW = advert.Advert(1, 0, 0, 0, 0, advert.NO_TIMER, advert.NO_SEQ, 100, 0, 0)
NEW_HEX = b"524201" + b"01000000" + b"000000" + b"ffff" + b"ffffffff" + b"64" + b"00"
LARGEST = advert.Advert(65535, 65535, 255, 255, 255, 65534, 0xFFFFFFFE, 100, 4, 31)

FIELDS = ("badge_id", "revision", "signal", "counter_a", "counter_b", "timer_s", "last_seq")
FIELDS += ("battery_pct", "role", "flags")


def changed(**values):
    """Return WOUNDED with some fields changed."""
    return advert.Advert(*[values.get(name, getattr(WOUNDED, name)) for name in FIELDS])


class AdvertTest(unittest.TestCase):
    def test_golden_vectors(self):
        for value, text in ((WOUNDED, WOUNDED_HEX), (NEW, NEW_HEX)):
            data = advert.encode(value)
            self.assertEqual(binascii.hexlify(data), text)
            self.assertEqual(host_frames.decode_advert(data), value)

    def test_largest_values_come_back(self):
        self.assertEqual(host_frames.decode_advert(advert.encode(LARGEST)), LARGEST)

    def test_every_payload_has_the_same_size(self):
        for value in (WOUNDED, NEW, LARGEST):
            self.assertEqual(len(advert.encode(value)), advert.PAYLOAD_BYTES)

    def test_value_out_of_range_is_not_cut_in_silence(self):
        bad = {
            "badge_id": 65536,
            "revision": -1,
            "signal": 256,
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
                advert.encode(changed(**{name: value}))

    def test_advertising_data_leaves_room_for_a_tag(self):
        data = advert.advertising_data(LARGEST)
        self.assertEqual(binascii.hexlify(data[:7]), b"02010615ffffff")
        self.assertEqual(data[7:], advert.encode(LARGEST))
        self.assertTrue(len(data) <= advert.AD_MAX_BYTES - advert.TAG_ROOM_BYTES)

    def test_31_byte_limit_holds_for_the_scan_response_of_every_badge_id(self):
        for badge_id in (0, 1, 99, 65535):
            data = advert.scan_response(badge_id)
            self.assertTrue(len(data) <= advert.AD_MAX_BYTES)
        self.assertEqual(
            binascii.hexlify(advert.scan_response(42)),
            b"1107" + b"646e62646552269f8a4c1e5b0100a7d3" + b"0909" + b"52422d3030303432",
        )
        with self.assertRaises(UsageError):
            advert.scan_response(65536)

    def test_strangers_are_refused_and_nothing_else_is_raised(self):
        good = advert.encode(WOUNDED)
        cases = [b"", b"\x00", b"RB", b"RB\x01", good[:-1], good + b"\x00"]
        cases.append(b"XX" + good[2:])
        cases.append(good[:2] + b"\x02" + good[3:])  # another version
        cases.append(good[:16] + b"\x65" + good[17:])  # battery of 101 %
        cases.append(good[:17] + b"\xa0")  # role 5
        for data in cases:
            with self.assertRaises(ProtocolError):
                host_frames.decode_advert(data)

    def test_any_bytes_decode_to_what_encodes_back_or_are_refused(self):
        state = 1
        good = advert.encode(WOUNDED)
        for _ in range(2000):
            data = bytearray(good)
            for _change in range(3):
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                data[3 + (state >> 8) % 15] = (state >> 16) & 0xFF
            try:
                value = host_frames.decode_advert(data)
            except ProtocolError:
                continue
            self.assertEqual(advert.encode(value), bytes(data))

    def test_decodes_a_view_as_well_as_bytes(self):
        self.assertEqual(host_frames.decode_advert(memoryview(advert.encode(NEW))), NEW)


if __name__ == "__main__":
    unittest.main()
