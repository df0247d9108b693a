"""docs/howto.md is true: each addition, made in a copy in the files it names only, works."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tools.mutants.__main__ import copied, environment

ROOT = Path(__file__).resolve().parents[2]
PARTS = re.split(r"^## ", (ROOT / "docs" / "howto.md").read_text(encoding="utf-8"), flags=re.M)
SECTIONS = {
    title: re.findall(r"^- `([^`]+)`: ", text, re.M)
    for title, _, text in (part.partition("\n") for part in PARTS[1:])
}
FILES_MAX = 3
SERVED = """
from starlette.testclient import TestClient
from redband.tent.app import create_app
from redband.tent.words import words
assert words("ru")["about"] == "О повязках"
print(TestClient(create_app(None)).get("/about").text)
"""
PIN = """
from redband.virtual.board_pins import BoardPins
print(BoardPins(4000).contact_pin("BUTTON"))
"""
RULES = """
[ruleset]
id = "knock"
title = "knock"
include = ["wounds"]
[gesture]
double_hold = "hit(shot, button)"
"""


class Copy:
    """The tree in a folder; files of one section of the page may be changed."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = copied(folder)
        self._names = names

    def insert(self, name: str, after: str, text: str) -> None:
        """Add lines to one of the section's files, after a line that stands there once."""
        assert name in self._names
        path = self.folder / name
        content = path.read_text(encoding="utf-8")
        assert content.count(after) == 1, f"{name}: {after}"
        path.write_text(content.replace(after, after + text), encoding="utf-8")

    def run(self, *words: str) -> tuple[int, str]:
        """Run Python on the copy; return its exit code and what it printed."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment(self.folder),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def passes(self, *tests: str) -> bool:
        """Return whether these tests pass in the copy."""
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)[0] == 0


def add_a_board(copy: Copy) -> None:
    known, _chips, made = SECTIONS["A board"]
    text = (copy.folder / known).read_text(encoding="utf-8")
    text = text.replace('"xiao-esp32c3"', '"other"').replace("gpio = 3 ", "gpio = 1 ")
    (copy.folder / known).with_name("other.toml").write_text(text, encoding="utf-8")
    before = (copy.folder / made).read_text(encoding="utf-8")
    assert copy.run("tools/generate_board.py", "other") == (0, "")
    assert (copy.folder / made).read_text(encoding="utf-8") != before
    assert copy.run("-c", PIN) == (0, "1\n")
    assert copy.passes("tests/hardware/test_board.py")


def add_a_page(copy: Copy) -> None:
    beside, app, words = SECTIONS["A page"]
    about = 'from nicegui import ui\n\n\ndef show(word):\n    ui.label(word["about"])\n'
    (copy.folder / beside).with_name("about.py").write_text(about, encoding="utf-8")
    copy.insert(
        app,
        "from redband.tent.words import choose_language",
        ", words\nfrom redband.tent import about",
    )
    copy.insert(
        app,
        "        ui.timer(POLL_S, board.refresh)\n",
        '\n    @ui.page("/about")\n    def about_page():\n        about.show(words("en"))\n',
    )
    copy.insert(words, "ENGLISH: dict[str, str] = {\n", '    "about": "About badges",\n')
    copy.insert(words, "RUSSIAN: dict[str, str] = {\n", '    "about": "О повязках",\n')
    code, told = copy.run("-c", SERVED)
    assert code == 0, told
    assert "About badges" in told


def add_a_gesture(copy: Copy) -> None:
    core, kinds = SECTIONS["A gesture"]
    rules = copy.folder / "knock.toml"
    rules.write_text(RULES, encoding="utf-8")
    code, told = copy.run("-m", "redband", "rules", "check", str(rules))
    assert code != 0
    assert 'unknown gesture "double_hold"' in told
    copy.insert(core, "HOLD = 3\n", "DOUBLE_HOLD = 4\n")
    copy.insert(kinds, '    "hold": core.HOLD,\n', '    "double_hold": core.DOUBLE_HOLD,\n')
    copy.insert(
        kinds,
        "    if code == core.HOLD:\n        return hold\n",
        '    if code == core.DOUBLE_HOLD:\n        return "hold twice", "держать дважды"\n',
    )
    code, told = copy.run("-m", "redband", "rules", "check", str(rules))
    assert code == 0, told
    code, told = copy.run("-m", "redband", "rules", "card", str(rules), "-o", "card.pdf")
    assert code == 0, told


def add_a_note(copy: Copy) -> None:
    core, texts, writer = SECTIONS["A note"]
    copy.insert(core, "NOTE_GAME_BEGUN = 60  # 0\n", "NOTE_DROPPED = 64  # falls\n")
    assert not copy.passes("tests/host/test_numbers.py"), "it has no texts yet"
    copy.insert(
        texts,
        "NOTES: Texts = {\n",
        '    numbers.NOTE_DROPPED: ("fell {} times", "падений: {}"),\n',
    )
    assert copy.passes("tests/host/test_numbers.py")
    assert "note_queue.put((numbers.NOTE_" in (copy.folder / writer).read_text(encoding="utf-8")


ADDITIONS: dict[str, Callable[[Copy], None]] = {
    "A board": add_a_board,
    "A page": add_a_page,
    "A gesture": add_a_gesture,
    "A note": add_a_note,
}


@pytest.mark.parametrize("title", SECTIONS)
def test_addition_takes_three_files_at_most_and_works(title: str, tmp_path: Path):
    names = SECTIONS[title]
    assert 0 < len(names) <= FILES_MAX
    for name in names:
        assert (ROOT / name).is_file(), name
    ADDITIONS[title](Copy(tmp_path, names))


def test_page_tells_each_addition():
    assert list(SECTIONS) == list(ADDITIONS)
