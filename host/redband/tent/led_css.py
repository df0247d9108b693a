"""The badge's light patterns as CSS animations.

Problem: a page that describes blinking by hand drifts from what the badge does. Guarantee: every
class is generated from `redband_core.led`, the module the badge runs, so a lamp on the page is lit
at exactly the phases at which the lamp on the arm is. Only opacity is animated, in steps, which
browsers do without layout or paint.
"""

from __future__ import annotations

from redband_core import led


def lamp_class(pattern: int) -> str:
    """Return the CSS class of a pattern code, "" for a code this host does not know.

    A newer badge may know more patterns; the page then shows the state in words, not a wrong lamp.
    """
    if not 0 <= pattern < len(led.PATTERN_NAMES):
        return ""
    return f"led-{led.PATTERN_NAMES[pattern]}"


def stretches(pattern: int) -> list[tuple[int, int]]:
    """Return one cycle of a pattern as (start in ms, level) per stretch of equal level."""
    cycle_ms = led.cycle_ms(pattern)
    found = [(0, led.level(pattern, 0))]
    at_ms = 0
    while cycle_ms:
        at_ms += led.next_change_ms(pattern, at_ms)
        if at_ms >= cycle_ms:
            break
        found.append((at_ms, led.level(pattern, at_ms)))
    return found


def pattern_css(pattern: int) -> str:
    """Return the rules of one pattern: its keyframes if it changes, and its class."""
    name = lamp_class(pattern)
    cycle_ms = led.cycle_ms(pattern)
    if not cycle_ms:
        return f".{name} .lit {{ opacity: {led.level(pattern, 0)}; }}\n"
    frames = [
        f"{start * 100 / cycle_ms:.6f}% {{ opacity: {on}; }}" for start, on in stretches(pattern)
    ]
    frames.append(f"100% {{ opacity: {led.level(pattern, 0)}; }}")
    return (
        f"@keyframes {name} {{ {' '.join(frames)} }}\n"
        f".{name} .lit {{ animation: {name} {cycle_ms}ms step-end infinite; }}\n"
    )


def patterns_css() -> str:
    """Return the rules of all patterns that the badge knows."""
    return "".join(pattern_css(pattern) for pattern in range(len(led.PATTERN_NAMES)))
