"""Runs the core's tests and the check of each part of the firmware on the real MicroPython.

A fresh process for each file gives each a fresh heap and fresh globals.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.interpreter import (
    CORE_DATA,
    FIRMWARE,
    HOST,
    PARTS,
    ROOT,
    SILICON,
    run_unittests,
)

from redband import rules

CHECKS = sorted(PARTS.glob("check_*.py"))
ALONE = "import alone\nalone.start()\n"
CORE_TESTS = sorted((ROOT / "tests" / "core").glob("test_*.py"))


def cases(files: list[Path]) -> list:
    """Return a case for each file, marked when it plays more by `make proof`."""
    proofs = {file for file in files if "REDBAND_PROOF" in file.read_text(encoding="utf-8")}
    mark = pytest.mark.proof
    return [
        pytest.param(file, id=file.stem, marks=[mark] if file in proofs else []) for file in files
    ]


# Heaps hold tables and flash in RAM; the firmware's own bound is tested in tests/proof.


@pytest.mark.timeout(320)
@pytest.mark.parametrize("file", cases(CORE_TESTS))
def test_core(file: Path) -> None:
    folders = [FIRMWARE, HOST, file.parent]
    passed, failed, output = run_unittests(
        file.stem, folders, heap="2M", timeout_s=300, cwd=file.parent
    )
    assert passed, output
    assert not failed, output


@pytest.mark.parametrize("file", cases(CHECKS))
def test_part(file: Path, tmp_path: Path) -> None:
    ruleset = tmp_path / "ruleset.bin"
    ruleset.write_bytes(rules.load("hits").data)
    passed, failed, output = run_unittests(
        file.stem,
        [SILICON, FIRMWARE, FIRMWARE.parent, HOST, PARTS, CORE_DATA],
        heap="16M",
        timeout_s=110,
        cwd=PARTS,
        before=ALONE,
        REDBAND_RULESET=str(ruleset),
    )
    assert passed, output
    assert not failed, output
