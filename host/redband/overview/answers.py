"""What a badge answers to an order, in words."""

from __future__ import annotations

from redband.overview.names import RuleNames
from redband.rules.model import Text
from redband_core import order_frames

_OURS = {
    order_frames.DONE: Text("done", "выполнено"),
    order_frames.PAUSED: Text("the game stands still", "игра на паузе"),
    order_frames.NO_RULES: Text(
        "the badge is in safe mode and has no rules", "повязка в безопасном режиме, без правил"
    ),
    order_frames.UNKNOWN: Text(
        "the badge's rules know no such event", "правила повязки не знают такого события"
    ),
    order_frames.ROLE: Text("our role may not do this", "наша роль не имеет на это права"),
    order_frames.BUSY: Text(
        "the badge has too much to do; try again", "повязка занята; повторите"
    ),
    order_frames.OTHER_RULES: Text(
        "the badge plays by another ruleset", "на повязке другие правила"
    ),
    order_frames.OLD: Text("the badge has heard it", "повязка это уже слышала"),
    order_frames.IMPOSSIBLE: Text(
        "the badge's board cannot do this", "плата повязки этого не умеет"
    ),
    order_frames.FORGED: Text("it is of another game", "это приказ другой игры"),
}


def told(outcome: int, names: RuleNames) -> Text:
    """Return what an outcome says. names: of the badge's ruleset."""
    if outcome > 0:
        return names.refusal(outcome)
    return _OURS.get(outcome) or Text(f"answer {outcome}", f"ответ {outcome}")
