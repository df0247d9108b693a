"""State diagrams of a ruleset, as Mermaid text drawn from the rules themselves.

Problem: a diagram drawn by hand is wrong after the next change of the rules.
Guarantee: every transition that a rule makes is an arrow with the event and its condition, and
nothing else is; arrows out of states where the event is always refused are left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from redband.rules.loader import CompiledRuleset
from redband.rules.model import Rule, TrackInfo
from redband.rules.transitions import Transition, transitions

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


def diagrams(
    ruleset: CompiledRuleset, language: str = "en", tracks: Iterable[TrackInfo] | None = None
) -> str:
    """Return Markdown with a diagram for each track that has more than one state.

    tracks: those to draw; all of them when not given.
    """
    parts = []
    for track in ruleset.tracks if tracks is None else tracks:
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
    for transition in transitions(ruleset, number):
        target = track.states[transition.target].name
        label = _trigger(ruleset, transition, language)
        label += _condition_label(ruleset, transition.rule, number)
        sources = [track.states[s].name for s in transition.sources]
        for source in [ANY] if transition.is_from_any else sources:
            labels = arrows.setdefault((source, target), [])
            if label not in labels:
                labels.append(label)
    return arrows


def _trigger(ruleset: CompiledRuleset, transition: Transition, language: str) -> str:
    """Return what makes the transition happen."""
    rule = transition.rule
    if transition.event is not None:
        return transition.event.title.get(language)
    if rule.after is None:
        return "at once" if language == "en" else "сразу"
    state = ruleset.tracks[rule.after[0]].states[rule.after[1]].title.get(language)
    return ("time is up: " if language == "en" else "время вышло: ") + state


def _condition_label(ruleset: CompiledRuleset, rule: Rule, number: int) -> str:
    """Return what must hold besides the track's own state, in brackets."""
    name = ruleset.tracks[number].name + " "
    parts = [part for part in rule.condition.text.split("; ") if not part.startswith(name)]
    text = ", ".join(part for part in parts if part)
    return f" [{text}]" if text else ""
