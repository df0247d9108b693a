"""Broadcasts to all badges: stop the game, go on, the fight is over; obeyed once and passed on.

Problem: a stop has to reach badges that nobody can connect to. Guarantee: a broadcast counts only
with the proof of the game's broadcast key and a number above all that this badge has obeyed; the
journal holds the number before anything shows; then the badge says it on for BROADCAST_FOR_MS,
with one hop less, so that the next ones hear it. Leaves the memory again when it was used.
"""

import cryptolib

from redband_badge import commands, limits
from redband_badge.observer import NOT_OURS, TAKEN
from redband_core import advert, broadcasts, keys, numbers, opening

_ECB = 1


def heard(side, payload: bytes) -> int:
    """Take a payload that the observer heard; return what a taker does. Raises ProtocolError.

    `side`: RadioSide.
    """
    outcome = obey(side, payload, lambda _outcome: None)
    is_ours = outcome != numbers.ANSWER_FORGED and outcome != numbers.ANSWER_BUSY
    return TAKEN if is_ours else NOT_OURS


def obey(side, payload: bytes, done) -> "int | None":
    """Obey and pass on a payload of 24 bytes; return an outcome, or None: `done` is told it later.

    Raises ProtocolError for what is no BROADCAST advert.
    """
    access = side.observer.access
    if opening.kind_of(payload) != advert.KIND_BROADCAST or not access.file:
        return numbers.ANSWER_FORGED
    cipher = cryptolib.aes(access.key(keys.ADVERT_ENCRYPT_AT), _ECB)
    block = opening.unproven_block(payload, cipher.decrypt)
    if not opening.is_proven(payload, block, access.key(keys.BROADCAST_AT)):
        return numbers.ANSWER_FORGED
    number, command, event_id, argument, _origin, hops = broadcasts.parse_broadcast(block)
    if number < side.game_journal.broadcast_number:
        return numbers.ANSWER_OLD

    def decided(outcome: int) -> None:
        # Also when it was obeyed before: a host that asks again wants it said again.
        if hops:
            side.observer.call(_with_hops(side, payload, block, hops - 1), limits.BROADCAST_FOR_MS)
        done(outcome)

    if number == side.game_journal.broadcast_number:
        decided(numbers.ANSWER_OLD)
        return None
    event = _event(side, command, event_id, argument)
    is_given = side.pending_commands.give(commands.BROADCAST, (number, command, event), decided)
    return None if is_given else numbers.ANSWER_BUSY


def _event(side, command: int, event_id: int, argument: int) -> "tuple | int":
    """Return (event id, arguments) of a word that means an event, else an outcome or 0."""
    if command != numbers.BROADCAST_FIGHT_OVER:
        return 0
    identity = side.info.ruleset_identity
    ruleset = side.ruleset
    if ruleset is None or identity[0] | identity[1] << 8 != argument:
        return numbers.ANSWER_OTHER_RULES
    if event_id >= len(ruleset.event_args):
        return numbers.ANSWER_OTHER_RULES
    return event_id, (0,) * ruleset.event_args[event_id]


def _with_hops(side, payload: bytes, block: bytes, hops: int) -> bytes:
    """Return the payload with another number of hops, which the proof leaves out."""
    at = opening.HOPS_AT
    block = block[:at] + bytes((hops,)) + block[at + 1 :]
    key = side.observer.access.key(keys.ADVERT_ENCRYPT_AT)
    encrypted = bytes(cryptolib.aes(key, _ECB).encrypt(block))
    return payload[:2] + encrypted + payload[2 + len(block) :]
