"""Actions on the virtual field: what the script, the page and the command line may do to a badge.

Guarantee: everything goes through what a person could do to a real badge. An action on a badge
that is not there, or that its state forbids, is one sentence.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from redband.demo.script import HOLD, PRESS, PULL, RESTORE, SHAKE
from redband.errors import RedbandUserError
from redband.virtual.badge import VirtualBadge
from redband.virtual.field import Field

ALIASES = {"hit": PRESS}
"""Words of the page for actions."""


class Actions:
    """All that can be done to the badges of `field`."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._deeds: dict[str, Callable[[VirtualBadge], Awaitable[object]]] = {
            PRESS: lambda badge: badge.press(),
            SHAKE: lambda badge: badge.shake(),
            HOLD: lambda badge: badge.hold(),
            PULL: lambda badge: badge.power_cut(),
            RESTORE: lambda badge: badge.power_on(),
        }

    def badge(self, badge_id: int) -> VirtualBadge:
        """Return a badge of the field. Raises RedbandUserError when there is none."""
        if badge_id not in self._field.badges:
            raise RedbandUserError(f"There is no badge {badge_id} in this field.")
        return self._field.badges[badge_id]

    async def do(self, verb: str, badge_id: int) -> None:
        """Do `verb` (a verb of `script`, or "hit") to a badge.

        Raises RedbandUserError for a verb or badge there is not.
        """
        deed = self._deeds.get(ALIASES.get(verb, verb))
        if deed is None:
            known = ", ".join([*self._deeds, *ALIASES])
            raise RedbandUserError(f"Nobody can {verb} a badge; there is {known}.")
        badge = self.badge(badge_id)
        # A button of a badge without power does nothing, nor does a battery that is in already.
        if badge.is_powered != (verb == RESTORE):
            await deed(badge)
