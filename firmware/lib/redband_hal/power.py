"""Sleep, and who is at the USB port.

Guarantee: the chip is never put to sleep when nothing could wake it. Does not decide when:
redband_badge does.
"""

import time

import esp32
import machine
from machine import Pin

from redband_hal import board

# Number of the last frame of the USB host, of the ESP32-C3's USB-Serial-JTAG controller: it grows
# each millisecond while a host is there. The module has no name for it.
_USB_FRAME = 0x60043024


def can_wake() -> bool:
    """Return whether the button can end a deep sleep: on an ESP32-C3 since MicroPython 1.27."""
    return hasattr(esp32, "wake_on_gpio")


def button() -> Pin:
    """Return the button's pin as an input, without an interrupt."""
    return Pin(board.PIN_BUTTON, Pin.IN, _pull())


def _pull() -> int:
    return Pin.PULL_UP if board.BUTTON_ACTIVE_LOW else Pin.PULL_DOWN


def is_pressed(pin: Pin) -> bool:
    """Return whether the button is down."""
    return pin.value() != int(board.BUTTON_ACTIVE_LOW)


def deep_sleep(duration_ms: int) -> None:
    """Sleep until the button is pressed, or for a time. Does not return: the chip starts anew.

    `duration_ms`: 0 for the button. The lights are held off by lights.switch_off(True).
    """
    if hasattr(esp32, "gpio_deep_sleep_hold"):  # on chips that need it said
        esp32.gpio_deep_sleep_hold(True)  # pyright: ignore (the stubs lack it)
    if duration_ms:
        machine.deepsleep(duration_ms)
    is_high = not board.BUTTON_ACTIVE_LOW
    level = esp32.WAKEUP_ANY_HIGH if is_high else esp32.WAKEUP_ALL_LOW
    esp32.wake_on_gpio((button(),), level)
    machine.deepsleep()


def light_sleep(duration_ms: int) -> None:
    """Stop the chip for a time; memory and outputs stay, interrupts, PWM and USB do not."""
    machine.lightsleep(duration_ms)


def usb_frame() -> int:
    """Return the number of the last frame that a USB host sent: it changes while one is there."""
    return machine.mem32[_USB_FRAME]


def pause_ms(duration_ms: int) -> None:
    """Wait, with nothing else running."""
    time.sleep_ms(duration_ms)


def stop_radio() -> None:
    """Switch the Bluetooth controller off, whoever holds it."""
    import bluetooth

    bluetooth.BLE().active(False)
