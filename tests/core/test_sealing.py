"""Seals: what only a holder of the keys can make and read, and what badges call to each other."""

import binascii
import sys
import unittest

from redband_core import numbers

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

import aes

from redband_core import advert, broadcasts, opening, sealing
from redband_core.errors import ProtocolError, UsageError

CIPHER_KEY = bytes(range(16))
PROOF_KEY = bytes(range(16, 32))
OTHER_KEY = bytes(range(32, 48))
BLOCK = bytes(range(0x60, 0x70))
encrypt, decrypt = aes.encryptor(CIPHER_KEY), aes.decryptor(CIPHER_KEY)

OFFER = broadcasts.offer_block(42, 7, 0xAABBCCDD, 1, (9, 2, 3), 0x12345, 0xCAFE)
RESULT = broadcasts.result_block(42, 7, 0xAABBCCDD, 9, -10)
BROADCAST = broadcasts.broadcast_block(5, numbers.BROADCAST_PAUSE, 0, 30, 7, 1)


class StateSealTest(unittest.TestCase):
    def setUp(self):
        self.payload = sealing.seal(advert.KIND_STATE, BLOCK, PROOF_KEY, encrypt)

    def test_golden_vector(self):
        self.assertEqual(
            binascii.hexlify(self.payload),
            b"5220" + binascii.hexlify(encrypt(BLOCK)) + self.proof_by_hand(),
        )

    def proof_by_hand(self):
        from redband_core.keys import hmac_sha256

        return binascii.hexlify(hmac_sha256(PROOF_KEY, self.payload[:18])[:6])

    def test_aes_is_that_of_fips_197(self):
        block = binascii.unhexlify(b"00112233445566778899aabbccddeeff")
        self.assertEqual(
            binascii.hexlify(aes.encryptor(CIPHER_KEY)(block)), b"69c4e0d86a7b0430d8cdb78070b4c55a"
        )

    def test_comes_back_with_the_keys_and_only_with_them(self):
        self.assertEqual(opening.opened(self.payload, PROOF_KEY, decrypt), BLOCK)
        self.assertIsNone(opening.opened(self.payload, OTHER_KEY, decrypt))
        self.assertFalse(BLOCK in self.payload)

    def test_every_changed_bit_is_noticed_and_nothing_decrypted(self):
        asked = []

        def spy(cipher):
            asked.append(cipher)
            return cipher

        for index in range(advert.PAYLOAD_BYTES):
            for bit in range(8):
                data = bytearray(self.payload)
                data[index] ^= 1 << bit
                self.assertIsNone(opening.opened(bytes(data), PROOF_KEY, spy))
        self.assertEqual(asked, [])

    def test_seal_of_one_kind_is_none_of_another(self):
        as_wanted = self.payload[:1] + bytes((advert.form(advert.KIND_WANTED),)) + self.payload[2:]
        self.assertEqual(opening.kind_of(as_wanted), advert.KIND_WANTED)
        self.assertIsNone(opening.opened(as_wanted, PROOF_KEY, decrypt))

    def test_strangers_and_other_versions_are_no_payload(self):
        for data in (
            b"",
            self.payload[:-1],
            self.payload + b"\0",
            b"\x53" + self.payload[1:],
            b"\x52\x10" + self.payload[2:],
            b"RB\x01" + bytes(15),  # version 1
        ):
            with self.assertRaises(ProtocolError):
                opening.kind_of(data)


class PlainSealTest(unittest.TestCase):
    def sealed(self, kind, block):
        return broadcasts.seal_plain(kind, block, PROOF_KEY, encrypt)

    def test_offer_and_broadcast_come_back_with_their_key_only(self):
        for kind, block in (
            (advert.KIND_OFFER, OFFER),
            (advert.KIND_RESULT, RESULT),
            (advert.KIND_BROADCAST, BROADCAST),
        ):
            payload = self.sealed(kind, block)
            self.assertEqual(opening.unproven_block(payload, decrypt), block)
            self.assertTrue(opening.is_proven(payload, block, PROOF_KEY))
            self.assertFalse(opening.is_proven(payload, block, OTHER_KEY))
            other = block[:-1] + b"\x01"
            self.assertFalse(opening.is_proven(payload, other, PROOF_KEY))

    def test_broadcast_command_may_be_passed_on_with_one_hop_less_and_no_other_change(self):
        payload = self.sealed(advert.KIND_BROADCAST, BROADCAST)
        passed_on = BROADCAST[: opening.HOPS_AT] + b"\x00" + BROADCAST[opening.HOPS_AT + 1 :]
        again = payload[:2] + encrypt(passed_on) + payload[-sealing.PROOF_BYTES :]
        block = opening.unproven_block(again, decrypt)
        self.assertEqual(broadcasts.parse_broadcast(block), (5, 1, 0, 30, 7, 0))
        self.assertTrue(opening.is_proven(again, block, PROOF_KEY))
        for index in range(16):
            if index != opening.HOPS_AT:
                changed = bytearray(BROADCAST)
                changed[index] ^= 1
                self.assertFalse(opening.is_proven(payload, bytes(changed), PROOF_KEY))


class BroadcastTest(unittest.TestCase):
    def test_golden_vectors(self):
        wanted = broadcasts.wanted_block(42, 0x140007, 0xAABBCCDD, 3, 5)
        self.assertEqual(binascii.hexlify(wanted), b"2a0007001400ddccbbaa030500000000")
        self.assertEqual(binascii.hexlify(OFFER), b"2a000700ddccbbaa010902034523feca")
        self.assertEqual(binascii.hexlify(RESULT), b"2a000700ddccbbaa09f6ff0000000000")
        self.assertEqual(binascii.hexlify(BROADCAST), b"0500000001001e000700010000000000")

    def test_values_come_back(self):
        wanted = broadcasts.wanted_block(42, 7, 8, 3, 5)
        self.assertEqual(broadcasts.parse_wanted(wanted), (42, 7, 8, 3, 5))
        offer = (42, 7, 0xAABBCCDD, 1, (9, 2, 3), 0x2345, 0xCAFE)
        self.assertEqual(broadcasts.parse_offer(OFFER), offer)
        for outcome in (0, 1, 0x7FFF, -1, -0x8000):
            block = broadcasts.result_block(42, 7, 0xAABBCCDD, 9, outcome)
            found = (42, 7, 0xAABBCCDD, 9, outcome)
            self.assertEqual(broadcasts.parse_result(block), found)
        self.assertEqual(broadcasts.parse_broadcast(BROADCAST), (5, 1, 0, 30, 7, 1))

    def test_one_value_has_one_block(self):
        parsers = (
            (broadcasts.parse_wanted, broadcasts.wanted_block(1, 2, 3, 4, 5)),
            (broadcasts.parse_result, RESULT),
            (broadcasts.parse_broadcast, BROADCAST),
        )
        for parse, block in parsers:
            for wrong in (block[:-1] + b"\x01", block[:9], b""):
                with self.assertRaises(ProtocolError):
                    parse(wrong)

    def test_value_out_of_range_is_refused(self):
        with self.assertRaises(UsageError):
            broadcasts.wanted_block(65536, 0, 0, 0, 0)
        with self.assertRaises(UsageError):
            broadcasts.offer_block(1, 2, 3, 1, (256, 0, 0), 0, 0)
        with self.assertRaises(UsageError):
            broadcasts.broadcast_block(1 << 32, 1, 0, 0, 0, 0)


if __name__ == "__main__":
    unittest.main()
