"""`redband command`: an order whose badge restarts between two connections is not given again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from redband.cli import command
from redband.cli.options import Language
from redband.errors import RedbandUserError


async def test_G6_order_is_not_repeated_to_a_badge_that_restarted_and_forgot_it(monkeypatch):
    said: list[int] = []

    async def reach(ears, badge_id, seconds):
        return SimpleNamespace(device=None)

    async def command_badge(device, orders, keys, backend, badge_id, role):
        for boot_id in (11, 11, 12):
            said.append(len(orders(SimpleNamespace(boot_id=boot_id, ruleset_identity=bytes(8)))))

    monkeypatch.setattr("redband.cli.reach.reach", reach)
    monkeypatch.setattr("redband.radio.command_badge", command_badge)
    order = command._Order(7, ("pause",), 3, 1234)
    with pytest.raises(RedbandUserError, match="Badge 7 restarted meanwhile.*is not known"):
        await command._give(order, None, None, SimpleNamespace(), None, 1, Language.EN)
    assert said == [1, 1], "said again in the same life of the badge, and not in the next"
