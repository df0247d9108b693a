"""A real emergency: five quick presses and a hold, and the same again when it is over.

Guarantee: it works in every state of the game and in safe mode, in a pause, and with a flash that
fails; it outranks the game on lights and air; the journal says when it began and ended. The
presses of the gesture are no hits.
"""

from redband_core import numbers


def take_gesture(game_journal, state, first_ms: int, now_ms: int) -> None:
    """Begin an emergency, or end the one that is. `first_ms`: of its first press. Raises OSError.

    It shows at once: somebody is hurt, whatever the flash says. Only its end is journalled first.
    """
    is_begin = not game_journal.is_emergency
    if is_begin and not state.is_emergency:
        state.is_emergency = True
        state.touch()
    game_journal.take_back_presses(first_ms, now_ms)
    game_journal.note(now_ms, numbers.NOTE_EMERGENCY, int(is_begin), True)
    state.acknowledged += 1
    state.touch()
