"""On a real board: install, boot, play a hit. Skipped where no board is named (tests/conftest.py).

Run with: REDBAND_TEST_PORT=/dev/ttyACM0 .venv/bin/pytest tests/device
The board must run MicroPython 1.26 or later; its files are replaced.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.device, pytest.mark.timeout(300)]
REDBAND = Path(sys.executable).with_name("redband")


@pytest.fixture(scope="module")
def port() -> str:
    return os.environ["REDBAND_TEST_PORT"]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_install_on_a_board_then_its_file_system_holds_the_firmware(port):
    done = run(
        str(REDBAND), "badge", "install", "--port", port, "--badge-id", "1", "--player", "Test"
    )
    assert done.returncode == 0, done.stderr
    listing = run(sys.executable, "-m", "mpremote", "connect", port, "resume", "fs", "ls", ":/lib")
    assert "redband_core" in listing.stdout
    assert "redband_badge" in listing.stdout


def test_twenty_soft_resets_in_a_row_leave_the_board_answering(port):
    for _ in range(20):
        done = run(sys.executable, "-m", "mpremote", "connect", port, "soft-reset")
        assert done.returncode == 0, done.stderr
    answer = run(sys.executable, "-m", "mpremote", "connect", port, "exec", "print(6 * 7)")
    assert answer.stdout.strip() == "42"
