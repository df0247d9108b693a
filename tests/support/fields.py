"""A running virtual field, and the command line on it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

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
    """Run a command on the field, its store beside it; return what it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *["-m", "redband", *arguments, "--field", str(field.directory)],
        *["--data", str(field.directory)],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"COLUMNS": "200"},
    )
    try:
        async with asyncio.timeout(COMMAND_S):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == code, out + err
    assert b"Traceback" not in err
    return out.decode(), err.decode()
