"""Effects of a rule: `hits -= n`, `health -> dying`, `timer health += 1 min` to engine effects.

Problem: what a rule does should read like a sentence, and run as four numbers on the badge.
Guarantee: a parsed effect names an existing counter, track and state; a mistake is a FormulaError.

    hits = 3 · hits += 1 · hits -= n     change a counter (kept inside its bounds)
    health -> dying                      go to a state, with the state's own timer
    health -> resting for 5 min          go to a state with this timer instead (0: none)
    timer health = 60 s · timer health += 60 s · stop health · pause health · resume health
    note amnesia 30 min                  note a value under a name in the journal
"""

from __future__ import annotations

import re

from redband.rules.formula import FormulaError, Scope, compile_formula, nearest
from redband.rules.model import Effect
from redband_core import ruleset_codes as core

_COUNTER = re.compile(r"^(\w+)\s*(=|\+=|-=)(?!=)\s*(.+)$")
_GO = re.compile(r"^(\w+)\s*->\s*(\w+)(?:\s+for\s+(.+))?$")
_TIMER = re.compile(r"^timer\s+(\w+)\s*(=|\+=)(?!=)\s*(.+)$")
_STAND = re.compile(r"^(stop|pause|resume)\s+(\w+)$")
_NOTE = re.compile(r"^note\s+(\w+)(?:\s+(.+))?$")
_HINT = 'write for example "hits -= 1", "health -> dying" or "timer health += 60 s"'


def parse_effect(text: str, scope: Scope, counters: list[str], notes: list[str]) -> Effect:
    """Return the effect; a new note's name is added to `notes`. Raises FormulaError."""
    text = text.strip()
    if match := _GO.match(text):
        return _go(match, scope, text)
    if match := _TIMER.match(text):
        op = core.TIMER_SET if match[2] == "=" else core.TIMER_ADD
        track = _track(match[1], scope)
        return Effect(op, track, 0, compile_formula(match[3], scope), text)
    if match := _STAND.match(text):
        track = _track(match[2], scope)
        if match[1] == "stop":
            return Effect(core.TIMER_SET, track, 0, compile_formula("0", scope), text)
        return Effect(core.PAUSE if match[1] == "pause" else core.RESUME, track, 0, None, text)
    if match := _NOTE.match(text):
        if match[1] not in notes:
            notes.append(match[1])
        value = compile_formula(match[2] or "0", scope)
        return Effect(core.NOTE, 0, notes.index(match[1]), value, text)
    if match := _COUNTER.match(text):
        return _counter(match, scope, counters, text)
    raise FormulaError(f'"{text}" is not an effect', _HINT, text)


def _track(name: str, scope: Scope) -> int:
    if name not in scope.tracks:
        raise FormulaError(f'unknown track "{name}"', nearest(name, scope.tracks), name)
    return scope.tracks[name][0]


def _go(match: re.Match[str], scope: Scope, text: str) -> Effect:
    track, state, duration = match.groups()
    number = _track(track, scope)
    states = scope.tracks[track][1]
    if state not in states:
        raise FormulaError(
            f'track "{track}" has no state "{state}"', nearest(state, states), state
        )
    value = compile_formula(duration, scope) if duration else None
    return Effect(core.GO, number, states.index(state), value, text)


def _counter(match: re.Match[str], scope: Scope, counters: list[str], text: str) -> Effect:
    name, sign, value = match.groups()
    if name not in counters:
        if name in scope.slots:
            hint = "a param is fixed for the player; use a counter"
            raise FormulaError(f'"{name}" is a param and can\'t be changed', hint, name)
        if name in scope.args:
            raise FormulaError(f'"{name}" is an argument and can\'t be changed', "", name)
        if name in scope.tracks:
            hint = f'write "{name} -> {value.strip()}" to go to a state'
            raise FormulaError(f'"{name}" is a track, not a counter', hint, name)
        raise FormulaError(f'unknown counter "{name}"', nearest(name, counters), name)
    formula = value if sign == "=" else f"{name} {sign[0]} ({value})"
    return Effect(core.SET, scope.slots[name], 0, compile_formula(formula, scope), text)
