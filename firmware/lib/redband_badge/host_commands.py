"""What a proven host asks for: a ruleset's events, commands, broadcasts.

Guarantee: an answer is given when the journal holds what was decided; a request said again gets
the same answer and is not done again; who may say what is decided here, by the session's role.
Leaves the memory again when it was used.
"""

from redband_badge import commands
from redband_badge.on_demand import BROADCAST, WAKE_CHECK, Needed
from redband_badge.pending_commands import REQUESTS_MAX
from redband_core import command_frames, frames, numbers


def take(side, session, number: int, message: bytes) -> None:
    """Take a signed message of `session`, see BadgeSession. Raises ProtocolError.

    `side`: RadioSide.
    """
    opcode = message[0]
    if opcode == frames.BROADCAST:
        _take_broadcast(side, session, number, command_frames.decode_broadcast(message))
        return
    is_event = opcode == frames.EVENT
    decode = command_frames.decode_event if is_event else command_frames.decode_command
    request, what, args = decode(message)
    entry, is_new = _entry(side.pending_commands, request)
    entry[2:] = [session, number, opcode]
    if not is_new:
        if entry[1] is not None:
            _finish(entry, entry[1])
        return

    def done(outcome: int) -> None:
        _finish(entry, outcome)

    if is_event:
        outcome = _event(side, session.role, what, args, done)
    else:
        outcome = _command(side, session.role, what, done)
    if outcome == numbers.ANSWER_BUSY:
        side.pending_commands.requests.remove(entry)  # said again, it is tried again
    if outcome is not None:
        _finish(entry, outcome)


def _entry(pending_commands, number: int) -> "tuple[list, bool]":
    """Return (the entry of a host's request, whether it is new)."""
    for entry in pending_commands.requests:
        if entry[0] == number:
            return entry, False
    entry = [number, None, None, 0, 0]
    pending_commands.requests = pending_commands.requests[1 - REQUESTS_MAX :] + [entry]
    return entry, True


def _finish(entry: list, outcome: int) -> None:
    request, _outcome, session, number, opcode = entry
    entry[1:3] = [outcome, None]
    if session is not None:
        session.answer(number, command_frames.encode_result(opcode, request, outcome))


def _event(side, role: int, event_id: int, args: tuple, done) -> "int | None":
    """Return an outcome, or None when the game task will say it to `done`."""
    ruleset = side.ruleset
    if ruleset is None:
        return numbers.ANSWER_NO_RULES
    if event_id >= len(ruleset.event_roles):
        return numbers.ANSWER_UNKNOWN
    if not commands.may_send(ruleset, event_id, role):
        return numbers.ANSWER_ROLE
    return _give(side, commands.EVENT, (event_id, args, role), done)


def _command(side, role: int, command: int, done) -> "int | None":
    roles = command_frames.COMMAND_ROLES
    if not 0 < command < len(roles):
        return numbers.ANSWER_UNKNOWN
    if not roles[command] >> role & 1:
        return numbers.ANSWER_ROLE
    if command == numbers.COMMAND_PAUSE or command == numbers.COMMAND_RESUME:
        kind = commands.PAUSE if command == numbers.COMMAND_PAUSE else commands.RESUME
        return _give(side, kind, role, done)
    if command == numbers.COMMAND_IDENTIFY:
        side.state.identified += 1
        side.state.touch()
        return numbers.ANSWER_DONE
    if command == numbers.COMMAND_TRANSPORT:
        with Needed(WAKE_CHECK) as sleep:
            can_wake = sleep.enter_transport(side.state)
        return numbers.ANSWER_DONE if can_wake else numbers.ANSWER_IMPOSSIBLE
    if command == numbers.COMMAND_EMERGENCY_OVER:
        note = (numbers.NOTE_EMERGENCY, 0)
    else:
        is_begin = command == numbers.COMMAND_GAME_BEGINS
        note = (numbers.NOTE_GAME_BEGUN if is_begin else numbers.NOTE_GAME_ENDED, 0)
    return _give(side, commands.NOTE, note + (role,), done)


def _give(side, kind: int, value, done) -> "int | None":
    return None if side.pending_commands.give(kind, value, done) else numbers.ANSWER_BUSY


def _take_broadcast(side, session, number: int, payload: bytes) -> None:
    def done(outcome: int) -> None:
        newest = side.game_journal.broadcast_number
        session.answer(number, command_frames.encode_broadcast_result(newest, outcome))

    with Needed(BROADCAST) as broadcast:
        outcome = broadcast.obey(side, payload, done)
    if outcome is not None:
        done(outcome)
