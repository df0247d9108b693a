"""The boxes and arrows of a state diagram: what is said, not yet where it stands.

Guarantee: each state of the track is a box, each transition is on exactly one arrow; arrows that
say the same from several states are one arrow with several beginnings. It knows no coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

from redband.rules.model import SignalInfo
from redband.rules.start import Start
from redband.rules.transitions import Transition, transitions
from redband.rules.wording import Wording

ANY = -1  # the box "any state" as a source
EVENT, TIMER, ALWAYS = "event", "timer", "always"


@dataclass(frozen=True, slots=True)
class State:
    """A box. time: how long it lasts, or "". signal: what the badge shows (see `Start.signal`)."""

    name: str
    title: str
    time: str
    signal: SignalInfo
    is_initial: bool
    is_final: bool


@dataclass(frozen=True, slots=True)
class Label:
    """One trigger on an arrow: its words, and the condition or ""."""

    text: str
    condition: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """Transitions of one kind from any of `sources` (numbers of states, or ANY) to `target`."""

    sources: tuple[int, ...]
    target: int
    kind: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class TrackGraph:
    """The diagram of one track."""

    name: str
    title: str
    states: tuple[State, ...]
    arrows: tuple[Arrow, ...]


def track_graph(start: Start, track: int, words: Wording) -> TrackGraph:
    """Return boxes and arrows of a track."""
    info = start.ruleset.tracks[track]
    states = tuple(
        State(
            state.name,
            words.get(state.title),
            words.state_time(start, track, number),
            start.signal(track, number),
            number == info.initial,
            state.is_final,
        )
        for number, state in enumerate(info.states)
    )
    return TrackGraph(info.name, words.get(info.title), states, _arrows(start, track, words))


def _arrows(start: Start, track: int, words: Wording) -> tuple[Arrow, ...]:
    """Return the arrows: what several states do for one reason is one arrow with its label."""
    sources: dict[tuple[int, str, Label], list[int]] = {}
    for transition in transitions(start.ruleset, track):
        label = _label(start, track, transition, words)
        found = sources.setdefault((transition.target, _kind(transition), label), [])
        for source in [ANY] if transition.is_from_any else transition.sources:
            if source not in found:
                found.append(source)
    labels: dict[tuple[tuple[int, ...], int, str], list[Label]] = {}
    for (target, kind, label), found in sources.items():
        if found:
            labels.setdefault((tuple(sorted(found)), target, kind), []).append(label)
    return tuple(Arrow(*ends, tuple(found)) for ends, found in labels.items())


def _kind(transition: Transition) -> str:
    if transition.event is not None:
        return EVENT
    return TIMER if transition.rule.after is not None else ALWAYS


def _label(start: Start, track: int, transition: Transition, words: Wording) -> Label:
    rule = transition.rule
    condition = words.condition(rule.condition, rule.events, track)
    if transition.event is not None:
        return Label(words.get(transition.event.title), condition)
    if rule.after is None:
        return Label(words.pick("at once", "сразу"), condition)
    time_ms = start.fixed_time_ms(*rule.after)
    has_other_times = bool(start.time_rules(*rule.after))
    text = words.pick("when the time is up", "когда время вышло")
    if time_ms and not has_other_times:
        text = words.pick("after ", "через ") + words.duration(time_ms)
    if rule.after[0] != track:
        state = start.ruleset.tracks[rule.after[0]].states[rule.after[1]]
        text += ": " + words.get(state.title)
    return Label(text, condition)
