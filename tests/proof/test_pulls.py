"""The battery pulled in every state of every shipped ruleset and preset, on both Pythons (G10)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.proof.state_ways import ways
from tests.support.interpreter import ALONE, FIRMWARE, ON_CPYTHON, PARTS, SILICON, run_unittests

from redband import rules

CHECK = "pulls_everywhere"


def plan_file(ruleset_id: str, folder: Path) -> tuple[Path, Path]:
    """Write the compiled ruleset and the ways into its states; return both paths."""
    compiled = rules.load(ruleset_id)
    ruleset, plan = folder / "ruleset.bin", folder / "ways.json"
    ruleset.write_bytes(compiled.data)
    params = tuple(compiled.param_values())
    plan.write_text(json.dumps({"params": params, "ways": ways(compiled, params)}))
    return ruleset, plan


def run_on_cpython(module: str, **env: str) -> str:
    """Run one check module under this Python's own unittest; return what it printed."""
    folders = [ON_CPYTHON, FIRMWARE, PARTS]
    done = subprocess.run(
        [sys.executable, "-m", "unittest", module],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=PARTS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **env},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("ruleset_id", rules.shipped())
def test_G10_on_micropython_and_littlefs(tmp_path: Path, ruleset_id: str) -> None:
    ruleset, plan = plan_file(ruleset_id, tmp_path)
    passed, failed, output = run_unittests(
        CHECK,
        [SILICON, FIRMWARE, PARTS],
        heap="16M",
        timeout_s=110,
        cwd=PARTS,
        before=ALONE,
        REDBAND_RULESET=str(ruleset),
        REDBAND_WAYS=str(plan),
    )
    assert (passed, failed) == (4, 0), output


@pytest.mark.parametrize("ruleset_id", [*rules.shipped(), *rules.presets()])
def test_G10_on_cpython_presets_too(tmp_path: Path, ruleset_id: str) -> None:
    ruleset, plan = plan_file(ruleset_id, tmp_path)
    output = run_on_cpython(CHECK, REDBAND_RULESET=str(ruleset), REDBAND_WAYS=str(plan))
    assert "Ran 3 tests" in output


@pytest.mark.parametrize("module", ["check_time", "check_pause"])
def test_R1_the_checks_of_time_run_on_cpython_too(module: str) -> None:
    assert "OK" in run_on_cpython(module)
