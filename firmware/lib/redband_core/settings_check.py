"""The badge's settings: which keys there are and what each may be.

Problem: a host that checks otherwise than the badge provisions badges into safe mode. Guarantee:
both use this one module; a value that is missing, unknown, of the wrong type or out of range
makes the whole set bad. Knows no files (redband_badge.settings does). A badge forgets it after
its start.
"""

from collections import namedtuple

from redband_core import numbers

ROLES = ("player", "medic", "marshal", "game_master", "technician")
"""By their ROLE_ numbers: the words of settings, rulesets and options."""
BADGE_ID_MAX = 0xFFFE  # 0xFFFF means "nobody" in adverts
PARAM_MIN = -0x40000000  # the engine's integers fit small ints on the 32-bit chip
PARAM_MAX = 0x3FFFFFFF
PARAMS_MAX = 32
NAME_CHARACTERS_MAX = 40

REQUIRED = ("badge_id", "player", "role", "radio", "ruleset")

# Keys that may be missing: name, default, lowest, highest.
NUMBERS = (
    ("impact_threshold_mg", 4000, 200, 16000),
    ("brightness_pct", 100, 1, 100),
    ("auto_off_min", 60, 0, 1440),
    ("skill", 0, 0, 9),
)
# Keys that may be missing: name, the words allowed; the first is the default.
CHOICES = (
    ("impact", ("switch", "off", "accelerometer")),
    ("radio_mode", ("board", "continuous", "windowed")),
    ("treatment", ("open", "badge", "host")),
)
# "params" without a value: the ruleset's defaults.
OPTIONAL = ("params",) + tuple([row[0] for row in NUMBERS]) + tuple([row[0] for row in CHOICES])

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
        "skill",
        "impact",
        "radio_mode",
        "treatment",
    ),
)
"""Checked values. role: index in ROLES. params: ints for the ruleset, empty for its defaults.
problem: why they are not those of /settings.json, OK when they are. impact_threshold_mg: force of
a blow that counts, by the accelerometer. brightness_pct: of the LEDs. auto_off_min: minutes
without input, in no game, until the badge sleeps; 0 for never. skill: of a medic. impact: what
feels a blow: 0 switch, 1 nothing, 2 accelerometer. radio_mode: 0 as the board says, 1 continuous,
2 windowed. treatment: 0 open, 1 badge, 2 host."""


def defaults() -> Settings:
    """Return what a badge that was never provisioned runs with."""
    values = (0, "", 0, True, (), "/ruleset.bin", numbers.PROBLEM_NONE) + (_options({}) or ())
    return Settings(*values)


def check(values: object) -> "Settings | int":
    """Return the checked settings, or a PROBLEM_ number. `values`: what JSON gave."""
    if not isinstance(values, dict):
        return numbers.PROBLEM_SYNTAX
    if set(values) | set(OPTIONAL) != set(REQUIRED) | set(OPTIONAL):
        return numbers.PROBLEM_KEYS
    player, params = values["player"], values.get("params", [])
    is_good = (
        _is_int(values["badge_id"], 1, BADGE_ID_MAX)
        and isinstance(player, str)
        and len(player) <= NAME_CHARACTERS_MAX
        and values["role"] in ROLES
        and isinstance(values["radio"], bool)
        and isinstance(params, list)
        and len(params) <= PARAMS_MAX
        and all(_is_int(param, PARAM_MIN, PARAM_MAX) for param in params)
        and isinstance(values["ruleset"], str)
        and values["ruleset"].startswith("/")
    )
    options = _options(values)
    if not is_good or options is None:
        return numbers.PROBLEM_VALUE
    role = ROLES.index(values["role"])
    common = (values["badge_id"], player, role, values["radio"], tuple(params), values["ruleset"])
    return Settings(*(common + (numbers.PROBLEM_NONE,) + options))


def _is_int(value: object, lowest: int, highest: int) -> bool:
    # True is an int in Python; "badge_id": true is a mistake all the same.
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _options(values: dict) -> "tuple | None":
    """Return the values of the optional keys, or None when one is wrong."""
    found = []
    for name, default, lowest, highest in NUMBERS:
        value = values.get(name, default)
        if not _is_int(value, lowest, highest):
            return None
        found.append(value)
    for name, words in CHOICES:
        word = values.get(name, words[0])
        if word not in words:
            return None
        found.append(words.index(word))
    return tuple(found)
