"""The badge's identity and choices: /settings.json, checked at each boot.

Guarantee: a value that is missing, unknown, of the wrong type or out of range makes the whole
file bad; the last good settings are used then, and the bad file stays where it is for the
technician to see. A power cut while saving leaves the old or the new settings.
"""

import json
from collections import namedtuple

from redband_badge import files

OK = 0
PROBLEM_MISSING = 1  # no settings file: never provisioned
PROBLEM_SYNTAX = 2  # not JSON, or not an object
PROBLEM_KEYS = 3  # a key is missing or unknown
PROBLEM_VALUE = 4  # a value has the wrong type or range
PROBLEM_READ = 5  # the flash would not read it

ROLES = ("player", "medic", "marshal", "game_master", "technician")
BADGE_ID_MAX = 0xFFFE  # 0xFFFF means "nobody" in adverts
PARAM_MAX = 0x3FFFFFFF  # the engine's integers fit small ints on the 32-bit chip
PARAMS_MAX = 32
NAME_CHARACTERS_MAX = 40

_REQUIRED = {"badge_id", "player", "role", "radio", "ruleset"}

# Keys that may be missing: name, default, lowest, highest.
_NUMBERS = (
    ("impact_threshold_mg", 4000, 200, 16000),
    ("brightness_pct", 100, 1, 100),
    ("auto_off_min", 60, 0, 1440),
)
# Keys that may be missing: name, the words allowed; the first is the default.
_CHOICES = (
    ("impact", ("switch", "off", "accelerometer")),
    ("radio_mode", ("continuous", "windowed")),
    ("treatment", ("open", "badge", "host")),
)
# "params" without a value: the ruleset's defaults.
_OPTIONAL = {"params"} | {row[0] for row in _NUMBERS} | {row[0] for row in _CHOICES}

Settings = namedtuple(
    "Settings",
    (
        "badge_id",
        "player",
        "role",
        "has_radio",
        "params",
        "ruleset_path",
        "problem",
        "impact_threshold_mg",
        "brightness_pct",
        "auto_off_min",
        "impact",
        "radio_mode",
        "treatment",
    ),
)
"""Checked values. role: index in ROLES. params: ints for the ruleset, empty for its defaults.
problem: why they are not those of /settings.json, OK when they are. impact_threshold_mg: force of
a blow that counts, by the accelerometer. brightness_pct: of the LEDs. auto_off_min: minutes
without input, in no game, until the badge sleeps; 0 for never. impact: what feels a blow: 0
switch, 1 nothing, 2 accelerometer. radio_mode: 0 continuous, 1 windowed. treatment: 0 open, 1
badge, 2 host."""


def defaults() -> Settings:
    """Return what a badge that was never provisioned runs with."""
    values = (0, "", 0, True, (), "/ruleset.bin", OK) + (_options({}) or ())
    return Settings(*values)


def _is_int(value: object, lowest: int, highest: int) -> bool:
    # True is an int in Python; "badge_id": true is a mistake all the same.
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _check(values: object) -> "Settings | int":
    if not isinstance(values, dict):
        return PROBLEM_SYNTAX
    if set(values) | _OPTIONAL != _REQUIRED | _OPTIONAL:
        return PROBLEM_KEYS
    player, params = values["player"], values.get("params", [])
    is_good = (
        _is_int(values["badge_id"], 1, BADGE_ID_MAX)
        and isinstance(player, str)
        and len(player) <= NAME_CHARACTERS_MAX
        and values["role"] in ROLES
        and isinstance(values["radio"], bool)
        and isinstance(params, list)
        and len(params) <= PARAMS_MAX
        and all(_is_int(param, 0, PARAM_MAX) for param in params)
        and isinstance(values["ruleset"], str)
        and values["ruleset"].startswith("/")
    )
    options = _options(values)
    if not is_good or options is None:
        return PROBLEM_VALUE
    role = ROLES.index(values["role"])
    common = (values["badge_id"], player, role, values["radio"], tuple(params), values["ruleset"])
    return Settings(*(common + (OK,) + options))


def _options(values: dict) -> "tuple | None":
    """Return the values of the optional keys, or None when one is wrong."""
    found = []
    for name, default, lowest, highest in _NUMBERS:
        value = values.get(name, default)
        if not _is_int(value, lowest, highest):
            return None
        found.append(value)
    for name, words in _CHOICES:
        word = values.get(name, words[0])
        if word not in words:
            return None
        found.append(words.index(word))
    return tuple(found)


def _parse(data: "bytes | None") -> "Settings | int":
    if data is None:
        return PROBLEM_MISSING
    try:
        return _check(json.loads(data))
    except ValueError:  # bad JSON; bad UTF-8 is a ValueError too
        return PROBLEM_SYNTAX


class SettingsStore:
    """/settings.json and its last good copy /settings.good."""

    def __init__(self, root: str = "") -> None:
        """`root`: directory that holds the files, "" for the file system's own."""
        self._path = root + "/settings.json"
        self._good_path = root + "/settings.good"

    def load(self) -> Settings:
        """Return the settings, or the last good ones, or defaults, with `problem` set."""
        try:
            data = files.read_bytes(self._path)
            found = _parse(data)
        except OSError:
            data, found = None, PROBLEM_READ
        if isinstance(found, Settings):
            return found
        try:
            good = _parse(files.read_bytes(self._good_path))
        except OSError:
            good = PROBLEM_READ
        kept = good if isinstance(good, Settings) else defaults()
        return Settings(*(kept[:6] + (found,) + kept[7:]))

    def keep_as_good(self) -> None:
        """Remember /settings.json as the last good one, if it is not yet. Raises OSError.

        Call when the ruleset has accepted them: until then a value may be legal and still wrong.
        """
        data = files.read_bytes(self._path)
        if isinstance(_parse(data), Settings) and data != files.read_bytes(self._good_path):
            files.replace(self._good_path, data or b"")

    def save(self, data: bytes) -> int:
        """Replace /settings.json; return OK, or a problem and change nothing. Raises OSError."""
        found = _parse(data)
        if not isinstance(found, Settings):
            return found
        files.replace(self._path, data)
        return OK
