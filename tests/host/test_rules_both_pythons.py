"""Random events, 100,000 a ruleset by `make proof`, leave the same bytes on both Pythons."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support import proof, random_game

import redband_core
from redband.rules import load, shipped
from redband.rules.replay import find_micropython

HERE = Path(random_game.__file__).parent
EVENTS = proof.of(100_000, 5000)
SEED = 7
PROGRAM = """
import sys
sys.path[:] = [".frozen", {core!r}, {here!r}]
from redband_core.ruleset import Ruleset
import random_game
ruleset = Ruleset.from_bytes(bytes.fromhex({data!r}))
for digest, applied in random_game.play(ruleset, {count}, {seed}):
    print(digest, applied)
"""


def on_micropython(data: bytes, count: int) -> subprocess.Popen:
    """Start the random game of the compiled ruleset on MicroPython."""
    program = PROGRAM.format(
        core=str(Path(redband_core.__path__[0]).parent),
        here=str(HERE),
        data=data.hex(),
        count=count,
        seed=SEED,
    )
    return subprocess.Popen(
        [find_micropython(), "-X", "heapsize=4M", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.proof
@pytest.mark.parametrize("name", shipped())
def test_random_events_leave_the_same_bytes(name: str) -> None:
    ruleset = load(name)
    with on_micropython(ruleset.data, EVENTS) as process:
        here = [
            f"{digest} {applied}"
            for digest, applied in random_game.play(ruleset.ruleset, EVENTS, SEED)
        ]
        there, error = process.communicate(timeout=280)
    assert error == ""
    found = there.splitlines()
    assert len(here) == EVENTS // random_game.CHUNK_EVENTS == len(found)
    for number, (one, other) in enumerate(zip(here, found, strict=True)):
        assert one == other, f"first difference after event {number * random_game.CHUNK_EVENTS}"
    applied = int(here[-1].split()[1])
    assert applied > EVENTS // 8, "the events are to be played, not only refused"


def test_the_game_reaches_every_state_and_event_of_the_shipped_rulesets() -> None:
    """Guards the generator: what it never plays, the comparison would never compare."""
    for name in shipped():
        ruleset = load(name)
        seen = random_game.Seen()
        for _row in random_game.play(ruleset.ruleset, 30_000, SEED, seen):
            pass
        states = {
            (number, state)
            for number, track in enumerate(ruleset.tracks)
            for state in range(len(track.states))
        }
        assert seen.states == states, name
        can_void = any(event.is_voidable for event in ruleset.events)
        events = {event.id for event in ruleset.events if event.id or can_void}
        assert seen.applied == events, name
