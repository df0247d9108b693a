"""One track's diagram: boxes and arrows measured, laid out and drawn.

Guarantee: every text has the room it needs (the layout gets measured sizes). The look of a box,
an arrow or a mark is decided here and nowhere else.
"""

from __future__ import annotations

from redband.paper.graph_layout import Box, Link, lay_out
from redband.paper.graph_model import ANY, Arrow, Label, State, TrackGraph
from redband.paper.graph_pen import (
    BAR_HEIGHT,
    BAR_WIDTH,
    GREY,
    INK,
    LINE_HEIGHT,
    Pen,
    pattern_rows,
)
from redband.paper.typeface import Face, bold, regular
from redband.rules.wording import CHANNELS, Wording
from redband_core import led

HEADING, TITLE, SMALL, NOTE = 18, 13, 11.5, 10.5
PADDING = 9
STATE_WIDTH, LABEL_WIDTH = 170, 200  # texts are wrapped at these
CHANNEL_WIDTH = 13  # the letter before a bar
ROW = BAR_HEIGHT + 5
START, START_SIZE = "start", 13
FREE_LINES = 3  # a longer label gets a box on its arrow, so that nobody asks whose it is
Line = tuple[str, float, Face, str]


class TrackDrawing:
    """The diagram of one track. width, height: its size with its heading."""

    def __init__(self, graph: TrackGraph, words: Wording) -> None:
        self.graph = graph
        self.words = words
        self._states = {str(number): state for number, state in enumerate(graph.states)}
        self._joins: dict[str, Arrow] = {}
        self._kinds: dict[str, str] = {}
        self._labels: dict[str, Arrow] = {}
        self._any = words.pick("any state", "любое состояние")
        self._layout = lay_out(*self._plan())
        room = max(self._layout.width, STATE_WIDTH)
        self._heading = _wrapped(graph.title, HEADING, bold(), INK, room)
        self._top = HEADING * (LINE_HEIGHT * len(self._heading) + 0.75)
        self.width = max([self._layout.width, *(_size([line])[0] for line in self._heading)])
        self.height = self._layout.height + self._top

    def _plan(self) -> tuple[list[Box], list[Link]]:
        boxes = [Box(START, START_SIZE, START_SIZE, "circle")]
        boxes += [Box(name, *self._state_size(state)) for name, state in self._states.items()]
        links: list[Link] = []
        if any(ANY in arrow.sources for arrow in self.graph.arrows):
            width = regular().width(self._any, TITLE) + 2 * PADDING
            boxes.append(Box(str(ANY), width, TITLE * LINE_HEIGHT + PADDING))
        for name, state in self._states.items():
            if state.is_initial:
                links.append(self._link(Link("start", START, name), "event"))
        for number, arrow in enumerate(self.graph.arrows):
            lines = _label_lines(arrow.labels)
            size = _size(lines)
            target = str(arrow.target)
            if len(arrow.sources) == 1 and len(lines) <= FREE_LINES:
                link = Link(f"arrow{number}", str(arrow.sources[0]), target, *size)
                links.append(self._link(link, arrow.kind))
                self._labels[link.name] = arrow
                continue
            join = f"join{number}"
            self._joins[join] = arrow
            boxes.append(Box(join, size[0] + 6, size[1] + 4))
            links.append(self._link(Link(f"arrow{number}", join, target), arrow.kind))
            for source in arrow.sources:
                link = Link(f"arrow{number}from{source}", str(source), join, has_tip=False)
                links.append(self._link(link, arrow.kind))
        return boxes, links

    def _link(self, link: Link, kind: str) -> Link:
        self._kinds[link.name] = kind
        return link

    def _state_size(self, state: State) -> tuple[float, float]:
        width, height = _size(_state_lines(state))
        rows = len(pattern_rows(*_patterns(state)))
        width = max(width, BAR_WIDTH + CHANNEL_WIDTH) + 2 * PADDING
        return width, height + rows * ROW + 2 * PADDING

    def draw(self, pen: Pen, x: float, y: float) -> None:
        """Draw the diagram with its upper left corner at (x, y)."""
        pen.move(x, y, self.graph.title)
        for number, (line, *_look) in enumerate(self._heading):
            pen.text(0, HEADING * (1 + number * LINE_HEIGHT), line, HEADING, bold())
        pen.move(x, y + self._top)
        layout = self._layout
        for name, points in layout.lines.items():
            pen.curve(points, self._kinds[name])
            if name in layout.tips:
                pen.tip(points[-1], layout.tips[name])
        for name, arrow in self._labels.items():
            self._draw_label(pen, layout.labels[name], arrow)
        for name, arrow in self._joins.items():
            self._draw_join(pen, layout.boxes[name], arrow)
        for name, state in self._states.items():
            self._draw_state(pen, layout.boxes[name], state)
        pen.part(**{"class": "marks"})
        pen.dot(*layout.boxes[START], START_SIZE / 2)
        if str(ANY) in layout.boxes:
            self._draw_any(pen, layout.boxes[str(ANY)])

    def _draw_state(self, pen: Pen, centre: tuple[float, float], state: State) -> None:
        marks = ["state"] + ["start"] * state.is_initial + ["final"] * state.is_final
        pen.part(**{"class": " ".join(marks), "id": f"{self.graph.name}.{state.name}"})
        width, height = self._state_size(state)
        x, y = centre[0] - width / 2, centre[1] - height / 2
        pen.box(x, y, width, height, stroke_width=2.2 if state.is_initial else 1.2)
        if state.is_final:
            pen.box(x + 3, y + 3, width - 6, height - 6, fill="none", rx=3, stroke_width=1)
        below = _write(pen, centre[0], y + PADDING, _state_lines(state))
        left = centre[0] - (BAR_WIDTH + CHANNEL_WIDTH) / 2
        for channel, pattern in pattern_rows(*_patterns(state)):
            if pattern != led.OFF:
                letter = self.words.get(CHANNELS[channel])[0].upper()
                pen.text(left, below + ROW - 1, letter, 9, bold(), GREY)
            pen.bars(left + CHANNEL_WIDTH, below + ROW - BAR_HEIGHT, channel, pattern)
            below += ROW

    def _draw_label(self, pen: Pen, centre: tuple[float, float], arrow: Arrow) -> None:
        self._begin_arrow(pen, arrow)
        lines = _label_lines(arrow.labels)
        _write(pen, centre[0], centre[1] - _size(lines)[1] / 2, lines)

    def _draw_join(self, pen: Pen, centre: tuple[float, float], arrow: Arrow) -> None:
        self._begin_arrow(pen, arrow)
        lines = _label_lines(arrow.labels)
        width, height = _size(lines)
        x, y = centre[0] - width / 2, centre[1] - height / 2
        pen.box(x - 3, y - 2, width + 6, height + 4, stroke="#b0b4ba", stroke_width=0.8)
        _write(pen, centre[0], y, lines)

    def _begin_arrow(self, pen: Pen, arrow: Arrow) -> None:
        names = [self.graph.states[s].name if s != ANY else "*" for s in arrow.sources]
        target = self.graph.states[arrow.target].name
        part = {"class": "arrow", "data-track": self.graph.name, "data-kind": arrow.kind}
        pen.part(**part, **{"data-from": " ".join(names), "data-to": target})

    def _draw_any(self, pen: Pen, centre: tuple[float, float]) -> None:
        width = regular().width(self._any, TITLE) + 2 * PADDING
        height = TITLE * LINE_HEIGHT + PADDING
        x, y = centre[0] - width / 2, centre[1] - height / 2
        pen.box(x, y, width, height, stroke_dasharray="4 3")
        _write(pen, centre[0], y + PADDING / 2, [(self._any, TITLE, regular(), INK)])


