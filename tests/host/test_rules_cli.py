# ruff: noqa: E501 - messages are compared as they are printed
"""`redband rules`: what is printed, and exit codes (replay: test_rules_replay.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redband.cli.app import run
from redband.rules import load
from redband.rules.replay import read_inputs, replay

KEYS = ["t_ms", "event", "outcome", "why", "tracks", "counters", "timers", "signal"]


def play(*lines: dict, params: dict[str, int | str] | None = None) -> list[dict]:
    """Replay JSON inputs through the hits ruleset; return the parsed output lines."""
    ruleset = load("hits")
    inputs = read_inputs([json.dumps(line) for line in lines], ruleset)
    output = replay(ruleset, ruleset.param_values(params), inputs)
    return [json.loads(line) for line in output]


def test_list_check_and_events(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list"]) == 0
    assert "hits" in capsys.readouterr().out
    assert run(["rules", "check", "hits"]) == 0
    assert "hits.toml is right: " in capsys.readouterr().out
    assert run(["rules", "events", "hits", "--lang", "ru"]) == 0
    shown = capsys.readouterr().out
    assert "попадание" in shown
    assert "0 button, 1 sensor, 2 staff" in shown
    assert "source: 0 button, 1 sensor, 2 staff; or left out" in shown  # of void
    assert "marshal, game_master" in shown


def test_compile_writes_what_load_gives(tmp_path: Path) -> None:
    target = tmp_path / "hits.bin"
    assert run(["rules", "compile", "hits", "-o", str(target)]) == 0
    assert target.read_bytes() == load("hits").data


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("check my.toml", 'my.toml:2: "id" has the wrong kind of value; write id = "..."'),
        ("check hit", 'no ruleset is named "hit"; did you mean "hits"?'),
        ("events hits --lang de", 'unknown language "de"; known are: en, ru'),
        ("compile hits -o no/x", "can't be written: No such file"),
        ("replay hits --player 3", '"3" is not NAME=VALUE; write for example max_hits=3'),
        ("replay hits --runtime java", 'unknown runtime "java"'),
        ("card hitz -o x.pdf", 'no ruleset is named "hitz"; did you mean "hits"?'),
        ("card hits -o x.doc", '"x.doc" does not end in .pdf'),
        ("card hits -o no/x.pdf", "can't be written: No such file or directory"),
        ("card hits -o x.pdf --lang de", 'unknown language "de"; known are: en, ru'),
        ("card hits -o x.pdf --player 3", '"3" is not NAME=VALUE'),
        ("card hits -o x.pdf --player max_hits=99", 'param "max_hits" is 99'),
        ("card hits -o x.pdf --player max_hit=3", 'did you mean "max_hits"?'),
        ("graph hitz -o x.svg", 'no ruleset is named "hitz"; did you mean "hits"?'),
        ("graph hits -o x.png", '"x.png" does not end in .svg'),
        ("graph hits -o -", "write for example -o rules.svg"),
        ("graph hits -o no/x.svg", "can't be written: No such file or directory"),
        ("graph hits -o x.svg --lang de", 'unknown language "de"; known are: en, ru'),
        ("graph none.toml -o x.svg", "none.toml can't be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_written(
    line: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    faulty = tmp_path / "my.toml"
    faulty.write_text("[ruleset]\nid = 1\n", encoding="utf-8")
    assert run(["rules", *line.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("redband: ")
    assert shown.err.count("\n") == 1
    assert sentence in shown.err
    assert list(tmp_path.iterdir()) == [faulty]


def test_replay_prints_a_line_for_each_input_and_each_timer() -> None:
    lines = play(
        {"t_ms": 1000, "event": "hit", "args": {"n": 2}},
        {"t_ms": 2000, "event": "hit", "args": {"n": 1, "source": "sensor"}},
        {"t_ms": 3000, "event": "hit"},
        {"t_ms": 1_000_000},
        params={"max_hits": 3},
    )
    assert [list(line) for line in lines] == [KEYS] * 5
    assert [(line["t_ms"], line["event"], line["outcome"], line["why"]) for line in lines] == [
        (1000, "hit", "applied", None),
        (2000, "hit", "applied", None),
        (3000, "hit", "refused", "no_hits_left"),
        (902_000, "after health.dying", "applied", None),
        (1_000_000, None, "applied", None),
    ]
    assert [line["signal"] for line in lines] == ["wounded", "dying", "dying", "dead", "dead"]
    assert [line["timers"] for line in lines] == [
        {},
        {"health": 900_000},
        {"health": 899_000},
        {},
        {},
    ]
    assert [line["counters"]["hits"] for line in lines] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("x", 'this is not JSON; write {"t_ms": 1000, "event": "hit"}'),
        ("[1]", 'this is not an object; write {"t_ms": 1000, "event": "hit"}'),
        ("{}", '"t_ms" must be a whole number of milliseconds, 0 or more'),
        ('{"t_ms": 1.5}', '"t_ms" must be a whole number of milliseconds, 0 or more'),
        ('{"t_ms": true}', '"t_ms" must be a whole number of milliseconds, 0 or more'),
        ('{"t_ms": 1, "evnt": "hit"}', 'unknown key "evnt"; known are: t_ms, event, args'),
        ('{"t_ms": 1, "event": "hitt"}', 'unknown event "hitt"; did you mean "hit"?'),
        ('{"t_ms": 1, "event": "stun", "args": {"n": 1}}', 'event "stun" has no argument "n"; it takes none'),
        ('{"t_ms": 1, "event": "hit", "args": [1]}', '"args" must be an object such as {"n": 2}'),
        ('{"t_ms": 1, "event": "hit", "args": {"n": "x"}}', 'argument "n" must be a whole number'),
        ('{"t_ms": 1, "event": "hit", "args": {"source": "sens"}}', '"sens" is no source; did you mean "sensor"?'),
        ('{"t_ms": 1, "args": {"n": 1}}', "arguments need an event"),
    ],
)  # fmt: skip
def test_a_faulty_input_is_told_by_its_line(
    line: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"t_ms": 0}\n\n' + line + "\n", encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run(["rules", "replay", "hits"]) == 2
    assert capsys.readouterr().err == f"redband: input line 3: {sentence}\n"


def test_time_that_goes_back_is_told() -> None:
    with pytest.raises(
        Exception, match="input line 2: t_ms goes back from 5 to 4; sort the lines"
    ):
        play({"t_ms": 5}, {"t_ms": 4})
