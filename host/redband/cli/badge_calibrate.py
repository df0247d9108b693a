"""`redband badge calibrate`: the technician's keyboard and screen."""

from __future__ import annotations

import sys

import typer

from redband.cli.options import Language
from redband.desk import calibrate_words as words
from redband.desk.calibrate import calibrate
from redband.errors import RedbandUserError


class Keyboard:
    """A Desk on a terminal, or on a pipe that writes lines."""

    def __init__(self, language: int) -> None:
        self.language = language

    def say(self, text: str) -> None:
        """Show a line."""
        typer.echo(text)

    def wait(self, text: str) -> None:
        """Wait for Enter. Raises RedbandUserError when nothing can come."""
        typer.echo(text)
        if not sys.stdin.readline():
            raise RedbandUserError(words.NO_INPUT[self.language])


def calibrate_with_keyboard(port: str, lang: Language) -> None:
    """Calibrate, and say so when Ctrl-C ended it. Raises RedbandUserError, KeyboardInterrupt."""
    language = int(lang is Language.RU)
    try:
        calibrate(port, Keyboard(language))
    except KeyboardInterrupt:
        typer.echo(words.CANCELLED[language], err=True)
        raise
