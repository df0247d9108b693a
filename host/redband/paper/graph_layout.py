"""Where the boxes and arrows of a diagram stand: Graphviz's `dot`, as the package ships it.

Problem: a readable layout of a graph is a hard problem that Graphviz has solved.
Guarantee: nothing need be installed by hand (pygraphviz's wheels hold Graphviz), no process is
started and no font is asked for: sizes are given. Equal input gives equal output. It draws
nothing. Lengths are points; y grows downwards.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Point = tuple[float, float]
POINTS_PER_INCH = 72


@dataclass(frozen=True, slots=True)
class Box:
    """A thing with a size. shape: a Graphviz shape, at whose edge arrows end."""

    name: str
    width: float
    height: float
    shape: str = "box"


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two boxes, with room for a label of this size (0, 0: none).

    has_tip: whether it ends in an arrow's head.
    """

    name: str
    tail: str
    head: str
    label_width: float = 0
    label_height: float = 0
    has_tip: bool = True


@dataclass(frozen=True, slots=True)
class Layout:
    """width, height: of everything. boxes, labels: centres by name.

    lines: by name the points of a curve: start, then three for each cubic Bézier piece.
    tips: by name where the arrow's head ends.
    """

    width: float
    height: float
    boxes: dict[str, Point]
    labels: dict[str, Point]
    lines: dict[str, list[Point]]
    tips: dict[str, Point]


def lay_out(boxes: list[Box], links: list[Link]) -> Layout:
    """Return the layout, from top to bottom."""
    import pygraphviz  # loads Graphviz's libraries: only who draws needs them

    graph: Any = pygraphviz.AGraph(
        strict=False,
        directed=True,
        rankdir="TB",
        nodesep="0.3",
        ranksep="0.35",
        margin="0",
        pad="0",
    )
    for box in boxes:
        graph.add_node(
            box.name,
            label="",
            shape=box.shape,
            fixedsize="true",
            width=f"{box.width / POINTS_PER_INCH:.4f}",
            height=f"{box.height / POINTS_PER_INCH:.4f}",
        )
    for link in links:
        attributes = {"id": link.name, "arrowhead": "normal" if link.has_tip else "none"}
        if link.label_width:
            size = f'WIDTH="{round(link.label_width)}" HEIGHT="{round(link.label_height)}"'
            attributes["label"] = (
                f'<<TABLE BORDER="0" FIXEDSIZE="TRUE" {size}><TR><TD></TD></TR></TABLE>>'
            )
        graph.add_edge(link.tail, link.head, link.name, **attributes)
    data: dict[str, Any] = json.loads(graph.draw(format="json", prog="dot"))
    graph.close()
    return _read(data)


def _read(data: dict[str, Any]) -> Layout:
    """Return the layout in Graphviz's answer, whose y grows upwards."""
    _left, _bottom, width, height = map(float, data["bb"].split(","))

    def point(text: str) -> Point:
        x, y = map(float, text.split(","))
        return round(x, 2), round(height - y, 2)

    layout = Layout(width, height, {}, {}, {}, {})
    for node in data["objects"]:
        layout.boxes[node["name"]] = point(node["pos"])
    for edge in data.get("edges", ()):
        name = edge["id"]
        words = edge["pos"].split()
        if words[0].startswith("e,"):
            layout.tips[name] = point(words.pop(0)[2:])
        layout.lines[name] = [point(word) for word in words]
        if "lp" in edge:
            layout.labels[name] = point(edge["lp"])
    return layout
