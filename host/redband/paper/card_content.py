"""What stands on a player's card, before it has a place.

Problem: a player in the field must read from the light what is wrong and what may be done.
Guarantee: every signal and every state of the ruleset is there, each state once; each text is the
ruleset's own. It knows no paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from redband.rules.loader import CompiledRuleset
from redband.rules.model import SignalInfo
from redband.rules.start import Start
from redband.rules.wording import Wording
from redband_core import led


@dataclass(frozen=True, slots=True)
class StateText:
    """What one may do in a state. title: "" when the heading above says it already."""

    title: str
    time: str
    may: str
    may_not: str

    def is_bare(self) -> bool:
        """Return True when there is no more to say than the title."""
        return not (self.time or self.may or self.may_not)


@dataclass(frozen=True, slots=True)
class SignalText:
    """What the badge shows: (channel, pattern) of each light used, and what it means."""

    name: str
    lights: tuple[tuple[int, int], ...]
    title: str
    states: tuple[StateText, ...]


@dataclass(frozen=True, slots=True)
class TrackText:
    """States of a track that no light stands for."""

    title: str
    states: tuple[StateText, ...]


@dataclass(frozen=True, slots=True)
class GestureText:
    """What the button does. code: of `redband_core.gestures`. details: the event's arguments."""

    code: int
    does: str
    means: str
    details: str


@dataclass(frozen=True, slots=True)
class Card:
    """Everything on the card."""

    title: str
    signals: tuple[SignalText, ...]
    unlit: tuple[TrackText, ...]
    gestures: tuple[GestureText, ...]
    numbers: tuple[tuple[str, str], ...]


def card_content(ruleset: CompiledRuleset, params: Sequence[int], words: Wording) -> Card:
    """Return the card of a player with these params."""
    start = Start(ruleset, params)
    lit: dict[int, list[StateText]] = {signal.id: [] for signal in ruleset.signals}
    unlit: list[TrackText] = []
    for track, info in enumerate(ruleset.tracks):
        rest = []
        for state in range(len(info.states)):
            signal = start.signal(track, state)
            if _stands_for(signal, track, state == info.initial):
                lit[signal.id].append(_state(start, track, state, words, signal))
            else:
                rest.append(_state(start, track, state, words, None))
        if rest:
            unlit.append(TrackText(words.get(info.title), _joined(rest)))
    signals = tuple(_signal(signal, lit[signal.id], words) for signal in ruleset.signals)
    gestures = tuple(
        GestureText(gesture.code, words.gesture(gesture), *words.call(gesture))
        for gesture in ruleset.gestures
    )
    numbers = tuple(
        (words.get(param.title), words.param(number, value))
        for number, (param, value) in enumerate(zip(ruleset.params, params, strict=True))
    )
    return Card(words.get(ruleset.title), signals, tuple(unlit), gestures, numbers)


def _stands_for(signal: SignalInfo, track: int, is_initial: bool) -> bool:
    """Return True when the signal is about this track, or about none and all is at the start."""
    where = signal.condition.where
    return any(t == track for t, _states in where) or (is_initial and not where)


def _state(
    start: Start, track: int, state: int, words: Wording, signal: SignalInfo | None
) -> StateText:
    info = start.ruleset.tracks[track].states[state]
    until = words.get(signal.timer_title) if signal and signal.timer == track else ""
    time = words.state_time(start, track, state, until)
    return StateText(words.get(info.title), time, words.get(info.may), words.get(info.may_not))


def _signal(signal: SignalInfo, states: list[StateText], words: Wording) -> SignalText:
    patterns = enumerate((signal.red, signal.green, signal.vibration))
    lights = tuple((channel, pattern) for channel, pattern in patterns if pattern != led.OFF)
    title = words.get(signal.title)
    joined = list(_joined(states))
    if joined and joined[0].title == title:
        joined[0] = replace(joined[0], title="")
    return SignalText(signal.name, lights, title, tuple(joined))


def _joined(states: list[StateText]) -> tuple[StateText, ...]:
    """Join the titles of states about which the same is said; those with nothing come last."""
    titles: dict[tuple[str, str, str], list[str]] = {}
    for state in states:
        titles.setdefault((state.time, state.may, state.may_not), []).append(state.title)
    found = [StateText("; ".join(names), *texts) for texts, names in titles.items()]
    return tuple(sorted(found, key=StateText.is_bare))
