"""scan, sync, watch and events against a field that runs in another process, as a user does it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.demos import Demo

from redband import rules

pytestmark = pytest.mark.timeout(180)


class Running:
    """A demo that plays with three badges. page: its address; field: its field's folder."""

    def __init__(self, data: Path) -> None:
        self.demo = Demo("--data", str(data), "--badges", "3", "--port", "0")
        self.page = self.demo.until(r"Game master's page: (\S+)")[1]
        self.demo.until("First hit on screen")
        self.field = data / "field"

    def end(self) -> None:
        self.demo.process.send_signal(signal.SIGINT)
        self.demo.end()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    demo = Running(tmp_path_factory.mktemp("demo") / "run")
    yield demo
    demo.end()


def redband(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "redband", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"COLUMNS": "200"},
    )


def test_scan_lists_the_badges_of_the_field(running: Running) -> None:
    result = redband("scan", "--field", str(running.field), "--seconds", "3")
    assert (result.returncode, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert [row[:2] for row in rows] == [["1", "player"], ["2", "player"], ["3", "player"]]


def test_scan_with_another_game_s_key_counts_the_badges_and_says_what_to_do(
    running: Running, tmp_path: Path
) -> None:
    other = str(tmp_path / "other.key")
    assert redband("keys", "new", "--key", other).returncode == 0
    result = redband("scan", "--field", str(running.field), "--seconds", "3", "--key", other)
    assert (result.returncode, result.stdout) == (1, "")
    assert "3 Redband badges of another game: give the right key with --key" in result.stderr
    assert "Traceback" not in result.stderr


def test_exported_marshal_s_key_reads_the_field_and_a_medic_s_gets_no_journal(
    running: Running, tmp_path: Path
) -> None:
    game = str(running.field / "game.key")
    for role, is_granted in (("marshal", True), ("medic", False)):
        key, data = str(tmp_path / f"{role}.key"), tmp_path / role
        data.mkdir()
        made = redband("keys", "export", "--role", role, "-o", key, "--key", game)
        assert (made.returncode, made.stderr) == (0, "")
        options = ["--field", str(running.field), "--key", key]
        assert redband("scan", *options, "--seconds", "3").returncode == 0
        synced = redband("sync", *options, "--data", str(data), "--deadline", "10")
        assert (synced.returncode == 0) == is_granted
        assert ("to marshal, game master and technician only" in synced.stdout) != is_granted


def test_a_second_host_syncs_everything_into_a_store_of_its_own(
    running: Running, tmp_path: Path
) -> None:
    result = redband("sync", "--field", str(running.field), "--data", str(tmp_path))
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        "badge 1",
        "badge 2",
        "badge 3",
    ]
    listed = redband("events", "--data", str(tmp_path))
    started = {line.split()[0] for line in listed.stdout.splitlines() if "switched on" in line}
    assert started == {"1", "2", "3"}
    assert "hit (1," in listed.stdout


def test_watch_shows_every_badge(running: Running, tmp_path: Path) -> None:
    options = ["--field", str(running.field), "--data", str(tmp_path), "--seconds", "8"]
    result = redband("watch", *options, "--lang", "ru")
    assert (result.returncode, result.stderr) == (0, "")
    shown = {line.split()[0] for line in result.stdout.splitlines()}
    assert shown == {"1", "2", "3"}
    # Which states they are in by then depends on how fast this machine plays.
    titles = {signal.title.ru for signal in rules.load("hits").signals}
    last = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert [line for line in last.values() if not any(title in line for title in titles)] == []


def test_the_page_of_the_demo_answers(running: Running) -> None:
    with urllib.request.urlopen(running.page, timeout=30) as answer:
        body = answer.read().decode()
    assert answer.status == 200
    assert "Redband" in body
