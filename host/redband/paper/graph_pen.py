"""SVG by a few strokes: text, lines, boxes and the bars of a light.

Guarantee: whatever is written is escaped; the letters used are known afterwards, so that the
picture can carry its own font. Lengths are CSS pixels.
"""

from __future__ import annotations

import base64
from xml.etree import ElementTree

from redband.paper.graph_layout import Point
from redband.paper.typeface import Face, bold, regular
from redband.rules.wording import lit_stretches
from redband_core import led

INK, GREY, PAPER = "#1a1a1a", "#5f6368", "#ffffff"
CHANNEL_COLOURS = ("#c62828", "#2e7d32", "#5f6368")
FAMILY = "Redband Sheet"
WINDOW_MS = 3000
BAR_WIDTH, BAR_HEIGHT = 108, 8
DASHES = {"event": "", "timer": "6 3", "always": "1.5 3"}
LINE_HEIGHT = 1.25


class Pen:
    """Draws on one SVG picture."""

    def __init__(self) -> None:
        self._root = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg")
        self._style = ElementTree.SubElement(self._root, "style")
        self._group = self._at = self._root
        self._letters: dict[Face, set[str]] = {regular(): set(), bold(): set()}

    def move(self, x: float, y: float, title: str = "") -> None:
        """Draw from here on with (x, y) as the origin, in a group with this title."""
        place = f"translate({_number(x)} {_number(y)})"
        self._group = self._at = ElementTree.SubElement(self._root, "g", transform=place)
        if title:
            ElementTree.SubElement(self._at, "title").text = title

    def part(self, **names: str) -> None:
        """Draw from here on in a part of the group with these attributes."""
        self._at = ElementTree.SubElement(self._group, "g", names)

    def text(
        self, x: float, y: float, text: str, size: float, face: Face, colour: str = INK
    ) -> None:
        """Write a line whose baseline begins at (x, y)."""
        self._letters[face] |= set(text)
        weight = "bold" if face is bold() else "normal"
        # A rim of paper keeps the letters readable where a line passes behind them.
        rim = {"stroke": PAPER, "stroke_width": 2.5}
        style = {"font_size": size, "font_weight": weight, "fill": colour} | rim
        self._add("text", x=x, y=y, **style).text = text

    def centred(
        self, x: float, y: float, text: str, size: float, face: Face, colour: str = INK
    ) -> None:
        """Write a line whose baseline is centred on x."""
        self.text(x - face.width(text, size) / 2, y, text, size, face, colour)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = PAPER,
        **style: object,
    ) -> None:
        """Draw a box with round corners."""
        style = {"rx": 5, "stroke": INK, "stroke_width": 1.2} | style
        self._add("rect", x=x, y=y, width=width, height=height, fill=fill, **style)

    def dot(self, x: float, y: float, radius: float) -> None:
        """Draw a filled circle."""
        self._add("circle", cx=x, cy=y, r=radius, fill=INK)

    def curve(self, points: list[Point], kind: str) -> None:
        """Draw a curve of Bézier pieces in the style of that kind of arrow."""
        steps = [f"M{_pair(points[0])}"]
        for i in range(1, len(points), 3):
            steps.append("C" + " ".join(_pair(point) for point in points[i : i + 3]))
        style = {"fill": "none", "stroke": INK, "stroke_width": 1.1}
        if DASHES[kind]:
            style["stroke_dasharray"] = DASHES[kind]
        self._add("path", d="".join(steps), **style)

    def tip(self, end: Point, tip: Point) -> None:
        """Draw an arrow's head from the end of its line to its tip."""
        dx, dy = tip[0] - end[0], tip[1] - end[1]
        length = max((dx * dx + dy * dy) ** 0.5, 0.01)
        side = (-dy / length * 3.6, dx / length * 3.6)
        corners = [
            tip,
            (end[0] + side[0], end[1] + side[1]),
            (end[0] - side[0], end[1] - side[1]),
        ]
        self._add("path", d="M" + "L".join(map(_pair, corners)) + "Z", fill=INK)

    def bars(self, x: float, y: float, channel: int, pattern: int) -> None:
        """Draw a light's rhythm: red is filled, green hollow, vibration a zigzag.

        channel: 0 red, 1 green, 2 vibration. So it can be read without colours.
        """
        colour = CHANNEL_COLOURS[channel]
        base = y + BAR_HEIGHT
        scale = BAR_WIDTH / WINDOW_MS
        self._add("path", d=f"M{_pair((x, base))}h{BAR_WIDTH}", stroke="#b0b4ba", stroke_width=1)
        for begin_ms, end_ms in lit_stretches(pattern, WINDOW_MS):
            left = x + begin_ms * scale
            width = max((end_ms - begin_ms) * scale, 2.2)
            if channel == 2:
                self._zigzag(left, y, width, colour)
                continue
            fill = colour if channel == 0 else PAPER
            self._add(
                "rect",
                x=left + 0.5,
                y=y + 0.5,
                width=width - 1,
                height=BAR_HEIGHT - 1,
                fill=fill,
                stroke=colour,
                stroke_width=1,
            )

    def _zigzag(self, left: float, y: float, width: float, colour: str) -> None:
        teeth = max(1, round(width / 3))
        step = width / teeth / 2
        steps = "".join(
            f"l{_pair((step, -BAR_HEIGHT + 1))}l{_pair((step, BAR_HEIGHT - 1))}"
            for _ in range(teeth)
        )
        path = f"M{_pair((left, y + BAR_HEIGHT - 0.5))}{steps}"
        self._add("path", d=path, fill="none", stroke=colour, stroke_width=1.1)

    def svg(self, width: float, height: float, title: str, language: str) -> str:
        """Return the picture with the letters it uses."""
        faces = []
        for face, letters in self._letters.items():
            data = base64.b64encode(face.subset(sorted(letters))).decode("ascii")
            weight = "bold" if face is bold() else "normal"
            faces.append(
                f'@font-face{{font-family:"{FAMILY}";font-weight:{weight};'
                f"src:url(data:font/ttf;base64,{data})}}"
            )
        family = f'"{FAMILY}","PT Sans","DejaVu Sans Condensed",sans-serif'
        self._style.text = (
            "".join(faces)
            + f"text{{font-family:{family};paint-order:stroke;stroke-linejoin:round}}"
        )
        root = self._root
        root.set("width", _number(width))
        root.set("height", _number(height))
        root.set("viewBox", f"0 0 {_number(width)} {_number(height)}")
        root.set("xml:lang", language)
        name = ElementTree.Element("title")
        name.text = title
        root.insert(0, name)
        paper = ElementTree.Element("rect", width="100%", height="100%", fill=PAPER)
        root.insert(2, paper)
        ElementTree.indent(root, " ")
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"

    def _add(self, tag: str, **attributes: object) -> ElementTree.Element:
        texts = {
            name.replace("_", "-"): _number(value) if isinstance(value, float) else str(value)
            for name, value in attributes.items()
        }
        return ElementTree.SubElement(self._at, tag, texts)


def pattern_rows(red: int, green: int, vibration: int) -> list[tuple[int, int]]:
    """Return (channel, pattern) of what a signal uses; a signal of nothing has one dark row."""
    rows = [
        (c, pattern) for c, pattern in enumerate((red, green, vibration)) if pattern != led.OFF
    ]
    return rows or [(0, led.OFF)]


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _pair(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"
