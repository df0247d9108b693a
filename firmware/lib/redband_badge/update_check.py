"""Checks a ruleset or settings that came over the air, by the badge's own loader and checks.

Guarantee: what the next start would refuse is refused before anything is replaced; what would
begin a new game is, unless the host said that it may. At COMMIT a second ruleset may not fit the
memory beside the running one; then the next start checks it, before it loads the old one.
"""

import gc
import hashlib
import json
import sys

from redband_badge import files
from redband_badge.settings import SettingsStore, parse
from redband_core import upload
from redband_core.engine import Engine
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_core.settings_check import Settings

# By radio: the keys of a badge are bound to its number and role, and without radio it would hear
# no more.
_KEPT = ("badge_id", "role", "radio", "ruleset")
_SETTINGS = "/settings.json"


def prepare(root: str, running: tuple, now) -> int:
    """Return DONE, with /stage/manifest as slots.py wants it, or the outcome. Raises OSError.

    `root`: directory of the files. `running`: (settings, Ruleset or None, its identity). `now`: a
    whole staging.Upload.
    """
    options, ruleset, running_identity = running
    names = []
    for entry in now.entries():
        # Changes are no settings yet: what they make of the present ones comes after them.
        names.append("" if entry[1] == _SETTINGS else options.ruleset_path)
    if len(names) > 2 or (now.kind == upload.RULESET) != bool(names[0]):
        return upload.BAD_MANIFEST
    settings, identity = options, running_identity
    if "" in names:
        changes = files.read_bytes(now.staged(names.index(""), "")) or b""
        merged = _merged(SettingsStore(root), changes)
        settings = parse(merged)
        if merged is None or not isinstance(settings, Settings):
            return upload.BAD_SETTINGS
        files.replace(now.staged(len(names), ""), merged)
        names.append(_SETTINGS)
    if names[0]:
        data = files.read_bytes(now.staged(0, "")) or b""
        identity = hashlib.sha256(data).digest()[:8]
    files.replace(root + "/stage/manifest", json.dumps(names).encode())
    outcome = _check(root, names, settings, ruleset)
    if outcome not in (upload.DONE, upload.NO_MEMORY):
        return outcome
    is_same = identity == running_identity and settings.params == options.params
    if not is_same and not now.flags & upload.MAY_BEGIN_GAME:
        return upload.NEW_GAME
    return upload.DONE


def _merged(store, changes: bytes) -> "bytes | None":
    """Return the settings in use with the changes, None for changes that make no sense."""
    try:
        values, new = json.loads(store.good_bytes() or b"{}"), json.loads(changes)
    except ValueError:
        return None
    if not isinstance(new, dict) or [name for name in _KEPT if name in new]:
        return None
    values.update(new)
    return json.dumps(values).encode()


def _check(root: str, names: list, settings, ruleset) -> int:
    """Return what the badge's own loader says of a staged ruleset, and of the player's numbers.

    `ruleset`: the one that stays when none is staged; None takes the file's.
    """
    path = root + "/stage/0" if names[0] else root + settings.ruleset_path
    try:
        if names[0] or ruleset is None:
            gc.collect()
            ruleset = Ruleset.from_bytes(files.read_bytes(path) or b"")
    except RulesError:
        return upload.BAD_RULESET
    except MemoryError:
        return upload.NO_MEMORY
    try:
        Engine(ruleset, settings.params or None)
    except RulesError:
        return upload.BAD_PARAMS
    except MemoryError:
        return upload.NO_MEMORY
    return upload.DONE


def take_over(root: str) -> None:
    """At a start: let staged settings or a ruleset take their places, or say why not."""
    try:
        _take_over(root)
    except (OSError, ValueError):
        pass  # a flash that fails: the next start tries again
    sys.modules.pop("slots", None)


def _take_over(root: str) -> None:
    import slots  # only here: it is no byte code, and takes room

    slot = bytearray(files.read_bytes(root + "/slot") or b"")
    if len(slot) != slots.SLOT_BYTES or slot[0] != slots.TAKE or slot[1] == slots.FIRMWARE:
        return
    if not slot[2]:
        names = slots.staged_names(root)
        settings = SettingsStore(root).load()
        if names[-1] == _SETTINGS:
            settings = parse(files.read_bytes(root + "/stage/%d" % (len(names) - 1)))
        outcome = upload.BAD_SETTINGS
        if isinstance(settings, Settings):
            outcome = _check(root, names, settings, None)
        slot[2] = 1
        if outcome:
            slot[0], slot[3] = slots.TOLD, outcome
        slots.keep(root, slot)
    if slot[0] == slots.TAKE:
        slots.choose(root, False)
    else:
        slots.drop(root + "/stage")
