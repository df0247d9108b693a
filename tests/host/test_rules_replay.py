# ruff: noqa: E501 - lines are compared as they are printed
"""`redband rules replay` to the letter: every line, on CPython and on the real MicroPython."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from redband.cli.app import run
from redband.errors import RedbandUserError
from redband.rules import load, presets, shipped
from redband.rules.replay import Input, read_inputs, replay

LAB = Path(__file__).resolve().parents[1] / "core" / "data" / "lab.toml"
RUNTIMES = ("cpython", "micropython")
both = pytest.mark.parametrize("runtime", RUNTIMES)

TRACKS = '"overlay":"awake","mind":"calm","place":"combat","conduct":"playing"}'
COUNTERS = (
    '"traumas_new":0,"traumas_physical":0,"traumas_mental":0,"lasting_physical":0,'
    '"lasting_mental":0,"death_left_ms":0,"sudden_kind":0,"fouls":0}'
)


def hits_line(
    head: str,
    health: str,
    hits: int,
    timers: str,
    signal: str,
    outcome: str = '"applied","why":null',
) -> str:
    """Return an output line of the hits ruleset, byte for byte."""
    return (
        f'{{{head},"outcome":{outcome},"tracks":{{"health":"{health}",{TRACKS},'
        f'"counters":{{"hits":{hits},{COUNTERS},"timers":{{{timers}}},"signal":"{signal}"}}\n'
    )


def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, *arguments: str
) -> tuple[int, str, str]:
    """Run `redband rules replay` on the text; return exit code, output and errors."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    code = run(["rules", "replay", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@both
