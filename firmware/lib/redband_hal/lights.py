"""The red LED, the green LED and the vibration motor.

Guarantee: show() sets all three at once, so one call heals whatever a glitch did to a pin. Does
not know patterns: redband_core.led does.
"""

from machine import Pin

from redband_hal import board


class Lights:
    """Three outputs, off at power-on."""

    def __init__(self) -> None:
        """Claim the pins of the board file and switch all off."""
        self._outputs = []
        for pin_number, is_active_low in (
            (board.PIN_LED_RED, board.LED_RED_ACTIVE_LOW),
            (board.PIN_LED_GREEN, board.LED_GREEN_ACTIVE_LOW),
            (board.PIN_VIBRATION, board.VIBRATION_ACTIVE_LOW),
        ):
            off_level = 1 if is_active_low else 0
            self._outputs.append((Pin(pin_number, Pin.OUT, value=off_level), off_level))

    def show(self, red: int, green: int, vibration: int) -> None:
        """Set each output: 1 on, 0 off."""
        for (pin, off_level), level in zip(self._outputs, (red, green, vibration)):
            pin.value(level ^ off_level)
