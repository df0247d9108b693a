"""What the lights show: the state's signal, and what lies over it.

Problem: more than one thing wants the same two lamps and the motor. Guarantee: one order decides,
and each thing has a rhythm of its own, with the colours left out (a test compares them all with
the signals of every shipped ruleset):

1. a real emergency: SOS in Morse, at full brightness, over everything
2. an input that counted: both lamps and the motor, once and short
3. answers to a medic's tap, once each (`tap`)
4. somebody wants to see which badge it is: long lights with short darks, for 10 s
5. the warning before the badge switches itself off: a tick each second
6. a pause of the game: two long flashes and a long dark
7. an LED code, each 8 s: as many flashes as its number, each red first and green then
8. a low battery, each 16 s: four quick flashes between two darks
9. the signal of the state, as the ruleset says

Pure: levels follow from the state and the uptime. Drives no pin.
"""

from redband_core import led, limits

RED = 1
GREEN = 2
MOTOR = 4

# Sequences: pairs of bytes, a duration in units of 10 ms and the levels as bits.
UNIT_MS = 10
EMERGENCY = (
    b"\x14\x03\x14\x00\x14\x03\x14\x00\x14\x03\x3c\x00"  # 200 ms on and off
    b"\x3c\x07\x14\x00\x3c\x07\x14\x00\x3c\x07\x3c\x00"  # three times as long, and felt
    b"\x14\x03\x14\x00\x14\x03\x14\x00\x14\x03\x8c\x00"
)
IDENTIFY = b"\x46\x03\x1e\x00"  # not felt: a motor blinds the sensor
OFF_WARNING = b"\x0a\x03\x5a\x00"
PAUSED = b"\x28\x03\x14\x00\x28\x03\xff\x00\x2d\x00"
LOW_BATTERY = b"\x28\x00\x06\x03\x0e\x00\x06\x03\x0e\x00\x06\x03\x0e\x00\x06\x03\x36\x00"
# After a dark step, so that the code can be told from the state.
CODE_BEGIN = b"\x0f\x00"
CODE_FLASH = b"\x0f\x01\x0f\x02\x0f\x00"


def step_at(sequence: bytes, phase_ms: int) -> "tuple[int, int] | None":
    """Return (levels, ms for which they stay so) at `phase_ms` of it, None after its end."""
    for index in range(0, len(sequence), 2):
        left_ms = sequence[index] * UNIT_MS - phase_ms
        if left_ms > 0:
            return sequence[index + 1], left_ms
        phase_ms = -left_ms
    return None


def brightness_pct(state) -> int:
    """Return how bright the lamps are now, 1 to 100: as set, or less on a low battery."""
    if state.is_emergency:
        return 100
    most_pct = 100
    if state.is_saving:
        most_pct = limits.SAVING_BRIGHTNESS_PCT
    if state.is_critical:
        most_pct = limits.CRITICAL_BRIGHTNESS_PCT
    return min(state.brightness_pct, most_pct)


class LightShow:
    """What to show at a time."""

    def __init__(self, signals: tuple) -> None:
        """`signals`: (red, green, vibration) patterns for each signal of the ruleset."""
        self._signals = signals
        self._signal = -1
        self._signal_since_ms = 0
        self._acknowledged = 0
        self._acknowledge_until_ms = 0
        self._once = b""  # is played once, over the state
        self._once_count = 0
        self._once_since_ms = 0
        self._identified = 0
        self._identify_until_ms = 0
        self._lasting = b""  # what is shown instead of the state, again and again
        self._lasting_since_ms = 0
        self._code = 0
        self._is_low = False
        self._marks_since_ms = 0  # when code and battery mark began to be shown

    def follow(self, state, now_ms: int) -> None:
        """Take over what the badge's state says. `now_ms`: uptime, never decreasing."""
        if state.signal != self._signal:
            self._signal = state.signal
            self._signal_since_ms = now_ms
        if state.acknowledged != self._acknowledged:
            self._acknowledged = state.acknowledged
            self._acknowledge_until_ms = now_ms + limits.ACKNOWLEDGE_MS
        if state.lights_once_count != self._once_count:
            self._once_count = state.lights_once_count
            self._once = state.lights_once
            self._once_since_ms = now_ms
        if state.identified != self._identified:
            self._identified = state.identified
            self._identify_until_ms = now_ms + limits.IDENTIFY_MS
        lasting = b""
        if state.is_emergency:
            lasting = EMERGENCY
        elif now_ms < self._identify_until_ms:
            lasting = IDENTIFY
        elif state.is_off_warned:
            lasting = OFF_WARNING
        elif state.is_paused:
            lasting = PAUSED
        if lasting != self._lasting:
            self._lasting = lasting
            self._lasting_since_ms = now_ms
        code, is_low = state.code, state.is_saving
        if code != self._code or (is_low != self._is_low and not code):
            self._marks_since_ms = now_ms
        self._code = code
        self._is_low = is_low

    def frame(self, now_ms: int) -> "tuple[int, int]":
        """Return (levels as RED, GREEN and MOTOR bits, ms for which they stay so).

        They stay for LED_REFRESH_MS at most, so that all outputs are set again by then.
        """
        levels, stays_ms = self._top(now_ms)
        return levels, min(stays_ms, limits.LED_REFRESH_MS)

    def _top(self, now_ms: int) -> "tuple[int, int]":
        lasting = self._lasting
        left_ms = self._acknowledge_until_ms - now_ms
        if left_ms > 0 and lasting != EMERGENCY:
            return RED | GREEN | MOTOR, left_ms
        if self._once and lasting != EMERGENCY:
            found = step_at(self._once, now_ms - self._once_since_ms)
            if found:
                return found
            self._once = b""
        if lasting:
            found = step_at(lasting, now_ms - self._lasting_since_ms)
            if found is None:
                self._lasting_since_ms = now_ms
            return found or step_at(lasting, 0) or (0, 1)
        stays_ms = limits.LED_REFRESH_MS
        since_ms = now_ms - self._marks_since_ms
        if self._code:
            phase_ms = since_ms % limits.CODE_PERIOD_MS
            found = step_at(CODE_BEGIN + CODE_FLASH * self._code, phase_ms)
            if found:
                return found
            stays_ms = min(stays_ms, limits.CODE_PERIOD_MS - phase_ms)
        if self._is_low:
            # After the code, which takes the first seconds of each period.
            phase_ms = (since_ms - limits.BATTERY_MARK_AT_MS) % limits.BATTERY_MARK_PERIOD_MS
            found = step_at(LOW_BATTERY, phase_ms)
            if found:
                return found
            stays_ms = min(stays_ms, limits.BATTERY_MARK_PERIOD_MS - phase_ms)
        levels = 0
        if 0 <= self._signal < len(self._signals):
            phase_ms = now_ms - self._signal_since_ms
            bit = RED
            for pattern in self._signals[self._signal]:
                if led.level(pattern, phase_ms):
                    levels |= bit
                change_ms = led.next_change_ms(pattern, phase_ms)
                if change_ms >= 0:
                    stays_ms = min(stays_ms, change_ms)
                bit <<= 1
        return levels, stays_ms
