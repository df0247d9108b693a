"""Power cut at every flash operation of a whole game, on the real MicroPython and littlefs.

The work is done by programs/power_cut_program.py, once for each shipped ruleset; what it says is
checked here, so that a scenario that has lost a state, or a program that no longer cuts, is found.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support import proof
from tests.support.interpreter import (
    ALONE,
    CORE_DATA,
    PARTS,
    PROGRAMS,
    SILICON,
    UNITTEST,
    run_micropython,
)

from redband import rules
from redband.build.firmware import firmware_files

CUT_EACH = proof.of(1, 24)
FIRST_CUTS_LEAST = 1500 // CUT_EACH
SECOND_CUTS_LEAST = 2000 // CUT_EACH
PLAYED_ON_LEAST = 300 // CUT_EACH
RULESETS = ("hits", "hospital", "unconscious", "wounds", "wounds_hospital")


def test_every_shipped_ruleset_has_a_scenario():
    assert tuple(sorted(rules.shipped())) == RULESETS


def run_program(ruleset: str, tmp_path: Path) -> str:
    """Run the program with the compiled firmware; return what it printed."""
    for name, content in firmware_files(is_bundled=False).items():
        path = tmp_path / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return run_micropython(
        f"{ALONE}import power_cut_program",
        [UNITTEST, SILICON, tmp_path / "lib", PARTS, PROGRAMS],
        heap="64M",
        timeout_s=280,
        cwd=tmp_path,
        REDBAND_RULESET=ruleset,
        REDBAND_CUT_EACH=str(CUT_EACH),
        REDBAND_DATA=str(CORE_DATA),
    )


@pytest.mark.proof
@pytest.mark.timeout(300)  # 25 s of work on an idle core
@pytest.mark.parametrize("ruleset", RULESETS)
def test_power_cut_at_every_flash_operation_of_the_main_scenario_twice(
    ruleset: str, tmp_path: Path, record_property
):
    output = run_program(ruleset, tmp_path)
    cuts = re.search(r"^CUTS first (\d+) second (\d+) played_on (\d+)$", output, re.MULTILINE)
    kinds = re.search(r"^KINDS erase (\d+) program (\d+) sync (\d+)$", output, re.MULTILINE)
    states = re.search(r"^STATES visited (\d+) missing (.*)$", output, re.MULTILINE)
    assert cuts, output
    assert kinds, output
    assert states, output
    record_property("power cuts", f"{ruleset}: {cuts[1]} and {cuts[2]} during recovery")
    record_property("power cut count", int(cuts[1]) + int(cuts[2]))
    assert int(cuts[1]) >= FIRST_CUTS_LEAST, output
    assert int(cuts[2]) >= SECOND_CUTS_LEAST, output
    assert int(cuts[3]) >= PLAYED_ON_LEAST, output
    assert min(int(count) for count in kinds.groups()) > 20 // CUT_EACH, output
    assert states[2] == "none", output
