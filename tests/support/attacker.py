"""An attacker: what somebody with a radio, and with more or less loot, tries on a badge.

Each attack is a generator: it gives frames to write to CONTROL in one connection, and is sent the
messages that came back on CONTROL. So one program attacks a session in memory and a whole badge
over a virtual radio. It knows the protocol, and no key but those that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from redband.keys import GameKeys
from redband.keys.derive import badge_key
from redband.wire import command_frames as wire_command_frames
from redband.wire import frames as wire_frames
from redband_core import frames, numbers, proofs

Attack = Generator[list[bytes], list[bytes], None]

MASTER, MEDIC = 3, 1
NONCE = b"attacker"
FRAME_BYTES = 244

FETCH_ALL = wire_frames.encode_fetch(0)
RELEASE_ALL = wire_frames.encode_ack(0, 0, 0xFFFF)
STOP = wire_command_frames.encode_command(7, numbers.COMMAND_PAUSE)
HIT = wire_command_frames.encode_event(8, 1, (1, 2))
ORDERS = {"fetch": FETCH_ALL, "release": RELEASE_ALL, "stop": STOP, "hit": HIT}


def one(number: int, message: bytes) -> bytes:
    """Return a message in a single frame."""
    return frames.message_part(number, frames.seal(message), 0, 0, FRAME_BYTES)


def hello(role: int, nonce: bytes = NONCE) -> bytes:
    """Return a HELLO as message 1."""
    return one(1, wire_frames.encode_hello(role, nonce))


def nonce_in(answers: list[bytes]) -> bytes:
    """Return the badge's nonce out of its answers to HELLO."""
    return wire_frames.decode_welcome(answers[0]).nonce


# With nothing but what was heard.


def replay(loot: list[bytes]) -> Attack:
    """Say a recorded session again, frame for frame."""
    for frame in loot:
        yield [frame]


def replay_proof(loot: list[bytes]) -> Attack:
    """Greet anew, and say only the recorded proof and what came after it."""
    yield [hello(MASTER)]
    yield loot[1:]


def guess(role: int, key: bytes, badge_id: int) -> Attack:
    """Prove with some other key."""
    answers = yield [hello(role)]
    session = proofs.session_key(key, role, badge_id, NONCE, nonce_in(answers))
    yield [one(2, wire_frames.encode_prove(proofs.host_proof(session)))]


def blind_guess(proof: bytes) -> Attack:
    """Prove with bytes by chance."""
    yield [hello(MASTER)]
    yield [one(2, wire_frames.encode_prove(proof))]


def echo() -> Attack:
    """Prove with what the badge has said itself."""
    answers = yield [hello(MASTER)]
    yield [one(2, wire_frames.encode_prove(nonce_in(answers)))]


def skip_proof(order: bytes, is_greeted: bool) -> Attack:
    """Order without a proof."""
    if is_greeted:
        yield [hello(MASTER)]
    yield [one(2, order)]


def skip_hello(proof: bytes) -> Attack:
    """Prove without a greeting: the badge then has no nonce of the host."""
    yield [one(1, wire_frames.encode_prove(proof))]


def forged_order(order: bytes, key: bytes) -> Attack:
    """Order with a signature of another key, without a proof."""
    yield [hello(MASTER)]
    yield [one(2, proofs.signed(key, proofs.FROM_HOST, 1, order))]


def downgrade(version: int) -> Attack:
    """Speak another version of the protocol, and then order as version 1 did: unsigned."""
    message = bytes((frames.HELLO, version)) + b"\x03" + NONCE
    yield [one(1, message)]
    yield [one(2, FETCH_ALL), one(3, RELEASE_ALL)]


@dataclass(frozen=True)
class Loot:
    """What an attacker has. session: frames which a good host wrote to this badge."""

    badge_id: int
    session: list[bytes]
    other_game: GameKeys
    keys: GameKeys
    """Of this game: used only for keys of other badges and roles than the attacked."""


