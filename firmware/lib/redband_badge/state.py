"""What the tasks show each other: the badge's present state, for LED and radio to display.

Guarantee: only the game task sets the game's values, and only after the journal holds them. Every
change wakes those who watch. Nothing here is saved; the journal is.
"""

from redband_core import numbers
from redband_core.advert import FLAG_FAULT
from redband_hal.event_loop import Wakeup


class BadgeState:
    """Values shown on LEDs and in adverts."""

    def __init__(self) -> None:
        self.signal = 0
        self.counters = (0, 0)
        self.shown = ()  # what the game task last compared
        self.timer_left_ms = -1  # of the shown timer at the game task's last tick, -1 for none
        self.last_seq = -1
        self.revision = 0  # grows with each change, mod 2**16
        self.battery_mv = 0
        self.battery_pct = 100
        self.flags = 0  # FLAG_ bits of redband_core.advert
        self.faults = 0  # FAULT_ bits
        self.radio_failures = 0  # starts and adverts that the controller refused
        self.acknowledged = 0  # grows with each input that counted
        self.identified = 0  # grows each time that somebody wants to see which badge it is
        self.refused = 0  # grows with each input that the rules refused
        self.lights_once = b""  # lights of a medic's tap, see show_once()
        self.lights_once_count = 0
        self.is_motor_on = False
        self.motor_ticks_ms = -1  # when the motor was last on, -1 for never
        self.motor_since_ticks_ms = 0  # when it was switched on then
        self.led_wakeup = Wakeup()
        self.radio_wakeup = Wakeup()
        self.safe_mode_reason = 0  # a REASON_ number, 0 in normal mode
        self.release_before_seq = 0  # what the host has: the radio task asks, the game task acts
        self.game_ms = 0  # game time at the game task's last wake-up, at most a second ago
        self.is_paused = False  # the game is paused; inputs are refused, timers stand
        self.on_answer = None  # called as on_answer(number, answer) when a command is done
        self.on_gesture = None  # called as on_gesture(code, first_ms, now_ms): see tap_gestures
        # Light and power: docs/power.md says who sets what.
        self.is_emergency = False
        self.brightness_pct = 100
        self.is_lit = False  # a light or the motor is on
        self.is_saving = False  # the battery is low: motor off, adverts slower
        self.is_critical = False  # lower still: as little as can be
        self.is_connected = False  # a peer is at the radio
        self.is_input_busy = False  # a contact moves, or a gesture is not over
        self.is_in_game = True
        self.is_off_warned = False  # without a press the badge sleeps within seconds
        self.sleep_request = 0  # a SLEEP_ number: the power task acts on it
        self.sleep_refusal = numbers.AWAKE_NO_SLEEPER  # why it is awake

    @property
    def code(self) -> int:
        """LED code to show beside the state: a REASON_ or CODE_ number, 0 for none."""
        if self.safe_mode_reason:
            return self.safe_mode_reason
        if self.faults & (numbers.FAULT_RADIO | numbers.FAULT_OBSERVER):
            return numbers.CODE_RADIO
        return numbers.CODE_SELF_TEST if self.faults & numbers.FAULT_SELF_TEST else 0

    def set_flag(self, flag: int, is_set: bool) -> None:
        """Set or clear one bit of `flags`."""
        flags = self.flags | flag if is_set else self.flags & ~flag
        if flags != self.flags:
            self.flags = flags
            self.touch()

    def set_fault(self, fault: int, is_set: bool) -> None:
        """Set or clear one FAULT_ bit; the FAULT flag shows whether any is set."""
        self.faults = self.faults | fault if is_set else self.faults & ~fault
        self.set_flag(FLAG_FAULT, bool(self.faults))

    def set_motor(self, is_on: bool, ticks_ms: int) -> None:
        """The motor is on or off from `ticks_ms` on; the impact sensor is not believed then."""
        if is_on and not self.is_motor_on:
            self.motor_since_ticks_ms = ticks_ms
        if is_on or self.is_motor_on:
            self.motor_ticks_ms = ticks_ms
        self.is_motor_on = is_on

    def show_once(self, lights: bytes) -> None:
        """Show a sequence of light_show once, over the state; it replaces the one before."""
        self.lights_once = lights
        self.lights_once_count += 1
        self.led_wakeup.set()

    def touch(self) -> None:
        """Something shown has changed."""
        self.revision = (self.revision + 1) & 0xFFFF
        self.led_wakeup.set()
        self.radio_wakeup.set()
