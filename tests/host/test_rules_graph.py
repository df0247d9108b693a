"""`redband rules graph`: every state and transition is drawn, and nothing lies over anything."""

from __future__ import annotations

import base64
import io
import itertools
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from redband.cli.app import run
from redband.errors import RedbandUserError
from redband.paper.graph import draw_graph
from redband.paper.typeface import bold, regular
from redband.rules import CompiledRuleset, load, parse, shipped
from redband.rules.start import Start
from redband.rules.transitions import transitions
from redband.rules.wording import Wording, lit_stretches
from redband_core import led
from redband_core.engine import Engine

LAB = Path(__file__).resolve().parents[1] / "core" / "data" / "lab.toml"
SVG = "{http://www.w3.org/2000/svg}"
LANGUAGES = ("en", "ru")
Box = tuple[float, float, float, float]  # left, top, right, bottom
every_sheet = pytest.mark.parametrize(
    ("name", "language"), [(name, lang) for name in shipped() for lang in LANGUAGES]
)


@cache
def drawn(name: str, language: str) -> str:
    """Return the picture of a shipped ruleset."""
    return draw_graph(load(name), language)


def picture(name: str, language: str) -> ElementTree.Element:
    """Return it parsed."""
    return ElementTree.fromstring(drawn(name, language))


def squeezed(text: str) -> str:
    """Return the text without spaces: where a line was broken does not matter."""
    return re.sub(r"\s+", "", text)


def written(part: ElementTree.Element) -> str:
    """Return everything that is written in a part."""
    return squeezed("".join(text.text or "" for text in part.iter(f"{SVG}text")))


