"""The sheet that a player gets: what each light means, what one may do, times, the button.

Problem: nobody learns fourteen light patterns by heart, nor reads a rule book in the mud.
Guarantee: an A6 PDF with embedded letters, readable without colour, whose every text comes from
the ruleset file. It leaves out nothing: see `card_content`.
"""

from __future__ import annotations

from collections.abc import Sequence

from redband.paper.card_content import Card, GestureText, SignalText, StateText, card_content
from redband.paper.card_paper import (
    BAR_HEIGHT,
    BAR_WIDTH,
    MARGIN_X,
    MM_PER_POINT,
    PAGE,
    WIDTH,
    Group,
    Paper,
    Row,
    line_height,
    presses_width,
    text_rows,
)
from redband.paper.typeface import bold, regular
from redband.rules.loader import CompiledRuleset
from redband.rules.wording import CHANNELS, PATTERN_TITLES, Wording
from redband_core import gestures as core_gestures

TITLE, HEADING, NAME, TEXT, SMALL, TINY = 17.0, 10.5, 9.0, 8.0, 7.0, 6.0
LIGHT_ROW = line_height(TINY) + BAR_HEIGHT + 1.4  # its name and its bar
LEFT_WIDTH = BAR_WIDTH + 4.0
TEXT_X = MARGIN_X + LEFT_WIDTH
TEXT_WIDTH = WIDTH - LEFT_WIDTH
NUMBER_WIDTH = 22.0
BLANK_WIDTH = 18.0  # for a number written by hand


def draw_card(ruleset: CompiledRuleset, language: str, params: Sequence[int]) -> bytes:
    """Return the PDF for a player with these params. Raises RedbandUserError."""
    words = Wording(ruleset, language)
    card = card_content(ruleset, params, words)
    foot = f"{card.title} · {ruleset.id} {ruleset.identity.hex()}"
    paper = Paper(f"{card.title}: {_subtitle(words)}", language)
    return paper.print(_groups(card, words), foot)


def _subtitle(words: Wording) -> str:
    return words.pick("player's card", "памятка игрока")


def _groups(card: Card, words: Wording) -> list[Group]:
    groups = [_head(card, words)]
    groups += _section(words.pick("What the badge shows", "Что показывает бейдж"))
    groups.append(_legend(words))
    groups += [_signal(signal, words) for signal in card.signals]
    if card.unlit:
        groups += _section(
            words.pick("States without a light of their own", "Состояния без своего огня")
        )
        for track in card.unlit:
            rows = text_rows(track.title, NAME, bold(), MARGIN_X, WIDTH)
            for state in track.states:
                rows += _state(state, words, MARGIN_X, WIDTH)
            groups.append(Group(rows))
    if card.gestures:
        own = tuple(one for one in card.gestures if one.code < core_gestures.MEDIC)
        taps = tuple(one for one in card.gestures if one.code >= core_gestures.MEDIC)
        taps = tuple(sorted(taps, key=lambda one: (one.code & 0x0F, one.code)))
        if own:
            groups += _section(words.pick("The button", "Кнопка"))
            groups += _gestures(own)
        if taps:
            groups += _section(words.pick("Medic's badge", "Бейдж медика"))
            call = words.pick(
                "If medics treat by badge: hold your button to call one. What holding does"
                " otherwise takes one quick press and a hold then. The medic picks:",
                "Если медики лечат бейджами: держите кнопку, чтобы позвать медика. То, что"
                " делает удержание обычно, — одно быстрое нажатие и удержание. Медик выбирает:",
            )
            groups.append(Group(text_rows(call, SMALL, regular(), MARGIN_X, WIDTH)))
            groups += _gestures(taps)
    if card.numbers:
        groups += _section(words.pick("Times and numbers", "Время и числа"))
        groups += [_number(title, value) for title, value in card.numbers]
    return groups


def _head(card: Card, words: Wording) -> Group:
    def badge(paper: Paper, y: float) -> None:
        label = words.pick("badge №", "бейдж №")
        base = y + NAME * MM_PER_POINT * 0.95
        left = PAGE[0] - MARGIN_X - BLANK_WIDTH
        paper.text(
            left - regular().width(f"{label} ", NAME) * MM_PER_POINT, base, label, NAME, regular()
        )
        paper.line(left, base + 0.4, left + BLANK_WIDTH, 0.15)

    rows = text_rows(card.title, TITLE, bold(), MARGIN_X, WIDTH)
    rows += text_rows(_subtitle(words), NAME, regular(), MARGIN_X, WIDTH)
    subtitle = rows[-1]

    def both(paper: Paper, y: float) -> None:
        subtitle.draw(paper, y)
        badge(paper, y)

    rows[-1] = Row(subtitle.height, both)
    return Group(rows, space=0)


