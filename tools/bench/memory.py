"""RAM of the badge's program on both sizes of MicroPython, and the size of its byte code."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from tests.proof.soak_host import (
    HEAP_BYTES,
    BadgeProcess,
    Host,
    bench_bytes,
    make_badge,
)

from redband import rules
from redband.build.firmware import firmware_files
from redband_core.ruleset import Ruleset
from tools import chip_heap
from tools.bench.table import Table

RULESETS = ("hits", "wounds_hospital")
HOUR_MS = 3_600_000
INPUTS = 100
SYNCS = 6


def measure() -> Table:
    """Run the bench and return its table."""
    table = Table(
        "Memory of the badge",
        "Python's heap after a collection. 96 kB is what an ESP32 is expected to leave beside "
        "Bluetooth. 64-bit: the whole program in virtual time, less what chip and bench "
        "take; objects take twice as much there as on the chip, byte code and texts do not. "
        "32-bit: as on the chip, the table of words at its mean size (tools/chip_heap.py).",
    )
    files = firmware_files()
    code = [len(content) for name, content in files.items() if name.endswith(".mpy")]
    table.add("byte code", f"{sum(code):,} bytes", f"{len(code)} .mpy files")
    for ruleset in RULESETS:
        boot, hour = _unix(ruleset)
        how = f"{ruleset}; 64-bit unix port, of {HEAP_BYTES:,}"
        table.add("in use after boot", f"{boot:,} bytes", how)
        table.add("in use after an hour", f"{hour:,} bytes", f"{how}; 96 inputs, 6 syncs")
    for ruleset in rules.shipped():
        heap = chip_heap.measure(ruleset, files)
        linked = heap[chip_heap.LINKED]
        how = f"{ruleset}; 32-bit wasm port 1.27, {linked.words} words"
        table.add("all parts made, linked", f"{linked.smooth_bytes:,} bytes", how)
        for name in ("update", "tap"):
            more = heap[name].smooth_bytes - linked.smooth_bytes
            table.add(f"... and {name}", f"{more:,} bytes more", how)
    return table


def _unix(ruleset: str) -> tuple[int, int]:
    """Return bytes in use after the boot and after an hour of game."""
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        make_badge(Path(folder), ruleset, ())
        share = bench_bytes(Path(folder))
        badge = BadgeProcess(Path(folder), HEAP_BYTES + share, 0)
        try:
            boot = badge.memory().used - share
            host = Host(Ruleset.from_bytes(rules.load(ruleset).data))
            rng = random.Random(1)
            for _ in range(SYNCS):
                for _ in range(INPUTS // SYNCS):
                    badge.say("press 60 100 1")
                    badge.say(f"idle {rng.randrange(HOUR_MS * 2 // INPUTS)}")
                host.sync(badge)
            return boot, badge.memory().used - share
        finally:
            badge.pull()
