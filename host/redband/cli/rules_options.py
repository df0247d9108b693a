"""What the commands of `redband rules` share: ruleset, language, params, and writing a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.rules import CompiledRuleset

Ruleset = Annotated[str, typer.Argument(metavar="FILE|ID", help="a TOML file, or a shipped id")]
Language = Annotated[str, typer.Option("--lang", help="en or ru")]
Player = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="a param, such as max_hits=3")
]


def language(lang: str) -> str:
    """Return the language. Raises RedbandUserError for an unknown one."""
    if lang not in ("en", "ru"):
        raise RedbandUserError(f'unknown language "{lang}"; known are: en, ru')
    return lang


def params(ruleset: CompiledRuleset, player: list[str] | None) -> list[int]:
    """Return the params of a player, given as NAME=VALUE. Raises RedbandUserError."""
    given: dict[str, int | str] = {}
    for text in player or []:
        name, sign, value = text.partition("=")
        if not sign:
            raise RedbandUserError(f'"{text}" is not NAME=VALUE; write for example max_hits=3')
        given[name.strip()] = value.strip()
    return ruleset.param_values(given)


def check_suffix(output: Path, suffix: str) -> None:
    """Raise RedbandUserError unless the file's name ends in `suffix`, such as ".svg"."""
    if output.suffix.lower() != suffix:
        stem = output.stem.strip("-.") or "rules"
        raise RedbandUserError(
            f'"{output}" does not end in {suffix}, and no other kind of file is made here; '
            f"write for example -o {stem}{suffix}"
        )


def write(output: Path, data: bytes) -> None:
    """Write a file. Raises RedbandUserError."""
    try:
        output.write_bytes(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no file name"
        raise RedbandUserError(f"{output} can't be written: {reason}") from error
