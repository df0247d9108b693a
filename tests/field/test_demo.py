"""The demo as a user runs it: it plays, agrees, ends when asked to, and says what is wrong.

Every test starts the real command; the virtual badges are real MicroPython processes.
"""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.demos import END_S, Demo, badge_processes

from redband.cli.app import run
from redband.rules.loader import load
from redband.store.projection import fold
from redband.store.store import STORE_FILE, Store

QUICK = ["--port", "0"]

pytestmark = pytest.mark.timeout(END_S + 30)


@pytest.fixture
def demos() -> Iterator[list[Demo]]:
    """Collect demos; whatever still runs when the test is over is ended."""
    started: list[Demo] = []
    yield started
    for demo in started:
        if demo.process.poll() is None:
            demo.process.kill()
            demo.process.wait()


def test_headless_demo_agrees_and_ends_with_0(tmp_path: Path, demos: list[Demo]) -> None:
    data = tmp_path / "run"
    options = ["--headless", "--seconds", "40", "--data", str(data)]
    demos.append(demo := Demo(*options, *QUICK))
    code, errors = demo.end()
    assert (code, errors) == (0, ""), demo.printed
    assert "All 6 badges agree" in demo.printed
    assert "First hit on screen" in demo.printed
    assert badge_processes(data) == []
    log = data / "demo.log"
    assert not log.exists() or "ERROR" not in log.read_text()
    hits = load("hits")
    store = Store(data / STORE_FILE)
    states = [
        fold(number, store.records(number), lambda _: hits.ruleset) for number in range(1, 7)
    ]
    store.close()
    assert all(state.events > 0 and state.problem is None for state in states)
    # The third one's battery was pulled and put back.
    assert [state.boots for state in states] == [1, 1, 2, 1, 1, 1]


