"""The whole app in the heap that an ESP32 leaves free beside Bluetooth."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from redband import rules
from redband.fleet.firmware import firmware_files

HERE = Path(__file__).parent
HEAP_KIB = 192
"""96 kB on the chip: the same objects take twice as much on the 64-bit port."""
BENCH_KIB = 16
"""What the stand-ins and the program that plays host and player take (measured: 15)."""
SETTINGS = {
    "badge_id": 7,
    "player": "Anna",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}


@pytest.mark.parametrize("ruleset", ["hits", "wounds_hospital"])
def test_R16_hits_and_syncs_live_in_the_heap_of_an_esp32(tmp_path: Path, ruleset: str):
    for name, content in firmware_files().items():
        path = tmp_path / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "settings.json").write_text(json.dumps(SETTINGS))
    (tmp_path / "ruleset.bin").write_bytes(rules.load(ruleset).data)
    program = (
        f"import sys; sys.path[:] = ['', '.frozen', {str(HERE / 'standins')!r},"
        f" {str(tmp_path / 'lib')!r}]\n"
        f"exec(open({str(HERE / 'programs' / 'heap_program.py')!r}).read())"
    )
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("micropython")),
            "-X",
            f"heapsize={HEAP_KIB + BENCH_KIB}K",
        ]
        + ["-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "MICROPYPATH": "", "REDBAND_ROOT": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    output = done.stdout + done.stderr
    heap = re.search(r"HEAP least (\d+) total (\d+)", done.stdout)
    sync = re.search(r"SYNC (\d+) SEQ (\d+) FED (\d+)", done.stdout)
    assert heap, output
    assert sync, output
    assert int(heap[1]) > 6 * 1024, output
    assert int(sync[2]) > 300, output
    assert int(sync[1]) > 300 * 8, output
    assert "MemoryError" not in output
