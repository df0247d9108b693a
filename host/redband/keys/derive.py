"""What follows from a game's key: keys of the group, of roles, and of each badge with each role.

Problem: who opens a badge, or loses a laptop, should give away as little as can be. Guarantee:
everything is derived one way; a role's keys say nothing about the game's key or another role, a
badge's keys nothing about another badge. Pure: knows no files. Labels and lengths:
docs/protocol.md.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Protocol

from redband.wire import keys as wire_keys
from redband_core import keys, numbers

GAME_KEY_BYTES = 32
_BY_RADIO = range(numbers.ROLE_MEDIC, numbers.ROLE_TECHNICIAN + 1)
_WITH_BROADCAST = (numbers.ROLE_MARSHAL, numbers.ROLE_GAME_MASTER)


class Keys(Protocol):
    """What a host tool needs of keys, whether they are a game's or a role's.

    game_id: 4 bytes, no secret. role: as whom a tool comes when nobody says otherwise.
    advert_encrypt, advert_proof: the group's, 16 bytes each. broadcast: None for roles that
    may not say anything to all badges.
    """

    @property
    def game_id(self) -> bytes: ...

    @property
    def role(self) -> int: ...

    @property
    def advert_encrypt(self) -> bytes: ...

    @property
    def advert_proof(self) -> bytes: ...

    @property
    def broadcast(self) -> bytes | None: ...

    def role_key(self, role: int) -> bytes | None:
        """Return the key of `role` (1 to 4), None when it is not among these keys."""
        ...


def badge_key(of: Keys, badge_id: int, role: int) -> bytes | None:
    """Return the key that badge `badge_id` shares with `role`, None when `of` has it not."""
    role_key = of.role_key(role)
    return None if role_key is None else keys.badge_key(role_key, badge_id)


class GameKeys:
    """The key of a game and all that follows from it. `secret`: 32 random bytes."""

    def __init__(self, secret: bytes) -> None:
        if len(secret) != GAME_KEY_BYTES:
            raise ValueError(f"a game key has {GAME_KEY_BYTES} bytes")
        self.secret = secret
        self.role = numbers.ROLE_GAME_MASTER
        self.game_id = self._derived(b"redband game")[: keys.GAME_ID_BYTES]
        self.advert_encrypt = self._derived(b"redband advert encrypt")
        self.advert_proof = self._derived(b"redband advert proof")
        self.broadcast = self._derived(b"redband fleet")

    @classmethod
    def new(cls) -> GameKeys:
        """Return the keys of a new game, by chance."""
        return cls(secrets.token_bytes(GAME_KEY_BYTES))

    def _derived(self, label: bytes) -> bytes:
        return hmac.digest(self.secret, label, "sha256")[: keys.KEY_BYTES]

    def role_key(self, role: int) -> bytes | None:
        """See `Keys`."""
        if role not in _BY_RADIO:
            return None
        return self._derived(b"redband role" + bytes((role,)))

    def badge_file(self, badge_id: int, role: int) -> bytes:
        """Return the /keys.bin of a badge. `role`: of its wearer, 0 for a player."""
        group = self.advert_encrypt + self.advert_proof + self.broadcast
        own = b"".join(badge_key(self, badge_id, each) or b"" for each in _BY_RADIO)
        role_key = self.role_key(role) or bytes(keys.KEY_BYTES)
        return wire_keys.encode_key_file(self.game_id, group, own, role, role_key)

    def for_role(self, role: int) -> RoleKeys:
        """Return what a holder of `role` (1 to 4) gets. Raises ValueError for another role."""
        role_key = self.role_key(role)
        if role_key is None:
            raise ValueError(f"role {role} has no key")
        broadcast = self.broadcast if role in _WITH_BROADCAST else None
        return RoleKeys(
            self.game_id, role, role_key, self.advert_encrypt, self.advert_proof, broadcast
        )


class RoleKeys:
    """The keys of one role: reads all adverts, opens sessions as this role with every badge."""

    def __init__(
        self,
        game_id: bytes,
        role: int,
        key: bytes,
        advert_encrypt: bytes,
        advert_proof: bytes,
        broadcast: bytes | None,
    ) -> None:
        self.game_id = game_id
        self.role = role
        self.key = key
        self.advert_encrypt = advert_encrypt
        self.advert_proof = advert_proof
        self.broadcast = broadcast

    def role_key(self, role: int) -> bytes | None:
        """See `Keys`."""
        return self.key if role == self.role else None
