"""Who a badge is, in bytes: the value of the INFO characteristic, and the heart of WELCOME.

Bytes: docs/protocol.md. A module of its own, since a badge says it before any host connects.
"""

from redband_core import numbers
from redband_core.errors import UsageError
from redband_core.packing import put_u8, put_u16, put_u32

PROTOCOL_VERSION = 2
VERSION_TEXT_MAX = 16
IDENTITY_BYTES = 8


def _put_identity(message: bytearray, info) -> None:
    put_u8(message, PROTOCOL_VERSION)
    put_u16(message, info.badge_id)
    put_u32(message, info.install_id)
    put_u32(message, info.boot_id)


def _put_versions(message: bytearray, info) -> None:
    identity = bytes(info.ruleset_identity)
    text = info.firmware_version.encode()
    if len(identity) != IDENTITY_BYTES or len(text) > VERSION_TEXT_MAX:
        raise UsageError(numbers.ERROR_INFO_LENGTH)
    message.extend(identity)
    put_u8(message, len(text))
    message.extend(text)


def encode_info(info) -> bytes:
    """Return the value of the INFO characteristic: who the badge is, without a session."""
    value = bytearray()
    _put_identity(value, info)
    _put_versions(value, info)
    return bytes(value)
