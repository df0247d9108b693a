"""The patterns of the LEDs and the vibration motor, as functions of a phase.

A player in the dark, or one who tells no red from green, must still read the state: patterns
differ in rhythm, not only in colour (a test compares them all). Guarantee: a level is a pure
function of (pattern, phase), so the lights can be set afresh at any moment. Drives no pin.
"""

from redband_core import numbers
from redband_core.errors import UsageError

OFF = 0
STEADY = 1
SLOW_BLINK = 2
FAST_BLINK = 3
DOUBLE_FLASH = 4
SHORT_FLASH = 5
HEARTBEAT = 6
TRIPLE_FLASH = 7

PATTERN_NAMES = (
    "off",
    "steady",
    "slow_blink",
    "fast_blink",
    "double_flash",
    "short_flash",
    "heartbeat",
    "triple_flash",
)
"""Names as rulesets write them; the index is the code."""

# Each pattern's cycle: ms on, off, on, off ... beginning with on. A cycle of one entry never
# changes. The heartbeat is a short and a long beat, so it cannot pass for two equal flashes.
_CYCLES_MS = (
    (),
    (1000,),
    (500, 500),
    (125, 125),
    (80, 170, 80, 1170),
    (60, 1940),
    (80, 120, 300, 500),
    (80, 170, 80, 170, 80, 920),
)


def _position(pattern: int, phase_ms: int) -> "tuple[int, int]":
    """Return (index of the stretch that the phase lies in, ms left of it)."""
    cycle_ms = _cycle(pattern)
    left_ms = phase_ms % sum(cycle_ms)
    index = 0
    while left_ms >= cycle_ms[index]:
        left_ms -= cycle_ms[index]
        index += 1
    return index, cycle_ms[index] - left_ms


def _cycle(pattern: int) -> "tuple[int, ...]":
    if not 0 <= pattern < len(_CYCLES_MS):
        raise UsageError(numbers.ERROR_PATTERN, pattern)
    return _CYCLES_MS[pattern]


def level(pattern: int, phase_ms: int) -> int:
    """Return 1 when the light is on, 0 when off.

    `pattern`: a code of this module, else UsageError. `phase_ms`: time since the pattern began;
    all patterns begin with light.
    """
    if pattern <= STEADY:
        return len(_cycle(pattern))
    return 1 - (_position(pattern, phase_ms)[0] & 1)


def next_change_ms(pattern: int, phase_ms: int) -> int:
    """Return the ms from `phase_ms` until the level changes, >= 1, or -1 when it never does."""
    if len(_cycle(pattern)) < 2:
        return -1
    return _position(pattern, phase_ms)[1]


def cycle_ms(pattern: int) -> int:
    """Return after how many ms the pattern repeats; 0 when it never changes."""
    cycle = _cycle(pattern)
    return sum(cycle) if len(cycle) > 1 else 0
