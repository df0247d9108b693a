"""Flash wear of 1000 events against two plain ways of keeping them, and the recovery time."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from redband.rules import load
from redband.rules.replay import find_micropython
from tools.bench.table import Table

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PARTS = TESTS / "parts"
RULESET = "wounds"
TIMEOUT_S = 300
GOAL = 5
RECOVERY_GOAL_MS = 300


def run() -> dict[str, list[int]]:
    """Return what wear_program.py measured."""
    silicon = ROOT / "host" / "redband" / "virtual" / "silicon"
    alone = TESTS / "support" / "micropython"
    folders = [alone, silicon, ROOT / "firmware" / "lib", PARTS, TESTS / "proof" / "programs"]
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        ruleset = Path(folder) / "ruleset.bin"
        ruleset.write_bytes(load(RULESET).data)
        program = (
            f"import sys; sys.path[:] = ['', '.frozen'] + {[str(path) for path in folders]!r}\n"
            "import wear_program"
        )
        done = subprocess.run(
            [find_micropython(), "-X", "heapsize=64M", "-c", program],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={**os.environ, "MICROPYPATH": "", "REDBAND_RULESET": str(ruleset)},
            check=False,
        )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip()[-600:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def measure() -> Table:
    """Run the bench and return its table."""
    found = run()
    table = Table(
        "Journal: flash wear and recovery",
        "1,000 events 5 s apart (wounds: a hit and a medic's treatment in turn), each safe from a "
        "power cut before the next. All three on the same block device of 512 blocks with the "
        "real littlefs; the badge's way through its whole game, with segments, snapshots and "
        "notes. This MicroPython has no `btree` module; one file per event stands for it. Goal: a "
        "fifth of the better one. Recovery: a journal of 48 full segments, best of five; goal "
        f"{RECOVERY_GOAL_MS} ms. In safe mode without rules no segment has a snapshot, so that "
        "all records are folded.",
    )
    ours, lines, files = found["journal"], found["lines"], found["files"]
    ways = (
        ("journal", ours, "records programmed in place, see docs/journal.md"),
        ("JSON lines", lines, f"one file, flush() for each; {found['line_bytes']} bytes a line"),
        ("one file per event", files, "the same JSON, a new file each"),
    )
    for what, index, unit in (("blocks erased", 0, ""), ("bytes written", 1, "")):
        for name, cost, how in ways:
            table.add(f"{what}: {name}", f"{cost[index]:,}{unit}", how)
        best = min(lines[index], files[index])
        share = f"1/{best / ours[index]:.0f}"
        table.add(f"{what}: share of the better", share, f"goal 1/{GOAL}")
    for name, key in (("full journal", "full"), ("full, in safe mode", "no_snapshot")):
        recover_us, start_us, records, read_bytes, segments = found[key]
        how = f"{segments} segments; {records:,} records folded, {read_bytes:,} bytes read"
        table.add(f"recovery: {name}", f"{recover_us / 1000:.1f} ms", how)
        table.add(f"whole start: {name}", f"{start_us / 1000:.1f} ms", "with settings and ruleset")
    return table
