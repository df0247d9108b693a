"""Keys: HMAC against published vectors, the key file, and comparing without telling where."""

import binascii
import unittest

from redband.wire import keys as wire_keys
from redband_core import keys, limits

FILE = wire_keys.encode_key_file(
    b"GAME", bytes(range(48)), bytes(range(64)), 2, b"own role key 16b"
)


class HmacTest(unittest.TestCase):
    def test_vectors_of_rfc_4231(self):
        for key, message, expected in (
            (
                b"\x0b" * 20,
                b"Hi There",
                b"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                b"\xaa" * 20,
                b"\xdd" * 50,
                b"773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
        ):
            self.assertEqual(binascii.hexlify(keys.hmac_sha256(key, message)), expected)

    def test_key_that_ends_with_zeros_is_the_key_without_them(self):
        # HMAC fills a key with zeros: all of ours have one length, so no two are the same.
        self.assertEqual(keys.hmac_sha256(b"k\0\0", b"m"), keys.hmac_sha256(b"k", b"m"))

    def test_comparing(self):
        proof = bytes(range(16))
        self.assertTrue(keys.is_same(proof, bytes(range(16))))
        for index in range(16):
            other = bytearray(proof)
            other[index] ^= 1
            self.assertFalse(keys.is_same(proof, bytes(other)))
        for other in (b"", proof[:15], proof + b"\0"):
            self.assertFalse(keys.is_same(proof, other))


class KeyFileTest(unittest.TestCase):
    def test_every_key_stands_where_it_belongs(self):
        self.assertEqual(len(FILE), keys.FILE_BYTES)
        self.assertTrue(keys.is_key_file(FILE))
        access = keys.Access(FILE)
        self.assertEqual(FILE[keys.GAME_ID_AT : keys.ADVERT_ENCRYPT_AT], b"GAME")
        self.assertEqual(access.key(keys.ADVERT_ENCRYPT_AT), bytes(range(16)))
        self.assertEqual(access.key(keys.ADVERT_PROOF_AT), bytes(range(16, 32)))
        self.assertEqual(access.key(keys.BROADCAST_AT), bytes(range(32, 48)))
        for role in (1, 2, 3, 4):
            start = 16 * (role - 1)
            self.assertEqual(access.badge_key(role), bytes(range(start, start + 16)))
        self.assertEqual(FILE[keys.OWN_ROLE_AT], 2)
        self.assertEqual(access.key(keys.OWN_KEY_AT), b"own role key 16b")

    def test_there_is_no_key_of_a_player_of_an_unknown_role_or_without_a_file(self):
        for role in (0, 5, 255):
            self.assertEqual(keys.Access(FILE).badge_key(role), b"")
        self.assertEqual(keys.Access().badge_key(3), b"")

    def test_proof_waits_behind_a_wrong_one(self):
        access = keys.Access(FILE)
        self.assertFalse(access.is_waiting(0))
        access.refuse(1000)
        self.assertTrue(access.is_waiting(1000))
        self.assertTrue(access.is_waiting(999 + limits.PROOF_GAP_MS))
        self.assertFalse(access.is_waiting(1000 + limits.PROOF_GAP_MS))
        self.assertEqual(access.refused_count, 1)

    def test_anything_else_is_no_key_file(self):
        self.assertFalse(keys.is_key_file(None))
        for data in (b"", FILE[:-1], FILE + b"\0", bytes(138)):
            self.assertFalse(keys.is_key_file(data))
        for index in range(len(FILE)):
            changed = bytearray(FILE)
            changed[index] ^= 0x40
            self.assertFalse(keys.is_key_file(bytes(changed)), index)
        wrong_role = wire_keys.encode_key_file(b"GAME", bytes(48), bytes(64), 5, bytes(16))
        self.assertFalse(keys.is_key_file(wrong_role))

    def test_badge_and_holder_of_a_role_have_one_key_that_no_other_badge_has(self):
        role_key = bytes(range(16))
        found = {keys.badge_key(role_key, badge_id) for badge_id in (0, 1, 42, 256, 65535)}
        self.assertEqual(len(found), 5)
        self.assertEqual({len(key) for key in found}, {16})


if __name__ == "__main__":
    unittest.main()
