"""What the air and the connections lost is told: at a command's end, and in the log."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.core.data.link import Log
from tests.support.fake_radio import DEVICE, KEYS, FakeAir
from tests.support.leap_loop import leaping

from redband.gateway import bleak_radio
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.opened import opened, trouble
from redband.radio import ScanCounts
from redband.store.records import Page, decode_page


def test_adverts_that_found_the_queue_full_are_told():
    counts = ScanCounts()
    assert trouble(counts, True) == []
    counts.dropped = 3
    assert trouble(counts, True) == ["3 adverts came faster than they could be read."]


async def test_failed_connections_and_lost_adverts_are_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def scan(heard, reader, radio, counts):
        counts.dropped = 1
        await asyncio.Event().wait()

    monkeypatch.setattr(bleak_radio, "scan", scan)
    told: list[str] = []
    async with opened(None, KEYS, tmp_path, told) as gateway:
        gateway.syncs, gateway.failed_syncs = 4, 1
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert told == [
        "1 of 5 connections failed; each is tried again.",
        "1 advert came faster than they could be read.",
    ]


@pytest.mark.parametrize(("lost", "told"), [({10}, "asked for again 1 times"), (set(), None)])
@leaping
async def test_a_sync_that_lost_frames_says_so_in_the_log(
    lost: set[int], told: str | None, caplog: pytest.LogCaptureFixture
):
    async def commit(page: Page) -> int:
        return decode_page(page)[-1][0] + 1

    air = FakeAir(Log(60), 23)
    air.drop = lost
    heard = cast("Any", SimpleNamespace(device=DEVICE, advert=SimpleNamespace(badge_id=42)))
    await BleakRadio(cast("Any", air), KEYS).fetch(heard, lambda _install_id: 0, commit)
    if told is None:
        assert not caplog.messages
    else:
        assert told in caplog.text
