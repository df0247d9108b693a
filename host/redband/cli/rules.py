"""`redband rules`: list, check, compile and try rulesets.

Problem: an organiser edits a TOML file and wants to know, before the game, whether a badge takes
it and what it does. Guarantee: a mistake in a file is one line `file:line: what; hint` and exit
code 2.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from redband.cli.rules_card import card
from redband.cli.rules_explore import explore
from redband.cli.rules_graph import graph
from redband.cli.rules_options import Language, Player, Ruleset, language, params, write
from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.rules.model import ArgInfo

app = typer.Typer(
    name="rules",
    help="Check, compile and show rulesets.",
    no_args_is_help=True,
    add_completion=False,
)

app.command()(graph)
app.command()(card)
app.command()(explore)


@app.command("list")
def list_rulesets(lang: Language = "en") -> None:
    """List the rulesets that come with the program, and the presets made of them."""
    from redband.rules import load, presets, shipped

    language(lang)
    table = Table("id", "title", "made of", "bytes", "identity")
    for names in (shipped(), presets()):
        for name in names:
            ruleset = load(name)
            title, parts = ruleset.title.get(lang), ", ".join(ruleset.includes)
            table.add_row(name, title, parts, str(len(ruleset.data)), ruleset.identity.hex())
        table.add_section()
    # A pipe has no width; cut names would be of no use there.
    Console(width=None if sys.stdout.isatty() else 120).print(table)


@app.command()
def check(ruleset: Ruleset) -> None:
    """Check a ruleset; say what it holds, or what is wrong and where."""
    from redband.rules import load

    found = load(ruleset)
    typer.echo(
        f"{found.source.name} is right: {len(found.rules)} rules, {len(found.events)} events, "
        f"{len(found.signals)} signals, {len(found.data)} bytes, identity {found.identity.hex()}"
    )


@app.command("compile")
def compile_ruleset(
    ruleset: Ruleset,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="file to write")],
) -> None:
    """Compile a ruleset to the file that a badge reads."""
    from redband.rules import load

    found = load(ruleset)
    write(output, found.data)
    typer.echo(f"{output}: {len(found.data)} bytes, identity {found.identity.hex()}")


@app.command()
def events(ruleset: Ruleset, lang: Language = "en") -> None:
    """List the events: their arguments and who may send them."""
    from redband.rules import load
    from redband.rules.model import void_source

    language(lang)
    table = Table("id", "event", "title", "arguments", "who may send it")
    found = load(ruleset).events
    for event in found:
        arguments = [_argument(arg) for arg in event.args]
        if event.name == "void":
            arguments.extend(f"{_argument(arg)}; or left out" for arg in void_source(found))
        row = (event.name, event.title.get(lang), "\n".join(arguments), ", ".join(event.roles))
        table.add_row(str(event.id), *row)
    # A pipe has no width; cut names would be of no use there.
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _argument(arg: ArgInfo) -> str:
    choices = ", ".join(f"{i} {name}" for i, (name, _title) in enumerate(arg.choices))
    return f"{arg.name}: {choices or f'{arg.low} to {arg.high}'}"


@app.command()
def replay(
    ruleset: Ruleset,
    player: Player = None,
    runtime: Annotated[str, typer.Option(help="cpython or micropython")] = "cpython",
) -> None:
    """Play JSON lines from standard input; print a JSON line for each input and each timer.

    An input is {"t_ms": 1000, "event": "hit", "args": {"n": 2}}; without "event" time passes.
    """
    from redband.rules import load
    from redband.rules.replay import read_inputs
    from redband.rules.replay import replay as run

    if runtime not in ("cpython", "micropython"):
        raise RedbandUserError(f'unknown runtime "{runtime}"; known are: cpython, micropython')
    found = load(ruleset)
    inputs = read_inputs(_input_lines(), found)
    try:
        for line in run(found, params(found, player), inputs, runtime):
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        sys.stderr.close()


def _input_lines():
    """Yield the lines of standard input. Raises RedbandUserError for what is not UTF-8."""
    try:
        yield from sys.stdin
    except UnicodeDecodeError as error:
        raise RedbandUserError("the input is not text in UTF-8; save it as UTF-8") from error
