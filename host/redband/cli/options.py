"""Options that several commands share: language, data folder, and which radio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from redband.errors import RedbandUserError

if TYPE_CHECKING:
    from redband.keys import Keys
    from redband.radio import RadioBackend
    from redband.store.store import Store


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

KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="Key file of the game or of your role (without it: game.key in the data folder, or"
        " the virtual field's own).",
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


@contextmanager
def existing_store(data: Path | None) -> Iterator[Store]:
    """Open the store of the data folder. Raises RedbandUserError when there is none."""
    from redband.store.store import STORE_FILE, Store

    path = data_folder(data) / STORE_FILE
    if not path.exists():
        raise RedbandUserError(
            f"There is no store in {path.parent}; fill one with `redband sync`, or name the"
            " folder of another one with --data DIR."
        )
    store = Store(path)
    try:
        yield store
    finally:
        store.close()


def key_path(key: Path | None, data: Path | None) -> Path:
    """Return where the game's key is: the file named, else game.key in the data folder.

    Raises RedbandUserError as data_folder does.
    """
    from redband.keys import KEY_FILE

    return key if key is not None else data_folder(data) / KEY_FILE


class Radio(NamedTuple):
    """A radio to use, and the keys to hear with.

    backend: for bleak, None for real Bluetooth. time_factor: game seconds per second. keys: None
    when there are none, and badges are but counted.
    """

    backend: RadioBackend | None
    time_factor: float
    keys: Keys | None


def _keys(key: Path | None, folder: Path) -> Keys | None:
    from redband.keys import KEY_FILE, load_keys

    path = key or folder / KEY_FILE
    return load_keys(path) if key is not None or path.exists() else None


@asynccontextmanager
async def open_radio(
    field: Path | None, key: Path | None = None, data: Path | None = None
) -> AsyncIterator[Radio]:
    """Open the radio of the virtual field running in the folder `field`; None: real Bluetooth.

    key: file of the keys; None for those of the field, or of the data folder `data`. Raises
    RedbandUserError when no field runs there, the virtual radio is not installed, or the key file
    cannot be used.
    """
    if field is None:
        yield Radio(None, 1.0, _keys(key, data_folder(data)))
        return
    from redband.virtual.runtime import require_runtime

    require_runtime()
    from redband.virtual.bleak_backend import backend
    from redband.virtual.control import ask
    from redband.virtual.field import CONTROL_NAME

    status = await ask(field / CONTROL_NAME, {"do": "status"})
    keys = _keys(key, field)
    radio = backend(status["hci"])
    try:
        yield Radio(radio, float(status["time_factor"]), keys)
    finally:
        await radio.close()
