"""Whole badges for tests of the firmware: the real program on a virtual badge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.support.changed import changed_firmware

from redband.virtual.badge import VirtualBadge
from redband.virtual.field import BadgeSpec, Field
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

    async def until_lit(self, timeout_s: float = 10.0) -> None:
        """Wait until the badge shows anything: it counts by then."""
        await self.badge.wait_led(lambda leds: bool(leds[0] or leds[1]), timeout_s)

    async def acknowledged(self, action: Awaitable[None], timeout_s: float = 5.0) -> None:
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

    async def until_journal(self, inputs: int, timeout_s: float = 10.0) -> None:
        """Wait until the flash holds so many judged inputs."""
        async with asyncio.timeout(timeout_s):
            while len([r for r in self.records() if r[1] in _JUDGED]) < inputs:  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    def files(self) -> dict[str, bytes]:
        return read_image(self.badge.image_path)

    def records(self) -> list[tuple[int, int, int, bytes]]:
        """Return (seq, kind, game_ms, payload) of all that the journal holds."""
        files = self.files()
        found: dict[int, tuple[int, int, int, bytes]] = {}
        for name in files:
            if name.startswith("/journal/") and name.endswith(".seg") and files[name]:
                for record in journal.scan(files[name])[1]:
                    found[record[0]] = record
        return [found[seq] for seq in sorted(found)]

    def events(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return (event id, args) of what was applied."""
        return [journal.parse_event(r[3]) for r in self.records() if r[1] == journal.EVENT]

    def notes(self) -> list[tuple[int, int]]:
        """Return (code, value) of the notes."""
        return [journal.parse_note(r[3]) for r in self.records() if r[1] == journal.NOTE]


MakeBench = Callable[..., Awaitable[Bench]]


@pytest.fixture
async def make_bench(tmp_path: Path) -> AsyncIterator[MakeBench]:
    """Return make(replace={path: source}, **spec): a running badge's Bench."""
    fields: list[Field] = []

    async def make(
        replace: dict[str, str | bytes] | None = None,
        with_power: bool = True,
        **spec,
    ) -> Bench:
        field = Field(tmp_path / f"field-{len(fields)}")
        fields.append(field)
        await field.start()
        files = []
        sources = {n: text for n, text in (replace or {}).items() if isinstance(text, str)}
        if sources:
            files += changed_firmware(sources).items()
        files += [item for item in (replace or {}).items() if isinstance(item[1], bytes)]
        spec = {"badge_id": 7, "player": "Anna", "files": tuple(files)} | spec
        bench = Bench(await field.add_badge(BadgeSpec(**spec), with_power=False))
        if with_power:
            await bench.badge.power_on()
            await bench.until_lit()
        return bench

    yield make
    for field in fields:
        await field.stop()
