"""What kinds of gestures there are: their names in ruleset files, in words, and as presses.

Guarantee: the one place that the host has for them; the badge recognises them in
redband_core.gestures.
"""

from __future__ import annotations

from redband_core import gestures as core
from redband_core.limits import HOLD_MS

GESTURES = {
    "press": core.PRESS,
    "impact": core.IMPACT,
    "hold": core.HOLD,
    **{f"taps_{n}": core.TAPS + n for n in range(2, 10)},
    **{f"taps_{n}_hold": core.TAPS_HOLD + n for n in range(1, 10)},
    **{f"medic_{n}": core.MEDIC + n for n in range(1, 10)},
    **{f"given_{n}": core.GIVEN + n for n in range(1, 10)},
}


def told(code: int) -> tuple[str, str]:
    """Return what the player does, English and Russian."""
    count, few = code & 0x0F, 2 <= code & 0x0F <= 4
    seconds = f"{HOLD_MS / 1000:g}"
    hold = f"hold for {seconds} s", f"держать {seconds.replace('.', ',')} с"
    if code == core.PRESS:
        return "press", "нажать"
    if code == core.IMPACT:
        return "blow on the sensor", "удар по датчику"
    if code == core.HOLD:
        return hold
    if code >= core.GIVEN:
        return "the medic gives for it", "что медик тратит на это"
    if code < core.TAPS_HOLD:
        return f"press {count} times", f"нажать {count} {'раза' if few else 'раз'}"
    presses = "быстрых нажатия" if few else "быстрых нажатий"
    presses = "быстрое нажатие" if count == 1 else presses
    return (
        f"{count} quick press{'es' * (count > 1)}, then {hold[0]}",
        f"{count} {presses}, затем {hold[1]}",
    )


def presses(code: int) -> tuple[int, bool]:
    """Return the short presses of a gesture, and whether a long one follows."""
    if code >= core.GIVEN:
        return 0, False  # nobody presses anything
    count = code & 0x0F if code >= core.TAPS else int(code == core.PRESS)
    return count, code == core.HOLD or code >= core.TAPS_HOLD
