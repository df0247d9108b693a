"""Compiled rulesets: what a badge takes from its flash, and what it refuses."""

import binascii
import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from player import compiled

from redband_core import led
from redband_core.engine import Engine
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset


def with_checksum(data):
    """Return the data with a right checksum, so that what is wrong inside is found."""
    crc = binascii.crc32(bytes(data)) & 0xFFFFFFFF
    return bytes(data) + crc.to_bytes(4, "little")


class Decoding(unittest.TestCase):
    def test_hits_ruleset_fits_a_badge(self):
        data = compiled("hits")
        ruleset = Ruleset.from_bytes(data)
        self.assertTrue(len(data) <= 2048)
        self.assertEqual((ruleset.name, ruleset.void_window_ms), ("hits", 10000))
        self.assertEqual(ruleset.defaults()[:2], (3, 15 * 60 * 1000))
        self.assertEqual(len(ruleset.identity), 8)
        self.assertEqual(tuple(ruleset.event_args[:3]), (1, 2, 0))
        self.assertEqual(ruleset.shown_counters, (0,))

    def test_identity_names_the_exact_bytes(self):
        one = Ruleset.from_bytes(compiled("hits")).identity
        self.assertEqual(one, Ruleset.from_bytes(bytearray(compiled("hits"))).identity)
        self.assertTrue(one != Ruleset.from_bytes(compiled("lab")).identity)

    def test_a_file_that_is_none_is_refused(self):
        for data in (b"", b"RBL1", b"x" * 200, bytes(9000), compiled("hits")[1:]):
            with self.assertRaises(RulesError):
                Ruleset.from_bytes(data)

    def test_a_cut_file_is_refused_at_every_byte(self):
        data = compiled("lab")
        for end in range(len(data)):
            with self.assertRaises(RulesError):
                Ruleset.from_bytes(data[:end])

    def test_a_changed_byte_is_refused_by_the_checksum(self):
        data = compiled("lab")
        for place in range(len(data)):
            changed = bytearray(data)
            changed[place] ^= 0x10
            with self.assertRaises(RulesError):
                Ruleset.from_bytes(bytes(changed))

    def test_a_file_cut_before_its_checksum_was_made_is_refused(self):
        data = compiled("lab")[:-4]
        for end in range(4, len(data)):
            with self.assertRaises(RulesError):
                Ruleset.from_bytes(with_checksum(data[:end]))
        with self.assertRaises(RulesError):
            Ruleset.from_bytes(with_checksum(data + b"\0"))

    def test_a_forged_file_is_refused_or_runs(self):
        """Whatever passes the decoder can be played: no index or operator fails later."""
        data = compiled("lab")[:-4]
        played = 0
        for place in range(4, len(data)):
            for value in (0, 1, 2, 7, 0x7F, 0xC3, 0xD3, 0xFF):
                forged = bytearray(data)
                forged[place] = value
                try:
                    ruleset = Ruleset.from_bytes(with_checksum(forged))
                    engine = Engine(ruleset)
                except RulesError:
                    continue
                played += 1
                for event in range(len(ruleset.event_args)):
                    engine.step(engine.now_ms, event, (1,) * ruleset.event_args[event])
                for _ in range(3):
                    engine.advance_one(engine.now_ms + 60000)
                for pattern in ruleset.signals[engine.signal()]:
                    led.level(pattern, 100)
                engine.shown_timer_left_ms()
        self.assertTrue(played > 300)


if __name__ == "__main__":
    unittest.main()
