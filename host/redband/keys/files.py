"""Key files: JSON of one object, readable by its owner only.

Guarantee: a key is never overwritten unless the caller says so, never printed, and never taken
from a file that others can read; a file is written beside and renamed, so there is never half a
key. Every obstacle is one sentence with what to do.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from redband.errors import RedbandUserError
from redband.keys.derive import GAME_KEY_BYTES, GameKeys, Keys, RoleKeys
from redband_core import keys
from redband_core.settings_check import ROLES

KEY_FILE = "game.key"
"""Name of the game's key in a data folder, and in the directory of a virtual field."""

_GAME = "game key"
_ROLE = "role key"
_VERSION = 1
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def load_keys(path: Path) -> Keys:
    """Return the keys in `path`, a game's or a role's. Raises RedbandUserError."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise RedbandUserError(
            f"There is no key file {path}; make one with: redband keys new, or name it with --key."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise RedbandUserError(f"The key file {path} cannot be read ({reason}).") from error
    if os.name == "posix" and mode & _OTHERS:
        raise RedbandUserError(
            f"Others can read the key file {path}; take that away with: chmod 600 {path}"
        )
    try:
        return _parse(json.loads(text))
    except (ValueError, KeyError, TypeError) as error:
        raise RedbandUserError(
            f"The file {path} is no key file of this Redband; take another with --key."
        ) from error


def _parse(content: dict) -> Keys:
    if content["version"] != _VERSION:
        raise ValueError("of another version")
    if content["redband"] == _GAME:
        return GameKeys(_hex(content["key"], GAME_KEY_BYTES))
    if content["redband"] != _ROLE:
        raise ValueError("of another kind")
    broadcast = content.get("fleet")  # as version 0.1 named it
    return RoleKeys(
        game_id=_hex(content["game"], keys.GAME_ID_BYTES),
        role=ROLES.index(content["role"]),
        key=_hex(content["role_key"], keys.KEY_BYTES),
        advert_encrypt=_hex(content["advert_encrypt"], keys.KEY_BYTES),
        advert_proof=_hex(content["advert_proof"], keys.KEY_BYTES),
        broadcast=None if broadcast is None else _hex(broadcast, keys.KEY_BYTES),
    )


def _hex(text: str, size: int) -> bytes:
    value = bytes.fromhex(text)
    if len(value) != size:
        raise ValueError("of another length")
    return value


def game_keys(path: Path) -> GameKeys:
    """Return the game's keys in `path`, where a role's are not enough. Raises RedbandUserError."""
    found = load_keys(path)
    if not isinstance(found, GameKeys):
        raise RedbandUserError(
            f"The key file {path} is the {ROLES[found.role]}'s; this needs the game's own key,"
            " which only the organiser has."
        )
    return found


def keep_game_keys(path: Path, may_replace: bool = False) -> GameKeys:
    """Make the keys of a new game and keep them in `path`. Raises RedbandUserError.

    may_replace: a key that is there already is given up, and with it the game that it opens.
    """
    if path.exists() and not may_replace:
        raise RedbandUserError(
            f"There is a key in {path} already; --replace gives it up, and every badge has to be"
            " installed again with the new one."
        )
    made = GameKeys.new()
    _write(path, {"redband": _GAME, "version": _VERSION, "key": made.secret.hex()})
    return made


def find_keys(path: Path) -> GameKeys:
    """Return the game's keys in `path`, made when there are none yet. Raises RedbandUserError."""
    return game_keys(path) if path.exists() else keep_game_keys(path)


def save_role_keys(path: Path, role_keys: RoleKeys, may_replace: bool = False) -> None:
    """Keep a role's keys in `path`. Raises RedbandUserError."""
    if path.exists() and not may_replace:
        raise RedbandUserError(f"There is a file {path} already; --replace overwrites it.")
    content = {
        "redband": _ROLE,
        "version": _VERSION,
        "game": role_keys.game_id.hex(),
        "role": ROLES[role_keys.role],
        "role_key": role_keys.key.hex(),
        "advert_encrypt": role_keys.advert_encrypt.hex(),
        "advert_proof": role_keys.advert_proof.hex(),
    }
    if role_keys.broadcast is not None:
        content["fleet"] = role_keys.broadcast.hex()
    _write(path, content)


def _write(path: Path, content: dict) -> None:
    beside = path.with_name(path.name + ".new")
    try:
        beside.unlink(missing_ok=True)
        # Born with its mode: no moment in which others could read it.
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise RedbandUserError(
            f"The key file {path} cannot be written ({error.strerror}); name another place."
        ) from error
