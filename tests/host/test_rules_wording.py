"""Formulas, times and gestures in words: what sheets say must be what the badge computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from redband.rules import CompiledRuleset, load, parse
from redband.rules.start import Start
from redband.rules.wording import Wording


def ruleset(guard: str, timer: str = "0") -> CompiledRuleset:
    """Return a ruleset with one rule under this guard, and a state with this timer."""
    text = f"""
[ruleset]
id = "own"
title = "own"
[param.wait_ms]
title = {{ en = "wait", ru = "ожидание" }}
default = "90 s"
max = "1 h"
[counter.a]
title = "apples"
max = 9
[counter.b]
title = {{ en = "bad pears", ru = "плохие груши" }}
max = 9
[track.body]
title = {{ en = "body", ru = "тело" }}
[track.body.state.well]
title = {{ en = "quite well", ru = "вполне здоров" }}
[track.body.state.down]
title = {{ en = "down", ru = "лежит" }}
timer = "{timer}"
[event.fall]
title = "fall"
roles = ["player"]
[[event.fall.arg]]
name = "how"
title = {{ en = "how", ru = "как" }}
choices = [{{ name = "hard", title = "hard" }}, {{ name = "soft", title = "soft" }}]
[[rule]]
on = "fall"
if = "{guard}"
do = ["body -> down"]
[[rule]]
after = "body.down"
do = ["body -> well"]
[[signal]]
name = "well"
title = "well"
green = "steady"
"""
    return parse(text, Path("own.toml"))


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ("a > 1", "apples > 1"),
        ("a - (b - 1) >= -2", "apples − (bad pears − 1) ≥ −2"),
        ("(a - b) - 1 == 0", "apples − bad pears − 1 = 0"),
        ("(a + 1) * 2 != b // 3", "(apples + 1) × 2 ≠ bad pears ÷ 3"),
        ("a and (b or a > 2)", "apples and (“bad pears” or apples > 2)"),
        ("a and b or a > 2", "apples and “bad pears” or apples > 2"),
        ("not b", "not “bad pears”"),
        ("not (a > 1)", "not (apples > 1)"),
        ("how.hard and body.well", "“how: hard” and “body: quite well”"),
        ("how.soft", "how: soft"),
        ("left(body) > 1 min", "time left: body > 1 min"),
        ("wait_ms <= 90 s", "wait ≤ 1 min 30 s"),
        ("min(a, b) > 1", "the lower of (apples; bad pears) > 1"),
        ("a if b else 3", "apples, if bad pears, else 3"),
        ("1 < a < 3", "1 < apples and apples < 3"),
        ("abs(a - b) > 1", "|apples − bad pears| > 1"),
    ],
)
def test_a_formula_in_words_keeps_its_meaning(guard: str, words: str) -> None:
    found = ruleset(guard)
    rule = found.rules[0]
    assert Wording(found, "en").condition(rule.condition, rule.events, 0) == words


def test_a_formula_in_russian_words() -> None:
    found = ruleset("not how.hard or b and body.down")
    rule = found.rules[0]
    words = Wording(found, "ru").condition(rule.condition, rule.events, 0)
    assert words == "не «как: hard» или «плохие груши» и «тело: лежит»"


@pytest.mark.parametrize(
    ("time_ms", "words"),
    [
        (0, "0 с"),
        (500, "500 мс"),
        (1500, "1 с 500 мс"),
        (15_000, "15 с"),
        (450_000, "7 мин 30 с"),
        (5_400_000, "1 ч 30 мин"),
        (86_400_000, "24 ч"),
    ],
)
def test_times_as_people_write_them(time_ms: int, words: str) -> None:
    assert Wording(load("hits"), "ru").duration(time_ms) == words


@pytest.mark.parametrize(
    ("timer", "player", "words"),
    [
        ("wait_ms", {}, "1 min 30 s until the end"),
        ("wait_ms", {"wait_ms": "20 s"}, "20 s until the end"),
        ("wait_ms // 2 + 10 s", {}, "55 s until the end"),
        ("a * 1 min", {}, "apples × 1 min until the end"),
        ("0", {}, ""),
    ],
)
def test_the_time_of_a_state(timer: str, player: dict[str, int | str], words: str) -> None:
    found = ruleset("a > 1", timer)
    start = Start(found, found.param_values(player))
    assert Wording(found, "en").state_time(start, 0, 1, "until the end") == words


def test_gestures_in_russian_grammar() -> None:
    found = load("hits")
    words = Wording(found, "ru")
    by_name = {gesture.name: words.gesture(gesture) for gesture in found.gestures}
    assert by_name["press"] == "нажать"
    assert by_name["hold"] == "держать 1,5 с"
    assert by_name["taps_4_hold"] == "4 быстрых нажатия, затем держать 1,5 с"
    assert by_name["taps_6_hold"] == "6 быстрых нажатий, затем держать 1,5 с"
