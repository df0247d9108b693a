"""Messages of an update over the air: what a host sends a badge, and the badge's answers.

Problem: an update is longer than any message, and the link may end at any byte of it. Guarantee:
an upload is one numbered stream of bytes, a manifest and after it the files it names; any bytes
either are exactly one of the messages here or raise ProtocolError. Knows no files: the badge's
half is redband_badge.update, the host's redband.wire.upload. Bytes and vectors: docs/protocol.md.
"""

from redband_core import numbers
from redband_core.errors import ProtocolError
from redband_core.packing import Reader, put_u8, put_u16, put_u32

BEGIN = 0x30
DATA = 0x31
STATUS = 0x32
COMMIT = 0x33
ABORT = 0x34
ANSWER = 0x80  # added to the opcode

# Kinds of update.
RULESET = 1
SETTINGS = 2
FIRMWARE = 3

# Outcomes.
DONE = 0
NO_ROOM = 1  # on the flash
DAMAGED = 2  # what is there has not the hash that the manifest says
BAD_MANIFEST = 3  # or bytes that it does not name
OTHER_BADGE = 4  # it is for another one
BUSY = 5  # an update is on trial, or being looked at
NOT_BEGUN = 6
INCOMPLETE = 7
OTHER_LOADER = 8  # what starts the firmware differs: only an installation over USB replaces that
BAD_RULESET = 9
BAD_PARAMS = 10  # the ruleset does not take the player's numbers
BAD_SETTINGS = 11
NEW_GAME = 12  # it would begin one, and the host has not said that it may
FLASH_FAILED = 13
NO_MEMORY = 14
GAP = 15  # bytes before these are missing: from the answer's offset on

SLOT_BYTES = 6

ANY_BADGE = 0
MAY_BEGIN_GAME = 1  # flag of BEGIN
SENT = 0  # kind of a manifest's entry
THERE = 1  # not sent: the badge must have exactly this file
DIGEST_BYTES = 32
BUILD_BYTES = 8
OFFSET_MAX = 0x7FFFFFFF
_ASK = 0x80000000
BEGIN_BYTES = 45
ENTRY_TAIL_BYTES = 4 + DIGEST_BYTES
PATH_MAX_BYTES = 80
ENTRY_MAX_BYTES = 2 + PATH_MAX_BYTES + ENTRY_TAIL_BYTES


def encode_begin(kind: int, badge_id: int, sizes: tuple, digest: bytes, flags: int) -> bytes:
    """Return the message that begins an upload, or goes on with it. Raises UsageError.

    `badge_id`: whom it is for, ANY_BADGE for any. `sizes`: entries in the manifest, bytes of the
    whole stream, bytes of the manifest. `digest`: SHA-256 of the manifest.
    """
    count, total_bytes, manifest_bytes = sizes
    message = bytearray((BEGIN,))
    put_u8(message, kind)
    put_u16(message, badge_id)
    put_u8(message, count)
    put_u32(message, total_bytes)
    put_u16(message, manifest_bytes)
    message.extend(digest)
    put_u16(message, flags)
    return bytes(message)


def decode_begin(message: bytes) -> tuple:
    """Return (kind, badge_id, count, total_bytes, manifest_bytes, digest, flags).

    Raises ProtocolError.
    """
    if len(message) != BEGIN_BYTES:
        raise ProtocolError(numbers.ERROR_BEGIN_LENGTH)
    reader = Reader(message, 1)
    kind, badge_id, count = reader.u8(), reader.u16(), reader.u8()
    total_bytes, manifest_bytes = reader.u32(), reader.u16()
    digest, flags = reader.take(DIGEST_BYTES), reader.u16()
    is_good = RULESET <= kind <= FIRMWARE and 0 < manifest_bytes < total_bytes <= OFFSET_MAX
    if not is_good or not count or flags > MAY_BEGIN_GAME:
        raise ProtocolError(numbers.ERROR_BEGIN_SENSE)
    return kind, badge_id, count, total_bytes, manifest_bytes, digest, flags


def encode_data(offset: int, data: bytes, is_asking: bool) -> bytes:
    """Return a piece of the stream. `offset`: of its first byte. `is_asking`: for an answer."""
    message = bytearray((DATA,))
    put_u32(message, offset | _ASK if is_asking else offset)
    message.extend(data)
    return bytes(message)


def decode_data(message: bytes) -> tuple:
    """Return (offset, is_asking); the bytes begin at DATA_HEAD_BYTES. Raises ProtocolError."""
    number = Reader(message, 1).u32()
    if len(message) <= DATA_HEAD_BYTES:
        raise ProtocolError(numbers.ERROR_PIECE_EMPTY)
    return number & OFFSET_MAX, number >= _ASK


DATA_HEAD_BYTES = 5


def encode_answer(opcode: int, outcome: int, offset: int, more: bytes = b"") -> bytes:
    """Return the badge's answer to `opcode`. `offset`: the first byte that it has not."""
    message = bytearray((opcode | ANSWER,))
    put_u8(message, outcome)
    put_u32(message, offset)
    message.extend(more)
    return bytes(message)


def decode_entry(data: bytes, at: int) -> tuple:
    """Return (kind, path, bytes, digest, where the next begins) of a manifest's entry.

    Raises ProtocolError.
    """
    reader = Reader(data, at)
    kind = reader.u8()
    path = reader.take(reader.u8())
    size, digest = reader.u32(), reader.take(DIGEST_BYTES)
    if kind > THERE or not size or not 0 < len(path) <= PATH_MAX_BYTES:
        raise ProtocolError(numbers.ERROR_ENTRY_SENSE)
    for byte in path:
        if not 0x20 < byte < 0x7F:
            raise ProtocolError(numbers.ERROR_PATH_ASCII)
    return kind, path.decode(), size, digest, reader.offset


def is_allowed(kind: int, entry_kind: int, path: str) -> bool:
    """Return whether an update of `kind` may name this path."""
    if kind == FIRMWARE:
        if entry_kind == THERE:
            return path in ("/main.py", "/slots.py")
        parts = path.split("/")
        return (
            path.startswith("/lib/redband_")
            and path.endswith(".mpy")
            and "." not in path[:-4]
            and "" not in parts[1:]
        )
    if entry_kind == THERE:
        return False
    return path == "/settings.json" or (kind == RULESET and path == "/ruleset.bin")
