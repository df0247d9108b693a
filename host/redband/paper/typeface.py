"""The typeface of printed sheets: PT Sans, made for Russian, shipped with its licence.

Problem: text must be measured before it is placed, and a letter that the font lacks would print
as an empty box. Guarantee: widths are the font's own; a text with a missing letter is refused by
name. License: `fonts/PTSans-LICENSE.txt` (free, may be embedded). It draws nothing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont

from redband.errors import RedbandUserError

FOLDER = Path(__file__).with_name("fonts")
NAME = "PT Sans"
KEPT_NAMES = [0, 13]  # copyright and licence stay in a subset; the font's own name does not


def words(text: str) -> list[str]:
    """Return the parts between which a line may be broken: a number stays with what it counts."""
    return [word for word in re.split(r"(?<!\d)\s+", " ".join(text.split())) if word]


class Face:
    """One weight of the typeface. path: its file."""

    def __init__(self, file: str) -> None:
        self.path = FOLDER / file
        font: Any = TTFont(self.path, lazy=True)  # its tables have no types
        self._per_em: int = font["head"].unitsPerEm
        metrics = font["hmtx"].metrics
        self._widths: dict[int, int] = {
            letter: metrics[glyph][0] for letter, glyph in font.getBestCmap().items()
        }

    def width(self, text: str, size: float) -> float:
        """Return the width of a line in the unit of `size`. Raises RedbandUserError."""
        try:
            return sum(self._widths[ord(letter)] for letter in text) * size / self._per_em
        except KeyError as error:
            letter = chr(error.args[0])
            raise RedbandUserError(
                f'the font of the sheets, {NAME}, has no "{letter}" (U+{ord(letter):04X}), '
                f'which stands in "{text[:60]}"; write it in Latin or Cyrillic letters'
            ) from error

    def wrap(self, text: str, size: float, width: float) -> list[str]:
        """Return the text in lines no wider than `width`; a longer word is broken."""
        lines: list[str] = []
        line = ""
        for word in words(text):
            trial = f"{line} {word}" if line else word
            if self.width(trial, size) <= width:
                line = trial
                continue
            if line:
                lines.append(line)
            while self.width(word, size) > width and len(word) > 1:
                count = len(word)
                while count > 1 and self.width(word[:count], size) > width:
                    count -= 1
                lines.append(word[:count])
                word = word[count:]
            line = word
        return [*lines, line] if line else lines

    def subset(self, texts: Iterable[str]) -> bytes:
        """Return a TrueType font with the letters of `texts` alone, for embedding."""
        options = subset.Options()
        options.hinting = False
        options.layout_features = []
        options.name_IDs = KEPT_NAMES
        options.notdef_outline = True
        font = TTFont(self.path, recalcTimestamp=False)
        tool = subset.Subsetter(options)
        tool.populate(text="".join(sorted(set("".join(texts)))))
        tool.subset(font)
        out = io.BytesIO()
        font.save(out)
        return out.getvalue()


@cache
def regular() -> Face:
    """Return the weight for text."""
    return Face("PTSans-Regular.ttf")


@cache
def bold() -> Face:
    """Return the weight for headings."""
    return Face("PTSans-Bold.ttf")
