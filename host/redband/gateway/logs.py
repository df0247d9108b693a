"""Where the libraries' own messages go: to a file, not into a live table."""

from __future__ import annotations

import logging
from pathlib import Path


def log_to(path: Path) -> None:
    """Write warnings and errors of all libraries to `path`, appending, from now on.

    A log that cannot be written is given up silently: the store says when the disk is full.
    """
    logging.raiseExceptions = False
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
