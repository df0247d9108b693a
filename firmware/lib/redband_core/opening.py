"""Opens what `sealing` and `broadcasts` have sealed: for hosts, and for badges that listen.

Guarantee: nothing is decrypted before its proof held, but for the kinds whose proof is over the
plain block: those say so in their names. `decrypt(block)`: AES-128 of 16 bytes with the game's
advert key.
"""

from redband_core import numbers
from redband_core.advert import BLOCK_BYTES, KIND_BROADCAST, MAGIC, PAYLOAD_BYTES, VERSION
from redband_core.errors import ProtocolError
from redband_core.keys import is_same
from redband_core.sealing import proof

HOPS_AT = 10
"""Where a BROADCAST block says how often it may still be passed on; its proof leaves it out."""

_HEAD_BYTES = 2
_PROOF_AT = _HEAD_BYTES + BLOCK_BYTES


def kind_of(payload: "bytes | bytearray | memoryview") -> int:
    """Return the kind of a payload of this version. Raises ProtocolError for anything else."""
    if len(payload) != PAYLOAD_BYTES or payload[0] != MAGIC or payload[1] >> 4 != VERSION:
        raise ProtocolError(numbers.ERROR_ADVERT_VERSION)
    return payload[1] & 15


def opened(payload: bytes, key: bytes, decrypt) -> "bytes | None":
    """Return the block of a STATE or WANTED payload, None when its proof is wrong."""
    cipher = bytes(payload[_HEAD_BYTES:_PROOF_AT])
    right = proof(key, bytes(payload[:_HEAD_BYTES]), cipher)
    if not is_same(right, bytes(payload[_PROOF_AT:])):
        return None
    return bytes(decrypt(cipher))


def covered(kind: int, block: bytes) -> bytes:
    """Return what of an OFFER or BROADCAST block its proof is over."""
    return block[:HOPS_AT] + block[HOPS_AT + 1 :] if kind == KIND_BROADCAST else block


def unproven_block(payload: bytes, decrypt) -> bytes:
    """Return the block of an OFFER or BROADCAST; believe nothing in it before is_proven."""
    return bytes(decrypt(bytes(payload[_HEAD_BYTES:_PROOF_AT])))


def is_proven(payload: bytes, block: bytes, key: bytes) -> bool:
    """Return whether the proof of an OFFER or BROADCAST payload is right for its `block`."""
    right = proof(key, bytes(payload[:_HEAD_BYTES]), covered(payload[1] & 15, block))
    return is_same(right, bytes(payload[_PROOF_AT:]))
