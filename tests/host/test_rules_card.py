"""`redband rules card`: all is on the sheet, nothing runs out of it, any printer will do."""

from __future__ import annotations

import io
import re
import subprocess
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from redband.cli.app import run
from redband.errors import RedbandUserError
from redband.paper.card import draw_card
from redband.paper.card_content import card_content
from redband.rules import CompiledRuleset, load, parse, shipped
from redband.rules.behaviour import looks
from redband.rules.start import Start
from redband.rules.wording import PATTERN_TITLES, Wording, lit_stretches
from redband_core import led

LANGUAGES = ("en", "ru")
A6_POINTS = (297.64, 419.53)
MARGIN_POINTS = 6 / 25.4 * 72
LIMIT_S = 60
every_card = pytest.mark.parametrize(
    ("name", "language"), [(name, lang) for name in shipped() for lang in LANGUAGES]
)


@cache
def made(name: str, language: str) -> bytes:
    """Return the card of a shipped ruleset."""
    ruleset = load(name)
    return draw_card(ruleset, language, ruleset.param_values())


def poppler(program: str, *arguments: str, pdf: bytes) -> bytes:
    """Return what a program of poppler-utils says of the file, which it reads from its input."""
    command = [program, *arguments, "-"] + ["-"] * (program == "pdftotext")
    answer = subprocess.run(command, input=pdf, capture_output=True, timeout=LIMIT_S, check=True)
    assert answer.stderr == b""
    return answer.stdout


def squeezed(text: str) -> str:
    """Return the text without spaces: where a line was broken does not matter."""
    return re.sub(r"\s+", "", text)


def text_of(pdf: bytes) -> str:
    """Return the text as a reader extracts it, without spaces and feet."""
    pages = poppler("pdftotext", "-raw", "-enc", "UTF-8", pdf=pdf).decode().split("\f")
    feet = re.compile(r"\n\d+ / \d+\n.*\n?$")
    return squeezed("".join(feet.sub("\n", page) for page in pages))


def words_of(pdf: bytes) -> list[list[tuple[float, float, float, float, str]]]:
    """Return for each page its words with their boxes, in points."""
    data = poppler("pdftotext", "-bbox", pdf=pdf).decode()
    # It also writes a title with characters that XML forbids; only the words matter.
    pages = re.findall(r"<page .*?</page>", data, re.S)
    found = []
    for page in pages:
        words = ElementTree.fromstring(page).iter("word")
        corners = ("xMin", "yMin", "xMax", "yMax")
        found.append([(*(float(w.get(c, "")) for c in corners), w.text or "") for w in words])
    return found


@every_card
def test_every_signal_and_every_state_is_on_the_sheet_with_its_texts(
    name: str, language: str
) -> None:
    ruleset = load(name)
    start, words = Start(ruleset, ruleset.param_values()), Wording(ruleset, language)
    shown = text_of(made(name, language))
    for signal in ruleset.signals:
        lights = [
            (channel, pattern)
            for channel, pattern in enumerate((signal.red, signal.green, signal.vibration))
            if pattern != led.OFF
        ]
        names = [words.get(PATTERN_TITLES[pattern]) for _channel, pattern in lights]
        rows = "".join(f"[^:]+:{re.escape(squeezed(pattern))}" for pattern in names)
        assert re.search(rows + re.escape(squeezed(words.get(signal.title))), shown), signal.name
    for t, track in enumerate(ruleset.tracks):
        for s, state in enumerate(track.states):
            expected = [state.title, state.may, state.may_not]
            for text in [*map(words.get, expected), words.state_time(start, t, s).split(";")[0]]:
                assert squeezed(text) in shown, (state.name, text)


@every_card
def test_times_numbers_and_gestures_are_on_the_sheet(name: str, language: str) -> None:
    ruleset = load(name)
    words = Wording(ruleset, language)
    shown = text_of(made(name, language))
    for number, param in enumerate(ruleset.params):
        value = squeezed(words.param(number, param.default))
        title = squeezed(words.get(param.title))
        assert f"{value}{title}" in shown or f"{title}{value}" in shown, param.name
    for gesture in ruleset.gestures:
        event, details = words.call(gesture)
        assert squeezed(event + details + words.gesture(gesture)) in shown, gesture.name


@every_card
def test_each_state_stands_on_the_card_once(name: str, language: str) -> None:
    ruleset = load(name)
    words = Wording(ruleset, language)
    card = card_content(ruleset, ruleset.param_values(), words)
    lit = [
        title for signal in card.signals for s in signal.states for title in s.title.split("; ")
    ]
    rest = [title for track in card.unlit for s in track.states for title in s.title.split("; ")]
    assert len(lit) + len(rest) == sum(len(track.states) for track in ruleset.tracks)


@every_card
def test_russian_and_english_letters_are_embedded_and_can_be_searched(
    name: str, language: str
) -> None:
    lines = poppler("pdffonts", pdf=made(name, language)).decode().splitlines()[2:]
    assert len(lines) == 2
    for line in lines:
        # name, type, encoding, embedded, subset, unicode, object
        assert re.match(r"[A-Z]{6}\+PTSans(Bold)? +CID TrueType +Identity-H +yes yes yes ", line)


@every_card
def test_every_page_is_a6(name: str, language: str) -> None:
    pdf = made(name, language)
    info = poppler("pdfinfo", "-f", "1", "-l", "99", pdf=pdf).decode()
    sizes = re.findall(r"Page +\d+ size: +([\d.]+) x ([\d.]+) pts", info)
    assert len(sizes) == len(words_of(pdf)) >= 2
    for width, height in sizes:
        assert abs(float(width) - A6_POINTS[0]) < 0.1
        assert abs(float(height) - A6_POINTS[1]) < 0.1


