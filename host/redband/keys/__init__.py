"""Keys of a game on the host: made, kept in files, derived for badges and roles (docs/keys.md)."""

from redband.keys.derive import GameKeys, Keys, RoleKeys
from redband.keys.files import (
    KEY_FILE,
    find_keys,
    game_keys,
    keep_game_keys,
    load_keys,
    save_role_keys,
)

__all__ = [
    "KEY_FILE",
    "GameKeys",
    "Keys",
    "RoleKeys",
    "find_keys",
    "game_keys",
    "keep_game_keys",
    "load_keys",
    "save_role_keys",
]
