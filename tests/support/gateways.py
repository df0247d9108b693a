"""A gateway without a radio: what it hears, its store and its clock are the test's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.gateway_radio import GatewayRadio

from redband.gateway.gateway import Gateway
from redband.keys import GameKeys
from redband.overview.names import Rulesets
from redband.rules.loader import load
from redband.store.store import Store


class Clock:
    """Time that only the test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Rig:
    """A gateway with its fake radio, its store and its clock, `loop_clock` if given."""

    def __init__(
        self,
        store: Store,
        keys: GameKeys | None = None,
        loop_clock: Callable[[], float] | None = None,
    ) -> None:
        self.radio = GatewayRadio()
        self.clock = Clock()
        self._clock = loop_clock or self.clock
        self.store = store
        self.keys = keys
        self.gateway = self.new_gateway()

    def new_gateway(self, links: int = 3) -> Gateway:
        rulesets = Rulesets([load("hits")])
        return Gateway(
            *(self.radio, self.store, rulesets, "tent"),
            clock=self._clock,
            links=links,
            keys=self.keys,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.gateway.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def settled(self, condition: Callable[[], bool]) -> None:
        """Return once `condition` holds; it is looked at after each change of the view."""
        async with asyncio.timeout(10):
            while not condition():
                await self.gateway.changed()

    def row(self, badge_id: int):
        return next(row for row in self.gateway.rows() if row.badge_id == badge_id)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "s.sqlite", wall_ms=lambda: 1_000_000)
    yield opened
    opened.close()


@pytest.fixture
def rig(store: Store) -> Rig:
    return Rig(store)
