"""One badge does something: an event of its rules, a pause, a light.

Guarantee: a command is done once, however often the connection breaks; where nobody can know
whether it was done, the error says so.
"""

from __future__ import annotations

from typing import NamedTuple

from redband.errors import RedbandUserError
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.reach import reach
from redband.keys import Keys
from redband.overview import answers
from redband.overview.names import Rulesets
from redband.radio import RadioBackend, SyncError, SyncFailure, command_badge, new_request
from redband.rules.spoken import read_event
from redband.wire import command_frames as wire_command_frames
from redband.wire.frames import Welcome
from redband_core import numbers

COMMANDS = {
    "pause": numbers.COMMAND_PAUSE,
    "resume": numbers.COMMAND_RESUME,
    "begin": numbers.COMMAND_GAME_BEGINS,
    "game-over": numbers.COMMAND_GAME_OVER,
    "emergency-over": numbers.COMMAND_EMERGENCY_OVER,
    "blink": numbers.COMMAND_IDENTIFY,
    "transport": numbers.COMMAND_TRANSPORT,
}
"""Commands that no ruleset has, by the names that people type."""

_DOUBT = " Whether it was done is not known: sync the badge, then see redband events."


class Command(NamedTuple):
    """What a badge is to do: `words` are an event and its arguments, or one of COMMANDS."""

    badge_id: int
    words: tuple[str, ...]
    role: int


async def give(
    command: Command,
    backend: RadioBackend | None,
    keys: Keys,
    rulesets: Rulesets,
    seconds: float,
    language: str,
) -> tuple[str, bool]:
    """Find the badge and give the command; return (what came of it, whether it was done).

    seconds: how long to listen for it. language: "en" or "ru". Raises RedbandUserError.
    """
    sighting = await reach(BleakRadio(backend, keys), command.badge_id, seconds)
    request = new_request(keys.chance)
    said: list[bytes] = []
    boots: list[int] = []

    def messages(welcome: Welcome) -> list[bytes]:
        if boots and welcome.boot_id != boots[0]:
            # It remembers which commands it did only until it restarts (PITFALLS G6).
            raise RedbandUserError(f"Badge {command.badge_id} restarted meanwhile.{_DOUBT}")
        boots[:] = [welcome.boot_id]
        said[:] = [_message(command, request, welcome, rulesets)]
        return said

    try:
        done = await command_badge(
            sighting.device, messages, keys, backend, badge_id=command.badge_id, role=command.role
        )
    except SyncError as error:
        is_sure = not said or error.reason is SyncFailure.ROLE
        raise RedbandUserError(
            f"Badge {command.badge_id}: {error}{'' if is_sure else _DOUBT}"
        ) from error
    _request, outcome = wire_command_frames.decode_result(done.answers[0], said[0][0])
    answer = answers.told(outcome, rulesets.names(done.welcome.ruleset_identity)).get(language)
    is_done = outcome == numbers.ANSWER_DONE
    refused = "" if is_done else ("отказ, " if language == "ru" else "refused, ")
    return f"Badge {command.badge_id}: {' '.join(command.words)}: {refused}{answer}.", is_done


def _message(command: Command, request: int, welcome: Welcome, rulesets: Rulesets) -> bytes:
    if command.words[0] in COMMANDS:
        return wire_command_frames.encode_command(request, COMMANDS[command.words[0]])
    compiled = rulesets.compiled(welcome.ruleset_identity)
    if compiled is None:
        raise RedbandUserError(
            f"The ruleset {welcome.ruleset_identity.hex()} of badge {command.badge_id} is not"
            " known here; name its file with --ruleset."
        )
    event_id, args = read_event(compiled, command.words[0], command.words[1:])
    return wire_command_frames.encode_event(request, event_id, args)
