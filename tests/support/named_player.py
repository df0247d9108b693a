"""A player of a ruleset whose events, states and counters go by their names."""

from __future__ import annotations

from redband.rules import CompiledRuleset, load
from redband_core.engine import Engine

S = 1000
MIN = 60 * S


class Player:
    """An engine with names; `do` gives the refusal's name or "applied"."""

    def __init__(self, ruleset: str | CompiledRuleset, **params: int | str) -> None:
        self.rules = load(ruleset) if isinstance(ruleset, str) else ruleset
        self.engine = Engine(self.rules.ruleset, self.rules.param_values(params))

    def do(self, name: str, *choices: str | int) -> str:
        """Send an event now; choices are given by name."""
        event = self.rules.event(name)
        args = []
        for info, value in zip(event.args, choices, strict=True):
            known = [choice for choice, _title in info.choices]
            args.append(known.index(value) if isinstance(value, str) else value)
        return self.rules.refusal(self.engine.step(self.engine.now_ms, event.id, args)).name

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.engine.advance(self.engine.now_ms + ms)

    def view(self) -> tuple:
        """Return all that can be seen of the state."""
        engine = self.engine
        tracks = range(len(self.rules.tracks))
        return (
            engine.now_ms,
            [engine.track_state(track) for track in tracks],
            [engine.counter(index) for index in range(len(self.rules.counters))],
            [engine.timer_left_ms(track) for track in tracks],
        )

    def state(self, track: str = "wound") -> str:
        """Return the name of the track's state."""
        number = [info.name for info in self.rules.tracks].index(track)
        return self.rules.tracks[number].states[self.engine.track_state(number)].name

    def count(self, counter: str) -> int:
        """Return the counter's value."""
        return self.engine.counter([info.name for info in self.rules.counters].index(counter))
