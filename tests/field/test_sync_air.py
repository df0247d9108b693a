"""The real firmware synced over the virtual radio: loss, walking away, a battery pulled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.host_radio import SyncHost, hit_often

from redband.radio import SyncError, SyncFailure
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband_core import journal

HITS = 40


@pytest.fixture
async def field(field: Field) -> Field:
    await field.add_badge(BadgeSpec(1, "Anna"))
    return field


@pytest.fixture
async def host(field: Field) -> AsyncIterator[SyncHost]:
    radio = backend(field.hci_path)
    yield SyncHost(radio, field.keys)
    await radio.close()


async def test_all_arrives_in_six_round_trips_and_once(field: Field, host: SyncHost):
    last_seq = await hit_often(field.badges[1], host, HITS)
    result = await host.sync(last_seq)
    assert result.round_trips == 6
    assert result.asked_again == result.missing_records == 0
    assert len(host.records) == result.next_seq == last_seq + 1
    kinds = [kind for kind, _game_ms, _payload in host.records.values()]
    assert kinds.count(journal.EVENT) + kinds.count(journal.REFUSED) >= HITS
    again = await host.sync()
    assert again.records <= 2, "more than what the badge notes of itself meanwhile"


async def test_lost_packets_cost_time_but_no_record(field: Field, host: SyncHost):
    last_seq = await hit_often(field.badges[1], host, HITS)
    field.ether.packet_loss = 0.2
    result = await host.sync(last_seq)
    assert len(host.records) == result.next_seq > last_seq


@pytest.mark.parametrize("how", ["walks away", "battery out"])
async def test_badge_that_goes_after_its_greeting_and_comes_back_loses_nothing(
    field: Field, host: SyncHost, how: str
):
    badge = field.badges[1]
    last_seq = await hit_often(badge, host, HITS)
    tasks: list[asyncio.Task] = []

    def go() -> None:
        if how == "walks away":
            field.ether.packet_loss = 1.0
        else:
            tasks.append(asyncio.create_task(badge.power_cut()))

    host.on_greeted = go
    with pytest.raises(SyncError) as caught:
        await host.sync(last_seq)
    assert caught.value.reason in {SyncFailure.DISCONNECTED, SyncFailure.SILENT}
    host.on_greeted = lambda: None
    await asyncio.gather(*tasks)
    if how == "walks away":
        field.ether.packet_loss = 0.0
    else:
        await badge.power_on()
    result = await host.sync(last_seq)
    assert result.missing_records == 0
    assert len(host.records) == result.next_seq > last_seq
