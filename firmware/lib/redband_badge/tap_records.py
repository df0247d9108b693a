"""What a tap writes in the journal, patient's and medic's. Called by the game task.

Guarantee: the patient's TAP record stands before the record that decides, so a cut between them
leaves the treatment undone and known as such; it is not done again, since the call it answered is
forgotten with the restart. Leaves the memory again.
"""

from redband_core import journal, numbers, tap


def decide(game_journal, value: tuple, now_ms: int) -> int:
    """Write and do one side of a tap at `now_ms`; return the answer. Raises OSError.

    `value`: ((tap.PATIENT or tap.MEDIC, the medic's role), other badge's id, nonce, outcome,
    (event id, args), event of the medic's own to be applied after it or None).
    """
    who, other, nonce, outcome, event, given = value
    at_ms = max(now_ms, game_journal.game_ms())
    payload = tap.payload(who, other, nonce, outcome, event)
    game_journal.make_room()
    if who[0] == tap.PATIENT:
        game_journal.append(journal.TAP, at_ms, payload)
        if game_journal.is_paused and who[1] < numbers.ROLE_MARSHAL:
            return game_journal.refuse(at_ms, numbers.REFUSED_PAUSED, event[0], event[1])
        return game_journal.apply(at_ms, event[0], event[1])
    if given is None:
        game_journal.decide(journal.TAP, at_ms, payload)
        return 0
    # When the flash fails between the two, both are written again: one treatment, said twice.
    game_journal.append(journal.TAP, at_ms, payload)
    return game_journal.apply(at_ms, given[0], given[1])
