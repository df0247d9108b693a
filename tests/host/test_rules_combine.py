# ruff: noqa: E501 - messages are compared as they are printed
"""Files that include others: what the result is, and what an organiser is told when they clash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redband.errors import RedbandUserError
from redband.rules import RulesFileError, load, parse, presets, shipped
from redband.rules.library import PARTS, PRESETS, SHIPPED
from redband_core.engine import Engine

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
BASE = """\
[ruleset]
id = "base"
title = "base"
void_window = "5 s"

[param.max_lives]
title = "lives"
default = 3
max = 9

[counter.lives]
title = "lives"
max = "max_lives"
start = "max_lives"

[track.body]
title = "body"
[track.body.state.well]
title = "well"
[track.body.state.down]
title = "down"
timer = "90 s"

[event.hit]
title = "hit"
roles = ["player"]

[[rule]]
name = "fall"
on = "hit"
do = ["lives -= 1", "body -> down"]

[[rule]]
after = "body.down"
do = ["body -> well"]

[[signal]]
name = "down"
title = "down"
in = { body = "down" }
red = "fast_blink"

[[signal]]
name = "well"
title = "well"
green = "short_flash"

[gesture]
press = "hit"
"""
# Includes base and changes something of each kind.
OUTER = """\
[ruleset]
id = "outer"
title = "outer"
include = ["base.toml"]

[param.max_lives]
default = 5

[track.body.state.down]
timer = "30 s"
[track.body.state.out]
title = "out"

[event.heal]
title = "heal"
roles = ["medic"]

[[rule]]
name = "fall"
if = "lives > 1"

[[rule]]
on = "hit"
if = "lives == 1"
do = ["lives = 0", "body -> out"]

[[rule]]
on = "heal"
in = { body = "down" }
do = ["body -> well"]

[[signal]]
name = "out"
title = "out"
in = { body = "out" }
red = "steady"
"""
SIDE = """\
[ruleset]
id = "side"
title = "side"
include = ["base.toml"]

[param.max_lives]
default = 7
"""
MIX = """\
[ruleset]
id = "mix"
title = "mix"
include = ["outer.toml", "side.toml"]
"""


def write(folder: Path, **files: str) -> None:
    """Write the files; a name stands for NAME.toml."""
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def names(items: tuple) -> list[str]:
    """Return the names of numbered declarations."""
    return [item.name for item in items]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with base, outer, side and mix."""
    write(tmp_path, base=BASE, outer=OUTER, side=SIDE, mix=MIX)
    return tmp_path


def test_what_is_written_again_is_changed_and_the_rest_stays(folder: Path) -> None:
    outer = load(folder / "outer.toml")
    param = outer.params[0]
    assert (param.default, param.high, param.title.en) == (5, 9, "lives")
    assert names(outer.tracks[0].states) == ["well", "down", "out"]
    assert outer.tracks[0].states[1].timer_text == "30 s"
    assert outer.model.void_window_ms == 5000
    assert (outer.id, outer.title.en, outer.includes) == ("outer", "outer", ("base.toml",))


def test_included_rules_and_signals_stand_before_and_declarations_after(folder: Path) -> None:
    outer = load(folder / "outer.toml")
    assert names(outer.events) == ["void", "heal", "hit"]
    assert [rule.effects[-1].text for rule in outer.rules] == [
        "body -> down",
        "body -> well",
        "body -> out",
        "body -> well",
    ]
    assert names(outer.signals) == ["down", "out", "well"]  # the one without condition is last


def test_a_named_rule_is_changed_in_its_place(folder: Path) -> None:
    rule = load(folder / "outer.toml").rules[0]
    assert (rule.name, rule.condition.text, len(rule.effects)) == ("fall", "lives > 1", 2)
    assert (rule.file, rule.line) == ("base.toml", 28)
    assert load(folder / "outer.toml").rules[2].file == "outer.toml"


def test_it_plays_as_one_ruleset(folder: Path) -> None:
    outer = load(folder / "outer.toml")
    engine = Engine(outer.ruleset, outer.param_values({"max_lives": 2}))
    hit = outer.event("hit").id
    assert engine.step(0, hit, ()) == 0
    assert engine.advance(30_000) == 1
    assert engine.step(30_000, hit, ()) == 0
    assert outer.signal(engine.signal()).name == "out"


def test_a_file_that_is_included_twice_counts_once(folder: Path) -> None:
    write(folder, mix=MIX + "\n[param.max_lives]\ndefault = 9\n")
    assert len(load(folder / "mix.toml").rules) == len(load(folder / "outer.toml").rules)


def test_signal_order_and_remove(folder: Path) -> None:
    text = OUTER.replace(
        'include = ["base.toml"]',
        'include = "base.toml"\nremove = ["gesture.press", "rule.fall"]\nsignal_order = ["out", "down", "well"]',
    ).replace('[[rule]]\nname = "fall"\nif = "lives > 1"', "")
    write(folder, outer=text)
    outer = load(folder / "outer.toml")
    assert names(outer.signals) == ["out", "down", "well"]
    assert not outer.gestures
    assert len(outer.rules) == 3


