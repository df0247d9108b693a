"""What staff and medics tell a badge: pause, resume, events, notes; taken by the game task.

Guarantee: an answer is given when the journal holds what was decided, and exactly one. Whether the
sender may say it is the caller's business, who knows its key: `may_send` answers by its role.
Items of `badge.command_queue` are (kind, number, value). number: 0..2**53, comes back with the
answer by `state.on_answer(number, answer)`. value: for EVENT (event id, tuple of args, role of the
sender); for PAUSE and RESUME the role, None for nobody; for NOTE (code, value, role); for FLEET
(number of the word, FLEET_ command, 0 or (event id, args) or an answer instead); for TAP see
`tap_book`.
The journal has a SENT_BY note with the role before what was done.
Answers: 0 done, 1 and more the refusal of the engine or its ruleset, below 0 the ones here.
"""

from redband_badge import notes
from redband_badge.game import Game
from redband_core import journal
from redband_core.packing import SIGNED_MAX, put_varint

PAUSE = 1
RESUME = 2
EVENT = 3
FLEET = 4
NOTE = 5
TAP = 6

DONE = 0
ANSWER_PAUSED = notes.ANSWER_PAUSED  # the game stands still, and the sender is no staff
ANSWER_NO_RULES = -2  # in safe mode without a ruleset
ANSWER_UNKNOWN = -3  # no such command or event, or numbers that no event takes
ANSWER_OLD = -7  # a word to the fleet that was obeyed, or came behind a later one

EVENT_ID_MAX = 0xFFFF
ARGS_MAX = 16
_FIRST_STAFF_ROLE = 2  # marshal, game master, technician; below are player and medic


def may_send(ruleset, event_id: int, role: int) -> bool:
    """Return whether a sender with `role` (0..4, as in the settings) may send the event.

    `ruleset`: a Ruleset. An event that it has not may be sent by nobody.
    """
    masks = ruleset.event_roles
    return 0 <= event_id < len(masks) and role >= 0 and (masks[event_id] >> role) & 1 == 1


def take(book, item: tuple, now_ms: int) -> int:
    """Do one command at `now_ms`, game time; return the answer. Raises OSError."""
    kind, number, value = item
    if kind == EVENT:
        return _event(book, value, now_ms)
    if kind == FLEET:
        return _fleet(book, value, now_ms)
    if kind == TAP:
        return _tap(book, value, now_ms)
    if kind == NOTE:
        code, noted, role = value
        _sent_by(book, role, now_ms)
        book.note(now_ms, code, noted, True)
        book.show()
        return DONE
    if kind != PAUSE and kind != RESUME:
        return ANSWER_UNKNOWN
    if value is not None and book.is_paused != (kind == PAUSE):
        _sent_by(book, value, now_ms)
    stand(book, kind == PAUSE, now_ms, number)
    return DONE


def _tap(book, value: tuple, now_ms: int) -> int:
    from redband_badge import tap_book  # seldom
    from redband_hal import system

    try:
        return tap_book.decide(book, value, now_ms)
    finally:
        system.forget("redband_badge.tap_book")


def _sent_by(book, role: int, now_ms: int) -> None:
    # No decision: when the flash fails behind it, the command is taken again.
    book.record(journal.NOTE, now_ms, journal.note_payload(notes.SENT_BY, role))


def _fleet(book, value: tuple, now_ms: int) -> int:
    """Obey a word to the fleet, once.

    Its number stands before its record. A cut between the two leaves it undone: the number counts
    only together with that record.
    """
    from redband_core import broadcasts

    number, command, event = value
    if number <= book.fleet_number:
        return ANSWER_OLD
    is_pause = command == broadcasts.FLEET_PAUSE
    is_stand = is_pause or command == broadcasts.FLEET_RESUME
    code = 0
    if command == broadcasts.FLEET_GAME_OVER:
        code = notes.GAME_ENDED
    elif command == broadcasts.FLEET_GAME_BEGINS:
        code = notes.GAME_BEGUN
    is_event = isinstance(event, tuple) and isinstance(book, Game)
    is_followed = is_event or code != 0 or (is_stand and is_pause != book.is_paused)
    book.make_room()
    book.note_now(notes.FLEET, number << 1 | is_followed, now_ms)
    answer = DONE
    if is_event:
        answer = book.apply(now_ms, event[0], event[1])
    elif isinstance(event, int) and event:
        answer = event
    elif code:
        book.note(now_ms, code, 0, True)
    elif is_stand:
        stand(book, is_pause, now_ms, number)
    else:
        answer = ANSWER_NO_RULES if isinstance(event, tuple) else ANSWER_UNKNOWN
    book.fleet_number = number
    book.fleet_pending = 0
    return answer


def stand(book, is_paused: bool, now_ms: int, number: int = 0) -> None:
    """Let the game stand still from `now_ms` on, or go on. Raises OSError, with nothing shown.

    `number`: of the command, 0..2**53, 0 for none. When it is so already, nothing is done.
    """
    book.result = DONE
    if book.is_paused == is_paused:
        return
    book.make_room()
    payload = bytearray()
    put_varint(payload, number)
    book.is_paused = is_paused
    book.decide(journal.PAUSE if is_paused else journal.RESUME, now_ms, bytes(payload))
    book.show()


def _event(book, value: tuple, now_ms: int) -> int:
    event_id, args, role = value
    if not isinstance(book, Game):
        return ANSWER_NO_RULES
    if not 0 <= event_id <= EVENT_ID_MAX or len(args) > ARGS_MAX:
        return ANSWER_UNKNOWN
    for number in args:
        if not -SIGNED_MAX <= number <= SIGNED_MAX:
            return ANSWER_UNKNOWN  # no journal can hold it
    _sent_by(book, role, now_ms)
    if book.is_paused and role < _FIRST_STAFF_ROLE:
        # Staff may set things right while the game stands still; players and medics wait.
        return book.refuse(now_ms, notes.REFUSED_PAUSED, event_id, args)
    return book.apply(now_ms, event_id, args)
