"""What a tap writes in the journal, patient's and medic's. Called by the game task.

Guarantee: the patient's TAP record stands before the record that decides, so a cut between them
leaves the treatment undone and known as such; it is not done again, since the call it answered is
forgotten with the restart. Leaves the memory again.
"""

from redband_badge import notes
from redband_core import journal, tap

_FIRST_STAFF_ROLE = 2


def decide(book, value: tuple, now_ms: int) -> int:
    """Write and do one side of a tap at `now_ms`; return the answer. Raises OSError.

    `value`: ((tap.PATIENT or tap.MEDIC, the medic's role), other badge's id, nonce, outcome,
    (event id, args), event of the medic's own to be applied behind it or None).
    """
    who, other, nonce, outcome, event, given = value
    at_ms = max(now_ms, book.game_ms())
    payload = tap.payload(who, other, nonce, outcome, event)
    book.make_room()
    if who[0] == tap.PATIENT:
        book.append(journal.TAP, at_ms, payload)
        if book.is_paused and who[1] < _FIRST_STAFF_ROLE:
            return book.refuse(at_ms, notes.REFUSED_PAUSED, event[0], event[1])
        return book.apply(at_ms, event[0], event[1])
    if given is None:
        book.decide(journal.TAP, at_ms, payload)
        return 0
    # When the flash fails between the two, both are written again: one treatment, said twice.
    book.append(journal.TAP, at_ms, payload)
    return book.apply(at_ms, given[0], given[1])
