"""The coverage-guided fuzzer runs, finds a planted fault, and nothing else in a short look."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 6
FOUND = 77
"""libFuzzer's exit code for what it found."""

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(
        importlib.util.find_spec("atheris") is None,
        reason="atheris has no wheel for this machine and Python",
    ),
]


def fuzz(corpus: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.fuzz", "--corpus", str(corpus), *arguments],
        capture_output=True,
        text=True,
        timeout=170,
        cwd=ROOT,
        check=False,
    )


def test_planted_fault_behind_four_checks_is_found_and_kept(tmp_path: Path) -> None:
    done = fuzz(tmp_path, "--planted", "--seconds", "120")
    assert done.returncode == FOUND, done.stderr
    assert "IndexError: planted" in done.stderr + done.stdout
    (crash,) = tmp_path.glob("crash-*")
    again = fuzz(tmp_path, "--planted", "--input", str(crash))
    assert again.returncode == FOUND


def test_short_look_at_every_target_finds_nothing(tmp_path: Path) -> None:
    done = fuzz(tmp_path, "--seconds", str(SECONDS))
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("crash-*")) == []
