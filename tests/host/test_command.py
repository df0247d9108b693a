"""`redband command`: a command whose badge restarts between two connections is not given again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from redband.errors import RedbandUserError
from redband.gateway import command
from redband.keys import GameKeys

KEYS = GameKeys(bytes(32))


async def test_G6_command_is_not_repeated_to_a_badge_that_restarted_and_forgot_it(monkeypatch):
    said: list[int] = []

    async def reach(observer, badge_id, seconds):
        return SimpleNamespace(device=None)

    async def command_badge(device, messages, keys, backend, badge_id, role):
        for boot_id in (11, 11, 12):
            said.append(len(messages(SimpleNamespace(boot_id=boot_id, ruleset_identity=bytes(8)))))

    monkeypatch.setattr("redband.gateway.command.reach", reach)
    monkeypatch.setattr("redband.gateway.command.command_badge", command_badge)
    with pytest.raises(RedbandUserError, match="Badge 7 restarted meanwhile.*is not known"):
        await command.give(command.Command(7, ("pause",), 3), None, KEYS, None, 1, "en")
    assert said == [1, 1], "said again in the same life of the badge, and not in the next"
