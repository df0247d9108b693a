"""What an exploration of a ruleset gave, as plain values; `explore_text` puts it into words."""

from __future__ import annotations

from dataclasses import dataclass, field

from redband.rules.explore.checks import Fault
from redband.rules.explore.goals import Goal
from redband.rules.explore.walk import Walk
from redband.rules.loader import CompiledRuleset


@dataclass(slots=True)
class Report:
    """What was found. undecided: goals neither met nor shown to be impossible.
    unconfirmed: faults of a simplified walk that the engine did not show. unchecked_tracks: not
    looked at for traps, since not everything was seen.

    accepted_pairs: signals alike by `same_as` that follow each other. settings: params that were
    changed to meet a goal. walks: what was walked.
    """

    ruleset: CompiledRuleset
    params: list[int]
    faults: list[Fault] = field(default_factory=list)
    undecided: list[Goal] = field(default_factory=list)
    unconfirmed: list[Fault] = field(default_factory=list)
    unchecked_tracks: list[int] = field(default_factory=list)
    accepted_pairs: list[tuple[int, int]] = field(default_factory=list)
    settings: list[tuple[Goal, list[int]]] = field(default_factory=list)
    walks: list[Walk] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_exhausted(self) -> bool:
        """True when every situation was seen and nothing was simplified but time itself."""
        return (
            not self.undecided
            and not self.unchecked_tracks
            and all(walk.is_exhausted and walk.is_exact for walk in self.walks)
        )
