"""What the explorer found, in sentences for an organiser, in English and Russian.

Problem: a fault is of use only when one sees what is wrong, how it comes about and what to change.
Guarantee: every fault has a sentence with the titles of the file, an advice and, where it was
seen, the way there. It judges nothing.
"""

from __future__ import annotations

from redband.rules.explore.checks import Fault
from redband.rules.explore.goals import Goal
from redband.rules.explore.paths import Path, play
from redband.rules.explore.phrases import PHRASES
from redband.rules.explore.report import Report
from redband.rules.explore.run import Action
from redband.rules.explore.walk import Walk
from redband.rules.model import Rule


class Words:
    """Names and sentences in one language."""

    def __init__(self, report: Report, language: str) -> None:
        """language: "en" or "ru"."""
        self.report = report
        self.ruleset = report.ruleset
        self.language = language

    def phrase(self, key: str, **values: object) -> str:
        """Return the sentence under the key."""
        return PHRASES[key][self.language == "ru"].format(**values)

    def track(self, number: int) -> str:
        """Return the title of a track."""
        return self.ruleset.tracks[number].title.get(self.language)

    def state(self, track: int, number: int) -> str:
        """Return a state as track.state with its title."""
        info = self.ruleset.tracks[track]
        state = info.states[number]
        return f'{info.name}.{state.name} "{state.title.get(self.language)}"'

    def signal(self, number: int) -> str:
        """Return a signal with its title."""
        signal = self.ruleset.signals[number]
        return f'{signal.name} "{signal.title.get(self.language)}"'

    def event(self, number: int) -> str:
        """Return an event with its title."""
        event = self.ruleset.event(number)
        return f'{event.name} "{event.title.get(self.language)}"'

    def rule(self, rule: Rule) -> str:
        """Return where the rule stands and when it is meant to fire."""
        place = f"{rule.file or self.ruleset.source.name}:{rule.line}"
        if rule.after is not None:
            when = f"after {self.state(*rule.after)}"
        elif rule.is_always:
            when = "always"
        else:
            when = "on " + ", ".join(self.ruleset.event(number).name for number in rule.events)
        text = rule.condition.text
        return f"{place} [{when}{'; ' + text if text else ''}]"

    def action(self, action: Action) -> str:
        """Return what happens in a step of a path."""
        if action.timer is not None:
            return self.phrase("time_up", state=self.state(*action.timer))
        event = self.ruleset.event(action.event)
        values = []
        for arg, value in zip(event.args, action.args, strict=True):
            shown = arg.choices[value][1].get(self.language) if arg.choices else str(value)
            values.append(f"{arg.title.get(self.language)}: {shown}")
        return self.event(action.event) + (f" ({', '.join(values)})" if values else "")

    def path(self, path: Path) -> list[str]:
        """Return the lines of a path."""
        names = [self.state(number, t.initial) for number, t in enumerate(self.ruleset.tracks)]
        lines = [self.phrase("start", states=", ".join(names[:3]))]
        for step in path.steps:
            moves = ", ".join(
                f"{self.track(track)} -> {self._title(track, after)}"
                for track, _before, after in step.moves
            )
            line = f"{clock(step.t_ms)}  {self.action(step.action)}"
            lines.append(f"{line}  => {moves}" if moves else line)
        if not path.is_sure:
            lines.append(self.phrase("unsure"))
        return lines

    def _title(self, track: int, state: int) -> str:
        return self.ruleset.tracks[track].states[state].title.get(self.language)

    def fault(self, fault: Fault) -> tuple[str, str]:
        """Return the sentence and the advice of a fault."""
        about = fault.about
        values: dict[str, object] = {}
        kind = fault.kind
        if kind in ("never_state", "never_timer", "trap", "paused", "restarted"):
            info = self.ruleset.tracks[about[0]]
            values = {"state": self.state(about[0], about[1]), "track": info.name}
            values["name"] = info.states[about[1]].name
        elif kind == "final_left":
            values = {"state": self.state(*about[:2]), "after": self.state(about[0], about[2])}
        elif kind == "round":
            values = {"states": ", ".join(self.state(about[0], state) for state in about[1:])}
        elif kind == "never_rule":
            values = {"rule": self.rule(self.ruleset.rules[about[0]])}
        elif kind == "never_event":
            values = {"event": self.event(about[0])}
        elif kind == "endless":
            rules = [self.rule(self.ruleset.rules[n]) for n in about]
            values = {"rules": ", ".join(r for r in rules if "[always" in r)}
        elif kind == "never_signal":
            values = {"signal": self.signal(about[0])}
        else:
            values = {"a": self.signal(about[0]), "b": self.signal(about[1])}
        return self.phrase(kind, **values), self.phrase(f"{kind}_hint", **values)

    def goal(self, goal: Goal) -> str:
        """Return what was not decided."""
        kind, a, b = goal
        if kind in ("state", "timer"):
            return self.phrase(f"goal_{kind}", state=self.state(a, b))
        if kind == "rule":
            return self.phrase("goal_rule", rule=self.rule(self.ruleset.rules[a]))
        if kind == "event":
            return self.phrase("goal_event", event=self.event(a))
        return self.phrase("goal_signal", signal=self.signal(a))


