"""One demo from the first battery to the last: who is started when, and taken down in what order.

Guarantee: everything started is on one exit stack, so any end takes it down; the headless summary
is made in the order that keeps its witnesses apart: script, sync, lamps, power off, flash images.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib

from rich.console import Console

from redband.cli.screen import Screen
from redband.demo.evidence import compare, read_journal
from redband.demo.hands import Hands
from redband.demo.observe import watch_lamps
from redband.demo.player import Player
from redband.demo.preflight import Ground
from redband.demo.settings import DemoSettings
from redband.demo.summary import BadgeFinding, summary_table, verdict
from redband.fleet.firmware import firmware_files
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.book import open_book
from redband.gateway.gateway import Gateway
from redband.gateway.live import LiveBadge
from redband.gateway.rows import BadgeRow
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field

DRAIN_S = 30.0
"""Longest wait at the end until the host holds all that badges say they have."""


class Match:
    """One run on prepared `ground`. started_s: monotonic time of the program's start."""

    def __init__(
        self, settings: DemoSettings, ground: Ground, console: Console, started_s: float
    ) -> None:
        self._settings = settings
        self._ground = ground
        self._console = console
        self._started_s = started_s

    async def run(self) -> int:
        """Play and return the exit code, 0 when all agree; interactive: only ends from outside."""
        settings = self._settings
        # Compiled once here, and not by every badge at the same time.
        await asyncio.to_thread(firmware_files)
        async with contextlib.AsyncExitStack() as undo:
            field = Field(self._ground.directory / "field", settings.time_factor, settings.seed)
            await field.start()
            undo.push_async_callback(field.stop)
            gateway, store = await self._open_gateway(field, undo)
            player = Player(settings, Hands(field), gateway)
            self._announce()
            async with asyncio.TaskGroup() as group:
                helpers = [group.create_task(gateway.run(), name="gateway")]
                helpers.append(group.create_task(self._screen(gateway).run(), name="screen"))
                if self._ground.page_socket is not None:
                    helpers.append(group.create_task(self._page(gateway, field), name="page"))
                await self._play(field, gateway, player)
                if not settings.is_headless:
                    await player.play_on()
                code = await self._judge(field, gateway, store)
                for helper in helpers:
                    helper.cancel()
        return code

    def _announce(self) -> None:
        print_ = self._console.print
        print_(f"Data of this run: {self._ground.directory}", highlight=False)
        if self._ground.page_address is not None:
            print_(f"Game master's page: {self._ground.page_address}", highlight=False)

    async def _open_gateway(
        self, field: Field, undo: contextlib.AsyncExitStack
    ) -> tuple[Gateway, Store]:
        settings = self._settings
        store = Store(self._ground.directory / STORE_FILE)
        undo.callback(store.close)
        book = open_book(store, settings.ruleset)
        radio = backend(field.hci_path)
        undo.push_async_callback(radio.close)
        gateway = Gateway(
            BleakRadio(radio), store, book, name="demo", time_factor=settings.time_factor
        )
        await gateway.load()
        return gateway, store

    def _screen(self, gateway: Gateway) -> Screen:
        settings = self._settings
        return Screen(
            self._console,
            gateway.rows,
            settings.language,
            settings.time_factor,
            self._started_s,
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

    async def _judge(self, field: Field, gateway: Gateway, store: Store) -> int:
        """Compare the witnesses, print the summary, return the exit code."""
        badges = list(field.badges.values())
        badge_ids = {badge.badge_id for badge in badges}

        def row(badge_id: int) -> BadgeRow | None:
            return next((one for one in gateway.rows() if one.badge_id == badge_id), None)

        with contextlib.suppress(TimeoutError):  # what is missing then shows in the summary
            async with asyncio.timeout(DRAIN_S):
                await gateway.drained(badge_ids)
        lamps = await watch_lamps(badges, row, self._settings.time_factor)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await gateway.drained(badge_ids)
        findings = []
        for badge in badges:
            await badge.power_cut()
        for badge in badges:
            badge_id = badge.badge_id
            on_badge = await asyncio.to_thread(read_journal, badge.image_path)
            stored = await asyncio.to_thread(store.records, badge_id)
            live = gateway.live(badge_id)
            state = live.projector.state() if live is not None else None
            findings.append(
                BadgeFinding(
                    badge_id=badge_id,
                    player=gateway.player(badge_id),
                    journal=compare(on_badge, stored),
                    lamps=lamps.get(badge_id),
                    mismatched=state.mismatched if state is not None else 0,
                    problem=_problem(live),
                )
            )
        self._console.print(summary_table(findings))
        for line in verdict(findings):
            self._console.print(line, highlight=False, soft_wrap=True)
        return int(any(one.complaints for one in findings))


def _problem(live: LiveBadge | None) -> str | None:
    """Return what the gateway has to say against a badge."""
    if live is None:
        return "never heard"
    return live.problem or live.projector.state().problem


def _import_page() -> tuple:
    names = ("redband.demo.page", "redband.web", "redband.demo.view")
    return tuple(importlib.import_module(name) for name in names)
