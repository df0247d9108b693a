"""Settings as a technician writes them, `brightness_pct=40`, judged by the badge's own check.

Guarantee: what passes here the badge accepts, since `redband_core.settings_check` runs there, too;
what does not is one sentence that names the values allowed. Does not talk to a badge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from redband.errors import RedbandUserError
from redband_core import settings_check

DEFAULTS: dict[str, object] = {
    "player": "",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}
"""Of the keys that a badge must have, less its number."""

_GOOD: dict[str, object] = {"badge_id": 1} | DEFAULTS
_NUMBERS = {name: (lowest, highest) for name, _, lowest, highest in settings_check.NUMBERS}
_CHOICES = dict(settings_check.CHOICES) | {"role": settings_check.ROLES, "radio": ("on", "off")}
_WORDS_OF_RADIO = {"on": True, "true": True, "off": False, "false": False}
_ELSEWHERE = {
    "badge_id": "is given with redband badge install --badge-id",
    "params": "are given with redband badge install --param",
    "ruleset": "is given with redband badge install --ruleset",
}
NAMES = ("player", "role", "radio", *_NUMBERS, *dict(settings_check.CHOICES))
"""What can be set without a new game."""


def allowed(name: str) -> str:
    """Return what a setting may be, for a sentence. `name`: one of NAMES."""
    if name in _NUMBERS:
        lowest, highest = _NUMBERS[name]
        return f"a whole number from {lowest} to {highest}"
    if name in _CHOICES:
        return f"one of {', '.join(_CHOICES[name])}"
    return f"a name of up to {settings_check.NAME_CHARACTERS_MAX} characters"


def parsed(pairs: Iterable[str]) -> dict[str, object]:
    """Return the settings in `name=value` texts. Raises RedbandUserError."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise RedbandUserError(f"A setting is name=value, not {pair}.")
        if name in _ELSEWHERE:
            raise RedbandUserError(f"{name} {_ELSEWHERE[name]}.")
        if name not in NAMES:
            raise RedbandUserError(f"There is no setting {name}; there are {', '.join(NAMES)}.")
        value = _value(name, text)
        if not is_good(name, value):
            raise RedbandUserError(f"{name} is {allowed(name)}, not {text}.")
        found[name] = value
    return found


def _value(name: str, text: str) -> object:
    if name in _NUMBERS:
        try:
            return int(text)
        except ValueError:
            return text
    return _WORDS_OF_RADIO.get(text.lower(), text) if name == "radio" else text


def is_good(name: str, value: object) -> bool:
    """Return whether a badge that has only good settings otherwise takes this one."""
    return isinstance(settings_check.check(_GOOD | {name: value}), settings_check.Settings)


def repaired(values: Mapping[str, object], say: Callable[[str], None]) -> dict[str, object]:
    """Return the settings that a badge would take of `values`; the rest becomes the default.

    A setting of another version, or a damaged one, would put the badge into safe mode.
    """
    found = dict(DEFAULTS)
    for name, value in values.items():
        if is_good(name, value):
            found[name] = value
        else:
            say(f"The badge's setting {name} ({value!r}) is not one of this version: left out.")
    return found


def shown(settings: settings_check.Settings) -> list[str]:
    """Return checked settings as `name=value` texts, as parsed() takes them."""
    values: dict[str, object] = {
        "player": settings.player,
        "role": settings_check.ROLES[settings.role],
        "radio": "on" if settings.has_radio else "off",
    }
    values |= {name: getattr(settings, name) for name in _NUMBERS}
    for name, words in settings_check.CHOICES:
        values[name] = words[getattr(settings, name)]
    return [f"{name}={values[name]}" for name in NAMES]
