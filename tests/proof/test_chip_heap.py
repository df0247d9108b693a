"""The badge's program in a chip's two areas of heap: a gate on what each shipped ruleset takes.

A chip gives Python 64 kB, then 64 more; a third area would take what Bluetooth needs. See
docs/firmware.md, "Memory"; tools/chip_heap.py measures.
"""

from __future__ import annotations

import pytest
from tools import chip_heap

from redband import rules

LINKED_BYTES = 96_000
"""All parts made, with a host linked."""
WORDS = 850
"""Of the program; at 1,261 with the chip's own 150 to 200 their table doubles."""
TWO_AREAS_BYTES = 127_900
PLAYING = 1.05  # to all parts made, measured on an emulated ESP32-C3
FRAMES_BYTES = 6_000  # of an upload that come while the last ones are being written
GARBAGE_BYTES = 8_192 + 4_000  # until the next collection, and what pieces leave between them


@pytest.mark.parametrize("ruleset", rules.shipped())
def test_G16_each_shipped_ruleset_leaves_bluetooth_its_memory(
    ruleset: str, record_property: pytest.RecordProperty
) -> None:
    heap = chip_heap.measure(ruleset)
    linked = heap[chip_heap.LINKED]
    record_property("heap, linked", f"{ruleset}: {linked.smooth_bytes} bytes")
    table = chip_heap.table(heap)
    assert linked.smooth_bytes <= LINKED_BYTES, table
    assert linked.words <= WORDS, table
    group = max(
        heap["update"].smooth_bytes + FRAMES_BYTES,
        heap["update's check"].smooth_bytes,
        heap["tap"].smooth_bytes,
    )
    peak = linked.smooth_bytes * PLAYING + group - linked.smooth_bytes + GARBAGE_BYTES
    assert peak <= TWO_AREAS_BYTES, table
