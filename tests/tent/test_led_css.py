"""The page's blinking is the badge's blinking."""

import re

import pytest

from redband.tent.led_css import lamp_class, patterns_css
from redband_core import led

PATTERNS = range(len(led.PATTERN_NAMES))
LONGEST_MS = max(led.cycle_ms(pattern) for pattern in PATTERNS)


def css_level(css: str, pattern: int, phase_ms: int) -> int:
    """Return what the style sheet shows of a pattern at a phase, read as a browser reads it."""
    name = lamp_class(pattern)
    still = re.search(rf"\.{name} \.lit {{ opacity: (\d); }}", css)
    if still:
        return int(still.group(1))
    frames = re.search(rf"@keyframes {name} {{(.*)}}\n", css)
    length = re.search(rf"animation: {name} (\d+)ms step-end infinite", css)
    assert frames
    assert length
    position = phase_ms % int(length.group(1)) * 100 / int(length.group(1))
    steps = re.findall(r"([\d.]+)% { opacity: (\d); }", frames.group(1))
    return [int(on) for at, on in steps if float(at) <= position + 1e-4][-1]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_page_cannot_drift_from_the_badge(pattern):
    css = patterns_css()
    phases = range(2 * LONGEST_MS)
    shown = [css_level(css, pattern, phase_ms) for phase_ms in phases]
    assert shown == [led.level(pattern, phase_ms) for phase_ms in phases]


def test_every_pattern_has_a_class_of_its_own():
    names = [lamp_class(pattern) for pattern in PATTERNS]
    assert len(set(names)) == len(names)
    assert all(names)


def test_an_unknown_pattern_has_none():
    assert lamp_class(len(led.PATTERN_NAMES)) == ""
    assert lamp_class(-1) == ""
