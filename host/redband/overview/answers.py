"""What a badge answers to a command, in words."""

from __future__ import annotations

from redband import number_texts
from redband.overview.names import RuleNames
from redband.rules.model import Text


def told(outcome: int, names: RuleNames) -> Text:
    """Return what an outcome says. names: of the badge's ruleset."""
    if outcome > 0:
        return names.refusal(outcome)
    ours = number_texts.ANSWERS.get(outcome, (f"answer {outcome}", f"ответ {outcome}"))
    return Text(*ours)
