"""Gestures in a ruleset file: what a medic's badge can offer, and mistakes told at their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from redband.errors import RedbandUserError
from redband.paper.card_content import card_content
from redband.rules.loader import load
from redband.rules.wording import Wording
from redband_core import gestures, tap

HEAD = """[ruleset]
id = "mine"
title = "Mine"
include = ["{}"]

[event.far]
title = "far"
roles = ["medic"]
[[event.far.arg]]
name = "a"
title = "a"
max = 300
[[event.far.arg]]
name = "b"
title = "b"
min = -5
max = 9
[event.three]
title = "three"
roles = ["medic"]
{}
[[rule]]
on = ["far", "three"]
in = {{ wound = "light" }}
do = ["wound -> none"]

[gesture]
"""
ARGS = "\n".join(
    f'[[event.three.arg]]\nname = "{name}"\ntitle = "{name}"\nmax = 9' for name in "xyz"
)


def mine(folder: Path, gesture: str, ruleset: str = "wounds"):
    path = folder / "mine.toml"
    path.write_text(HEAD.format(ruleset, ARGS) + gesture + "\n", encoding="utf-8")
    return load(path)


@pytest.mark.parametrize(
    ("gesture", "told"),
    [
        ('medic_5 = "treat"', "would be picked by five presses and a hold, which are a real"),
        ('given_5 = "treat"', "would be picked by five presses and a hold, which are a real"),
        (
            'given_3 = "treat"',
            '"given_3" is what "medic_3" costs, and there is none',
        ),
        ('medic_2 = "treat"', '"medic_2" and "taps_2_hold" are the same presses on a medic\'s'),
        ('medic_1 = "treat"', '"medic_1" and "hold" are the same presses on a medic\'s badge'),
        ('medic_7 = "three(1, 2, 3)"', '"three" does not fit into a medic\'s offer'),
        ('medic_7 = "far(256, 0)"', "an argument of medic_7 does not fit into a medic's offer"),
        ('medic_7 = "far(1, -5)"', "is no"),
        ('medic_10 = "treat"', 'unknown gesture "medic_10"; did you mean "medic_1"?'),
        ('taps_7_hold = "far(skill, 0)"', '"skill" is no a; known are: 0 to 300'),
        ('medic_7 = "hit(skill, staff)"', '"skill" is no cause'),
    ],
)
def test_mistake_is_told(tmp_path: Path, gesture: str, told: str) -> None:
    with pytest.raises(RedbandUserError) as caught:
        mine(tmp_path, gesture)
    assert told in str(caught.value)
    assert "mine.toml:" in str(caught.value)


def test_skill_stands_for_the_medics_own_where_it_fits(tmp_path: Path) -> None:
    found = mine(tmp_path, 'medic_7 = "far(skill, skill)"')
    bound = found.ruleset.gesture_event(gestures.MEDIC + 7)
    assert bound == (found.event("far").id, (tap.SKILL, tap.SKILL))
    assert tap.skilled(bound[1], 4) == (4, 4)


def test_no_gesture_of_a_wearer_has_a_code_of_medics() -> None:
    for name in ("wounds", "hits", "unconscious", "wounds_hospital"):
        ruleset = load(name)
        own = [one for one in ruleset.gestures if not one.name.startswith(("medic_", "given_"))]
        assert all(one.code < gestures.MEDIC for one in own)
        assert len(own) < len(ruleset.gestures)


def test_medic_can_do_by_badge_what_a_patients_button_does_in_an_open_game() -> None:
    """Else somebody would be without help where treatment is by badge."""
    for name in ("wounds", "hits", "wounds_hospital"):
        ruleset = load(name)
        names = {one.name: ruleset.events[one.event].name for one in ruleset.gestures}
        medics = {names[gesture] for gesture in names if gesture.startswith("medic_")}
        healing = {event.name for event in ruleset.events if event.id and "medic" in event.roles}
        assert set(names.values()) & healing <= medics, name


@pytest.mark.parametrize(
    ("language", "told", "skill"),
    [("en", "quick presses, then hold", "as the badge says"), ("ru", "быстры", "как записано")],
)
def test_card_says_what_medics_do_and_what_it_costs(language: str, told: str, skill: str) -> None:
    stock = load("medic_stock")
    params = [param.default for param in stock.params]
    card = card_content(stock, params, Wording(stock, language))
    medics = [one for one in card.gestures if gestures.MEDIC <= one.code < gestures.GIVEN]
    assert len(medics) == 3
    assert all(told in one.does for one in medics)
    given = [one for one in card.gestures if one.code >= gestures.GIVEN]
    assert [one.does for one in given] == [given[0].does] * 2
    ruleset = load("medic_skill")
    words = Wording(ruleset, language)
    (treat,) = [one for one in ruleset.gestures if one.name == "medic_4"]
    assert skill in words.call(treat)[1]
