"""Keys of a game: HMAC-SHA-256, the keys of one badge, and the file that holds them.

Problem: MicroPython has SHA-256 and nothing above it. Guarantee: the same bytes on both
interpreters; comparing two proofs takes the same time wherever they differ; a key file that is not
exactly one is refused whole. Knows no files and no clock. Who holds which key: docs/keys.md.
Bytes: docs/protocol.md. What only a host derives is in redband.keys.
"""

import binascii
import hashlib

from redband_core import numbers
from redband_core.limits import PROOF_GAP_MS

KEY_BYTES = 16
GAME_ID_BYTES = 4


FILE_BYTES = 138
"""Of /keys.bin: version, game id, advert encryption, advert proof, broadcast, the badge's own key
for each of the four roles, the wearer's role and its key (0 and zeros for none), CRC-32."""

FILE_VERSION = 1
# Where they stand.
GAME_ID_AT = 1
ADVERT_ENCRYPT_AT = 5
ADVERT_PROOF_AT = 21
BROADCAST_AT = 37
BADGE_AT = 53  # of role 1, then the other three
OWN_ROLE_AT = 117
OWN_KEY_AT = 118
CRC_AT = 134

_BLOCK_BYTES = 64  # of SHA-256
_INNER = int.from_bytes(b"\x36" * _BLOCK_BYTES, "little")
_OUTER = int.from_bytes(b"\x5c" * _BLOCK_BYTES, "little")


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA-256 of `message`, 32 bytes. `key`: up to 64 bytes."""
    # One exclusive-or of two long integers: a loop over 64 bytes takes a badge ten times as long.
    number = int.from_bytes(key, "little")
    inner = hashlib.sha256((number ^ _INNER).to_bytes(_BLOCK_BYTES, "little"))
    inner.update(message)
    outer = hashlib.sha256((number ^ _OUTER).to_bytes(_BLOCK_BYTES, "little"))
    outer.update(inner.digest())
    return outer.digest()


def is_same(one: bytes, other: bytes) -> bool:
    """Return whether two proofs are equal, in a time that does not tell where they differ."""
    if len(one) != len(other):
        return False
    difference = 0
    for index in range(len(one)):
        difference |= one[index] ^ other[index]
    return difference == 0


def badge_key(role_key: bytes, badge_id: int) -> bytes:
    """Return what a holder of `role_key` and badge `badge_id` (u16) have in common, 16 bytes."""
    return hmac_sha256(role_key, b"redband badge" + badge_id.to_bytes(2, "little"))[:KEY_BYTES]


def is_key_file(data: "bytes | None") -> bool:
    """Return whether `data` is a whole key file of this version."""
    return (
        data is not None
        and len(data) == FILE_BYTES
        and data[0] == FILE_VERSION
        and data[OWN_ROLE_AT] <= numbers.ROLE_TECHNICIAN
        and int.from_bytes(data[CRC_AT:], "little") == binascii.crc32(data[:CRC_AT])
    )


class Access:
    """Who may talk to a badge: its keys, and how often somebody tried without one.

    Kept over all connections, so that a new one is no new try. refused_count: proofs and commands
    refused so far. advert_count, game_ms: count of the newest advert and game time, which a
    session tells the host. file: the key file, empty for none.
    """

    def __init__(self, file: bytes = b"") -> None:
        """`file`: content of a key file that is one (is_key_file), empty for none."""
        self.file = file
        self.advert_count = 0
        self.game_ms = 0
        self.refused_count = 0
        self._refused_ms = -1

    def key(self, at: int) -> bytes:
        """Return the key that stands at one of the _AT positions."""
        return self.file[at : at + KEY_BYTES]

    def badge_key(self, role: int) -> bytes:
        """Return the key of this badge and `role`, empty when there is none."""
        if not numbers.ROLE_MEDIC <= role <= numbers.ROLE_TECHNICIAN:
            return b""
        return self.key(BADGE_AT + KEY_BYTES * (role - 1))

    def refuse(self, now_ms: int) -> None:
        """Count a refusal; the next proof waits."""
        self.refused_count += 1
        self._refused_ms = now_ms

    def is_waiting(self, now_ms: int) -> bool:
        """Return whether a proof has to wait: the last one was wrong, and just now."""
        return self._refused_ms >= 0 and now_ms - self._refused_ms < PROOF_GAP_MS
