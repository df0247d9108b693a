"""A card on paper: rows are stacked on A6 pages and drawn with fpdf2.

Guarantee: no row leaves the page's margins (lines are wrapped by the font's own widths); rows of a
group stay on one page when a page can hold them; fonts are embedded; equal input gives equal
bytes. Only black: it prints on any printer. Lengths are mm, font sizes points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from fpdf import FPDF

from redband.paper.typeface import Face, bold, regular, words
from redband.rules import gesture_kinds
from redband.rules.wording import lit_stretches
from redband_core import gestures as core_gestures

PAGE = (105.0, 148.0)  # A6, upright
MARGIN_X, MARGIN_TOP, MARGIN_BOTTOM = 6.0, 6.5, 9.5
WIDTH = PAGE[0] - 2 * MARGIN_X
BOTTOM = PAGE[1] - MARGIN_BOTTOM
MM_PER_POINT = 25.4 / 72
LINE_HEIGHT = 1.22
FAMILY = "sheet"
WINDOW_MS = 3000
BAR_WIDTH, BAR_HEIGHT = 34.0, 2.3
PRESS_RADIUS, PRESS_GAP, PRESS_LONG = 0.85, 2.3, 5.0
FOOT_SIZE = 6.5
NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""fpdf2 always writes a date; the day of printing would make equal cards unequal."""

Draw = Callable[["Paper", float], None]  # draws on the paper with its upper edge at y


@dataclass(slots=True)
class Row:
    """Something as high as `height` that can't be cut."""

    height: float
    draw: Draw


@dataclass(slots=True)
class Group:
    """Rows that belong together. beside: drawn at the left of the first row, so high.

    space: free space above, unless it begins a page.
    """

    rows: list[Row]
    beside: Row | None = None
    space: float = 2.0
    keeps_next: bool = False

    def height(self) -> float:
        """Return how much paper the group takes."""
        own = sum(row.height for row in self.rows)
        return max(own, self.beside.height if self.beside else 0.0)


def line_height(size: float) -> float:
    """Return the height of a line of text."""
    return size * MM_PER_POINT * LINE_HEIGHT


def text_rows(
    text: str, size: float, face: Face, x: float, width: float, lead: str = ""
) -> list[Row]:
    """Return rows with the text from x on, wrapped at `width`; `lead` stands before it in bold."""
    lead_width = bold().width(lead + " ", size) * MM_PER_POINT if lead else 0.0
    # The lead takes room on the first line only: words are moved down from there as needed.
    lines = _wrap(text, size, face, width, lead_width)
    rows = []
    for number, line in enumerate(lines):

        def draw(paper: Paper, y: float, line: str = line, is_first: bool = number == 0) -> None:
            base = y + size * MM_PER_POINT * 0.95
            if is_first and lead:
                paper.text(x, base, lead, size, bold())
            paper.text(x + (lead_width if is_first else 0.0), base, line, size, face)

        rows.append(Row(line_height(size), draw))
    return rows


def _wrap(text: str, size: float, face: Face, width: float, lead_width: float) -> list[str]:
    points = width / MM_PER_POINT
    first_points = (width - lead_width) / MM_PER_POINT
    parts = words(text)
    count = len(parts)
    while count and face.width(" ".join(parts[:count]), size) > first_points:
        count -= 1
    if not count and not lead_width:
        return face.wrap(text, size, points)
    return [" ".join(parts[:count]), *face.wrap(" ".join(parts[count:]), size, points)]


Page = list[tuple[float, Draw]]


def paginate(groups: list[Group]) -> list[Page]:
    """Return for each page what is drawn on it and where, from top to bottom."""
    pages: list[Page] = [[]]
    y = MARGIN_TOP
    for number, group in enumerate(groups):
        space = group.space if y > MARGIN_TOP else 0.0
        needed = group.height()
        if group.keeps_next and number + 1 < len(groups):
            needed += groups[number + 1].space + groups[number + 1].height()
        if y > MARGIN_TOP and y + space + needed > BOTTOM:
            pages.append([])
            y, space = MARGIN_TOP, 0.0
        y += space
        top, first = y, len(pages)
        if group.beside:
            pages[-1].append((y, group.beside.draw))
        for row in group.rows:  # a group higher than a page goes on at the top of the next
            if y + row.height > BOTTOM:
                pages.append([])
                y = MARGIN_TOP
            pages[-1].append((y, row.draw))
            y += row.height
        if group.beside and len(pages) == first:
            y = max(y, top + group.beside.height)
    return pages