def assert_nothing_overflows(pdf: bytes) -> None:
    """Fail when a word leaves the margins, or lies over another word."""
    right, low = A6_POINTS[0] - MARGIN_POINTS + 0.3, A6_POINTS[1] - 8
    for page in words_of(pdf):
        assert page
        for number, (x, y, x_end, y_end, word) in enumerate(page):
            assert x >= MARGIN_POINTS - 0.3, word
            assert y >= 10, word
            assert x_end <= right, word
            assert y_end <= low, word
            # A box is as high as the font's tallest letter: neighbouring lines touch in it.
            slack = (y_end - y) * 0.13
            for other_x, other_y, other_x_end, other_y_end, other in page[:number]:
                is_beside = x >= other_x_end - 0.1 or other_x >= x_end - 0.1
                is_below = y + slack >= other_y_end - slack or other_y + slack >= y_end - slack
                assert is_beside or is_below, (word, other)


@every_card
def test_no_text_leaves_its_place(name: str, language: str) -> None:
    assert_nothing_overflows(made(name, language))


@every_card
def test_a_black_and_white_printer_loses_nothing(name: str, language: str) -> None:
    pdf = made(name, language)
    pictures = poppler("pdftoppm", "-r", "60", pdf=pdf)
    size = len(pictures) // len(words_of(pdf))  # all pages are of one size
    for begin in range(0, len(pictures), size):
        page = Image.open(io.BytesIO(pictures[begin : begin + size])).convert("RGB").tobytes()
        assert len(set(page)) > 10
        assert page[0::3] == page[1::3] == page[2::3]


@pytest.mark.parametrize("name", shipped())
def test_no_two_signals_are_drawn_alike_unless_the_file_says_so(name: str) -> None:
    ruleset = load(name)
    seen: dict[object, str] = {}
    for signal in ruleset.signals:
        lights = tuple(
            tuple(lit_stretches(pattern, 3000))
            for pattern in (*looks(signal)[0], signal.vibration)
        )
        assert seen.setdefault(lights, signal.name) in (signal.name, signal.same_as)


def test_bars_are_what_the_badge_plays() -> None:
    for pattern in range(len(led.PATTERN_NAMES)):
        stretches = lit_stretches(pattern, 3000)
        for at_ms in range(3000):
            is_lit = any(begin <= at_ms < end for begin, end in stretches)
            assert is_lit == bool(led.level(pattern, at_ms)), (pattern, at_ms)


def test_bars_are_drawn_as_long_as_the_light_is_on() -> None:
    """The first signal of this card blinks 500/500: half of its three seconds is black."""
    pdf = draw_card(own(title="blinks", red="slow_blink"), "en", [])
    picture = Image.open(io.BytesIO(poppler("pdftoppm", "-r", "508", "-gray", pdf=pdf)))
    per_mm = 20
    pixels, width = picture.tobytes(), picture.width
    strokes = []
    for y in range(38 * per_mm, 50 * per_mm, 4):
        row = pixels[y * width + 6 * per_mm : y * width + 40 * per_mm]
        dark = bytes(int(pixel < 128) for pixel in row)
        strokes.append([len(stroke) for stroke in re.findall(b"\x01+", dark)])
    # Of all rows through the drawing those with three long strokes are the bar's.
    bars = [lengths for lengths in strokes if len(lengths) == 3 and min(lengths) > 3 * per_mm]
    assert len(bars) > 5
    for length in bars[0]:
        assert abs(length - 34 * per_mm / 6) <= 3


def test_equal_cards_are_equal_bytes() -> None:
    ruleset = load("hits")
    assert draw_card(ruleset, "ru", ruleset.param_values()) == made("hits", "ru")


def test_the_players_own_numbers_are_printed(tmp_path: Path) -> None:
    target = tmp_path / "card.pdf"
    wishes = ["--player", "max_hits=7", "--player", "death_ms=20 min"]
    assert run(["rules", "card", "hits", "-o", str(target), "--lang", "ru", *wishes]) == 0
    shown = text_of(target.read_bytes())
    assert "хитыздоровогоперсонажа7" in shown or "7хитыздоровогоперсонажа" in shown
    assert "Время:20миндосмерти" in shown


def own(title: str, may: str = "", red: str = "off") -> CompiledRuleset:
    """Return a ruleset with one state and one signal of this title."""
    text = f"""
[ruleset]
id = "own"
title = "{title}"
[track.body]
title = "body"
[track.body.state.well]
title = "{title}"
may = "{may}"
[event.nothing]
title = "nothing"
roles = ["player"]
[[signal]]
name = "well"
title = "{title}"
red = "{red}"
"""
    return parse(text, Path("own.toml"))


def test_long_words_and_long_texts_go_on_over_lines_and_pages() -> None:
    pdf = draw_card(own("Ж" * 90, "можно " * 900), "ru", [])
    assert len(words_of(pdf)) > 3
    assert_nothing_overflows(pdf)
    assert text_of(pdf).count("можно") == 900


def test_a_title_without_letters_is_no_obstacle() -> None:
    assert len(words_of(draw_card(own(""), "en", []))) == 1


def test_a_letter_that_the_font_lacks_is_named() -> None:
    with pytest.raises(RedbandUserError, match=r'PT Sans, has no "龍" \(U\+9F8D\)'):
        draw_card(own("здесь 龍"), "ru", [])