def _patterns(state: State) -> tuple[int, int, int]:
    return state.signal.red, state.signal.green, state.signal.vibration


def _state_lines(state: State) -> list[Line]:
    lines = _wrapped(state.title, TITLE, bold(), INK, STATE_WIDTH)
    return lines + _wrapped(state.time, SMALL, regular(), INK, STATE_WIDTH)


def _label_lines(labels: tuple[Label, ...]) -> list[Line]:
    lines: list[Line] = []
    for label in labels:
        lines += _wrapped(label.text, SMALL, regular(), INK, LABEL_WIDTH)
        if label.condition:
            text = f"[{label.condition}]"
            lines += _wrapped(text, NOTE, regular(), GREY, LABEL_WIDTH)
    return lines


def _wrapped(text: str, size: float, face: Face, colour: str, width: float) -> list[Line]:
    return [(line, size, face, colour) for line in face.wrap(text, size, width)]


def _size(lines: list[Line]) -> tuple[float, float]:
    width = max((face.width(text, size) for text, size, face, _colour in lines), default=0)
    return width + 6, sum(size * LINE_HEIGHT for _text, size, _face, _colour in lines)


def _write(pen: Pen, centre_x: float, y: float, lines: list[Line]) -> float:
    """Write centred lines below y; return where they end."""
    for text, size, face, colour in lines:
        pen.centred(centre_x, y + size, text, size, face, colour)
        y += size * LINE_HEIGHT
    return y