class Paper:
    """The pages."""

    def __init__(self, title: str, language: str) -> None:
        """title, language: of the document, for readers and screen readers."""
        pdf = FPDF(unit="mm", format=PAGE)
        pdf.set_auto_page_break(False)
        pdf.add_font(FAMILY, "", regular().path)
        pdf.add_font(FAMILY, "B", bold().path)
        pdf.set_title(title)
        pdf.set_lang(language)
        pdf.set_creator("redband")
        pdf.set_creation_date(NO_DATE)
        self._pdf = pdf

    def print(self, groups: list[Group], foot: str) -> bytes:
        """Return the file with the groups on numbered pages. foot: stands on each page."""
        pages = paginate(groups)
        for number, page in enumerate(pages, 1):
            self._pdf.add_page()
            for y, draw in page:
                draw(self, y)
            self._draw_foot(foot, f"{number} / {len(pages)}")
        return bytes(self._pdf.output())

    def _draw_foot(self, foot: str, number: str) -> None:
        base = PAGE[1] - 4.5
        self.line(MARGIN_X, base - 3.2, PAGE[0] - MARGIN_X, 0.1)
        right = PAGE[0] - MARGIN_X - regular().width(number, FOOT_SIZE) * MM_PER_POINT
        self.text(right, base, number, FOOT_SIZE, regular())
        line = regular().wrap(foot, FOOT_SIZE, (right - MARGIN_X - 3) / MM_PER_POINT)[0]
        self.text(MARGIN_X, base, line, FOOT_SIZE, regular())

    def text(self, x: float, y: float, text: str, size: float, face: Face) -> None:
        """Write a line whose baseline begins at (x, y)."""
        if text:
            self._pdf.set_font(FAMILY, "B" if face is bold() else "", size)
            self._pdf.text(x, y, text)

    def line(self, x: float, y: float, right: float, width: float) -> None:
        """Draw a horizontal line."""
        self._pdf.set_line_width(width)
        self._pdf.line(x, y, right, y)

    def bars(self, x: float, y: float, channel: int, pattern: int) -> None:
        """Draw the rhythm of a light: red is filled, green hollow, vibration a zigzag.

        x, y: upper left corner. channel: 0 red, 1 green, 2 vibration.
        """
        pdf = self._pdf
        scale = BAR_WIDTH / WINDOW_MS
        base = y + BAR_HEIGHT
        self.line(x, base, x + BAR_WIDTH, 0.1)
        for second in range(WINDOW_MS // 1000 + 1):
            pdf.line(x + second * 1000 * scale, base, x + second * 1000 * scale, base + 0.6)
        pdf.set_line_width(0.2)
        for begin_ms, end_ms in lit_stretches(pattern, WINDOW_MS):
            left = x + begin_ms * scale
            width = max((end_ms - begin_ms) * scale, 0.6)
            if channel == 2:
                self._zigzag(left, y, width)
            elif channel == 1:
                pdf.rect(left + 0.1, y + 0.1, width - 0.2, BAR_HEIGHT - 0.1, "D")
            else:
                pdf.rect(left, y, width, BAR_HEIGHT, "F")

    def _zigzag(self, left: float, y: float, width: float, teeth: int = 0) -> None:
        teeth = teeth or max(1, round(width / 0.8))
        step = width / teeth / 2
        points = [
            (left + number * step, y + (0.1 if number % 2 else BAR_HEIGHT))
            for number in range(2 * teeth + 1)
        ]
        self._pdf.polyline(points)

    def presses(self, x: float, y: float, code: int) -> None:
        """Draw a gesture as dots (presses) and a bar (hold), centred on y."""
        count, is_held = gesture_kinds.presses(code)
        if code == core_gestures.IMPACT:
            self._pdf.set_line_width(0.2)
            self._zigzag(x, y - BAR_HEIGHT / 2, PRESS_LONG, teeth=4)
        for number in range(count):
            place = x + PRESS_RADIUS + number * PRESS_GAP
            self._pdf.circle(place, y, PRESS_RADIUS, style="F")
        if is_held:
            left, top = x + count * PRESS_GAP, y - PRESS_RADIUS
            self._pdf.rect(left, top, PRESS_LONG, 2 * PRESS_RADIUS, "F", round_corners=True)


def presses_width(code: int) -> float:
    """Return the width of a gesture's drawing."""
    count, is_held = gesture_kinds.presses(code)
    return count * PRESS_GAP + PRESS_LONG * (is_held or code == core_gestures.IMPACT)
