"""Random events, 100,000 a ruleset by `make proof`, leave the same bytes on both Pythons."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support import proof, random_game, taken_back

import redband_core
from redband.rules import load, shipped
from redband.rules.replay import find_micropython

TESTS = Path(random_game.__file__).parents[1]
EVENTS = proof.of(100_000, 5000)
SEED = 7
PROGRAM = """
import sys
sys.path[:] = [".frozen", {core!r}, {here!r}]
from redband_core.ruleset import Ruleset
from tests.support import random_game, taken_back
ruleset = Ruleset.from_bytes(bytes.fromhex({data!r}))
{play}
"""
GAME = """
for digest, applied in random_game.play(ruleset, {count}, {seed}):
    print(digest, applied)
"""
TAKEN_BACK = "print(*taken_back.play(ruleset, {count}, {seed}))"
LIVES = proof.of(2000, 40)
CAN_VOID = [name for name in shipped() if any(event.is_voidable for event in load(name).events)]


def on_micropython(data: bytes, play: str, count: int) -> subprocess.Popen:
    """Start random games of the compiled ruleset on MicroPython."""
    program = PROGRAM.format(
        core=str(Path(redband_core.__path__[0]).parent),
        here=str(TESTS.parent),
        data=data.hex(),
        play=play.format(count=count, seed=SEED),
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
    with on_micropython(ruleset.data, GAME, EVENTS) as process:
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


@pytest.mark.proof
@pytest.mark.parametrize("name", CAN_VOID)
def test_after_a_hit_is_taken_back_all_is_as_if_it_had_never_been(name: str) -> None:
    ruleset = load(name)
    with on_micropython(ruleset.data, TAKEN_BACK, LIVES) as process:
        voids, revived = taken_back.play(ruleset.ruleset, LIVES, SEED)
        there, error = process.communicate(timeout=280)
    assert error == ""
    assert there.split() == [str(voids), str(revived)]
    assert voids > LIVES
    assert revived, "what was refused is to be tried again"
