"""The `redband` command: one root, one module per command, loaded when it is called.

Guarantee: `redband --help` imports none of the commands (Bluetooth, database and web come to
seconds). A mistake or obstacle of the user's is one sentence on standard error and an exit code
that is not 0; Ctrl-C is 130 without a trace; anything with a trace is a bug of ours.

Exit codes: 0 done; 1 it ran, and the answer is no (a demo that does not agree); 2 the command
line or an obstacle the sentence names; 130 Ctrl-C; 143 asked to end (SIGTERM).
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from redband.errors import RedbandUserError

CTRL_C = 130
"""Exit code of a program ended by Ctrl-C: 128 + SIGINT, as shells have it."""


class LazyCommand(NamedTuple):
    """Where a command lives (`app` in that module) and its line in the overview."""

    module: str
    help: str


COMMANDS = {
    "demo": LazyCommand("redband.cli.demo", "Play a skirmish with virtual badges, here and now."),
    "scan": LazyCommand("redband.cli.scan", "List the badges in range."),
    "watch": LazyCommand("redband.cli.watch", "Follow the field: a live table, journals synced."),
    "sync": LazyCommand("redband.cli.sync", "Fetch the journals of the badges in range."),
    "command": LazyCommand(
        "redband.cli.command", "Let a badge do something: an event, a pause, a light."
    ),
    "say": LazyCommand("redband.cli.say", "Stop the game on all badges, or let it go on."),
    "events": LazyCommand("redband.cli.events", "List the events in the store."),
    "treatments": LazyCommand(
        "redband.cli.treatments", "Compare what the badges of medics and patients wrote."
    ),
    "rules": LazyCommand("redband.cli.rules", "Check, compile and show rulesets."),
    "keys": LazyCommand("redband.cli.keys", "Make, show and hand out the key of a game."),
    "badge": LazyCommand("redband.cli.badge", "Put the firmware on a badge over USB."),
    "update": LazyCommand("redband.cli.update", "Update badges over the air."),
    "virtual": LazyCommand("redband.cli.virtual", "Run virtual badges, and press their buttons."),
}


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the base class's shape)
        """Return the names of all commands, in the order of the overview."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 (as above)
        """Return a stand-in with name and help line: all that an overview needs."""
        if cmd_name not in COMMANDS:
            return None

        def stand_in() -> None:
            """Is never run: `resolve_command` puts the real command in its place."""

        lone = typer.Typer(add_completion=False)
        lone.command(cmd_name, help=COMMANDS[cmd_name].help)(stand_in)
        return typer.main.get_command(lone)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return name, command and arguments of a call, with the real command imported."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = importlib.import_module(COMMANDS[name].module)
            command = typer.main.get_command(module.app)
            command.name = name
        return name, command, rest


app = typer.Typer(
    name="redband",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root() -> None:
    """Redband: arm badges for live-action games, and the tools around them.

    Exit codes: 0 done; 1 ran, and the answer is no; 2 something to put right, named in one
    sentence; 130 ended by Ctrl-C; 143 asked to end.
    """


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line `arguments` and return the exit code."""
    try:
        app(arguments, prog_name="redband")
    except RedbandUserError as error:
        typer.echo(f"redband: {error}", err=True)
        return error.exit_code
    except KeyboardInterrupt:
        return CTRL_C
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
