"""The badge's board around the chip: button, sensor, battery divider, LEDs, motor.

Pins and polarity are those of firmware/lib/redband_hal/board.py, generated from
hardware/board.toml. Guarantee: a contact pulls its pin to its active level or leaves it open; what
an open pin reads is the firmware's pull's business.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable

from redband.fleet.firmware import firmware_directory
from redband.virtual.silicon import opcodes

BUTTON = "BUTTON"
IMPACT = "IMPACT"
LIGHTS = ("LED_RED", "LED_GREEN", "VIBRATION")

Leds = tuple[int, int, int]


class BoardPins:
    """Levels at the chip's pins, from both sides."""

    def __init__(self, battery_mv: int) -> None:
        """Read the board file. battery_mv: of the cell."""
        self.battery_mv = battery_mv
        self._board = runpy.run_path(
            str(firmware_directory() / "lib" / "redband_hal" / "board.py")
        )
        self._driven: dict[int, int] = {}
        self._outputs: dict[int, int] = {}
        self.on_lights: Callable[[Leds], None] = lambda _: None

    def close_contact(self, name: str, is_closed: bool) -> tuple[int, int]:
        """Close or open BUTTON or IMPACT; return (pin, level driven) for the chip."""
        pin = self._board[f"PIN_{name}"]
        active_level = 0 if self._board[f"{name}_ACTIVE_LOW"] else 1
        self._driven[pin] = active_level if is_closed else opcodes.OPEN
        return pin, self._driven[pin]

    def driven_levels(self) -> list[tuple[int, int]]:
        """Return (pin, level driven) of every pin that something outside is at."""
        return list(self._driven.items())

    def level(self, pin: int) -> int:
        """Return the level of an input with the pull that makes an open contact inactive."""
        level = self._driven.get(pin, opcodes.OPEN)
        if level != opcodes.OPEN:
            return level
        lows = [name for name in (BUTTON, IMPACT) if self._board[f"{name}_ACTIVE_LOW"]]
        return int(pin in {self._board[f"PIN_{name}"] for name in lows})

    def battery_at_pin(self) -> tuple[int, int]:
        """Return (ADC pin, mV there, behind the divider)."""
        return self._board["PIN_BATTERY_ADC"], self.battery_mv // self._board["BATTERY_DIVIDER"]

    def set_output(self, pin: int, level: int) -> None:
        """The chip drives `pin` to `level`."""
        before = self.lights()
        self._outputs[pin] = level
        self._tell(before)

    def release_outputs(self) -> None:
        """The chip drives nothing any more."""
        before = self.lights()
        self._outputs.clear()
        self._tell(before)

    def lights(self) -> Leds:
        """Return (red, green, vibration): 1 on, 0 off."""
        red, green, vibration = (self._is_on(name) for name in LIGHTS)
        return red, green, vibration

    def _is_on(self, name: str) -> int:
        off_level = int(self._board[f"{name}_ACTIVE_LOW"])
        return int(self._outputs.get(self._board[f"PIN_{name}"], off_level) != off_level)

    def _tell(self, before: Leds) -> None:
        now = self.lights()
        if now != before:
            self.on_lights(now)