def test_an_included_file_keeps_its_order_of_signals(folder: Path) -> None:
    text = OUTER.replace("title = ", 'signal_order = ["out", "down", "well"]\ntitle = ', 1)
    write(folder, outer=text, top=MIX.replace('"outer.toml", "side.toml"', '"outer.toml"'))
    assert names(load(folder / "top.toml").signals) == ["out", "down", "well"]


def edited(text: str, old: str, new: str) -> str:
    """Return the text with the first `old` replaced; it must be there."""
    assert old in text
    return text.replace(old, new, 1)


# Which file is read, which is changed and how, and the message that it must give.
FAULTS = [
    ("mix", "mix", "", "", 'side.toml:7: "default" of param "max_lives" differs from outer.toml:7; write it in mix.toml to say what counts'),
    ("outer", "outer", "base.toml", "hit", 'outer.toml:4: no ruleset is named "hit"; did you mean "hits"?'),
    ("outer", "outer", "base.toml", "wound", 'outer.toml:4: no ruleset is named "wound"; did you mean "wounds"?'),
    ("outer", "outer", "base.toml", "outer.toml", "outer.toml:4: the files include each other: outer.toml -> outer.toml; take one include out"),
    ("mix", "base", "[ruleset]", '[ruleset]\ninclude = ["side.toml"]', "side.toml:4: the files include each other: mix.toml -> outer.toml -> base.toml -> side.toml -> base.toml; take one include out"),
    ("outer", "base", "[ruleset]", "[ruleset", "base.toml:1: this is not TOML: expected ']' at the end of a table declaration; see docs/rules.md for the format"),
    ("outer", "base", "max = 9", "max = 4", 'outer.toml:7: the default 5 of "max_lives" is not in 0 to 4'),
    ("outer", "outer", "default = 5", "default = 50", 'outer.toml:7: the default 50 of "max_lives" is not in 0 to 9'),
    ("outer", "outer", "default = 5", "defualt = 5", 'outer.toml:7: [param.max_lives] can\'t have "defualt"; did you mean "default"?'),
    ("outer", "outer", "[param.max_lives]", "[param.max_live]", 'outer.toml:6: [param.max_live] lacks "max"; add max = "a formula"'),
    ("outer", "base", "[counter.lives]", "[counter.live]", 'outer.toml:20: unknown name "lives"; did you mean "live"?'),
    ("outer", "base", '"body -> down"', '"body -> dwon"', 'base.toml:31: track "body" has no state "dwon"; did you mean "down"?'),
    ("outer", "outer", 'if = "lives > 1"', 'if = "lives > n"', 'outer.toml:20: unknown name "n"; known are: body, lives, max_lives'),
    ("outer", "outer", 'name = "fall"', 'name = "fell"', 'outer.toml:18: a rule needs exactly one of on, after, always; write for example on = "hit"'),
    ("outer", "outer", 'on = "heal"', 'on = "heal"\nname = "fall"', 'outer.toml:29: there is a rule "fall" already; take another name, or none'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nremove = ["rule.fell"]', 'outer.toml:5: no included file has "rule.fell"; did you mean "rule.fall"?'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nremove = ["hit"]', 'outer.toml:5: no included file has "hit"; write for example "signal.NAME"'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nremove = ["event.hit"]', 'base.toml:30: unknown event "hit"; known are: heal, void'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nsignal_order = ["out", "down"]', 'outer.toml:5: signal_order lacks "well"; name each signal once, the most important one first'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nsignal_order = ["out", "out", "down", "well"]', 'outer.toml:5: signal_order has more than once "out"; name each signal once, the most important one first'),
    ("outer", "outer", '"base.toml"]', '"base.toml"]\nsignal_order = ["out", "donw", "well"]', 'outer.toml:5: unknown signal "donw"; did you mean "down"?'),
    ("outer", "outer", 'in = { body = "out" }\nred', "red", 'outer.toml:32: signal "out" has no condition, like "well" in base.toml:43; keep one: give them one name, or write remove = ["signal.NAME"]'),
    ("outer", "outer", 'red = "steady"', 'red = "fast_blink"', 'outer.toml:32: signal "out" looks like "down" to a colour-blind player; change a pattern, or add same_as = "down"'),
    ("outer", "outer", 'include = ["base.toml"]', "include = [3]", 'outer.toml:4: "include" must hold texts only; write include = ["..."]'),
    ("outer", "outer", 'include = ["base.toml"]', 'include = ["base.toml"]\ninculde = 1', 'outer.toml:5: [ruleset] can\'t have "inculde"; did you mean "include"?'),
    ("base", "base", "[ruleset]", '[ruleset]\nremove = ["rule.fall"]', "base.toml:2: remove needs files that are included; take it out, or add include"),
    ("base", "base", 'after = "body.down"', 'name = "fall"\nafter = "body.down"', 'base.toml:34: there is a rule "fall" already; take another name, or none'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("read", "changed", "old", "new", "message"), FAULTS, ids=range(len(FAULTS))
)
def test_fault_is_told_by_file_and_line(
    folder: Path, read: str, changed: str, old: str, new: str, message: str
) -> None:
    path = folder / f"{changed}.toml"
    path.write_text(edited(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")
    with pytest.raises(RulesFileError) as caught:
        load(folder / f"{read}.toml")
    assert str(caught.value) == message


def test_a_missing_file_is_told_where_it_is_included(folder: Path) -> None:
    (folder / "base.toml").unlink()
    with pytest.raises(RulesFileError) as caught:
        load(folder / "outer.toml")
    missing = folder / "base.toml"
    assert str(caught.value) == (
        f"outer.toml:4: {missing} can't be read: No such file or directory"
    )


def test_two_files_that_change_one_rule_are_told(folder: Path) -> None:
    write(folder, side=SIDE.replace("7", "5") + '[[rule]]\nname = "fall"\nif = "lives > 2"\n')
    with pytest.raises(RulesFileError) as caught:
        load(folder / "mix.toml")
    assert str(caught.value) == (
        'side.toml:10: "if" of rule "fall" differs from outer.toml:20; '
        "write it in mix.toml to say what counts"
    )


def test_two_files_may_say_the_same(folder: Path) -> None:
    write(folder, side=SIDE.replace("7", "5"))
    assert load(folder / "mix.toml").params[0].default == 5


def test_the_outermost_file_settles_what_others_contradict(folder: Path) -> None:
    write(folder, mix=MIX + "\n[param.max_lives]\ndefault = 1\n")
    assert load(folder / "mix.toml").params[0].default == 1


def test_an_override_wins_over_the_file_it_overrides_in_any_order(folder: Path) -> None:
    for order in ('"outer.toml", "base.toml"', '"base.toml", "outer.toml"'):
        write(folder, mix=MIX.replace('"outer.toml", "side.toml"', order))
        assert load(folder / "mix.toml").params[0].default == 5


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_change_of_an_including_file_gives_a_stack_trace(data: st.DataObject) -> None:
    lines = (PRESETS / "heal_limit.toml").read_text(encoding="utf-8").splitlines()
    lines += (PRESETS / "no_self_heal.toml").read_text(encoding="utf-8").splitlines()[7:]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(("drop", "twice", "cut", "value")))
        if change == "drop":
            lines[place] = ""
        elif change == "twice":
            lines[place] += "\n" + lines[place]
        elif change == "cut":
            lines[place] = lines[place][: data.draw(st.integers(0, len(lines[place])))]
        else:
            values = ('""', "[]", "{}", "-1", "true", '["a", "wounds"]', "[{}]", '"\\u0000"')
            lines[place] = lines[place].split("=")[0] + "= " + data.draw(st.sampled_from(values))
    try:
        ruleset = parse("\n".join(lines), PRESETS / "x.toml")
    except RedbandUserError:
        return  # a sentence for the user: what was wanted
    assert Engine(ruleset.ruleset).signal() >= 0


@pytest.mark.parametrize("name", [*shipped(), *presets()])
def test_shipped_files_are_complete_and_in_both_languages(name: str) -> None:
    ruleset = load(name)
    assert ruleset.id == name
    texts = [ruleset.title, *(event.title for event in ruleset.events)]
    texts += [refusal.title for refusal in ruleset.refusals]
    texts += [signal.title for signal in ruleset.signals]
    texts += [state.title for track in ruleset.tracks for state in track.states]
    for text in texts:
        assert text.en
        assert any("а" <= letter <= "я" for letter in text.ru.lower()), text.en
    assert len(ruleset.data) <= 2048


def test_examples_in_the_document_are_right() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in text.split("```toml\n")[1:]]
    whole = [block for block in blocks if block.startswith("[ruleset]")]
    assert [parse(block, Path("example.toml")).id for block in whole] == ["duel", "saturday"]
    saturday = parse(whole[1], Path("example.toml"))
    assert (saturday.params[0].name, len(saturday.rules)) == (
        "kit_ms",
        len(load("wounds_hospital").rules) + 1,
    )
    changed = next(block for block in blocks if block.startswith('[[rule]]\nname = "kit"'))
    kit = next(r for r in parse(whole[1] + changed, Path("example.toml")).rules if r.name == "kit")
    assert (kit.condition.text, kit.effects[0].text) == ("wound light", "wound -> none")


def test_parts_are_not_listed_as_games() -> None:
    assert not {path.stem for path in PARTS.glob("*.toml")} & {*shipped(), *presets()}
    with pytest.raises(RedbandUserError, match='no ruleset is named "door"'):
        load("door")


def test_the_weekend_game_copies_no_text() -> None:
    text = (SHIPPED / "wounds_hospital.toml").read_text(encoding="utf-8")
    assert text.count("\n") < 50
    assert "[event." not in text
    assert "[param." not in text
