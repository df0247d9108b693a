"""Options that several commands share: language, data folder, and which radio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.radio import RadioBackend


class Language(StrEnum):
    """Languages of the user interface."""

    EN = "en"
    RU = "ru"


LanguageOption = Annotated[Language, typer.Option("--lang", help="Language of names.")]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the store (without it: the user's data folder of this system).",
    ),
]
FieldOption = Annotated[
    Path | None,
    typer.Option(
        "--field", help="Folder of a running virtual field (without it: real Bluetooth)."
    ),
]


def data_folder(given: Path | None) -> Path:
    """Return the folder of the store, made when it is the user's own and not there yet.

    Raises RedbandUserError when a folder that was named is not there, or none can be made.
    """
    if given is not None:
        if not given.is_dir():
            raise RedbandUserError(f"There is no folder {given}; name one with --data DIR.")
        return given
    from platformdirs import user_data_path

    folder = user_data_path("redband", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RedbandUserError(
            f"The data folder {folder} cannot be made ({error.strerror}); name another with"
            " --data DIR."
        ) from error
    return folder


class Radio(NamedTuple):
    """A radio to use: its bleak backend (None: real Bluetooth) and game seconds per second."""

    backend: RadioBackend | None
    time_factor: float


@asynccontextmanager
async def open_radio(field: Path | None) -> AsyncIterator[Radio]:
    """Open the radio of the virtual field running in the folder `field`; None: real Bluetooth.

    Raises RedbandUserError when no field runs there, or the virtual radio is not installed.
    """
    if field is None:
        yield Radio(None, 1.0)
        return
    from redband.virtual.runtime import require_runtime

    require_runtime()
    from redband.virtual.bleak_backend import backend
    from redband.virtual.control import ask
    from redband.virtual.field import CONTROL_NAME

    status = await ask(field / CONTROL_NAME, {"do": "status"})
    radio = backend(status["hci"])
    try:
        yield Radio(radio, float(status["time_factor"]))
    finally:
        await radio.close()
