"""Changed frames and adverts, a million by `make proof`, into each parser: no crash, no change.

A badge's parsers on MicroPython: tests/core/test_fuzz.py. By coverage: test_fuzz_coverage.py.
"""

from __future__ import annotations

import tracemalloc

import pytest
from tests.support import proof
from tools.fuzz.targets import TARGETS

COUNT = proof.of(1_000_000, 20_000)
SLOW_COUNT = proof.of(200_000, 4000)
SLOW = ("proven session's messages", "host's talk", "host's sync")
"""After these is a whole conversation, and an input costs 20 to 40 us: a fifth of the others'
number takes as long."""

TRACED = 3000
GROWN_MAX_BYTES = 16_384

pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", TARGETS)
def test_G12_changed_bytes_raise_the_documented_error_or_nothing(name: str) -> None:
    target = TARGETS[name]
    taken = target.feed(SLOW_COUNT if name in SLOW else COUNT, 1)
    assert taken > 0  # some changes leave the input sound, so that it goes deep


@pytest.mark.parametrize("name", TARGETS)
def test_changed_bytes_leave_nothing_in_memory(name: str) -> None:
    target = TARGETS[name]
    target.feed(TRACED, 2)
    tracemalloc.start()
    try:
        target.feed(TRACED, 3)
        before, _peak = tracemalloc.get_traced_memory()
        target.feed(TRACED, 4)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < GROWN_MAX_BYTES
    assert peak - before < 64 * GROWN_MAX_BYTES  # one input's work, and what waits to be collected
