"""The whole app in the heap that an ESP32 leaves free beside Bluetooth, and what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.proof.soak_host import (
    HEAP_BYTES,
    BadgeProcess,
    Host,
    Memory,
    bench_bytes,
    make_badge,
)

from redband import rules
from redband_core.ruleset import Ruleset

HITS = 300
SYNCS = 3
LEAST_FREE_BYTES = {"hits": 24_000, "wounds_hospital": 16_000}
"""Less than measured by what the rest of the air may take (docs/firmware.md, Memory)."""


@pytest.mark.parametrize("ruleset", LEAST_FREE_BYTES)
def test_R16_hits_and_syncs_live_in_the_heap_of_an_esp32(
    tmp_path: Path, ruleset: str, record_property
):
    make_badge(tmp_path, ruleset, ())
    badge = BadgeProcess(tmp_path, HEAP_BYTES + bench_bytes(tmp_path), 0)
    host = Host(Ruleset.from_bytes(rules.load(ruleset).data))
    memory: list[Memory] = []
    for _ in range(SYNCS):
        badge.say(f"press 15 35 {HITS // SYNCS}")
        host.sync(badge, on_frames=lambda: memory.append(badge.memory()))
        memory.append(badge.memory())
    badge.pull()
    assert len(host.judged()) == HITS
    assert not [line for line in badge.printed if "Error" in line]
    least = min(one.free for one in memory)
    record_property("least free heap", f"{ruleset}: {least} bytes")
    assert least > LEAST_FREE_BYTES[ruleset]
