"""What only the self-test does to the hardware. Leaves the memory with it.

Guarantee: outputs are off again at the end. Cannot see whether a LED shines or a motor turns:
only that the pin follows.
"""

from machine import Pin

from redband_hal import board


def stuck_outputs() -> int:
    """Return which outputs do not follow their pin: 1 red, 2 green, 4 motor, added up.

    An output pin of the ESP32 reads the level at the pin itself, so a short shows.
    """
    stuck = 0
    outputs = (
        (board.PIN_LED_RED, board.LED_RED_ACTIVE_LOW),
        (board.PIN_LED_GREEN, board.LED_GREEN_ACTIVE_LOW),
        (board.PIN_VIBRATION, board.VIBRATION_ACTIVE_LOW),
    )
    for index, (number, is_active_low) in enumerate(outputs):
        off_level = 1 if is_active_low else 0
        pin = Pin(number, Pin.OUT, value=off_level)
        for level in (1 - off_level, off_level):
            pin.value(level)
            if pin.value() != level:
                stuck |= 1 << index
    return stuck