def test_two_headless_demos_with_one_seed_are_equal_to_the_byte(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])  # the page's address is printed
    runs = []
    for number, seed in enumerate(("7", "7", "8")):
        folder = tmp_path / f"run-{number}" / ("deeper" * number)
        folder.mkdir(parents=True)
        options = ["--headless", "--seconds", "12", "--badges", "3", "--seed", seed]
        options += ["--data", "run", "--port", port]
        demo = Demo(*options, cwd=folder, PYTHONHASHSEED=str(number))
        assert demo.end() == (0, ""), demo.printed
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != ".lock"  # says which process
        }
        runs.append((demo.printed, files))
    assert {"run/redband.sqlite", "run/field/badge-3/flash.img"} < runs[0][1].keys()
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[2][0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_asked_to_end_leaves_no_process_and_keeps_its_data(
    number: signal.Signals, tmp_path: Path, demos: list[Demo]
) -> None:
    data = tmp_path / "run"
    demos.append(demo := Demo("--data", str(data), "--badges", "3", *QUICK))
    demo.until("First hit on screen")
    assert len(badge_processes(data)) == 3
    demo.process.send_signal(number)
    code, errors = demo.end()
    assert (code, errors) == (0, ""), demo.printed
    assert f"Ended; the data is kept in {data}" in demo.printed
    assert badge_processes(data) == []
    assert len(list(data.glob("field/badge-*/flash.img"))) == 3
    store = Store(data / STORE_FILE)
    assert set(store.players().values()) == {"Raven", "Wolf", "Fox"}
    store.close()


def test_ctrl_c_while_the_badges_still_start_leaves_no_process(
    tmp_path: Path, demos: list[Demo]
) -> None:
    data = tmp_path / "run"
    demos.append(demo := Demo("--data", str(data), *QUICK))
    demo.until("Data of this run")
    demo.process.send_signal(signal.SIGINT)
    code, errors = demo.end()
    assert (code, errors) == (0, ""), demo.printed
    assert badge_processes(data) == []


def test_command_that_the_demo_names_reaches_its_badges(tmp_path: Path, demos: list[Demo]) -> None:
    demos.append(demo := Demo("--data", str(tmp_path / "run"), "--badges", "3", *QUICK))
    demo.until("First hit on screen")
    said = demo.printed.split("from another terminal: redband ")[1].splitlines()[0]
    assert run(said.split()) == 0
    demo.process.send_signal(signal.SIGINT)
    assert demo.end() == (0, "")


def test_a_killed_demo_takes_its_badges_with_it(tmp_path: Path, demos: list[Demo]) -> None:
    data = tmp_path / "run"
    demos.append(demo := Demo("--data", str(data), "--badges", "2", *QUICK))
    demo.until("First hit on screen")
    demo.process.kill()
    demo.end()
    deadline_s = time.monotonic() + 10
    while badge_processes(data) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert badge_processes(data) == []


def test_headless_ended_early_has_no_answer(tmp_path: Path, demos: list[Demo]) -> None:
    options = ["--headless", "--seconds", "600", "--data", str(tmp_path / "run")]
    demos.append(demo := Demo(*options, "--badges", "1", *QUICK))
    demo.until("First hit on screen")
    demo.process.send_signal(signal.SIGINT)
    assert demo.end() == (130, "")


def test_a_second_demo_in_the_same_folder_is_one_sentence(
    tmp_path: Path, demos: list[Demo]
) -> None:
    data = ["--data", str(tmp_path / "run"), *QUICK]
    demos.append(first := Demo(*data, "--badges", "1"))
    page = first.until(r"Game master's page: (\S+)")[1]
    demos.append(second := Demo(*data))
    code, errors = second.end()
    assert code == 2
    assert re.fullmatch(r"redband: A demo is running in .*\n", errors)
    assert page in errors
    first.process.send_signal(signal.SIGINT)
    assert first.end()[0] == 0


def test_an_occupied_port_is_one_sentence(tmp_path: Path, demos: list[Demo]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        demos.append(demo := Demo("--data", str(tmp_path / "run"), "--port", str(port)))
        code, errors = demo.end()
    assert code == 2
    assert re.fullmatch(rf"redband: Port {port} .* --port N .*\n", errors)


@pytest.mark.parametrize("hidden", ["bumble", "micropython_unix"])
def test_a_missing_runtime_is_one_sentence(hidden: str, tmp_path: Path, demos: list[Demo]) -> None:
    hide = tmp_path / "hide"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text(
        f"import sys\nsys.modules[{hidden!r}] = None\n"  # as if it had never been installed
    )
    demos.append(demo := Demo("--data", str(tmp_path / "run"), *QUICK, PYTHONPATH=str(hide)))
    code, errors = demo.end()
    assert code == 2
    assert re.fullmatch(rf"redband: The runtime .*\({hidden}\).*make env.*\n", errors)


SMALL_DISK = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'
"""A shell program: what follows runs with a disk of $1 at $2 that nobody else sees."""


def small_disk(size: str, folder: Path) -> tuple[str, ...]:
    folder.mkdir()
    return ("unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", size, str(folder))


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(65536))


def test_a_disk_that_is_too_small_is_one_sentence(tmp_path: Path, demos: list[Demo]) -> None:
    disk = tmp_path / "disk"
    prefix = small_disk("4m", disk)
    demos.append(demo := Demo("--data", str(disk / "run"), *QUICK, prefix=prefix))
    code, errors = demo.end()
    assert code == 2
    assert re.fullmatch(r"redband: The disk .* has 4 MB free and .* needs 20 MB;.*\n", errors)


def test_a_disk_that_fills_up_is_one_sentence_and_no_process_is_left(
    tmp_path: Path, demos: list[Demo]
) -> None:
    disk = tmp_path / "disk"
    prefix = small_disk("16m", disk)
    data = disk / "run"
    demos.append(demo := Demo("--data", str(data), "--badges", "1", *QUICK, prefix=prefix))
    demo.until("First hit on screen")
    # The disk is in the demo's own view of the file system; its root leads there.
    inside = Path(f"/proc/{demo.process.pid}/root{disk}")
    with pytest.raises(OSError, match="No space left"):
        fill(inside / "fill")
    code, errors = demo.end()
    assert code == 2
    assert re.fullmatch(r"redband: The disk that holds .* is full; .*\n", errors)
    assert badge_processes(data) == []
