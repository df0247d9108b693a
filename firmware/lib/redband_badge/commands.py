"""Commands of game masters and medics: pause, resume, events, notes; done by the game task.

Guarantee: an answer is given when the journal holds what was decided, and exactly one. Whether the
sender may say it is the caller's business, who knows its key: `may_send` answers by its role.
Items of `badge.command_queue` are (kind, number, value). number: 0..2**53, comes back with the
answer by `state.on_answer(number, answer)`. value: for EVENT (event id, tuple of args, role of the
sender); for PAUSE and RESUME the role, None for nobody; for NOTE (code, value, role); for
BROADCAST (its number, its command, 0 or (event id, args) or an answer instead); for TAP see
`tap_records`.
The journal has a NOTE_SENT_BY with the role before what was done.
Answers: 0 done, 1 and more the refusal of the engine or its ruleset, below 0 the ANSWER_ numbers.
"""

from redband_badge.game import Game
from redband_badge.on_demand import TAP_RECORDS, Needed
from redband_core import journal, numbers
from redband_core.packing import SIGNED_MAX, put_varint

PAUSE = 1
RESUME = 2
EVENT = 3
BROADCAST = 4
NOTE = 5
TAP = 6


EVENT_ID_MAX = 0xFFFF
ARGS_MAX = 16


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
        return numbers.ANSWER_DONE
    if kind != PAUSE and kind != RESUME:
        return numbers.ANSWER_UNKNOWN
    if value is not None and game_journal.is_paused != (kind == PAUSE):
        _sent_by(game_journal, value, now_ms)
    set_paused(game_journal, kind == PAUSE, now_ms, number)
    return numbers.ANSWER_DONE


def _tap(game_journal, value: tuple, now_ms: int) -> int:
    with Needed(TAP_RECORDS) as tap_records:
        return tap_records.decide(game_journal, value, now_ms)


def _sent_by(game_journal, role: int, now_ms: int) -> None:
    # No decision: when the flash fails after it, the command is taken again.
    game_journal.record(journal.NOTE, now_ms, journal.note_payload(numbers.NOTE_SENT_BY, role))


def _broadcast(game_journal, value: tuple, now_ms: int) -> int:
    """Obey a broadcast, once.

    Its number stands before its record. A cut between the two leaves it undone: the number counts
    only together with that record.
    """
    number, command, event = value
    if number <= game_journal.broadcast_number:
        return numbers.ANSWER_OLD
    is_pause = command == numbers.BROADCAST_PAUSE
    is_pause_or_resume = is_pause or command == numbers.BROADCAST_RESUME
    code = 0
    if command == numbers.BROADCAST_GAME_OVER:
        code = numbers.NOTE_GAME_ENDED
    elif command == numbers.BROADCAST_GAME_BEGINS:
        code = numbers.NOTE_GAME_BEGUN
    is_event = isinstance(event, tuple) and isinstance(game_journal, Game)
    is_followed = (
        is_event or code != 0 or (is_pause_or_resume and is_pause != game_journal.is_paused)
    )
    game_journal.make_room()
    game_journal.note_now(numbers.NOTE_BROADCAST, number << 1 | is_followed, now_ms)
    answer = numbers.ANSWER_DONE
    if is_event:
        answer = game_journal.apply(now_ms, event[0], event[1])
    elif isinstance(event, int) and event:
        answer = event
    elif code:
        game_journal.note(now_ms, code, 0, True)
    elif is_pause_or_resume:
        set_paused(game_journal, is_pause, now_ms, number)
    else:
        answer = numbers.ANSWER_NO_RULES if isinstance(event, tuple) else numbers.ANSWER_UNKNOWN
    game_journal.broadcast_number = number
    game_journal.broadcast_pending = 0
    return answer


def set_paused(game_journal, is_paused: bool, now_ms: int, number: int = 0) -> None:
    """Pause the game from `now_ms` on, or go on. Raises OSError, with nothing shown.

    `number`: of the command, 0..2**53, 0 for none. When it is so already, nothing is done.
    """
    game_journal.result = numbers.ANSWER_DONE
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
        return numbers.ANSWER_NO_RULES
    if not 0 <= event_id <= EVENT_ID_MAX or len(args) > ARGS_MAX:
        return numbers.ANSWER_UNKNOWN
    for number in args:
        if not -SIGNED_MAX <= number <= SIGNED_MAX:
            return numbers.ANSWER_UNKNOWN  # no journal can hold it
    _sent_by(game_journal, role, now_ms)
    if game_journal.is_paused and role < numbers.ROLE_MARSHAL:
        # Staff may set things right while the game is paused; players and medics wait.
        return game_journal.refuse(now_ms, numbers.REFUSED_PAUSED, event_id, args)
    return game_journal.apply(now_ms, event_id, args)
