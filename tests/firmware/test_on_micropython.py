"""Runs each checks/check_*.py on the real MicroPython, with small stand-ins for the chip."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from redband import rules

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CHECKS = sorted((HERE / "checks").glob("check_*.py"))
HEAP = "16M"  # flash in RAM; the firmware's own bound is tested in test_heap.py
PROGRAM = """
import sys
sys.path[:] = ['', '.frozen', {support!r}, {standins!r}, {firmware!r}, {host!r}, {checks!r}]
import unittest
passed, failed = unittest.run_module(__import__({name!r}))
print('RESULT %d %d' % (passed, failed))
"""


def run_check(name: str, ruleset: Path, timeout_s: float) -> str:
    """Run one check module; return what it printed."""
    program = PROGRAM.format(
        support=str(ROOT / "tests" / "micropython"),
        standins=str(HERE / "standins"),
        firmware=str(ROOT / "firmware" / "lib"),
        host=str(ROOT / "host"),
        checks=str(HERE / "checks"),
        name=name,
    )
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("micropython")),
            "-X",
            f"heapsize={HEAP}",
            "-c",
            program,
        ],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        cwd=HERE,
        env={**os.environ, "MICROPYPATH": "", "REDBAND_RULESET": str(ruleset)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("check", CHECKS, ids=lambda path: path.stem)
def test_check(check: Path, tmp_path: Path):
    ruleset = tmp_path / "ruleset.bin"
    ruleset.write_bytes(rules.load("hits").data)
    output = run_check(check.stem, ruleset, timeout_s=110)
    result = re.search(r"^RESULT (\d+) (\d+)$", output, re.MULTILINE)
    assert result, output
    assert int(result[1]) > 0, output
    assert int(result[2]) == 0, output
