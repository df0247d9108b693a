"""Random bytes for keys and nonces: of the system, unless a virtual field has its own."""

from __future__ import annotations

import secrets


class Chance:
    """The system's own generator."""

    def token_bytes(self, count: int) -> bytes:
        """Return so many random bytes."""
        return secrets.token_bytes(count)


SYSTEM = Chance()
