"""A running virtual field, and the command line on it."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.util import await_only, greenlet_spawn

from redband.cli.app import run
from redband.virtual.field import Field

COMMAND_S = 120.0


NewField = Callable[..., Awaitable[Field]]


@pytest.fixture
async def new_field(tmp_path: Path) -> AsyncIterator[NewField]:
    """Return new_field(**options): a running field without badges, in a folder of its own."""
    fields: list[Field] = []

    async def make(**options: Any) -> Field:
        name = f"field-{len(fields)}" if fields else "field"
        fields.append(Field(tmp_path / name, **options))
        await fields[-1].start()
        return fields[-1]

    yield make
    for field in fields:
        await field.stop()


@pytest.fixture
async def field(new_field: NewField) -> Field:
    """A running field without badges."""
    return await new_field()


async def redband(field: Field, *arguments: str, code: int = 0) -> tuple[str, str]:
    """Run a command on the field, its store beside it; return what it printed.

    It runs in this process on the field's clock, so that its seconds take none.
    """
    words = [*arguments, "--field", str(field.directory)]
    if arguments[0] != "update":
        words += ["--data", str(field.directory)]
    out, err = io.StringIO(), io.StringIO()
    root = logging.getLogger()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", "200")
        patch.setattr(asyncio, "run", await_only)
        for changed in ((root, "handlers"), (root, "level"), (logging, "raiseExceptions")):
            patch.setattr(*changed, getattr(*changed))
        async with asyncio.timeout(COMMAND_S):
            ended = await greenlet_spawn(run, words)
    assert ended == code, out.getvalue() + err.getvalue()
    return out.getvalue(), err.getvalue()
