"""Plays the script: waits for each badge to be up, then acts at their times.

Guarantee: the first badge that is up is hit at once; times are seconds from that moment; a
badge that boots late misses nothing of its own story, it only begins later.
"""

from __future__ import annotations

import asyncio

from redband.demo.actions import Actions
from redband.demo.script import PRESS, RESTORE, Action, skirmish, strays
from redband.demo.settings import DemoSettings
from redband.errors import RedbandUserError
from redband.gateway.gateway import Gateway

UP_DEADLINE_S = 30.0
"""Longest a badge may take to be heard after its battery is in; two seconds are usual."""


def _now_s() -> float:
    return asyncio.get_running_loop().time()


class Player:
    """Acts of one demo."""

    def __init__(self, settings: DemoSettings, actions: Actions, gateway: Gateway) -> None:
        self._settings = settings
        self._actions = actions
        self._gateway = gateway
        self._started_s: float | None = None

    async def play(self, badge_id: int) -> None:
        """Do everything the skirmish has for one badge that has been switched on."""
        await self._up(badge_id, 0.0)
        if self._started_s is None:
            self._started_s = _now_s()
            await self._actions.do(PRESS, badge_id)
        settings = self._settings
        for action in skirmish(badge_id, settings.badges, settings.seconds, settings.seed):
            await self._do(action)

    async def play_on(self) -> None:
        """Go on with a stray hit or first aid now and then, until cancelled."""
        settings = self._settings
        for action in strays(settings.badges, settings.seconds, settings.seed):
            await self._do(action)

    async def rest(self) -> None:
        """Return when the skirmish's time is over."""
        await self._until(self._settings.seconds)

    async def _up(self, badge_id: int, since_s: float) -> None:
        try:
            async with asyncio.timeout(UP_DEADLINE_S):
                await self._gateway.heard(badge_id, since_s)
        except TimeoutError as error:
            raise RedbandUserError(
                f"Badge {badge_id} was not heard within {UP_DEADLINE_S:.0f} s of its start; look"
                " at its USB port in the data folder, and try again with fewer --badges.",
                exit_code=1,
            ) from error

    async def _until(self, at_s: float) -> None:
        started_s = self._started_s if self._started_s is not None else _now_s()
        due_s = started_s + at_s
        await asyncio.sleep(max(0.0, due_s - _now_s()))

    async def _do(self, action: Action) -> None:
        await self._until(action.at_s)
        before_s = _now_s()
        await self._actions.do(action.verb, action.badge_id)
        if action.verb == RESTORE:
            await self._up(action.badge_id, before_s)
