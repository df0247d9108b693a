"""The red LED, the green LED and the vibration motor.

Guarantee: show() sets all three at once, so one call heals whatever a glitch did to a pin. At
100 % the LEDs are plain outputs, full on; below that PWM dims them. The motor is never dimmed.
Does not know patterns: redband_core.light_show does.
"""

from machine import PWM, Pin

from redband_hal import board

# 4 kHz is beyond what an eye sees of a moving lamp (IEEE 1789: no effect above 3 kHz). A
# millisecond holds four whole periods, so every step of a pattern does, and none beats with it.
PWM_HZ = 4000
DUTY_FULL = 65535

_OUTPUTS = (
    (board.PIN_LED_RED, board.LED_RED_ACTIVE_LOW),
    (board.PIN_LED_GREEN, board.LED_GREEN_ACTIVE_LOW),
    (board.PIN_VIBRATION, board.VIBRATION_ACTIVE_LOW),
)


class Lights:
    """Three outputs, off at power-on."""

    def __init__(self) -> None:
        """Claim the pins of the board file, released from a deep sleep's hold, and switch off."""
        self._dimmers = []
        self._brightness_pct = 100
        self._pins = switch_off(False)

    def show(self, red: int, green: int, vibration: int, brightness_pct: int = 100) -> None:
        """Set each output: 1 on, 0 off. `brightness_pct`: of the LEDs, 1 to 100.

        It is linear, the share of the time that a lamp is on: half the current, half the light.
        An eye takes 20 % for about half as bright.
        """
        if brightness_pct != self._brightness_pct:
            self._set_brightness(brightness_pct)
        levels = (red, green, vibration)
        for index, (_number, is_low) in enumerate(_OUTPUTS):
            if index < len(self._dimmers):
                duty = levels[index] * brightness_pct * DUTY_FULL // 100
                self._dimmers[index].duty_u16(DUTY_FULL - duty if is_low else duty)
            else:
                self._pins[index].value(levels[index] ^ int(is_low))

    def _set_brightness(self, brightness_pct: int) -> None:
        self._brightness_pct = brightness_pct
        if brightness_pct < 100:
            if not self._dimmers:
                self._dimmers = [
                    PWM(pin, freq=PWM_HZ, duty_u16=DUTY_FULL if is_low else 0)
                    for pin, (_number, is_low) in zip(self._pins[:2], _OUTPUTS)
                ]
            return
        for dimmer in self._dimmers:
            dimmer.deinit()
        self._dimmers = []
        # A pin that PWM has left is no output yet.
        self._pins = switch_off(False)


def switch_off(is_held: bool) -> list:
    """Switch all outputs off and return their pins.

    `is_held`: they stay so, through deep sleep, until they are switched off without. What dims
    them is left to Lights.show().
    """
    return [
        Pin(number, Pin.OUT, value=int(is_low), hold=is_held)  # pyright: ignore
        for number, is_low in _OUTPUTS
    ]
