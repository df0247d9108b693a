"""One demo from the first battery to the last: who is started when, and taken down in what order.

Guarantee: everything started is on one exit stack, so any end takes it down; the headless summary
is made in the order that keeps its witnesses apart: script, sync, lamps, power off, flash images.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable

from rich.console import Console

from redband.build.firmware import firmware_files
from redband.demo.actions import Actions
from redband.demo.compare import compare_witnesses
from redband.demo.player import Player
from redband.demo.preflight import Ground
from redband.demo.settings import DemoSettings
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.overview.names import open_rulesets
from redband.overview.screen import Screen
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field

FIELD_FOLDER = "field"
"""Folder of the virtual field in the folder of the run."""

HEADLESS_BEGIN_MS = 1_735_689_600_000
"""Wall time at which each headless run begins: 2025-01-01 00:00 UTC."""


class Match:
    """One run on prepared `ground`. before_s: of the program's life, before its clock."""

    def __init__(
        self, settings: DemoSettings, ground: Ground, console: Console, before_s: float
    ) -> None:
        self._settings = settings
        self._ground = ground
        self._console = console
        self._before_s = before_s

    async def run(self) -> int:
        """Play and return the exit code, 0 when all agree; interactive: only ends from outside."""
        settings = self._settings
        # Compiled once here, and not by every badge at the same time.
        await asyncio.to_thread(firmware_files)
        async with contextlib.AsyncExitStack() as undo:
            field = Field(self._ground.directory / FIELD_FOLDER, settings.seed)
            await field.start()
            undo.push_async_callback(field.stop)
            gateway, store = await self._open_gateway(field, undo)
            player = Player(settings, Actions(field), gateway)
            self._announce()
            async with asyncio.TaskGroup() as group:
                helpers = [group.create_task(gateway.run(), name="gateway")]
                helpers.append(group.create_task(self._screen(gateway).run(), name="screen"))
                if self._ground.page_socket is not None:
                    helpers.append(group.create_task(self._page(gateway, field), name="page"))
                await self._play(field, gateway, player)
                if not settings.is_headless:
                    await player.play_on()
                code = await compare_witnesses(field, gateway, store, self._console)
                for helper in helpers:
                    helper.cancel()
        return code

    def _announce(self) -> None:
        print_ = self._console.print
        print_(f"Data of this run: {self._ground.directory}", highlight=False)
        if self._ground.page_address is not None:
            print_(f"Game master's page: {self._ground.page_address}", highlight=False)
        if not self._settings.is_headless:
            # Without --data the commands find the field by themselves.
            field = self._ground.directory / FIELD_FOLDER
            place = f" --field {field}" if self._settings.data is not None else ""
            print_(
                f"Take part from another terminal: redband virtual press 3{place}",
                highlight=False,
                soft_wrap=True,
            )

    async def _open_gateway(
        self, field: Field, undo: contextlib.AsyncExitStack
    ) -> tuple[Gateway, Store]:
        settings = self._settings
        store = Store(self._ground.directory / STORE_FILE, *self._wall_clock())
        undo.callback(store.close)
        rulesets = open_rulesets(store, settings.ruleset)
        radio = backend(field.hci_path)
        undo.push_async_callback(radio.close)
        observer = BleakRadio(
            radio,
            field.keys,
            store.advert_counts(),
            store.keep_advert_counts,
        )
        gateway = Gateway(observer, store, rulesets, "demo", keys=field.keys)
        await gateway.load()
        return gateway, store

    def _wall_clock(self) -> tuple[Callable[[], int], ...]:
        """Return what the store dates by; without people the field's clock, from a fixed day."""
        if not self._settings.is_headless:
            return ()
        loop = asyncio.get_running_loop()
        return (lambda: HEADLESS_BEGIN_MS + int(loop.time() * 1000),)

    def _screen(self, gateway: Gateway) -> Screen:
        settings = self._settings
        return Screen(
            self._console,
            gateway.rows,
            settings.language,
            self._before_s,
        )

    async def _page(self, gateway: Gateway, field: Field) -> None:
        """Serve the page until cancelled; its libraries load beside the booting badges."""
        page, web, view = await asyncio.to_thread(_import_page)
        async with page.served(
            web.create_app(view.DemoView(gateway, field)), self._ground.page_socket
        ):
            await asyncio.Event().wait()

    async def _play(self, field: Field, gateway: Gateway, player: Player) -> None:
        """Switch all badges on at once and play each one's part of the skirmish."""

        async def one(badge_id: int) -> None:
            name = self._settings.player(badge_id)
            await field.add_badge(BadgeSpec(badge_id, name, self._settings.ruleset))
            await gateway.name_player(badge_id, name)
            await player.play(badge_id)

        async with asyncio.TaskGroup() as group:
            for badge_id in range(1, self._settings.badges + 1):
                group.create_task(one(badge_id))
        await player.rest()


def _import_page() -> tuple:
    names = ("redband.demo.page", "redband.tent", "redband.demo.view")
    return tuple(importlib.import_module(name) for name in names)
