"""Makes the key file of a badge; no badge carries this in its memory."""

import binascii

from redband_core.keys import FILE_VERSION


def encode_key_file(
    game_id: bytes, group_keys: bytes, badge_keys: bytes, role: int, role_key: bytes
) -> bytes:
    """Return a key file. `game_id`: 4 bytes. `group_keys`: advert encryption and proof, broadcast.

    `badge_keys`: the badge's own for roles 1 to 4, joined. `role`, `role_key`: the wearer's, 0
    and zeros for a player.
    """
    data = bytes((FILE_VERSION,)) + game_id + group_keys + badge_keys + bytes((role,)) + role_key
    return data + binascii.crc32(data).to_bytes(4, "little")
