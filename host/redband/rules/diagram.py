"""State diagrams of a ruleset, as Mermaid text drawn from the rules themselves.

Problem: a diagram drawn by hand is wrong after the next change of the rules.
Guarantee: every transition that a rule makes is an arrow with the event and its condition, and
nothing else is; arrows out of states where the event is always refused are left out.
"""

from __future__ import annotations

from redband_core.ruleset import GO

from redband.rules.loader import CompiledRuleset
from redband.rules.model import EventInfo, Rule, TrackInfo

ANY = "any"  # stands for "every state but the final ones" when a rule asks for no state
Arrow = tuple[str, str]


def state_diagram(ruleset: CompiledRuleset, track: TrackInfo, language: str = "en") -> str:
    """Return the Mermaid text of one track."""
    lines = ["stateDiagram-v2"]
    arrows = _arrows(ruleset, track, language)
    if any(source == ANY for source, _target in arrows):
        title = "any state" if language == "en" else "любое состояние"
        lines.append(f'    state "{title}" as {ANY}')
    for state in track.states:
        timer = _timer_label(ruleset, state.timer_text)
        lines.append(f'    state "{state.title.get(language)}{timer}" as {state.name}')
    lines.append(f"    [*] --> {track.states[track.initial].name}")
    for (source, target), labels in arrows.items():
        lines.extend(f"    {source} --> {target} : {label}" for label in labels)
    lines.extend(f"    {state.name} --> [*]" for state in track.states if state.is_final)
    return "\n".join(lines) + "\n"


def diagrams(ruleset: CompiledRuleset, language: str = "en") -> str:
    """Return Markdown with a diagram for each track that has more than one state."""
    parts = []
    for track in ruleset.tracks:
        if len(track.states) > 1:
            title = track.title.get(language)
            parts.append(
                f"### {title}\n\n```mermaid\n{state_diagram(ruleset, track, language)}```\n"
            )
    return "\n".join(parts)


def _timer_label(ruleset: CompiledRuleset, text: str) -> str:
    """Return the state's time as a second line; a param is shown with its default."""
    if text in ("", "0"):
        return ""
    for param in ruleset.params:
        if param.name == text and param.is_time:
            return f"<br/>{time_text(param.default)}"
    return f"<br/>{text}"


def time_text(time_ms: int) -> str:
    """Return ms as people write times: "15 min", "90 s", "500 ms"."""
    for unit, unit_ms in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if time_ms and time_ms % unit_ms == 0:
            return f"{time_ms // unit_ms} {unit}"
    return f"{time_ms} ms"


def _arrows(ruleset: CompiledRuleset, track: TrackInfo, language: str) -> dict[Arrow, list[str]]:
    """Return for each arrow its labels, in the order of the rules."""
    number = ruleset.tracks.index(track)
    arrows: dict[Arrow, list[str]] = {}
    for rule in ruleset.rules:
        targets = [e.a for e in rule.effects if e.op == GO and e.target == number]
        if not targets:
            continue
        target = track.states[targets[0]].name
        for event, trigger in _triggers(ruleset, rule, language):
            label = trigger + _condition_label(ruleset, rule, number)
            for source in _sources(ruleset, track, number, rule, event):
                labels = arrows.setdefault((source, target), [])
                if label not in labels:
                    labels.append(label)
    return arrows


def _triggers(
    ruleset: CompiledRuleset, rule: Rule, language: str
) -> list[tuple[EventInfo | None, str]]:
    """Return (event, its title) for each trigger of the rule; the event is None for no event."""
    if rule.after is not None:
        track = ruleset.tracks[rule.after[0]]
        state = track.states[rule.after[1]].title.get(language)
        return [(None, ("time is up: " if language == "en" else "время вышло: ") + state)]
    if rule.is_always:
        return [(None, "at once" if language == "en" else "сразу")]
    events = [ruleset.event(number) for number in rule.events]
    return [(event, event.title.get(language)) for event in events]


def _condition_label(ruleset: CompiledRuleset, rule: Rule, number: int) -> str:
    """Return what must hold besides the track's own state, in brackets."""
    name = ruleset.tracks[number].name + " "
    parts = [part for part in rule.condition.text.split("; ") if not part.startswith(name)]
    text = ", ".join(part for part in parts if part)
    return f" [{text}]" if text else ""


def _sources(
    ruleset: CompiledRuleset,
    track: TrackInfo,
    number: int,
    rule: Rule,
    event: EventInfo | None,
) -> list[str]:
    """Return the names of the states that the arrow starts from."""
    if rule.after is not None and rule.after[0] == number:
        return [track.states[rule.after[1]].name]
    given = dict(rule.condition.where).get(number)
    open_states = [s for s, state in enumerate(track.states) if not state.is_final]
    wanted = open_states if given is None else list(given)
    refused = _refused_states(ruleset, number, event)
    found = [s for s in wanted if s not in refused]
    if given is None and found == open_states and len(found) > 2:
        return [ANY]
    return [track.states[s].name for s in found]


def _refused_states(ruleset: CompiledRuleset, number: int, event: EventInfo | None) -> set[int]:
    """Return the states of the track in which the event is refused whatever else holds."""
    refused: set[int] = set()
    if event is None:
        return refused
    for rule in ruleset.rules:
        where = rule.condition.where
        is_plain = rule.condition.guard is None and [track for track, _ in where] == [number]
        if rule.refusal and event.id in rule.events and is_plain:
            refused.update(where[0][1])
    return refused
