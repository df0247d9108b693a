"""A host that updates a badge of a virtual field over the air."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.badge_journal import noted
from tests.support.taps import hit, lit
from tests.support.waiting import WAIT_S, until

from redband.build import packages
from redband.gateway import air_update
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import VirtualRadio
from redband.virtual.field import Field


class UpdateHost:
    """Updates badge 1 of a field. said: what the user was told."""

    def __init__(self, field: Field, radio: VirtualRadio) -> None:
        self.field = field
        self.radio = radio
        self.said: list[str] = []
        self.on_said: Callable[[str], None] = lambda _: None

    @property
    def badge(self) -> VirtualBadge:
        return self.field.badges[1]

    async def update(self, package: packages.Package, force: bool = False) -> air_update.Outcome:
        def say(_badge_id: int, text: str) -> None:
            self.said.append(text)
            self.on_said(text)

        wanted = frozenset((1,))
        keys = self.field.keys
        devices = await air_update.listen(keys, self.radio, wanted, WAIT_S)
        updater = air_update.Updater(keys, self.radio, package, force, say)
        (outcome,) = await updater.update_all(devices)
        return outcome

    async def hit(self) -> None:
        await lit(self.badge)
        await hit(self.badge)

    async def until_note(self, code: int) -> None:
        await until(lambda: noted(self.badge, code))
