"""`redband command`: one badge does something: an event of its rules, a pause, a light."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from redband.cli.options import (
    DataOption,
    FieldOption,
    KeyOption,
    Language,
    LanguageOption,
    data_folder,
)
from redband.errors import RedbandUserError
from redband_core import numbers

if TYPE_CHECKING:
    from redband.keys import Keys
    from redband.overview.names import Rulesets
    from redband.radio import Answered
    from redband.wire.frames import Welcome

app = typer.Typer(add_completion=False)

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

EXIT_REFUSED = 1


class _Order(NamedTuple):
    """What is to be done: `words` are an event and its arguments, or one of COMMANDS."""

    badge_id: int
    words: tuple[str, ...]
    role: int
    request: int

    @property
    def is_command(self) -> bool:
        return self.words[0] in COMMANDS


class _Where(NamedTuple):
    """How to reach the badge: the options of the command line."""

    field: Path | None
    key: Path | None
    folder: Path
    ruleset: str
    seconds: float


@app.command()
def command(
    badge: Annotated[int, typer.Argument(min=1, max=65535, help="Number of the badge.")],
    event: Annotated[
        str,
        typer.Argument(
            help=f"An event of the badge's rules (redband rules events), or {', '.join(COMMANDS)}."
        ),
    ],
    args: Annotated[
        list[str] | None,
        typer.Argument(help="The event's arguments in their order, or name=value."),
    ] = None,
    as_role: Annotated[
        str | None,
        typer.Option("--as", help="medic, marshal, game_master or technician: as whom."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to listen for it.")] = 20,
    ruleset: Annotated[
        str, typer.Option("--ruleset", help="The game's ruleset, where it is a file of your own.")
    ] = "hits",
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
    lang: LanguageOption = Language.EN,
) -> None:
    """Let a badge do something, and say what came of it. Exit code 1 when it refused.

    The order is done once, however often the connection breaks.
    """
    words = (event, *(args or ()))
    if event in COMMANDS and args:
        raise RedbandUserError(f'"{event}" takes no arguments.')
    where = _Where(field, key, data_folder(data), ruleset, seconds)
    told, is_done = _carry_out(badge, words, as_role, where, lang)
    typer.echo(told, err=not is_done)
    raise typer.Exit(0 if is_done else EXIT_REFUSED)


def _carry_out(
    badge_id: int, words: tuple[str, ...], as_role: str | None, where: _Where, lang: Language
) -> tuple[str, bool]:
    """Find the badge and give the order; return (what came of it, whether it was done)."""
    from redband.cli import session
    from redband.cli.options import open_radio
    from redband.gateway.bleak_radio import BleakRadio
    from redband.radio import new_request

    told: list[tuple[str, bool]] = []

    async def main() -> int:
        async with open_radio(where.field, where.key, where.folder) as radio:
            keys = radio.keys
            if keys is None:
                raise RedbandUserError(
                    "Orders need the game's key or that of a role; name it with --key."
                )
            order = _Order(badge_id, words, _role(as_role, keys), new_request())
            hearing = BleakRadio(radio.backend, keys, time_factor=radio.time_factor)
            rulesets, close = _open_rulesets(where.folder, where.ruleset)
            try:
                told.append(
                    await _give(order, hearing, radio.backend, keys, rulesets, where.seconds, lang)
                )
            finally:
                close()
        return 0

    session.run(main())
    return told[-1]


def _role(name: str | None, keys: Keys) -> int:
    from redband_core.settings_check import ROLES

    if name is None:
        return keys.role
    if name not in ROLES[1:]:
        raise RedbandUserError(f"--as takes {', '.join(ROLES[1:])}, not {name}.")
    return ROLES.index(name)


def _open_rulesets(folder, ruleset: str):
    """Return (the rulesets at hand, what closes their store)."""
    from redband.overview.names import open_rulesets
    from redband.store.store import STORE_FILE, Store

    store = Store(folder / STORE_FILE)
    return open_rulesets(store, ruleset), store.close


async def _give(
    order: _Order, hearing, backend, keys: Keys, rulesets: Rulesets, seconds: float, lang: Language
) -> tuple[str, bool]:
    """Give the order; return (what came of it, whether it was done)."""
    from redband.cli.reach import reach
    from redband.radio import SyncError, SyncFailure, command_badge

    sighting = await reach(hearing, order.badge_id, seconds)
    said: list[bytes] = []
    boots: list[int] = []
    doubt = " Whether it was done is not known: sync the badge, then see redband events."

    def orders(welcome: Welcome) -> list[bytes]:
        if boots and welcome.boot_id != boots[0]:
            # It remembers which orders it did only until it restarts (PITFALLS G6).
            raise RedbandUserError(f"Badge {order.badge_id} restarted meanwhile.{doubt}")
        boots[:] = [welcome.boot_id]
        said[:] = [_message(order, welcome, rulesets)]
        return said

    try:
        done = await command_badge(
            sighting.device, orders, keys, backend, badge_id=order.badge_id, role=order.role
        )
    except SyncError as error:
        is_sure = not said or error.reason is SyncFailure.ROLE
        raise RedbandUserError(
            f"Badge {order.badge_id}: {error}{'' if is_sure else doubt}"
        ) from error
    return _told(order, done, said[0][0], rulesets, lang)


def _message(order: _Order, welcome: Welcome, rulesets: Rulesets) -> bytes:
    from redband.rules.spoken import read_event
    from redband.wire import command_frames as wire_command_frames

    if order.is_command:
        return wire_command_frames.encode_command(order.request, COMMANDS[order.words[0]])
    compiled = rulesets.compiled(welcome.ruleset_identity)
    if compiled is None:
        raise RedbandUserError(
            f"The ruleset {welcome.ruleset_identity.hex()} of badge {order.badge_id} is not known"
            " here; name its file with --ruleset."
        )
    event_id, args = read_event(compiled, order.words[0], order.words[1:])
    return wire_command_frames.encode_event(order.request, event_id, args)


def _told(
    order: _Order, done: Answered, opcode: int, rulesets: Rulesets, lang: Language
) -> tuple[str, bool]:
    from redband.overview.answers import told
    from redband.wire import command_frames as wire_command_frames

    names = rulesets.names(done.welcome.ruleset_identity)
    _request, outcome = wire_command_frames.decode_result(done.answers[0], opcode)
    words = " ".join(order.words)
    answer = told(outcome, names).get(lang.value)
    if outcome == numbers.ANSWER_DONE:
        return f"Badge {order.badge_id}: {words}: {answer}.", True
    refused = "отказ" if lang is Language.RU else "refused"
    return f"Badge {order.badge_id}: {words}: {refused}, {answer}.", False
