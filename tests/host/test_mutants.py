"""The mutation check: what it changes, and that its list of targets is of this tree."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from tools.mutants import __main__ as mutants
from tools.mutants import changes

ROOT = Path(__file__).resolve().parents[2]
RULE = """\
[[rule]]
title = "1 hit"
on = "hit"
in = { wound = ["none", "light"] }
if = "hits > 3"   # W1 of 9
roles = ["medic", "marshal", "game_master"]
"""
CODE = """\
LIMIT = 10  # 7


def take(count, is_open):
    if count > LIMIT or not is_open:
        raise ValueError("13")
    return count == 2
"""


def changed(name: str, text: str) -> set[str]:
    """Return the lines that changes leave differing, less their indent."""
    before = text.splitlines()
    found = set()
    for change in changes.of(name, text):
        after = change.applied(text).splitlines()
        (line,) = [new for old, new in zip(before, after, strict=True) if old != new]
        found.add(line.strip())
    return found


def test_rules_lose_guards_and_members_and_their_numbers_slip():
    assert changed("x.toml", RULE) == {
        "",  # the whole guard of `in`
        "# W1 of 9",
        'in = { wound = ["light"] }',
        'in = { wound = ["none"] }',
        'if = "hits > 2"   # W1 of 9',
        'if = "hits > 4"   # W1 of 9',
        'roles = ["marshal", "game_master"]',
        'roles = ["medic", "game_master"]',
        'roles = ["medic", "marshal"]',
        'roles = ["medic", "marshal", "game_master", "player"]',
    }


def test_code_loses_guards_and_halves_of_conditions_and_its_bounds_slip():
    assert changed("x.py", CODE) == {
        "LIMIT = 9  # 7",
        "LIMIT = 11  # 7",
        "if False:",
        "if count > LIMIT:",
        "if not is_open:",
        "if count >= LIMIT or not is_open:",
        "return count != 2",
        "return count == 1",
        "return count == 3",
    }


@pytest.mark.parametrize("mutant", list(mutants.slips()), ids=lambda one: one.file)
def test_known_slips_are_of_this_tree(mutant: mutants.Mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.change.applied(text) != text


def test_targets_name_tests_that_exist():
    content = tomllib.loads(mutants.TARGETS.read_text(encoding="utf-8"))
    runs = [one[name] for one in content["target"] for name in ("quick", "more") if name in one]
    for run in [*runs, *[one["tests"] for one in content["slip"]]]:
        for word in run:
            assert word.startswith(("-", "check_")) or (ROOT / word).is_file(), word


def test_every_drawn_change_applies_and_a_seed_draws_the_same():
    every = list(mutants.mutants())
    for mutant in random.Random(0).sample(every, 20):
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.change.applied(text) != text
    assert (
        mutants.chosen("presets", 7)
        == mutants.chosen("presets", 7)
        != mutants.chosen("presets", 8)
    )
