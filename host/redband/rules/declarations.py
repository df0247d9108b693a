"""The first half of a ruleset file: what there is. Params, counters, tracks, events, refusals.

Problem: rules refer to things by name, so the names must be known, unique and numbered first.
Guarantee: `read_declarations` returns numbered declarations with their formulas compiled, or
raises RulesFileError.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from redband.rules.formula import Code, FormulaError, Scope, compile_formula, nearest
from redband.rules.model import (
    ArgInfo,
    CounterInfo,
    EventInfo,
    ParamInfo,
    RefusalInfo,
    StateInfo,
    Text,
    TrackInfo,
)
from redband.rules.section import Section
from redband_core.settings_check import ROLES

BUILT_IN_REFUSALS = (
    ("applied", Text("applied", "принято")),
    ("not_applicable", Text("does not apply now", "сейчас неприменимо")),
    ("bad_arguments", Text("arguments out of range", "недопустимые значения")),
    ("unknown_event", Text("unknown event", "неизвестное событие")),
    ("endless", Text("rules without end", "зацикленные правила")),
    ("nothing_to_void", Text("nothing to take back", "нечего отменять")),
)
VOID_TITLE = Text("hits taken back", "попадания отменены")
VOID_LIMIT = 32  # redband_core.snapshot.HISTORY_LIMIT: the engine looks back no further
RESERVED = ("min", "max", "abs", "left", *keyword.kwlist)


@dataclass(frozen=True, slots=True)
class Declarations:
    """Everything that rules can refer to."""

    params: tuple[ParamInfo, ...]
    counters: tuple[CounterInfo, ...]
    tracks: tuple[TrackInfo, ...]
    events: tuple[EventInfo, ...]
    refusals: tuple[RefusalInfo, ...]
    scope: Scope

    def first_arg_slot(self) -> int:
        """Return the slot of an event's first argument."""
        return len(self.tracks) + len(self.counters) + len(self.params)


def formula(section: Section, key: str, scope: Scope, default: str | None = None) -> Code:
    """Return the compiled formula under the key. Raises RulesFileError."""
    text = section.formula_text(key, default)
    try:
        return compile_formula(text, scope)
    except FormulaError as error:
        section.source.fail_formula((*section.path, key), error)


def read_declarations(root: Section) -> Declarations:
    """Read all declaring tables of the file."""
    names: dict[str, str] = {}
    params = tuple(_param(name, part, names) for name, part in root.section("param").sections())
    scope = Scope()
    counter_parts = root.section("counter").sections()
    track_parts = root.section("track").sections()
    if not track_parts:
        root.source.fail((), "the file has no track", "add [track.NAME] with its states")
    first_param = len(track_parts) + len(counter_parts)
    scope.slots.update({param.name: first_param + i for i, param in enumerate(params)})
    low_scope = Scope(dict(scope.slots), may_read_time=False)
    counters = []
    for name, part in counter_parts:
        _claim(name, "counter", part, names)
        counters.append(_counter(name, part, low_scope))
        scope.slots[name] = len(track_parts) + len(counters) - 1
    for name, part in track_parts:
        _claim(name, "track", part, names)
        states = [state for state, _ in part.section("state").sections()]
        scope.tracks[name] = (len(scope.tracks), states)
    formulas = root.section("formula")
    for name in formulas.pairs():
        _claim(name, "formula", formulas, names, name)
        scope.formulas[name] = formulas.formula_text(name)
    for name in scope.formulas:
        formula(formulas, name, scope)
    tracks = tuple(_track(name, part, scope) for name, part in track_parts)
    refusals = _refusals(root.section("refusal"))
    events = _events(root.section("event"), {refusal.name: refusal.id for refusal in refusals})
    _check_arg_names(root, events, names)
    return Declarations(params, tuple(counters), tracks, events, refusals, scope)


def _check_arg_names(root: Section, events: tuple[EventInfo, ...], names: dict[str, str]) -> None:
    """Raise RulesFileError for an argument whose name means something else in formulas."""
    for event in events[1:]:
        for place, arg in enumerate(event.args):
            if arg.name in names:
                path = ("event", event.name, "arg", place, "name")
                what = f'"{arg.name}" is a {names[arg.name]} already'
                root.source.fail(path, what, "give the argument another name")


def _claim(name: str, kind: str, section: Section, names: dict[str, str], key: str = "") -> None:
    """Note that the name is taken; raise RulesFileError when it was before, or is reserved."""
    path = (*section.path, key) if key else section.path
    if name in RESERVED:
        section.source.fail(path, f'"{name}" is a word of the formulas', "take another name")
    if name in names:
        what = f'"{name}" is a {names[name]} already'
        section.source.fail(path, what, f"give the {kind} another name")
    names[name] = kind


def _param(name: str, part: Section, names: dict[str, str]) -> ParamInfo:
    _claim(name, "param", part, names)
    default = part.number("default")
    low, high = part.number("min", "0"), part.number("max")
    if not low <= default <= high:
        part.fail("default", f'the default {default} of "{name}" is not in {low} to {high}')
    info = ParamInfo(name, part.title("title"), default, low, high, name.endswith("_ms"))
    part.done()
    return info


