"""A checked ruleset with all its names: what the reader makes and everything else reads.

Problem: the badge's bytes hold no names, while tables, pages, cards and diagrams need them.
Guarantee: plain immutable values; every number (event, state, counter ...) is the one that the
compiled bytes use. Titles exist in English and Russian.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from redband.rules.formula import Code


@dataclass(frozen=True, slots=True)
class Text:
    """One text in the two languages of the user interface."""

    en: str
    ru: str

    def get(self, language: str) -> str:
        """Return the text in `language` ("ru", else English)."""
        return self.ru if language == "ru" else self.en


@dataclass(frozen=True, slots=True)
class ParamInfo:
    """A number fixed for each player. `is_time`: it counts ms."""

    name: str
    title: Text
    default: int
    low: int
    high: int
    is_time: bool


@dataclass(frozen=True, slots=True)
class CounterInfo:
    """A number that events change, kept between `low` and `high` (formulas over params)."""

    name: str
    title: Text
    low: Code
    high: Code
    start: Code


@dataclass(frozen=True, slots=True)
class StateInfo:
    """One state of a track. `timer`: formula in ms or None; `timer_text`: as written."""

    name: str
    title: Text
    may: Text
    may_not: Text
    is_final: bool
    timer: Code | None
    timer_text: str


@dataclass(frozen=True, slots=True)
class TrackInfo:
    """A region that is in exactly one of its states. `initial`: number of the first one."""

    name: str
    title: Text
    states: tuple[StateInfo, ...]
    initial: int

    def state(self, name: str) -> int:
        """Return the number of a state. Raises ValueError for an unknown name."""
        return [state.name for state in self.states].index(name)


@dataclass(frozen=True, slots=True)
class ArgInfo:
    """An event's argument, `low` to `high`; with `choices` the value is a choice's number."""

    name: str
    title: Text
    low: int
    high: int
    choices: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class EventInfo:
    """Something that can happen to a player. `roles`: who may send it.

    source_arg: number of the argument that tells the source of a voidable event, None for none.
    otherwise: refusal when no rule of it applies.
    """

    id: int
    name: str
    title: Text
    args: tuple[ArgInfo, ...]
    roles: tuple[str, ...]
    is_voidable: bool
    source_arg: int | None
    otherwise: int


def void_source(events: Iterable[EventInfo]) -> tuple[ArgInfo, ...]:
    """Return the argument that "void" can take besides: whose hits it takes back; or nothing."""
    found = [event.args[event.source_arg] for event in events if event.source_arg is not None]
    return tuple(found[:1])


@dataclass(frozen=True, slots=True)
class RefusalInfo:
    """Why an event was not applied. Number 0 stands for "applied"."""

    id: int
    name: str
    title: Text


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect; `op` as in `redband_core.ruleset`, `text` as written."""

    op: int
    target: int
    a: int
    value: Code | None
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Where (track number to its allowed state numbers) and guard; `text` as written."""

    where: tuple[tuple[int, tuple[int, ...]], ...]
    guard: Code | None
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Exactly one of `events`, `after` (track, state) and `is_always` is given.

    refusal: 0 when the rule applies its effects. cites: ids of the rule book. file, line: where it
    stands. name: what a file that includes this one calls it, or "".
    """

    events: tuple[int, ...]
    after: tuple[int, int] | None
    is_always: bool
    condition: Condition
    refusal: int
    effects: tuple[Effect, ...]
    cites: str
    line: int
    file: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class SignalInfo:
    """What the badge shows; the first signal whose condition holds.

    red, green, vibration: pattern codes of `redband_core.led`. timer: track whose timer belongs to
    it, None for none. same_as: name of an earlier signal that it may look like.
    """

    id: int
    name: str
    title: Text
    condition: Condition
    red: int
    green: int
    vibration: int
    timer: int | None
    timer_title: Text
    same_as: str


@dataclass(frozen=True, slots=True)
class GestureInfo:
    """A gesture of the button or sensor and the event it sends."""

    name: str
    code: int
    event: int
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RulesetModel:
    """A whole ruleset. Tuples are in the order of the compiled numbers."""

    id: str
    title: Text
    void_window_ms: int
    params: tuple[ParamInfo, ...]
    counters: tuple[CounterInfo, ...]
    tracks: tuple[TrackInfo, ...]
    events: tuple[EventInfo, ...]
    refusals: tuple[RefusalInfo, ...]
    rules: tuple[Rule, ...]
    signals: tuple[SignalInfo, ...]
    gestures: tuple[GestureInfo, ...]
    shown_counters: tuple[int, ...]
    note_names: tuple[str, ...] = field(default=())
    includes: tuple[str, ...] = field(default=())  # as the file names them