def parts(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    """Return the parts of a class."""
    return [g for g in root.iter(f"{SVG}g") if kind in g.get("class", "").split()]


def shift(group: ElementTree.Element) -> tuple[float, float]:
    """Return where the origin of a group lies."""
    x, y = re.findall(r"-?[\d.]+", group.get("transform", ""))
    return float(x), float(y)


def boxes(root: ElementTree.Element, tag: str) -> list[tuple[Box, ElementTree.Element]]:
    """Return the boxes of all texts or rects, in the picture's own coordinates."""
    found = []
    for group in root.findall(f"{SVG}g"):
        dx, dy = shift(group)
        for item in group.iter(f"{SVG}{tag}"):
            x, y = float(item.get("x", "0")) + dx, float(item.get("y", "0")) + dy
            if tag == "text":
                size = float(item.get("font-size", "0"))
                face = bold() if item.get("font-weight") == "bold" else regular()
                width = face.width(item.text or "", size)
                found.append(((x, y - size * 0.72, x + width, y + size * 0.2), item))
            else:
                width, height = float(item.get("width", "0")), float(item.get("height", "0"))
                found.append(((x, y, x + width, y + height), item))
    return found


def overlap(one: Box, other: Box) -> bool:
    """Return True when two boxes share more than a rounded hundredth."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > 0.05 and height > 0.05


@every_sheet
def test_every_state_is_drawn_with_title_time_and_the_lights_of_its_signal(
    name: str, language: str
) -> None:
    ruleset = load(name)
    start, words = Start(ruleset, ruleset.param_values()), Wording(ruleset, language)
    states = {part.get("id"): part for part in parts(picture(name, language), "state")}
    for t, track in enumerate(ruleset.tracks):
        for s, state in enumerate(track.states):
            part = states.pop(f"{track.name}.{state.name}")
            signal = start.signal(t, s)
            patterns = [signal.red, signal.green, signal.vibration]
            letters = [
                word
                for word, pattern in zip(
                    "RGV" if language == "en" else "КЗВ", patterns, strict=True
                )
                if pattern != led.OFF
            ]
            expected = state.title.get(language) + words.state_time(start, t, s)
            assert written(part) == squeezed(expected) + "".join(letters)
            lit = sum(len(lit_stretches(pattern, 3000)) for pattern in patterns[:2])
            frames = 2 if state.is_final else 1
            assert len(part.findall(f"{SVG}rect")) == frames + lit
            marks = part.get("class", "").split()
            assert ("start" in marks) == (s == track.initial)
            assert ("final" in marks) == state.is_final
    assert not states


@every_sheet
def test_every_transition_is_an_arrow_with_its_trigger_and_condition(
    name: str, language: str
) -> None:
    ruleset = load(name)
    words = Wording(ruleset, language)
    arrows = parts(picture(name, language), "arrow")
    for t, track in enumerate(ruleset.tracks):
        for transition in transitions(ruleset, t):
            rule = transition.rule
            label = squeezed(words.get(transition.event.title)) if transition.event else ""
            condition = squeezed(words.condition(rule.condition, rule.events, t))
            wanted = {track.states[s].name for s in transition.sources}
            if transition.is_from_any:
                wanted = {"*"}
            fitting = [
                arrow
                for arrow in arrows
                if arrow.get("data-track") == track.name
                and arrow.get("data-to") == track.states[transition.target].name
                and label in written(arrow)
                and condition in written(arrow)
                and wanted <= set(arrow.get("data-from", "").split())
            ]
            assert fitting or not wanted, (track.name, label, condition)


@pytest.mark.parametrize("name", shipped())
def test_whatever_the_engine_does_is_drawn(name: str) -> None:
    """Each change of a track, wherever it can happen, goes along arrows that name the event."""
    ruleset = load(name)
    arrows = parts(picture(name, "en"), "arrow")
    changes = changes_of(ruleset)
    assert len(changes) > 8
    for track_name, event_title, old, new in changes:
        own = [arrow for arrow in arrows if arrow.get("data-track") == track_name]
        first = [arrow for arrow in own if squeezed(event_title) in written(arrow)]
        at_once = [arrow for arrow in own if arrow.get("data-kind") == "always"]
        reached = ends(first, {old}) | {old}
        reached |= ends(at_once, reached)
        assert new in reached, (track_name, event_title, old, new)


def changes_of(ruleset: CompiledRuleset) -> set[tuple[str, str, str, str]]:
    """Return (track, event's title, old state, new state) of what events do on the engine."""
    engine = Engine(ruleset.ruleset)
    tracks = range(len(ruleset.tracks))
    queue, met, changes = [engine.snapshot()], set(), set()
    while queue and len(met) < 250:
        situation = queue.pop(0)
        for event in ruleset.events:
            ranges = [sorted({arg.low, (arg.low + arg.high) // 2, arg.high}) for arg in event.args]
            for args in itertools.islice(itertools.product(*ranges), 30):
                engine.restore(situation)
                before = [engine.track_state(t) for t in tracks]
                if event.id:
                    engine.step(engine.now_ms, event.id, args)
                else:  # in place of taking back: let time pass
                    engine.advance(max(engine.next_deadline_ms(), engine.now_ms))
                after = [engine.track_state(t) for t in tracks]
                for t, track in enumerate(ruleset.tracks):
                    if event.id and after[t] != before[t]:
                        names = track.states[before[t]].name, track.states[after[t]].name
                        changes.add((track.name, event.title.en, *names))
                if tuple(after) not in met:
                    met.add(tuple(after))
                    queue.append(engine.snapshot())
    return changes


def ends(arrows: list[ElementTree.Element], begins: set[str]) -> set[str]:
    """Return where the arrows lead from any of the states."""
    return {
        arrow.get("data-to", "")
        for arrow in arrows
        if {"*", *begins} & set(arrow.get("data-from", "").split())
    }


def test_timers_are_labelled_with_their_durations() -> None:
    root = picture("hits", "ru")
    timers = [part for part in parts(root, "arrow") if part.get("data-kind") == "timer"]
    by_end = {(part.get("data-from"), part.get("data-to")): written(part) for part in timers}
    assert by_end["dying", "dead"] == "через15мин"
    assert by_end["recovering", "healthy"] == "через25мин"
    assert by_end["knockdown", "awake"] == "через15с"
    assert by_end["resting", "bandage_due"] == "через7мин30с"


@every_sheet
def test_no_text_leaves_the_picture_or_lies_over_another_or_over_a_border(
    name: str, language: str
) -> None:
    root = picture(name, language)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    texts = boxes(root, "text")
    assert len(texts) > 20
    for box, text in texts:
        assert box[0] >= 0, text.text
        assert box[1] >= 0, text.text
        assert box[2] <= width, text.text
        assert box[3] <= height, text.text
    for number, (box, text) in enumerate(texts):
        for other, other_text in texts[:number]:
            assert not overlap(box, other), (text.text, other_text.text)
    frames = [box for box, rect in boxes(root, "rect") if rect.get("rx") == "5"]
    for box, text in texts:
        for frame in frames:
            inside = frame[0] <= box[0] and box[2] <= frame[2]
            assert inside or not overlap(box, frame), text.text


@every_sheet
def test_the_picture_carries_its_letters_and_asks_the_network_for_nothing(
    name: str, language: str
) -> None:
    text = drawn(name, language)
    assert not re.search(r"(href|src|url)\s*[=(]\s*[\"']?(?!data:)", text)
    assert text.count("http") == 1  # the name of SVG itself
    root = ElementTree.fromstring(text)
    style = root.findtext(f"{SVG}style") or ""
    fonts = [
        TTFont(io.BytesIO(base64.b64decode(data))) for data in re.findall("base64,([^)]*)", style)
    ]
    letters = {
        weight: {
            ord(c)
            for t in root.iter(f"{SVG}text")
            if t.get("font-weight") == weight
            for c in t.text or ""
        }
        for weight in ("normal", "bold")
    }
    assert [
        set(font.getBestCmap() or {}) >= letters[w] for font, w in zip(fonts, letters, strict=True)
    ] == [True, True]
    assert "ParaType" in str(fonts[0]["name"].getDebugName(0))


def test_equal_rulesets_give_equal_bytes() -> None:
    assert draw_graph(load("hits"), "ru") == drawn("hits", "ru")


def test_no_graphviz_program_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert draw_graph(load("wounds"), "en").startswith("<svg")


def test_markup_in_titles_is_text_and_one_state_is_a_diagram_too() -> None:
    ruleset = own(title='A & B <script>alert("x")</script>')
    root = ElementTree.fromstring(draw_graph(ruleset, "en"))
    assert 'A&B<script>alert("x")</script>' in written(root)
    assert len(parts(root, "state")) == 1


def test_a_state_that_no_light_stands_for_shows_what_the_badge_shows_on_the_way_there() -> None:
    ruleset = load("wounds_hospital")
    start = Start(ruleset, ruleset.param_values())
    track = next(t for t, info in enumerate(ruleset.tracks) if info.name == "wound")
    state = ruleset.tracks[track].state("hospital")
    assert start.signal(track, state).name == "admitted"


def own(title: str) -> CompiledRuleset:
    """Return a ruleset with one state of this title."""
    quoted = "'''" + title + "'''"
    text = f"""
[ruleset]
id = "own"
title = {quoted}
[track.body]
title = "body"
[track.body.state.well]
title = {quoted}
[event.nothing]
title = "nothing"
roles = ["player"]
[[signal]]
name = "well"
title = "well"
green = "short_flash"
"""
    return parse(text, Path("own.toml"))


def test_a_letter_that_the_font_lacks_is_named() -> None:
    with pytest.raises(RedbandUserError, match=r'PT Sans, has no "龍" \(U\+9F8D\)'):
        draw_graph(own("здесь 龍"), "ru")


def test_a_title_without_letters_is_no_obstacle() -> None:
    assert len(parts(ElementTree.fromstring(draw_graph(own(""), "en")), "state")) == 1


def test_a_very_long_word_is_broken() -> None:
    root = ElementTree.fromstring(draw_graph(own("x" * 300), "en"))
    width = float(root.get("width", "0"))
    assert all(box[2] <= width for box, _text in boxes(root, "text"))
    frame = next(box for box, rect in boxes(root, "rect") if rect.get("rx") == "5")
    assert frame[2] - frame[0] < 200


def test_command_writes_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "lab.svg"
    assert run(["rules", "graph", str(LAB), "-o", str(target), "--lang", "ru"]) == 0
    assert ElementTree.parse(target).getroot().tag == f"{SVG}svg"
    assert str(target) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("hitz", "-o", "x.svg"), 'no ruleset is named "hitz"; did you mean "hits"?'),
        (("hits", "-o", "x.png"), '"x.png" does not end in .svg'),
        (("hits", "-o", "-"), "write for example -o rules.svg"),
        (("hits", "-o", "no/such/folder/x.svg"), "can't be written: No such file or directory"),
        (("hits", "-o", "x.svg", "--lang", "de"), 'unknown language "de"; known are: en, ru'),
        (("none.toml", "-o", "x.svg"), "none.toml can't be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["rules", "graph", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("redband: ")
    assert shown.err.count("\n") == 1
    assert sentence in shown.err
    assert not list(tmp_path.iterdir())
