"""State diagrams of a ruleset as one SVG picture.

Problem: an organiser changes rules and wants to see what leads where, on paper or screen.
Guarantee: each track is a diagram with all its states, transitions, times and lights, made from
the rules that a badge runs; the picture carries its own letters and needs no network. Equal
rulesets give equal bytes.
"""

from __future__ import annotations

from redband.paper.graph_model import track_graph
from redband.paper.graph_pen import GREY, INK, Pen
from redband.paper.graph_track import SMALL, TrackDrawing
from redband.paper.typeface import bold, regular
from redband.rules.loader import CompiledRuleset
from redband.rules.start import Start
from redband.rules.wording import CHANNELS, Wording

MARGIN, GAP = 28, 44
HEADING = 26
SHEET_WIDTH = 1250  # diagrams stand side by side up to this, unless one alone is wider


def draw_graph(ruleset: CompiledRuleset, language: str) -> str:
    """Return the picture of all tracks, with the params' defaults. Raises RedbandUserError."""
    words = Wording(ruleset, language)
    start = Start(ruleset, ruleset.param_values())
    drawings = [
        TrackDrawing(track_graph(start, track, words), words)
        for track in range(len(ruleset.tracks))
    ]
    pen = Pen()
    title = ruleset.title.get(language)
    lines = [(line, HEADING, bold()) for line in bold().wrap(title, HEADING, SHEET_WIDTH)]
    lines += [(line, SMALL, regular()) for line in _legend(words)]
    pen.move(MARGIN, MARGIN)
    y = 0.0
    for line, size, face in lines:
        pen.text(0, y + size, line, size, face, GREY if size == SMALL else INK)
        y += size * 1.35
    y += MARGIN + GAP / 2
    width = max(face.width(line, size) for line, size, face in lines)
    for row in _rows(drawings):
        x = 0.0
        for drawing in row:
            drawing.draw(pen, MARGIN + x, y)
            x += drawing.width + GAP
        width = max(width, x - GAP)
        y += max(drawing.height for drawing in row) + GAP
    return pen.svg(width + 2 * MARGIN, y - GAP + MARGIN, title, language)


def _rows(drawings: list[TrackDrawing]) -> list[list[TrackDrawing]]:
    """Return the diagrams in rows, in their order."""
    limit = max(SHEET_WIDTH, *(drawing.width for drawing in drawings))
    rows: list[list[TrackDrawing]] = []
    used = limit
    for drawing in drawings:
        if used + GAP + drawing.width > limit:
            rows.append([])
            used = -GAP
        rows[-1].append(drawing)
        used += GAP + drawing.width
    return rows


def _legend(words: Wording) -> list[str]:
    """Return how to read the picture."""
    letters = ", ".join(f"{words.get(c)[0].upper()} {words.get(c)}" for c in CHANNELS)
    return [
        words.pick(
            "Black dot and thick border: the start. Double border: final, nothing leads out.",
            "Чёрная точка и толстая рамка: начало. Двойная рамка: конец, выхода нет.",
        ),
        words.pick(
            "Under a title: how long the state lasts.", "Под названием: сколько длится состояние."
        ),
        words.pick(
            "Arrows: solid – an event; dashed – a timer; dotted – at once. In brackets: only if.",
            "Стрелки: сплошная – событие; штриховая – таймер; точечная – сразу. "
            "В скобках: при каком условии.",
        ),
        words.pick(
            f"Bars: 3 s of what the badge shows unless another state outranks it ({letters}).",
            f"Полосы: 3 с того, что показывает бейдж, если нет состояния важнее ({letters}).",
        ),
    ]
