"""Is what virtual badges are made of installed? Cheap: nothing heavy is imported."""

from __future__ import annotations

import importlib.util

from redband.errors import RedbandUserError

RUNTIME_MODULES = ("micropython_unix", "bumble", "littlefs")
"""What the virtual field is made of: interpreter, radio, file system images."""


def require_runtime() -> None:
    """Raise RedbandUserError when a part of the virtual field is not installed."""
    missing = [name for name in RUNTIME_MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise RedbandUserError(
            f"The runtime of virtual badges is missing here ({', '.join(missing)}); install it"
            " with `make env`, or with `pip install 'redband[sim]'` outside a checkout."
        )