def _counter(name: str, part: Section, scope: Scope) -> CounterInfo:
    codes = [
        formula(part, key, scope, default)
        for key, default in (("min", "0"), ("max", None), ("start", "0"))
    ]
    info = CounterInfo(name, part.title("title"), codes[0], codes[1], codes[2])
    part.done()
    return info


def _track(name: str, part: Section, scope: Scope) -> TrackInfo:
    title = part.title("title")
    states = tuple(_state(n, state, scope) for n, state in part.section("state").sections())
    if not states:
        part.source.fail(
            part.path, f'track "{name}" has no states', f"add [track.{name}.state.NAME]"
        )
    names = [state.name for state in states]
    start = part.text("start", names[0])
    if start not in names:
        part.fail("start", f'track "{name}" has no state "{start}"', nearest(start, names))
    part.done()
    return TrackInfo(name, title, states, names.index(start))


def _state(name: str, part: Section, scope: Scope) -> StateInfo:
    timer = formula(part, "timer", scope) if part.has("timer") else None
    info = StateInfo(
        name,
        part.title("title"),
        part.title("may", ""),
        part.title("may_not", ""),
        part.flag("final"),
        timer,
        part.formula_text("timer", ""),
    )
    if info.is_final and timer is not None:
        part.fail(
            "timer", f'the final state "{name}" can\'t have a timer', "remove final or timer"
        )
    part.done()
    return info


def _refusals(section: Section) -> tuple[RefusalInfo, ...]:
    found = [RefusalInfo(i, name, title) for i, (name, title) in enumerate(BUILT_IN_REFUSALS)]
    taken = [name for name, _title in BUILT_IN_REFUSALS]
    for name, part in section.sections():
        if name in taken:
            part.source.fail(part.path, f'refusal "{name}" is built in', "take another name")
        found.append(RefusalInfo(len(found), name, part.title("title")))
        part.done()
    return tuple(found)


def _events(section: Section, refusals: dict[str, int]) -> tuple[EventInfo, ...]:
    parts = section.sections()
    if not parts:
        section.source.fail((), "the file has no event", "add [event.NAME]")
    found = [_void_event(Section(section.source, (), {}), refusals)]
    for name, part in parts:
        if name == "void":
            found[0] = _void_event(part, refusals)
        else:
            found.append(_event(len(found), name, part, refusals))
    return tuple(found)


def _void_event(part: Section, _refusals: dict[str, int]) -> EventInfo:
    """Return event 0. A file can give it a title and roles, no more."""
    title = part.title("title") if part.has("title") else VOID_TITLE
    count = ArgInfo("n", Text("how many", "сколько"), 1, VOID_LIMIT, ())
    roles = _roles(part) if part.has("roles") else ROLES[:4]
    part.done()
    return EventInfo(0, "void", title, (count,), roles, False, None, 0)


def _event(number: int, name: str, part: Section, refusals: dict[str, int]) -> EventInfo:
    args = tuple(_arg(row) for row in part.rows("arg"))
    arg_names = [arg.name for arg in args]
    for i, arg in enumerate(arg_names):
        if arg in arg_names[:i]:
            part.fail("arg", f'event "{name}" has two arguments "{arg}"')
    source = part.text("source", "")
    if source and source not in arg_names:
        part.fail(
            "source", f'event "{name}" has no argument "{source}"', nearest(source, arg_names)
        )
    is_voidable = part.flag("voidable")
    if source and not is_voidable:
        part.fail("source", "only a voidable event can have a source", "add voidable = true")
    otherwise = part.text("otherwise", "not_applicable")
    if otherwise not in refusals:
        part.fail("otherwise", f'unknown refusal "{otherwise}"', nearest(otherwise, refusals))
    info = EventInfo(
        number,
        name,
        part.title("title"),
        args,
        _roles(part),
        is_voidable,
        arg_names.index(source) if source else None,
        refusals[otherwise],
    )
    part.done()
    return info


def _roles(part: Section) -> tuple[str, ...]:
    roles = part.texts("roles")
    if not roles:
        part.fail(
            "roles", "nobody may send this event", "add roles = [...] with " + ", ".join(ROLES)
        )
    for role in roles:
        if role not in ROLES:
            part.fail("roles", f'unknown role "{role}"', nearest(role, ROLES), role)
    return tuple(role for role in ROLES if role in roles)


def _arg(part: Section) -> ArgInfo:
    name = part.text("name")
    if not name.isidentifier() or name in RESERVED:
        part.fail(
            "name", f'"{name}" can\'t be the name of an argument', "use letters, digits and _"
        )
    choices = tuple(_choice(row) for row in part.rows("choices"))
    if choices:
        low, high = 0, len(choices) - 1
    else:
        low, high = part.number("min", "0"), part.number("max")
    if low > high:
        part.fail("min", f'"min" of "{name}" is above its "max"', "swap them")
    info = ArgInfo(name, part.title("title"), low, high, choices)
    part.done()
    return info


def _choice(row: Section) -> tuple[str, Text]:
    name, title = row.text("name"), row.title("title")
    if not name.isidentifier():
        row.fail("name", f'"{name}" can\'t be the name of a choice', "use letters, digits and _")
    row.done()
    return name, title