def without_key(loot: Loot) -> Iterator[tuple[str, Callable[[], Attack]]]:
    """Give (name, attack) of everything that is refused for want of a key."""
    badge_id, other_id = loot.badge_id, loot.badge_id + 1
    yield "replayed session", lambda: replay(loot.session)
    yield "replayed proof", lambda: replay_proof(loot.session)
    yield "chance", lambda: blind_guess(bytes(range(16)))
    yield "zeros", lambda: blind_guess(bytes(16))
    yield "echo", echo
    yield "proof without hello", lambda: skip_hello(bytes(16))
    for role in (0, 1, 2, 3, 4, 5, 255):
        yield f"empty key as {role}", lambda role=role: guess(role, b"", badge_id)
    for role in (1, 2, 3, 4):
        foreign = badge_key(loot.other_game, badge_id, role) or b""
        yield f"other game as {role}", lambda r=role, k=foreign: guess(r, k, badge_id)
        neighbour = badge_key(loot.keys, other_id, role) or b""
        yield f"other badge's key as {role}", lambda r=role, k=neighbour: guess(r, k, badge_id)
        yield f"other badge's session as {role}", lambda r=role, k=neighbour: guess(r, k, other_id)
        for wrong in {1, 2, 3, 4} - {role}:
            key = badge_key(loot.keys, badge_id, wrong) or b""
            yield f"role {wrong} as {role}", lambda r=role, k=key: guess(r, k, badge_id)
    for name, order in ORDERS.items():
        yield f"{name} before hello", lambda order=order: skip_proof(order, False)
        yield f"{name} before proof", lambda order=order: skip_proof(order, True)
        yield f"signed {name} before proof", lambda order=order: forged_order(order, bytes(32))


VERSIONS = (0, 1, 3, 255)


# After the proof of somebody else: in the middle of a good session, or as its medic.


@dataclass
class Hijack:
    """A session that a good host of `role` has opened; `orders` makes what the attacker adds.

    orders(key of the session): messages, given the key only to take pieces of what is signed by
    it: an attacker in the middle sees those pieces.
    """

    role: int
    key: bytes
    badge_id: int
    orders: Callable[[bytes], list[bytes]]

    def __call__(self) -> Attack:
        answers = yield [hello(self.role)]
        key = proofs.session_key(self.key, self.role, self.badge_id, NONCE, nonce_in(answers))
        yield [one(2, wire_frames.encode_prove(proofs.host_proof(key)))]
        for number, message in enumerate(self.orders(key), 3):
            yield [one(number, message)]


def signed(key: bytes, number: int, order: bytes) -> bytes:
    """Return a good host's order."""
    return proofs.signed(key, proofs.FROM_HOST, number, order)


def changed(message: bytes, at: int) -> bytes:
    """Return a message with one bit changed."""
    return message[:at] + bytes((message[at] ^ 1,)) + message[at + 1 :]


def in_the_middle(order: bytes) -> dict[str, Callable[[bytes], list[bytes]]]:
    """Return attacks on a good session, each of which must end it without effect."""
    tail = proofs.SIGNATURE_BYTES
    return {
        "stripped signature": lambda key: [order],
        "half a signature": lambda key: [signed(key, 1, order)[:-4]],
        "zeros for a signature": lambda key: [order + bytes(tail)],
        "signature of another order": lambda key: [order + signed(key, 1, FETCH_ALL)[-tail:]],
        "badge's signature": lambda key: [proofs.signed(key, proofs.FROM_BADGE, 1, order)],
        "changed order": lambda key: [changed(signed(key, 1, order), 1)],
        "changed number": lambda key: [changed(signed(key, 1, order), len(order))],
        "signature of another session": lambda key: [signed(bytes(32), 1, order)],
    }


def reordered(order: bytes) -> dict[str, Callable[[bytes], list[bytes]]]:
    """Return what is said again or late: the first is done, and nothing is done twice."""
    return {
        "said again": lambda key: [signed(key, 1, order)] * 5,
        "late": lambda key: [signed(key, 9, order), signed(key, 3, order), signed(key, 8, order)],
        "wrapped": lambda key: [signed(key, 0xFFFFFFFF, order), signed(key, 1, order)],
    }
