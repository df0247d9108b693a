"""Time per event on MicroPython: the engine against the same hits rules written as if/else."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import redband_core
from redband.rules import load
from redband.rules.replay import find_micropython
from tools.bench.hits_trace import LIFE_EVENTS, lives
from tools.bench.table import Table

LIVES = 150
ROUNDS = 5
TIMEOUT_S = 120
PROGRAM = """
import gc
import json
import sys
import time

sys.path[:] = [".frozen", {core!r}, {here!r}]
from hits_by_hand import Hits
from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

ruleset = Ruleset.from_bytes(bytes.fromhex({data!r}))
with open({trace!r}) as file:
    trace = [[(t, e, tuple(a)) for t, e, a in life] for life in json.load(file)]


def view(engine):
    tracks = range(len(ruleset.tracks))
    row = [engine.track_state(t) for t in tracks]
    row += [engine.counter(i) for i in range(len(ruleset.counters))]
    row += [engine.timer_left_ms(t) for t in tracks]
    return tuple(row) + (engine.signal(),)


def spent_us(make, with_signal):
    total = 0
    for life in trace:
        player = make()
        step = player.step
        signal = player.signal
        gc.collect()
        started = time.ticks_us()
        if with_signal:
            for t, e, a in life:
                step(t, e, a)
                signal()
        else:
            for t, e, a in life:
                step(t, e, a)
        total += time.ticks_diff(time.ticks_us(), started)
    return total


applied = 0
for life in trace:
    engine = Engine(ruleset)
    hand = Hits()
    for t, e, a in life:
        outcome = engine.step(t, e, a)
        applied += outcome == 0
        if (outcome, view(engine)) != (hand.step(t, e, a), hand.view()):
            raise SystemExit("the engine and the hand-written rules differ")
rows = [[], [], [], []]
for _ in range({rounds}):
    for i, with_signal in enumerate((False, True)):
        rows[2 * i].append(spent_us(lambda: Engine(ruleset), with_signal))
        rows[2 * i + 1].append(spent_us(Hits, with_signal))
print(json.dumps([applied] + [min(row) for row in rows]))
"""


def run() -> list[int]:
    """Return events applied, then µs of: engine, by hand, and both with the signal."""
    ruleset = load("hits")
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        trace = Path(folder) / "trace.json"
        trace.write_text(json.dumps(lives(LIVES, ruleset.events)), encoding="utf-8")
        program = PROGRAM.format(
            core=str(Path(redband_core.__path__[0]).parent),
            here=str(Path(__file__).parent),
            data=ruleset.data.hex(),
            trace=str(trace),
            rounds=ROUNDS,
        )
        done = subprocess.run(
            [find_micropython(), "-X", "heapsize=16M", "-c", program],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    return json.loads(done.stdout)


def measure() -> Table:
    """Run the bench and return its table."""
    applied, engine, by_hand, engine_lit, by_hand_lit = run()
    events = LIVES * LIFE_EVENTS
    table = Table(
        "Rules on MicroPython",
        f"The hits rules, {LIVES} lives of {LIFE_EVENTS} events, voids among them, "
        f"{applied * 100 // events} % applied, on the unix port; both first checked to agree after"
        " every event. Best of five rounds in turns.",
    )
    for what, ours, theirs in (
        ("an event", engine, by_hand),
        ("an event and what is shown", engine_lit, by_hand_lit),
    ):
        table.add(f"{what}: engine", f"{ours / events:.1f} µs", f"{ours / theirs:.1f} x by hand")
        table.add(f"{what}: by hand", f"{theirs / events:.1f} µs", "tools/bench/hits_by_hand.py")
    return table
