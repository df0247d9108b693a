"""What a gesture means where medics treat by their badges: a call, a pick, or no self-treatment.

Guarantee: in such a game a wearer's own button does nothing that the ruleset lists as a medic's;
the presses of each gesture are no hits; what does not belong to a tap goes on to the rules as it
is. Called by the game task, for holds and rows of presses only. Leaves the memory again.
"""

import sys

from redband_badge import limits
from redband_badge.on_demand import TAP_CALLS, Needed
from redband_core import gestures, journal, keys, numbers, tap
from redband_core.engine import Engine
from redband_core.limits import TAPS_MAX
from redband_hal import system


def take(side, code: int, first_ms: int, now_ms: int) -> int:
    """Return the gesture that the rules are to take, 0 when nothing is left to do. Raises OSError.

    `side`: RadioSide. `first_ms`: game time of its first press.
    """
    ruleset, game_journal = side.ruleset, side.game_journal
    bound = ruleset.gesture_event(code)
    if side.options.treatment == numbers.TREATMENT_BADGE:
        number = code - gestures.TAPS_HOLD
        if 0 < number <= TAPS_MAX and side.observer.access.file:
            action = ruleset.gesture_event(gestures.MEDIC + number)
            if action is not None and side.observer.access.file[keys.OWN_ROLE_AT]:
                game_journal.take_back_presses(first_ms, now_ms)
                _pick(side, number, action, now_ms)
                return 0
        if code == gestures.HOLD:
            game_journal.take_back_presses(first_ms, now_ms)
            if _has_room(side.state):
                modules = Needed(TAP_CALLS)
                modules.take().want(side, modules)
            return 0
        if number == 1 and bound is None:
            code = gestures.HOLD  # what holding means elsewhere
            bound = ruleset.gesture_event(code)
    if bound is None or not tap.is_medics(bound, _actions(ruleset)):
        return code
    game_journal.take_back_presses(first_ms, now_ms)
    at_ms = max(now_ms, game_journal.game_ms())
    payload = tap.payload((tap.PATIENT, 0), side.info.badge_id, 0, numbers.ANSWER_SELF, bound)
    game_journal.make_room()
    game_journal.decide(journal.TAP, at_ms, payload)
    side.state.show_once(tap.REFUSED)
    return 0


def _has_room(state) -> bool:
    """Return whether a tap fits beside an update that may be going on; show it when not."""
    if "redband_badge.update" not in sys.modules:
        return True
    if not system.is_heap_short(limits.UPLOAD_AND_TAP_BYTES):
        return True
    state.show_once(tap.REFUSED)
    return False


def _actions(ruleset) -> list:
    """Return what medics can do."""
    found = [ruleset.gesture_event(gestures.MEDIC + n) for n in range(1, TAPS_MAX + 1)]
    return [action for action in found if action is not None]


def _pick(side, number: int, action: tuple, now_ms: int) -> None:
    """Look for the patient of an action, if the medic can give what it takes."""
    ruleset, game_journal = side.ruleset, side.game_journal
    given = ruleset.gesture_event(gestures.GIVEN + number)
    if given is not None:
        at_ms = max(now_ms, game_journal.game_ms())
        trial = Engine(ruleset)
        trial.restore(game_journal.engine.snapshot())
        refusal = trial.step(at_ms, given[0], given[1])
        if refusal:
            game_journal.refuse(at_ms, refusal, given[0], given[1])
            side.state.show_once(tap.REFUSED)
            return
    if not _has_room(side.state):
        return
    event = (action[0], tap.skilled(action[1], side.options.skill))
    modules = Needed(TAP_CALLS)
    modules.take().pick(side, modules, number, event, given)
