"""Commands of game masters and medics: pause, resume, events, notes; done by the game task.

Guarantee: an answer is given when the journal holds what was decided, and exactly one. Whether the
sender may say it is the caller's business, who knows its key: `may_send` answers by its role.
Items of `badge.command_queue` are (kind, number, value). number: 0..2**53, comes back with the
answer by `state.on_answer(number, answer)`. value: for EVENT (event id, tuple of args, role of the
sender); for PAUSE and RESUME the role, None for nobody; for NOTE (code, value, role); for
BROADCAST (its number, its command, 0 or (event id, args) or an answer instead); for TAP see
`tap_records`.
The journal has a SENT_BY note with the role before what was done.
Answers: 0 done, 1 and more the refusal of the engine or its ruleset, below 0 the ones here.
"""

from redband_badge import notes
from redband_badge.game import Game
from redband_badge.on_demand import TAP_RECORDS, Needed
from redband_core import broadcasts, journal
from redband_core.packing import SIGNED_MAX, put_varint

PAUSE = 1
RESUME = 2
EVENT = 3
BROADCAST = 4
NOTE = 5
TAP = 6

DONE = 0
ANSWER_PAUSED = notes.ANSWER_PAUSED  # the game is paused, and the sender is a player or medic
ANSWER_NO_RULES = -2  # in safe mode without a ruleset
ANSWER_UNKNOWN = -3  # no such command or event, or numbers that no event takes
ANSWER_OLD = -7  # a broadcast that was obeyed, or came after a later one

EVENT_ID_MAX = 0xFFFF
ARGS_MAX = 16
_FIRST_STAFF_ROLE = 2  # marshal, game master, technician; below are player and medic


def may_send(ruleset, event_id: int, role: int) -> bool:
    """Return whether a sender with `role` (0..4, as in the settings) may send the event.

    `ruleset`: a Ruleset. An event that it has not may be sent by nobody.
    """
    masks = ruleset.event_roles
    return 0 <= event_id < len(masks) and role >= 0 and (masks[event_id] >> role) & 1 == 1


def take(game_journal, item: tuple, now_ms: int) -> int:
    """Do one command at `now_ms`, game time; return the answer. Raises OSError."""
    kind, number, value = item
    if kind == EVENT:
        return _event(game_journal, value, now_ms)
    if kind == BROADCAST:
        return _broadcast(game_journal, value, now_ms)
    if kind == TAP:
        return _tap(game_journal, value, now_ms)
    if kind == NOTE:
        code, noted, role = value
        _sent_by(game_journal, role, now_ms)
        game_journal.note(now_ms, code, noted, True)
        game_journal.show()
        return DONE
    if kind != PAUSE and kind != RESUME:
        return ANSWER_UNKNOWN
    if value is not None and game_journal.is_paused != (kind == PAUSE):
        _sent_by(game_journal, value, now_ms)
    set_paused(game_journal, kind == PAUSE, now_ms, number)
    return DONE


def _tap(game_journal, value: tuple, now_ms: int) -> int:
    with Needed(TAP_RECORDS) as tap_records:
        return tap_records.decide(game_journal, value, now_ms)


def _sent_by(game_journal, role: int, now_ms: int) -> None:
    # No decision: when the flash fails after it, the command is taken again.
    game_journal.record(journal.NOTE, now_ms, journal.note_payload(notes.SENT_BY, role))


def _broadcast(game_journal, value: tuple, now_ms: int) -> int:
    """Obey a broadcast, once.

    Its number stands before its record. A cut between the two leaves it undone: the number counts
    only together with that record.
    """
    number, command, event = value
    if number <= game_journal.broadcast_number:
        return ANSWER_OLD
    is_pause = command == broadcasts.FLEET_PAUSE
    is_pause_or_resume = is_pause or command == broadcasts.FLEET_RESUME
    code = 0
    if command == broadcasts.FLEET_GAME_OVER:
        code = notes.GAME_ENDED
    elif command == broadcasts.FLEET_GAME_BEGINS:
        code = notes.GAME_BEGUN
    is_event = isinstance(event, tuple) and isinstance(game_journal, Game)
    is_followed = (
        is_event or code != 0 or (is_pause_or_resume and is_pause != game_journal.is_paused)
    )
    game_journal.make_room()
    game_journal.note_now(notes.BROADCAST, number << 1 | is_followed, now_ms)
    answer = DONE
    if is_event:
        answer = game_journal.apply(now_ms, event[0], event[1])
    elif isinstance(event, int) and event:
        answer = event
    elif code:
        game_journal.note(now_ms, code, 0, True)
    elif is_pause_or_resume:
        set_paused(game_journal, is_pause, now_ms, number)
    else:
        answer = ANSWER_NO_RULES if isinstance(event, tuple) else ANSWER_UNKNOWN
    game_journal.broadcast_number = number
    game_journal.broadcast_pending = 0
    return answer


def set_paused(game_journal, is_paused: bool, now_ms: int, number: int = 0) -> None:
    """Let the game stand still from `now_ms` on, or go on. Raises OSError, with nothing shown.

    `number`: of the command, 0..2**53, 0 for none. When it is so already, nothing is done.
    """
    game_journal.result = DONE
    if game_journal.is_paused == is_paused:
        return
    game_journal.make_room()
    payload = bytearray()
    put_varint(payload, number)
    game_journal.is_paused = is_paused
    game_journal.decide(journal.PAUSE if is_paused else journal.RESUME, now_ms, bytes(payload))
    game_journal.show()


def _event(game_journal, value: tuple, now_ms: int) -> int:
    event_id, args, role = value
    if not isinstance(game_journal, Game):
        return ANSWER_NO_RULES
    if not 0 <= event_id <= EVENT_ID_MAX or len(args) > ARGS_MAX:
        return ANSWER_UNKNOWN
    for number in args:
        if not -SIGNED_MAX <= number <= SIGNED_MAX:
            return ANSWER_UNKNOWN  # no journal can hold it
    _sent_by(game_journal, role, now_ms)
    if game_journal.is_paused and role < _FIRST_STAFF_ROLE:
        # Staff may set things right while the game stands still; players and medics wait.
        return game_journal.refuse(now_ms, notes.REFUSED_PAUSED, event_id, args)
    return game_journal.apply(now_ms, event_id, args)
