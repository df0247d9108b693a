"""The non-volatile store of a virtual badge's chip, a file beside its flash image."""

from __future__ import annotations

import json
from pathlib import Path


class NvsFile:
    """Values as the badge's esp32 module keeps them ("namespace/type/key" -> value)."""

    def __init__(self, path: Path) -> None:
        """Read `path` if it is there."""
        self._path = path
        self.values: dict[str, object] = {}
        if path.exists():
            self.values = json.loads(path.read_text("utf-8"))

    def save(self, content: bytes) -> None:
        """Replace all values by the JSON `content`; whole, whatever happens meanwhile."""
        self.values = json.loads(content)
        beside = self._path.with_suffix(".new")
        beside.write_bytes(content)
        beside.replace(self._path)
