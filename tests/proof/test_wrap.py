"""The whole app over a wrap of the tick counter: all seen from outside is as from 0 (R1, G1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.interpreter import FIRMWARE, PROGRAMS, SILICON, UNITTEST, run_micropython

from redband import rules

SETTINGS = {
    "badge_id": 7,
    "player": "Anna",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}
WRAP = 1 << 30
STARTS = [
    *[(1 << power) - 21_300 for power in (15, 16, 24, 29, 30)],
    # in the bounce of a press, in a hold, in a row of taps, at the pause, in a stranger's silence
    *[WRAP - at_ms for at_ms in (2004, 6900, 11_500, 16_000, 24_000)],
    *[(WRAP >> 1) - at_ms for at_ms in (2004, 6900)],
    WRAP - 1,
]


def seen_from(start_ticks_ms: int, folder: Path) -> list[str]:
    """Return what the program prints that plays a minute from this tick value on."""
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    (folder / "ruleset.bin").write_bytes(rules.load("hits").data)
    output = run_micropython(
        "import wrap_program",
        [UNITTEST, SILICON, FIRMWARE, PROGRAMS],
        heap="4M",
        timeout_s=100,
        cwd=folder,
        REDBAND_ROOT=str(folder),
        REDBAND_TICKS=str(start_ticks_ms),
    )
    lines = output.splitlines()
    assert lines[-1] == "END", "\n".join(lines)
    return lines


@pytest.fixture(scope="module")
def from_zero(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return seen_from(0, tmp_path_factory.mktemp("zero") / "badge")


def test_the_play_shows_what_it_is_meant_to_show(from_zero: list[str]) -> None:
    text = "\n".join(from_zero)
    assert text.count("lights") > 100
    assert "disconnect" in text  # the stranger was dropped
    kinds = [line.split()[4] for line in from_zero if line.startswith("record")]
    assert set(kinds) == set("12345678"), text
    assert sum(line.endswith("fed") for line in from_zero) > 40


@pytest.mark.parametrize("start_ticks_ms", STARTS)
def test_R1_lights_adverts_keep_alive_watchdog_and_journal_as_from_0(
    tmp_path: Path, from_zero: list[str], start_ticks_ms: int
) -> None:
    assert seen_from(start_ticks_ms % WRAP, tmp_path / "badge") == from_zero
