"""The end of a headless demo: gather what each witness says, and print whether they agree.

Guarantee: the order keeps the witnesses apart: the last sync, the lamps while the host is asked,
power off, and only then the flash images.
"""

from __future__ import annotations

import asyncio
import contextlib

from rich.console import Console

from redband.demo.evidence import compare, read_journal
from redband.demo.observe import watch_lamps
from redband.demo.summary import BadgeFinding, LampFinding, summary_table, verdict
from redband.gateway.gateway import Gateway
from redband.gateway.live import LiveBadge
from redband.overview.rows import BadgeRow
from redband.store.store import Store
from redband.virtual.badge import VirtualBadge
from redband.virtual.field import Field

DRAIN_S = 30.0
"""Longest wait until the host holds all that badges say they have."""


async def compare_witnesses(field: Field, gateway: Gateway, store: Store, console: Console) -> int:
    """Compare the witnesses, print the summary, and return 0 when all agree, else 1.

    The badges have no power afterwards.
    """
    badges = list(field.badges.values())
    badge_ids = {badge.badge_id for badge in badges}

    def row(badge_id: int) -> BadgeRow | None:
        return next((one for one in gateway.rows() if one.badge_id == badge_id), None)

    await _drain(gateway, badge_ids)
    lamps = await watch_lamps(badges, row)
    await _drain(gateway, badge_ids)
    for badge in badges:
        await badge.power_cut()
    findings = [
        await asyncio.to_thread(_finding, badge, gateway, store, lamps.get(badge.badge_id))
        for badge in badges
    ]
    console.print(summary_table(findings))
    for line in verdict(findings):
        console.print(line, highlight=False, soft_wrap=True)
    return int(any(one.complaints for one in findings))


async def _drain(gateway: Gateway, badge_ids: set[int]) -> None:
    with contextlib.suppress(TimeoutError):  # what is missing then shows in the summary
        async with asyncio.timeout(DRAIN_S):
            await gateway.drained(badge_ids)


def _finding(
    badge: VirtualBadge, gateway: Gateway, store: Store, lamps: LampFinding | None
) -> BadgeFinding:
    """Return what was found about a badge; reads its flash image and the store."""
    live = gateway.live(badge.badge_id)
    state = live.projector.state() if live is not None else None
    return BadgeFinding(
        badge_id=badge.badge_id,
        player=gateway.player(badge.badge_id),
        journal=compare(read_journal(badge.image_path), store.records(badge.badge_id)),
        lamps=lamps,
        mismatched=state.mismatched if state is not None else 0,
        problem=_problem(live),
    )


def _problem(live: LiveBadge | None) -> str | None:
    """Return what the gateway has to say against a badge."""
    if live is None:
        return "never heard"
    return live.problem or live.projector.state().problem
