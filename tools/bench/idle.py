"""What an idle virtual badge costs: the share of a core its interpreter takes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from redband.virtual.clock import run
from tools.bench.play import field_of
from tools.bench.table import Table

SECONDS = 30
BADGES = 6


def cpu_seconds(pid: int) -> float:
    """Return the processor time a process has used, s (resolution: one clock tick)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wakeups(pid: int) -> int:
    """Return how often the process has given the processor up of its own will."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("voluntary_ctxt_switches"):
            return int(line.split()[1])
    return 0


async def _measure() -> Table:
    async with field_of(BADGES) as field:
        pids = [pid for badge in field.badges.values() if (pid := badge.chip.pid)]
        await asyncio.sleep(2)  # boot is not idling
        before = [(cpu_seconds(pid), wakeups(pid)) for pid in pids]
        await asyncio.sleep(SECONDS)
        after = [(cpu_seconds(pid), wakeups(pid)) for pid in pids]
    used_s = sum(end[0] - start[0] for start, end in zip(before, after, strict=True)) / BADGES
    woken = sum(end[1] - start[1] for start, end in zip(before, after, strict=True)) / BADGES
    table = Table("Idle badge", "Healthy player, radio advertising, no host in range.")
    how = f"mean of {BADGES} badges over {SECONDS} s, from /proc"
    table.add("share of a core", f"{100 * used_s / SECONDS:.2f} %", how)
    table.add("wake-ups", f"{woken / SECONDS:.0f} per s", how)
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
