"""The proofs of a session: both ends show that they hold one key, and sign what follows.

Problem: whoever is near can connect, listen, and say again what he heard. Guarantee: a session key
is bound to version, role, badge and a nonce of each end, so that no proof or signature is worth
anything in another session, with another badge or as another role; the badge's proof covers all
that the host acts on (its journal's numbers, its advert count, who it says it is). Keys: `keys`.
Bytes: docs/protocol.md.
"""

from redband_core.frames import PROOF_BYTES
from redband_core.info import PROTOCOL_VERSION
from redband_core.keys import hmac_sha256, is_same

TAG_BYTES = 8
SIGNATURE_BYTES = 4 + TAG_BYTES
FROM_HOST = b"h"
FROM_BADGE = b"b"


def session_key(
    badge_key: bytes, role: int, badge_id: int, host_nonce: bytes, badge_nonce: bytes
) -> bytes:
    """Return the key of one session, 32 bytes. `badge_key`: of this badge and `role`."""
    head = b"redband session" + bytes((PROTOCOL_VERSION, role)) + badge_id.to_bytes(2, "little")
    return hmac_sha256(badge_key, head + host_nonce + badge_nonce)


def host_proof(key: bytes) -> bytes:
    """Return what a host says in PROVE. `key`: of the session, here and below."""
    return hmac_sha256(key, b"host")[:PROOF_BYTES]


def badge_proof(key: bytes, numbers: bytes, info: bytes) -> bytes:
    """Return the proof in PROVED. `numbers`: what stands before it there; `info`: as INFO."""
    return hmac_sha256(key, b"badge" + numbers + info)[:PROOF_BYTES]


def log_proof(key: bytes, digest: bytes) -> bytes:
    """Return the proof in END. `digest`: SHA-256 of the stream's frames up to this proof."""
    return hmac_sha256(key, b"log" + digest)[:TAG_BYTES]


def signed(key: bytes, sender: bytes, number: int, message: bytes) -> bytes:
    """Return `message` with its signature. `sender`: FROM_; `number`: u32, grows from 1."""
    counted = number.to_bytes(4, "little")
    tag = hmac_sha256(key, sender + counted + message)[:TAG_BYTES]
    return message + counted + tag


def number_of(key: bytes, sender: bytes, message: bytes) -> int:
    """Return the number of a signed message, 0 when its signature is wrong."""
    end = len(message) - SIGNATURE_BYTES
    if end < 1:
        return 0
    number = int.from_bytes(message[end : end + 4], "little")
    if not is_same(signed(key, sender, number, message[:end]), message):
        return 0
    return number
