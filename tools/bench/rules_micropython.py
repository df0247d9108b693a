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
    tracks = range(len(ruleset.state_counts))
    row = [engine.track_state(t) for t in tracks]
    row += [engine.counter(i) for i in range(ruleset.counter_count)]
    row += [engine.timer_left_ms(t) for t in tracks]
    return tuple(row) + (engine.signal(),)


def spent_us(make, life, with_signal):
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
    return time.ticks_diff(time.ticks_us(), started)


def allocated(make):
    total = 0
    for life in trace:
        step = make().step
        gc.collect()
        gc.disable()
        before = gc.mem_alloc()
        for t, e, a in life:
            step(t, e, a)
        total += gc.mem_alloc() - before
        gc.enable()
    return total


def ticks_allocated(count):
    engine = Engine(ruleset)
    engine.step(10, 1, (9, 0))
    engine.signal()
    gc.collect()
    now_ms = 10
    before = gc.mem_alloc()
    for _ in range(count):
        now_ms += 20
        engine.advance(now_ms)
        engine.signal()
        engine.shown_timer_left_ms()
    return gc.mem_alloc() - before


applied = 0
for life in trace:
    engine = Engine(ruleset)
    hand = Hits()
    for t, e, a in life:
        outcome = engine.step(t, e, a)
        applied += outcome == 0
        if (outcome, view(engine)) != (hand.step(t, e, a), hand.view()):
            raise SystemExit("the engine and the hand-written rules differ")
makers = (lambda: Engine(ruleset), Hits)
least_us = [0, 0, 0, 0]
for life in trace:  # the least of each life: what the rules need, not what disturbed them
    for i in range(4):
        least_us[i] += min([spent_us(makers[i % 2], life, i > 1) for _ in range({rounds})])
ticks_allocated(10)
sizes = [allocated(makers[0]), allocated(makers[1]), ticks_allocated(1000)]
print(json.dumps([applied] + least_us + sizes))
"""


def run() -> list[int]:
    """Return events applied; µs of engine, by hand, and both with the signal; bytes of the same.

    The last number is the bytes that 1000 idle ticks of the engine allocate.
    """
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
    applied, engine, by_hand, engine_lit, by_hand_lit, bytes_engine, bytes_by_hand, idle = run()
    events = LIVES * LIFE_EVENTS
    table = Table(
        "Rules on MicroPython",
        f"The hits rules on the unix port, {LIVES} lives of {LIFE_EVENTS} events, voids among "
        f"them, {applied * 100 // events} % applied. Both were first checked to agree after every "
        "event. By hand is `tools/bench/hits_by_hand.py`. The best of five for each life, so that "
        "a busy machine does not count; collections of garbage are not in it.",
    )
    for what, ours, theirs in (
        ("an event", engine, by_hand),
        ("an event and what is shown", engine_lit, by_hand_lit),
    ):
        table.add(f"{what}: engine", f"{ours / events:.1f} µs", f"{ours / theirs:.1f} x by hand")
        table.add(f"{what}: by hand", f"{theirs / events:.1f} µs", "")
    for what, size in (("engine", bytes_engine), ("by hand", bytes_by_hand)):
        table.add(f"allocated by an event: {what}", f"{size // events} bytes", "64-bit port")
    table.add("allocated by an idle tick", f"{idle} bytes", "1000 ticks of a dying character")
    return table
