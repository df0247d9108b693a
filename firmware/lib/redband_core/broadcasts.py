"""What badges call to each other without a connection: blocks of WANTED, OFFER, RESULT, BROADCAST.

Guarantee: one value has one block, and any other 16 bytes raise ProtocolError. WANTED is sealed by
`sealing`, the others here: their proof is over the plain block, since it is of one pair or is
passed on with one hop less. Who may say what: docs/keys.md. Bytes: docs/protocol.md. A badge that
has nothing to do with treatments imports this never.
"""

from redband_core import numbers
from redband_core.advert import BLOCK_BYTES, MAGIC, form
from redband_core.errors import ProtocolError
from redband_core.opening import covered
from redband_core.packing import Reader, put_u8, put_u16, put_u32
from redband_core.sealing import proof


def seal_plain(kind: int, block: bytes, key: bytes, encrypt) -> bytes:
    """Return the payload of OFFER, RESULT, BROADCAST: the proof is over the plain block.

    `key`: of the patient and the medic's role, or of broadcasts. `encrypt`: see `sealing`.
    """
    head = bytes((MAGIC, form(kind)))
    return head + bytes(encrypt(block)) + proof(key, head, covered(kind, block))


def _filled(block: bytearray) -> bytes:
    block.extend(bytes(BLOCK_BYTES - len(block)))
    return bytes(block)


def _rest_is_zero(reader: Reader) -> None:
    while not reader.at_end():
        if reader.u8():
            raise ProtocolError(numbers.ERROR_BLOCK_LEFT_OVER)


def wanted_block(patient_id: int, count: int, nonce: int, signal: int, wishes: int) -> bytes:
    """Return the block by which a patient asks for a medic. Raises UsageError.

    `count`: the patient's advert count, u32. `nonce`: random u32, another one for each call.
    `signal`: u8. `wishes`: u8, bits whose meaning is the treatment's.
    """
    block = bytearray()
    put_u16(block, patient_id)
    put_u32(block, count)
    put_u32(block, nonce)
    put_u8(block, signal)
    put_u8(block, wishes)
    return _filled(block)


def parse_wanted(block: bytes) -> "tuple[int, int, int, int, int]":
    """Return the arguments of wanted_block. Raises ProtocolError."""
    reader = Reader(block)
    values = (reader.u16(), reader.u32(), reader.u32(), reader.u8(), reader.u8())
    _rest_is_zero(reader)
    return values


def offer_block(
    patient_id: int,
    medic_id: int,
    nonce: int,
    role: int,
    event: tuple,
    medic_count: int,
    rules: int,
) -> bytes:
    """Return the block by which a medic answers. Raises UsageError.

    `nonce`: of the WANTED it answers. `event`: (event id, two arguments), u8 each. `medic_count`:
    the medic's advert count, of which the lower 16 bits are sent. `rules`: the first two bytes of
    the identity of the medic's ruleset, in which the event has its number.
    """
    block = bytearray()
    put_u16(block, patient_id)
    put_u16(block, medic_id)
    put_u32(block, nonce)
    put_u8(block, role)
    for value in event:
        put_u8(block, value)
    put_u16(block, medic_count & 0xFFFF)
    put_u16(block, rules)
    return bytes(block)


def parse_offer(block: bytes) -> "tuple[int, int, int, int, tuple[int, int, int], int, int]":
    """Return the arguments of offer_block. Raises ProtocolError."""
    reader = Reader(block)
    names = (reader.u16(), reader.u16(), reader.u32(), reader.u8())
    event = (reader.u8(), reader.u8(), reader.u8())
    values = (event, reader.u16(), reader.u16())
    _rest_is_zero(reader)
    return names + values


def result_block(patient_id: int, medic_id: int, nonce: int, event_id: int, outcome: int) -> bytes:
    """Return the block by which a patient says what came of an offer. Raises UsageError.

    The first three as in offer_block. `outcome`: -32768..32767, see `tap`.
    """
    block = bytearray()
    put_u16(block, patient_id)
    put_u16(block, medic_id)
    put_u32(block, nonce)
    put_u8(block, event_id)
    put_u16(block, outcome & 0xFFFF if -0x8000 <= outcome < 0x8000 else outcome)
    return _filled(block)


def parse_result(block: bytes) -> "tuple[int, int, int, int, int]":
    """Return the arguments of result_block. Raises ProtocolError."""
    reader = Reader(block)
    names = (reader.u16(), reader.u16(), reader.u32(), reader.u8())
    outcome = reader.u16()
    _rest_is_zero(reader)
    return names + (outcome - 0x10000 if outcome >= 0x8000 else outcome,)


def broadcast_block(
    number: int, command: int, event_id: int, argument: int, origin: int, hops: int
) -> bytes:
    """Return the block of a command to all badges. Raises UsageError.

    `number`: u32, one more for each command of a game. `command`: BROADCAST_. `event_id`: u8, 0
    for none. `argument`, `origin` (badge id of who said it first, 0 for a host): u16. `hops`: how
    often it may be passed on, u8.
    """
    block = bytearray()
    put_u32(block, number)
    put_u8(block, command)
    put_u8(block, event_id)
    put_u16(block, argument)
    put_u16(block, origin)
    put_u8(block, hops)
    return _filled(block)


def parse_broadcast(block: bytes) -> "tuple[int, int, int, int, int, int]":
    """Return the arguments of broadcast_block. Raises ProtocolError."""
    reader = Reader(block)
    names = (reader.u32(), reader.u8(), reader.u8())
    values = (reader.u16(), reader.u16(), reader.u8())
    _rest_is_zero(reader)
    return names + values
