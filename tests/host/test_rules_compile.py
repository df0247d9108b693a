# ruff: noqa: E501 - messages are compared as they are printed
"""What an organiser is told about a faulty ruleset file, and that a right one compiles well."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.compiled import LAB

from redband.errors import RedbandUserError
from redband.rules import RulesFileError, declarations, load, parse, shipped
from redband.rules.loader import SIZE_LIMIT_BYTES
from redband_core.engine import Engine
from redband_core.snapshot import HISTORY_LIMIT

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
GOOD = """\
[ruleset]
id = "duel"
title = { en = "Duel", ru = "Дуэль" }
shown_counters = ["lives"]

[param.max_lives]
title = "lives"
default = 3
max = 9

[counter.lives]
title = "lives"
max = "max_lives"
start = "max_lives"

[formula]
is_last = "lives == 1"

[track.body]
title = "body"
start = "well"
[track.body.state.well]
title = "well"
[track.body.state.down]
title = "down"
timer = "90 s"
[track.body.state.out]
title = "out"
final = true

[refusal.is_out]
title = "out"

[event.hit]
title = "hit"
roles = ["player", "marshal"]
voidable = true
source = "by"
[[event.hit.arg]]
name = "n"
title = "n"
min = 1
max = 3
[[event.hit.arg]]
name = "by"
title = "by"
choices = [
  { name = "button", title = "button" },
  { name = "sensor", title = "sensor" },
]

[[rule]]
on = "hit"
in = { body = "out" }
refuse = "is_out"

[[rule]]
on = "hit"
if = "lives > n"
do = [
  "lives -= n",
  "body -> down",
]

[[rule]]
on = "hit"
if = "lives <= n"
do = "body -> out"

[[rule]]
after = "body.down"
do = "body -> well"

[[signal]]
name = "out"
title = "out"
in = { body = "out" }
red = "steady"

[[signal]]
name = "down"
title = "down"
in = { body = "down" }
red = "fast_blink"
vibration = "short_flash"
timer = "body"

[[signal]]
name = "well"
title = "well"
green = "short_flash"

