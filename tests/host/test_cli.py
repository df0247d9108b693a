"""The command line: quick to help, one sentence for an obstacle, exit codes as promised."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.journals import PlayingBadge

from redband.cli import app as cli
from redband.errors import RedbandUserError
from redband.rules.loader import load
from redband.store.store import STORE_FILE, Store

HEAVY = ("sqlalchemy", "bleak", "bumble", "nicegui", "littlefs", "redband.gateway")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Return a data folder with one badge's little game."""
    hits = load("hits")
    badge = PlayingBadge(3, 9, hits.ruleset)
    badge.start(boot_id=0xAB)
    badge.happen(hits.event("hit").id, 2, 1)
    badge.happen(hits.event("bandage").id, after_ms=61_500)
    store = Store(tmp_path / STORE_FILE)
    store.ingest_page(badge.page(0))
    store.keep_ruleset(hits.identity, hits.id, hits.data)
    store.close()
    return tmp_path


def test_help_imports_no_command() -> None:
    program = (
        "import sys; from redband.cli.app import run; run(['--help']);"
        f"sys.exit(' '.join(m for m in {HEAVY!r} if m in sys.modules) or 0)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert result.stderr == b""
    assert b"demo" in result.stdout


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, command in cli.COMMANDS.items():
        assert name in shown
        assert command.help[:30] in shown


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([name, "--help"]) == 0
    assert f"redband {name}" in capsys.readouterr().out


def test_an_unknown_command_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["demox"]) == 2
    assert "No such command 'demox'" in capsys.readouterr().err


def test_a_user_error_is_one_sentence_and_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise RedbandUserError("The moon is in the way; wait.", exit_code=7)

    monkeypatch.setattr(cli, "app", fail)
    assert cli.run([]) == 7
    assert capsys.readouterr().err == "redband: The moon is in the way; wait.\n"


def test_ctrl_c_is_130_without_a_trace(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys, typer, redband.cli.events as events\n"
        "from redband.cli.app import run\n"
        "events.app = typer.Typer()\n"
        "@events.app.command()\n"
        "def interrupted():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(run(['events']))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (result.returncode, result.stderr) == (130, b"")


def test_events_are_listed_with_names(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["events", "--data", str(filled)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=5)[:5] for line in lines] == [
        ["3", "1", "000000ab", "2", "0:00:00.0"],
        ["3", "1", "000000ab", "3", "0:00:01.0"],
        ["3", "1", "000000ab", "4", "0:01:02.5"],
    ]
    assert "hit" in lines[1]
    assert "2" in lines[1].split("hit")[1]
    assert "refused" in lines[2]


def test_events_speak_russian(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["events", "--data", str(filled), "--lang", "ru", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert "включена" in lines[2]
    assert "отказ" in lines[4]


def test_events_of_a_badge_that_nobody_met_are_not_just_silence(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["events", "--data", str(filled), "--badge", "99"]) == 1
    assert "holds nothing of badge 99, only of badges 3." in capsys.readouterr().err


def test_events_without_a_store_say_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["events", "--data", str(tmp_path)]) == 2
    assert "fill one with `redband sync`" in capsys.readouterr().err
    assert cli.run(["events", "--data", str(tmp_path / "none")]) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error(filled: Path) -> None:
    command = f"{sys.executable} -m redband events --data {filled} --all | head -1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, text=True)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["scan", "sync", "watch"])
def test_a_field_that_does_not_run_is_one_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if command == "scan" else ["--data", str(tmp_path)]
    assert cli.run([command, "--field", str(tmp_path), *options]) == 2
    error = capsys.readouterr().err
    assert f"No virtual field runs at {tmp_path}/control; start one with" in error
    assert error.count("\n") == 1


def test_the_data_folder_of_the_user_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", os.devnull)
    assert cli.run(["events"]) == 2
    assert (tmp_path / "redband").is_dir()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "There is no store" in capsys.readouterr().err