def _section(title: str) -> list[Group]:
    def rule(paper: Paper, y: float) -> None:
        paper.line(MARGIN_X, y + 0.4, PAGE[0] - MARGIN_X, 0.35)

    rows = [*text_rows(title, HEADING, bold(), MARGIN_X, WIDTH), Row(1.2, rule)]
    return [Group(rows, space=4.0, keeps_next=True)]


def _legend(words: Wording) -> Group:
    red, green, vibration = (words.get(channel) for channel in CHANNELS)
    text = words.pick(
        f"Bars: 3 seconds from left to right. Filled – {red}, hollow – {green}, zigzag – "
        f"{vibration}. The rhythm counts, not the colour. If several fit, the upper one is shown.",
        f"Полосы: 3 секунды слева направо. Закрашено – {red}, пустое – {green}, зигзаг – "
        f"{vibration}. Важен ритм, а не цвет. Если подходит несколько, показан верхний.",
    )
    return Group(text_rows(text, SMALL, regular(), MARGIN_X, WIDTH), space=1.0)


def _signal(signal: SignalText, words: Wording) -> Group:
    def lights(paper: Paper, y: float) -> None:
        for channel, pattern in signal.lights:
            name = f"{words.get(CHANNELS[channel])}: {words.get(PATTERN_TITLES[pattern])}"
            paper.text(MARGIN_X, y + line_height(NAME) * 0.78, name, TINY, regular())
            paper.bars(MARGIN_X, y + line_height(NAME) * 0.78 + 0.9, channel, pattern)
            y += LIGHT_ROW

    rows = text_rows(signal.title, NAME, bold(), TEXT_X, TEXT_WIDTH)
    for number, state in enumerate(signal.states):
        also = words.pick("Also:", "А также:") if number else ""
        rows += _state(state, words, TEXT_X, TEXT_WIDTH, also)
    return Group(rows, Row(len(signal.lights) * LIGHT_ROW + 0.6, lights), space=2.4)


def _state(state: StateText, words: Wording, x: float, width: float, also: str = "") -> list[Row]:
    """Return the rows of a state. also: stands before one about which nothing is said."""
    if state.is_bare():
        return text_rows(state.title, TEXT, regular(), x, width, also) if state.title else []
    rows = text_rows(state.title, TEXT, bold(), x, width) if state.title else []
    if state.time:
        rows += text_rows(state.time, TEXT, regular(), x, width, words.pick("Time:", "Время:"))
    if state.may:
        rows += text_rows(state.may, TEXT, regular(), x, width, words.pick("May:", "Можно:"))
    if state.may_not:
        lead = words.pick("May not:", "Нельзя:")
        rows += text_rows(state.may_not, TEXT, regular(), x, width, lead)
    return rows


def _gestures(gestures: tuple[GestureText, ...]) -> list[Group]:
    """Return the gestures, their words beside the widest drawing."""
    left = max(presses_width(gesture.code) for gesture in gestures) + 4.0
    return [_gesture(gesture, left) for gesture in gestures]


def _gesture(gesture: GestureText, left: float) -> Group:
    def presses(paper: Paper, y: float) -> None:
        paper.presses(MARGIN_X, y + TEXT * MM_PER_POINT * 0.62, gesture.code)

    x, width = MARGIN_X + left, WIDTH - left
    rows = text_rows(gesture.means, TEXT, bold(), x, width)
    rows += text_rows(gesture.details, TEXT, regular(), x, width)
    rows += text_rows(gesture.does, SMALL, regular(), x, width)
    return Group(rows, Row(line_height(TEXT), presses), space=1.5)


def _number(title: str, value: str) -> Group:
    def write(paper: Paper, y: float) -> None:
        right = PAGE[0] - MARGIN_X - bold().width(value, TEXT) * MM_PER_POINT
        paper.text(right, y + TEXT * MM_PER_POINT * 0.95, value, TEXT, bold())

    rows = text_rows(title, TEXT, regular(), MARGIN_X, WIDTH - NUMBER_WIDTH)
    return Group(rows, Row(line_height(TEXT), write), space=0.6)
