"""An event as somebody types it, with the names of the rules, to the numbers that a badge takes.

Guarantee: names and values are those that `redband rules events` prints, or their numbers; what
is wrong is one sentence that says what would be right. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from redband.errors import RedbandUserError
from redband.rules.formula import nearest
from redband.rules.loader import CompiledRuleset
from redband.rules.model import ArgInfo, EventInfo, void_source
from redband_core.ruleset_codes import VOID


def read_event(
    ruleset: CompiledRuleset, name: str, words: Sequence[str]
) -> tuple[int, tuple[int, ...]]:
    """Return (event id, arguments) of an event and its arguments, as words.

    words: values in the order of the arguments, or name=value. Raises RedbandUserError.
    """
    event = next((one for one in ruleset.events if one.name == name), None)
    if event is None:
        names = [one.name for one in ruleset.events]
        hint = nearest(name, names)
        raise RedbandUserError(f'The ruleset {ruleset.id} has no event "{name}"; {hint}')
    infos, optional = _arguments(ruleset, event)
    values = _sorted(event, infos, words)
    found = []
    for info in infos:
        word = values.get(info.name)
        if word is None:
            if info in optional:
                break
            raise RedbandUserError(
                f'"{event.name}" needs a value for {info.name}: {allowed(info)}.'
            )
        found.append(_value(event, info, word))
    return event.id, tuple(found)


def _arguments(
    ruleset: CompiledRuleset, event: EventInfo
) -> tuple[tuple[ArgInfo, ...], tuple[ArgInfo, ...]]:
    """Return (all arguments that it can have, those that may be left out)."""
    optional = void_source(ruleset.events) if event.id == VOID else ()
    return event.args + optional, optional


def _sorted(event: EventInfo, infos: Sequence[ArgInfo], words: Sequence[str]) -> dict[str, str]:
    """Return the words by the names of their arguments."""
    values: dict[str, str] = {}
    free = [info.name for info in infos]
    for word in words:
        name, is_named, value = word.partition("=")
        if not is_named:
            if not free:
                raise RedbandUserError(f'"{event.name}" takes {_count(infos)}; "{word}" is over.')
            name, value = free[0], word
        elif name not in free:
            what = "was given already" if name in values else "is no argument"
            raise RedbandUserError(f'{name} {what} of "{event.name}"; it takes {_count(infos)}.')
        free.remove(name)
        values[name] = value
    return values


def _count(infos: Sequence[ArgInfo]) -> str:
    return ", ".join(f"{info.name} ({allowed(info)})" for info in infos) or "no arguments"


def allowed(info: ArgInfo) -> str:
    """Return which values an argument takes, in words."""
    names = [name for name, _title in info.choices]
    if names:
        return f"{', '.join(names[:-1])} or {names[-1]}" if names[1:] else names[0]
    return f"{info.low} to {info.high}"


def _value(event: EventInfo, info: ArgInfo, word: str) -> int:
    names = [name for name, _title in info.choices]
    if word in names:
        return names.index(word)
    try:
        value = int(word)
    except ValueError:
        value = info.low - 1
    if not info.low <= value <= info.high:
        raise RedbandUserError(f'{info.name} of "{event.name}" is {allowed(info)}, not {word}.')
    return value