def clock(t_ms: int) -> str:
    """Return a game time as h:mm:ss."""
    seconds = t_ms // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def report_lines(report: Report, language: str) -> list[str]:
    """Return the report as lines of text."""
    words = Words(report, language)
    title = report.ruleset.title.get(language)
    lines = [f"{report.ruleset.id} ({title})"]
    lines += _scope_lines(words)
    for number, fault in enumerate(report.faults, 1):
        sentence, hint = words.fault(fault)
        lines += ["", f"{number}. {sentence}"]
        if fault.seen is not None:
            shown = words.path(play(fault.walk, fault.seen))
            lines += [words.phrase("way"), *(f"     {line}" for line in shown)]
        lines.append(f"   -> {hint}")
    if report.undecided or report.unchecked_tracks or report.unconfirmed:
        lines += ["", words.phrase("undecided")]
        lines += [f"   - {words.goal(goal)}" for goal in report.undecided]
        lines += [
            "   - " + words.phrase("unconfirmed", what=words.fault(fault)[0])
            for fault in report.unconfirmed
        ]
        lines += [
            "   - " + words.phrase("goal_track", track=words.track(track))
            for track in report.unchecked_tracks
        ]
    lines += _note_lines(words)
    key = "faults" if report.faults else "no_faults"
    return [*lines, "", words.phrase(key, count=len(report.faults))]


def _scope_lines(words: Words) -> list[str]:
    """Return how much was seen and what was simplified."""
    report = words.report
    situations = sum(len(walk.situations) for walk in report.walks)
    steps = sum(len(walk.sources) for walk in report.walks)
    key = "exhausted" if report.is_exhausted else "not_exhausted"
    seconds = f"{report.seconds:.1f}"
    lines = [words.phrase(key, situations=situations, steps=steps, seconds=seconds)]
    found: list[str] = []
    for walk in report.walks:
        found += [text for text in _limits(words, walk) if text not in found]
    return [*lines, *(f"   - {text}" for text in found), words.phrase("time_note")]


def _limits(words: Words, walk: Walk) -> list[str]:
    """Return what a walk left out or simplified."""
    system, ruleset = walk.system, words.ruleset
    found = []
    if not walk.is_exhausted:
        found.append(words.phrase("limit", situations=len(walk.situations)))
    for variable, kept in walk.stepper.classes.items():
        if not kept.is_exact:
            name = ruleset.counters[variable - system.track_count].name
            found.append(words.phrase("classes", counter=name, count=len(kept.samples)))
    for view in system.rules:
        if walk.stepper.holds(view):
            for track in walk.free_timers(view):
                text = words.phrase("free", track=words.track(track))
                found += [text] if text not in found else []
    for event, place in sorted(walk.sampled):
        info = ruleset.event(event)
        found.append(words.phrase("sampled", event=info.name, arg=info.args[place].name))
    return found


def _note_lines(words: Words) -> list[str]:
    report = words.report
    lines = []
    for a, b in report.accepted_pairs:
        lines.append(words.phrase("accepted", a=words.signal(a), b=words.signal(b)))
    for goal, params in report.settings:
        changed = ", ".join(
            f"{info.name} = {value}"
            for info, value, usual in zip(words.ruleset.params, params, report.params, strict=True)
            if value != usual
        )
        lines.append(words.phrase("only_with", what=words.goal(goal), params=changed))
    return ["", *lines] if lines else []
