"""The boxes and arrows of a state diagram: what is said, not yet where it stands.

Guarantee: each state of the track is a box, each transition is on exactly one arrow; arrows that
say the same from several states are one arrow with several beginnings. It knows no coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

from redband.rules.loader import CompiledRuleset
from redband.rules.model import SignalInfo
from redband.rules.start import Start
from redband.rules.transitions import Transition, transitions
from redband.rules.wording import Wording

ANY = -1  # the box "any state" as a source
EVENT, TIMER, ALWAYS = "event", "timer", "always"


@dataclass(frozen=True, slots=True)
class State:
    """A box. time: how long it lasts, or "". signal: what the badge shows (see `Start.signal`)."""

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

    title: str
    states: tuple[State, ...]
    arrows: tuple[Arrow, ...]


def track_graph(start: Start, track: int, words: Wording) -> TrackGraph:
    """Return boxes and arrows of a track."""
    info = start.ruleset.tracks[track]
    states = tuple(
        State(
            words.get(state.title),
            words.state_time(start, track, number),
            start.signal(track, number),
            number == info.initial,
            state.is_final,
        )
        for number, state in enumerate(info.states)
    )
    return TrackGraph(words.get(info.title), states, _arrows(start, track, words))


def _arrows(start: Start, track: int, words: Wording) -> tuple[Arrow, ...]:
    """Join what two states do for the same reasons, then what is left between two states."""
    labels: dict[tuple[int, int, str], list[Label]] = {}
    for transition in transitions(start.ruleset, track):
        label = _label(start, track, transition, words)
        for source in [ANY] if transition.is_from_any else transition.sources:
            found = labels.setdefault((source, transition.target, _kind(transition)), [])
            if label not in found:
                found.append(label)
    sources: dict[tuple[int, str, tuple[Label, ...]], list[int]] = {}
    for (source, target, kind), found in labels.items():
        sources.setdefault((target, kind, tuple(found)), []).append(source)
    return tuple(
        Arrow(tuple(from_states), target, kind, found)
        for (target, kind, found), from_states in sources.items()
    )


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
        place: CompiledRuleset = start.ruleset
        text += ": " + words.get(place.tracks[rule.after[0]].states[rule.after[1]].title)
    return Label(text, condition)
