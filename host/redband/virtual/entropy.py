"""All chance of one virtual field, from one seed: losses, hands, random bytes of badges and host.

Guarantee: each use draws from a generator of its own, named by its purpose, so that one more draw
here changes nothing there. For rehearsals and tests: keys of such a field are no secrets.
"""

from __future__ import annotations

import random

from redband.keys.chance import Chance

_NUMBER_BITS = 30


class Entropy(Chance):
    """`seed`: equal seeds give equal fields."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._host = self.generator("host")

    def generator(self, purpose: str) -> random.Random:
        """Return a new generator for a purpose; equal purposes give equal generators."""
        return random.Random(f"{self.seed}/{purpose}")

    def number(self, purpose: str) -> int:
        """Return the seed of a purpose, 0 to 2^30 - 1."""
        return self.generator(purpose).getrandbits(_NUMBER_BITS)

    def token_bytes(self, count: int) -> bytes:
        """Return the next bytes for a key or nonce of the host."""
        return self._host.randbytes(count)