def test_the_bytes_of_the_contract(
    runtime: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line for each input and each timer on the way; keys in a fixed order, no spaces."""
    text = (
        '{"t_ms": 1000, "event": "hit", "args": {"n": 2}}\n'
        "\n"
        '{"args": {"source": "sensor", "n": 1}, "event": "hit", "t_ms": 2000}\n'
        '{"t_ms": 3000, "event": "hit"}\n'
        '{"t_ms": 902000, "event": "treat"}\n'
        '{"t_ms": 1000000}'
    )
    code, out, err = call(
        *(monkeypatch, capsys, text, "hits", "--player", "max_hits=3", "--runtime", runtime)
    )
    assert (code, err) == (0, "")
    refused = '"refused","why":"no_hits_left"'
    assert out == (
        hits_line('"t_ms":1000,"event":"hit"', "wounded", 1, "", "wounded")
        + hits_line('"t_ms":2000,"event":"hit"', "dying", 0, '"health":900000', "dying")
        + hits_line('"t_ms":3000,"event":"hit"', "dying", 0, '"health":899000', "dying", refused)
        + hits_line('"t_ms":902000,"event":"after health.dying"', "dead", 0, "", "dead")
        + hits_line(
            '"t_ms":902000,"event":"treat"', "dead", 0, "", "dead", '"refused","why":"dead"'
        )
        + hits_line('"t_ms":1000000,"event":null', "dead", 0, "", "dead")
    )


@both
def test_timers_fire_in_order_on_the_way_to_a_last_input_without_event(
    runtime: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        '{"t_ms": 0, "event": "hit"}\n{"t_ms": 0, "event": "treat"}\n'
        '{"t_ms": 0, "event": "knock_out"}\n{"t_ms": 4000000}\n'
    )
    _code, out, _err = call(
        *(monkeypatch, capsys, text, "hits", "--player", "rest_ms=10 min", "--runtime", runtime)
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["t_ms"], line["event"]) for line in lines] == [
        (0, "hit"),
        (0, "treat"),
        (0, "knock_out"),
        (60_000, "after overlay.unconscious"),
        (300_000, "after health.resting"),
        (600_000, "after health.bandage_due"),
        (4_000_000, None),
    ]
    assert lines[2]["timers"] == {"health": 300_000, "overlay": 60_000}
    assert lines[-1]["tracks"]["health"] == "bandage_overdue"


@both
def test_refusals_have_their_names(
    runtime: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(
        json.dumps({"t_ms": 0, "event": event, "args": args}) + "\n"
        for event, args in (
            ("hit", {"n": 10}),
            ("void", {"n": 1}),
            ("bandage", {}),
            ("exclude", {}),
            ("hit", {}),
        )
    )
    _code, out, _err = call(monkeypatch, capsys, text, "hits", "--runtime", runtime)
    assert [json.loads(line)["why"] for line in out.splitlines()] == [
        *("bad_arguments", "nothing_to_void", "no_bandage", None, "excluded")
    ]


@both
def test_H4_void_of_the_sensors_hit_leaves_the_buttons_hit(
    runtime: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hits = '{"t_ms": 0, "event": "hit", "args": {"source": "sensor", "n": 2}}\n{"t_ms": 0, "event": "hit"}\n'
    void = '{"t_ms": 0, "event": "void", "args": {"n": 1, "source": "sensor"}}\n'
    _code, out, _err = call(
        *(monkeypatch, capsys, hits + void * 2, "hits", "--player", "max_hits=5"),
        *("--runtime", runtime),
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["counters"]["hits"] for line in lines] == [3, 2, 4, 4]
    assert lines[-1]["why"] == "nothing_to_void"


@both
def test_no_input_no_output(
    runtime: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, capsys, "", "hits", "--runtime", runtime) == (0, "", "")


@both
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"t_ms": 1', 'this is not JSON; write {"t_ms": 1000, "event": "hit"}'),
        ("[" * 100_000, 'this is not JSON; write {"t_ms": 1000, "event": "hit"}'),
        ('{"t_ms": 1' + "0" * 5000 + "}", 'this is not JSON; write {"t_ms": 1000, "event": "hit"}'),
        ('{"t_ms": 1e300}', '"t_ms" must be a whole number of milliseconds, 0 or more'),
        ('{"t_ms": -1}', '"t_ms" must be a whole number of milliseconds, 0 or more'),
        ('{"t_ms": 1, "event": ["hit"]}', '"event" must be a name such as "hit"'),
        ('{"t_ms": 1, "event": 7}', '"event" must be a name such as "hit"'),
        ('{"t_ms": 1, "event": "Hit"}', 'unknown event "Hit"; did you mean "hit"?'),
        ('{"t_ms": 1, "event": "hit", "args": null}', '"args" must be an object such as {"n": 2}'),
        ('{"t_ms": 1, "event": "hit", "args": {"m": 1}}', 'event "hit" has no argument "m"; known are: n, source'),
        ('{"t_ms": 1, "event": "hit", "args": {"n": 1.0}}', 'argument "n" must be a whole number'),
        ('{"t_ms": 1, "event": "hit", "args": {"n": true}}', 'argument "n" must be a whole number'),
        ('{"t_ms": 0, "event": "hit"}', "t_ms goes back from 1 to 0; sort the lines"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_one_sentence_and_the_lines_before_it_are_played(
    runtime: str,
    line: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = '{"t_ms": 1, "event": "hit"}\n\n' + line + '\n{"t_ms": 9}\n'
    code, out, err = call(monkeypatch, capsys, text, "hits", "--runtime", runtime)
    assert (code, err) == (2, f"redband: input line 3: {sentence}\n")
    assert out == hits_line('"t_ms":1,"event":"hit"', "wounded", 2, "", "wounded")


def test_a_file_saved_with_a_byte_order_mark_is_read() -> None:
    inputs = read_inputs(['\ufeff{"t_ms": 5}\r\n'], load("hits"))
    assert list(inputs) == [Input(5, -1, ())]


def test_a_player_out_of_range_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for given, sentence in (
        ("max_hits=99", 'param "max_hits" is 99, but must be 1 to 20'),
        ("max_hit=3", 'ruleset "hits" has no param "max_hit"; did you mean "max_hits"?'),
        ("max_hits", '"max_hits" is not NAME=VALUE; write for example max_hits=3'),
    ):
        code, out, err = call(monkeypatch, capsys, "", "hits", "--player", given)
        assert (code, out, err) == (2, "", f"redband: {sentence}\n")


def test_an_interpreter_that_dies_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where it runs out of memory: no stack trace, no hang."""
    monkeypatch.setattr(
        "redband.rules.replay._PROGRAM", "raise SystemExit({params!r} and 3)#{data}"
    )
    with pytest.raises(RedbandUserError, match="MicroPython ended with"):
        list(replay(load("hits"), [3], [Input(0, 1, (1, 0))] * 3, "micropython"))


@pytest.mark.parametrize("name", [*shipped(), *presets(), str(LAB)])
def test_both_runtimes_print_the_same_bytes(name: str) -> None:
    """Each life starts around the wrap of the chip's clock, with other params."""
    ruleset = load(name)
    dice = random.Random(7)
    for _ in range(3):
        params = [dice.choice((p.default, p.low, p.high)) for p in ruleset.params]
        now_ms = (1 << 30) - 50_000 if name != str(LAB) else 0
        life = []
        for _ in range(60):
            now_ms += dice.choice((0, 1, 300, 2000, 20_000, 300_000))
            event = dice.choice(ruleset.events)
            args = tuple(dice.randint(max(arg.low, -99), min(arg.high, 99)) for arg in event.args)
            is_event = dice.random() < 0.8
            life.append(Input(now_ms, event.id, args) if is_event else Input(now_ms, -1, ()))
        here = list(replay(ruleset, params, life))
        assert len(here) >= len(life)
        assert list(replay(ruleset, params, life, "micropython")) == here