[gesture]
press = "hit(1, button)"
taps_2_hold = "void(1, sensor)"
"""

# What is written instead of what, and the message that it must give.
FAULTS = [
    ('id = "duel"', 'id = "Duel!"', '2: "Duel!" can\'t be the id of a ruleset; use up to 16 of a-z, 0-9, - and _'),
    ('id = "duel"', "", '1: [ruleset] lacks "id"; add id = "..."'),
    ("[ruleset]", "[ruleset", "1: this is not TOML: expected ']' at the end of a table declaration; see docs/rules.md for the format"),
    ("[ruleset]", "[rules]", '1: [ruleset] lacks "id"; add id = "..."'),
    ('en = "Duel", ru = "Дуэль"', 'en = "Duel"', '3: "title" needs a text in English and one in Russian; write title = { en = "...", ru = "..." }'),
    ('["lives"]', '["live"]', '4: unknown counter "live"; did you mean "lives"?'),
    ("default = 3", "default = 30", '8: the default 30 of "max_lives" is not in 0 to 9'),
    ("default = 3", 'default = "three"', '8: unknown name "three"'),
    ("default = 3", "defualt = 3", '6: [param.max_lives] lacks "default"; add default = "a formula"'),
    ("max = 9", "max = 9\nmaxx = 9", '10: [param.max_lives] can\'t have "maxx"; did you mean "max"?'),
    ("default = 3", "default = 1.5", '8: "default" has the wrong kind of value; write default = "a formula"'),
    ("[counter.lives]", "[counter.max_lives]", '11: "max_lives" is a param already; give the counter another name'),
    ('max = "max_lives"', 'max = "max_live"', '13: unknown name "max_live"; did you mean "max_lives"?'),
    ('is_last = "lives == 1"', 'is_last = "lives = 1"', '17: "lives = 1" is not a formula; write "==" to compare'),
    ('is_last = "lives == 1"', 'is_last = "is_last"', '17: formula "is_last" uses itself'),
    ('is_last = "lives == 1"', 'is_last = "lives / 2"', '17: "/" gives fractions; write "//" (rounds down)'),
    ('is_last = "lives == 1"', 'max = "lives"', '17: "max" is a word of the formulas; take another name'),
    ('start = "well"', 'start = "wel"', '21: track "body" has no state "wel"; did you mean "well"?'),
    ('timer = "90 s"', 'timer = "90 sec"', '26: "90 sec" is not a formula; write for example "hits > 0" or "15 min"'),
    ("final = true", 'final = true\ntimer = "1 min"', '30: the final state "out" can\'t have a timer; remove final or timer'),
    ('timer = "90 s"', 'timer = "1,5 min"', '26: "1,5 min" has a comma; write "1.5 min"'),
    ("[[rule]]\nafter", "[rule]\nafter", "70: [rule] has single brackets; write [[rule]]"),
    ('timer = "90 s"', "", '71: state "body.down" has no timer; add timer = ... to [track.body.state.down]'),
    ('after = "body.down"', 'after = "body.out"', '71: state "body.out" has no timer; add timer = ... to [track.body.state.out]'),
    ('after = "body.down"', 'on = "hit"', '26: nothing happens when the timer of "body.down" ends; add a rule with after = "body.down"'),
    ("[refusal.is_out]", "[refusal.endless]", '31: refusal "endless" is built in; take another name'),
    ('["player", "marshal"]', '["player", "marshall"]', '36: unknown role "marshall"; did you mean "marshal"?'),
    ('source = "by"', 'source = "buy"', '38: event "hit" has no argument "buy"; did you mean "by"?'),
    ("min = 1", "min = 4", '42: "min" of "n" is above its "max"; swap them'),
    ('name = "n"', 'name = "lives"', '40: "lives" is a counter already; give the argument another name'),
    ('in = { body = "out" }\nrefuse', 'in = { boddy = "out" }\nrefuse', '54: unknown track "boddy"; did you mean "body"?'),
    ('in = { body = "out" }\nrefuse', 'in = { body = "not aut" }\nrefuse', '54: track "body" has no state "aut"; did you mean "out"?'),
    ('refuse = "is_out"', 'refuse = "is_uot"', '55: unknown refusal "is_uot"; did you mean "is_out"?'),
    ('refuse = "is_out"', "", "52: a rule needs either do or refuse; add do = [\"...\"]"),
    ('if = "lives > n"', 'if = "live > n"', '59: unknown name "live"; did you mean "lives"?'),
    ('if = "lives > n"', 'if = "body.dwon"', '59: "body" has no "dwon"; did you mean "down"?'),
    ('if = "lives > n"', 'if = "body"', '59: "body" is a track and has no value; ask for a state, such as "body.well"'),
    ('if = "lives > n"', 'if = "lives && n"', '59: "lives && n" is not a formula; write and, or, not'),
    ('if = "lives > n"', 'if = "print(n)"', '59: unknown function "print"; known are: abs, left, max, min'),
    ('if = "lives > n"', 'if = "left(n) > 2 s"', "59: left() takes the name of one track; known are: body"),
    ('"lives -= n"', '"live -= n"', '61: unknown counter "live"; did you mean "lives"?'),
    ('"lives -= n"', '"max_lives -= n"', '61: "max_lives" is a param and can\'t be changed; a param is fixed for the player; use a counter'),
    ('"body -> down"', '"body -> dwon"', '62: track "body" has no state "dwon"; did you mean "down"?'),
    ('"body -> down"', '"body = down"', '62: "body" is a track, not a counter; write "body -> down" to go to a state'),
    ('"body -> down"', '"fall down"', '62: "fall down" is not an effect; write for example "hits -= 1", "health -> dying" or "timer health += 60 s"'),
    ('"body -> out"', '"body -> out for 5 min"', '68: "body -> out for 5 min" gives a time to a state without a timer; add timer = 0 to [track.body.state.out]'),
    ('on = "hit"\nif = "lives <= n"', 'on = "hitt"\nif = "lives <= n"', '66: unknown event "hitt"; did you mean "hit"?'),
    ('on = "hit"\nif = "lives <= n"', 'if = "lives <= 1"', '65: a rule needs exactly one of on, after, always; write for example on = "hit"'),
    ('red = "steady"', 'red = "stedy"', '78: unknown pattern "stedy"; did you mean "steady"?'),
    ('green = "short_flash"', 'red = "steady"', '88: signal "well" looks like "out" to a colour-blind player; change a pattern, or add same_as = "out"'),
    ('title = "well"\ngreen', 'title = "well"\nif = "lives > 0"\ngreen', '88: the last signal "well" has a condition; remove it: the last signal is shown when no other is'),
    ('if = "lives <= n"', 'if = "by.buton"', '67: "by" has no "buton"; did you mean "button"?'),
    ('in = { body = "down" }', 'if = "left(body) > 1 s"', "83: left() can't be used here: nothing asks again; use a state with a timer instead"),
    ('press = "hit(1, button)"', 'pres = "hit(1, button)"', '94: unknown gesture "pres"; did you mean "press"?'),
    ('press = "hit(1, button)"', 'taps_5_hold = "hit(1, button)"', '94: "taps_5_hold" is kept for real emergencies; bind another gesture'),
    ('press = "hit(1, button)"', 'press = "hit(1)"', '94: "hit" takes 2 arguments, not 1; write "hit(n, by)"'),
    ('press = "hit(1, button)"', 'press = "hit(1, 2)"', '94: "2" is no by; known are: button, sensor'),
    ('press = "hit(1, button)"', 'press = "hit[1]"', '94: "hit[1]" is not an event; write for example "hit(1, button)"'),
    ("[gesture]", "[gestures]", '93: the file can\'t have "gestures"; did you mean "gesture"?'),
]  # fmt: skip


def test_the_good_file_is_good() -> None:
    ruleset = parse(GOOD, Path("duel.toml"))
    assert (ruleset.id, ruleset.title.ru) == ("duel", "Дуэль")
    engine = Engine(ruleset.ruleset, ruleset.param_values({"max_lives": 2}))
    assert engine.step(0, ruleset.event("hit").id, (1, 0)) == 0
    assert ruleset.signal(engine.signal()).name == "down"


@pytest.mark.parametrize(("old", "new", "message"), FAULTS, ids=range(len(FAULTS)))
def test_fault_is_told_by_line(old: str, new: str, message: str) -> None:
    assert GOOD.count(old) >= 1, "the test edits nothing"
    with pytest.raises(RulesFileError) as caught:
        parse(GOOD.replace(old, new, 1), Path("games") / "duel.toml")
    assert str(caught.value) == f"duel.toml:{message}"
    assert caught.value.exit_code == 2


def test_too_large_a_ruleset_is_refused() -> None:
    extra = "".join(
        f'[event.e{i}]\ntitle = "e"\nroles = "player"\n[[rule]]\non = "e{i}"\ndo = "lives = {i}"\n'
        for i in range(150)
    )
    with pytest.raises(RulesFileError) as caught:
        parse(GOOD + extra.replace("lives", "lives", 1), Path("duel.toml"))
    assert f"a badge holds {SIZE_LIMIT_BYTES}; remove rules" in str(caught.value)


def test_too_many_numbers_are_refused() -> None:
    params = "".join(f'[param.p{i}]\ntitle = "p"\ndefault = 0\nmax = 1\n' for i in range(195))
    with pytest.raises(RulesFileError) as caught:
        parse(GOOD + params, Path("duel.toml"))
    assert str(caught.value) == (
        "duel.toml:1: too many slots or no track; remove counters, params or numbers"
    )


@pytest.mark.parametrize("text", ["", "a", "[", "a = 1", "[ruleset]", "= = =", "\x00", "[[rule]]"])
def test_no_text_gives_a_stack_trace(text: str) -> None:
    with pytest.raises(RulesFileError):
        parse(text, Path("x.toml"))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_change_of_a_good_file_gives_a_stack_trace(data: st.DataObject) -> None:
    lines = GOOD.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(("drop", "twice", "cut", "swap", "value")))
        if change == "drop":
            lines[place] = ""
        elif change == "twice":
            lines[place] += "\n" + lines[place]
        elif change == "cut":
            lines[place] = lines[place][: data.draw(st.integers(0, len(lines[place])))]
        elif change == "swap":
            other = data.draw(st.integers(0, len(lines) - 1))
            lines[place], lines[other] = lines[other], lines[place]
        else:
            values = ('""', "[]", "{}", "-1", "true", '"n"', '"a.b.c"', "9" * 40, '"9 h * 9 h"')
            lines[place] = lines[place].split("=")[0] + "= " + data.draw(st.sampled_from(values))
    try:
        ruleset = parse("\n".join(lines), Path("x.toml"))
    except RedbandUserError:
        return  # a sentence for the user: what was wanted
    assert Engine(ruleset.ruleset).signal() >= 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hitz", 'no ruleset is named "hitz"; did you mean "hits"?'),
        ("no/such.toml", "no/such.toml can't be read: No such file or directory"),
    ],
)
def test_a_missing_ruleset_is_told(name: str, message: str) -> None:
    with pytest.raises(RedbandUserError) as caught:
        load(name)
    assert str(caught.value) == message


def test_a_file_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_bytes("title = 'Хиты'".encode("cp1251"))
    with pytest.raises(RedbandUserError, match=r"is not text in UTF-8; save it as UTF-8$"):
        load(path)


def test_a_file_saved_with_a_mark_at_its_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "duel.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert load(path).id == "duel"


@pytest.mark.parametrize(
    ("given_params", "message"),
    [
        ({"max_hit": 3}, 'ruleset "hits" has no param "max_hit"; did you mean "max_hits"?'),
        ({"max_hits": 0}, 'param "max_hits" is 0, but must be 1 to 20'),
        ({"max_hits": "three"}, 'param "max_hits": unknown name "three"'),
    ],
)
def test_wrong_params_are_told(given_params: dict[str, int | str], message: str) -> None:
    with pytest.raises(RedbandUserError) as caught:
        load("hits").param_values(given_params)
    assert str(caught.value) == message


def test_params_take_times_as_people_write_them() -> None:
    ruleset = load("hits")
    values = ruleset.param_values({"max_hits": "5", "death_ms": "7.5 min"})
    assert values[:2] == [5, 450_000]
    assert values[2:] == [param.default for param in ruleset.params[2:]]


@pytest.mark.parametrize("name", shipped())
def test_shipped_ruleset_fits_a_badge_and_compiles_to_the_same_bytes(name: str) -> None:
    assert load(name).data == load(name).data
    assert len(load(name).data) <= SIZE_LIMIT_BYTES


def test_format_of_the_badges_bytes_is_that_of_version_0_1() -> None:
    assert load(LAB).data == LAB.with_suffix(".bin").read_bytes()


def test_host_and_engine_agree_on_how_far_void_looks_back() -> None:
    assert declarations.VOID_LIMIT == HISTORY_LIMIT


def test_example_in_the_document_is_right() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    assert parse(example, Path("example.toml")).id == "duel"
