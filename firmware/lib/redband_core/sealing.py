"""Seals a block of 16 bytes for the air: magic, form, cipher block, proof.

Problem: an outsider must neither read an advert nor make one. Guarantee: one AES-128 block and six
bytes of HMAC-SHA-256, as docs/protocol.md has them. AES comes as an argument, since no module of
it exists on both interpreters: `encrypt(block)` works on 16 bytes with the game's advert key. The
core has no randomness: who makes a block sees to it that none is made twice (it has a count that
grows). Reading a seal is in `opening`.
"""

from redband_core.advert import MAGIC, form
from redband_core.keys import hmac_sha256

PROOF_BYTES = 6


def proof(key: bytes, head: bytes, block: bytes) -> bytes:
    """Return the proof after a block. `head`: magic and form."""
    return hmac_sha256(key, head + block)[:PROOF_BYTES]


def seal(kind: int, block: bytes, key: bytes, encrypt) -> bytes:
    """Return the payload of STATE and WANTED: the proof is over the cipher block."""
    head = bytes((MAGIC, form(kind)))
    cipher = bytes(encrypt(block))
    return head + cipher + proof(key, head, cipher)
