"""Whole badges for tests of the firmware: the real program on a virtual badge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.support import badge_journal
from tests.support.changed import changed_files
from tests.support.fields import NewField
from tests.support.waiting import until

from redband.virtual.badge import VirtualBadge
from redband.virtual.field import BadgeSpec
from redband.virtual.image import read_image
from redband_core import journal

BOTH_LIGHTS = (1, 1)
"""How the badge shows that an input counted."""
_JUDGED = (journal.EVENT, journal.REFUSED)


class Bench:
    """One virtual badge, and what its flash holds."""

    def __init__(self, badge: VirtualBadge) -> None:
        self.badge = badge
        self.lights: list[tuple[float, tuple[int, int, int]]] = []
        badge.on_leds.append(lambda now_s, leds: self.lights.append((now_s, tuple(leds))))

    async def until_lit(self) -> None:
        """Wait until the badge shows anything: it counts by then."""
        await self.badge.wait_led(lambda leds: bool(leds[0] or leds[1]), 40)

    async def acknowledged(self, action: Awaitable[None], timeout_s: float = 20.0) -> None:
        """Do something to the badge and wait until it shows that it counted."""
        seen = asyncio.ensure_future(
            self.badge.wait_led(lambda leds: tuple(leds[:2]) == BOTH_LIGHTS, timeout_s)
        )
        await action
        await seen

    async def quiet(self, timeout_s: float = 5.0) -> None:
        """Wait until the acknowledgement is over."""
        await self.badge.wait_led(lambda leds: tuple(leds[:2]) != BOTH_LIGHTS, timeout_s)

    async def restart(self) -> None:
        """Pull the battery and put it back."""
        await self.badge.power_cut()
        self.lights.clear()
        await self.badge.power_on()
        await self.until_lit()

    async def until_journal(self, inputs: int) -> None:
        """Wait until the flash holds so many judged inputs."""
        await until(lambda: sum(r.kind in _JUDGED for r in self.records()) >= inputs, 10)

    def files(self) -> dict[str, bytes]:
        return read_image(self.badge.image_path)

    def records(self) -> Sequence[badge_journal.JournalRecord]:
        return badge_journal.records(self.badge)

    def events(self) -> list[tuple[int, tuple[int, ...]]]:
        return badge_journal.events(self.badge)

    def notes(self) -> list[tuple[int, int]]:
        return badge_journal.notes(self.badge)


MakeBench = Callable[..., Awaitable[Bench]]


MakeBadge = Callable[..., Awaitable[VirtualBadge]]


@pytest.fixture
def make_bench(new_field: NewField) -> MakeBench:
    """Return make(replace={path: source}, **spec): a running badge's Bench."""

    async def make(
        replace: dict[str, str | bytes] | None = None,
        with_power: bool = True,
        **spec,
    ) -> Bench:
        field = await new_field()
        files = tuple(changed_files(replace or {}).items())
        spec = {"badge_id": 7, "player": "Anna", "files": files} | spec
        bench = Bench(await field.add_badge(BadgeSpec(**spec), with_power=False))
        if with_power:
            await bench.badge.power_on()
            await bench.until_lit()
        return bench

    return make


@pytest.fixture
def make_badge(new_field: NewField) -> MakeBadge:
    """Return make(main, files=(), **spec): a badge with power, in its own field."""

    async def make(
        main: str | None = None,
        files: tuple[tuple[str, bytes], ...] = (),
        with_power: bool = True,
        **spec,
    ) -> VirtualBadge:
        field = await new_field()
        programs = (("/main.py", main.encode()),) if main is not None else ()
        spec = {"badge_id": 1, "with_firmware": False} | spec
        return await field.add_badge(
            BadgeSpec(files=programs + files, **spec), with_power=with_power
        )

    return make
