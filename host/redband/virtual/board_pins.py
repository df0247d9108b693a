"""The badge's board around the chip: button, sensor, battery divider, LEDs, motor.

Pins and polarity are those of firmware/lib/redband_hal/board.py, made from a
file in hardware/boards. Guarantee: a contact pulls its pin to its active level or leaves it open;
what an open pin reads is the firmware's pull's business.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator

from redband.build.firmware import firmware_directory
from redband.virtual.battery import BatteryFaults
from redband.virtual.sensor import Accelerometer, Profile
from redband.virtual.silicon import opcodes

BUTTON = "BUTTON"
IMPACT = "IMPACT"
CONTACTS = (BUTTON, IMPACT)
LIGHTS = ("LED_RED", "LED_GREEN", "VIBRATION")

DUTY_FULL = 65535

Leds = tuple[int, int, int]


class BoardPins:
    """Levels at the chip's pins, from both sides."""

    def __init__(self, battery_mv: int, sensor: Accelerometer | None = None) -> None:
        """Read the board file. battery_mv: of the cell; sensor: None for an impact switch."""
        self.battery_mv = battery_mv
        self.sensor = sensor
        self.motor_shakes_switch = False
        """Of starts from now on: the motor closes the impact switch for instants."""
        self._board = runpy.run_path(
            str(firmware_directory() / "lib" / "redband_hal" / "board.py")
        )
        self._driven: dict[int, int] = {}
        self._duties: dict[int, int] = {}
        self.held: set[int] = set()
        """Pins that keep their output while the chip sleeps deeply or starts again."""
        self.battery_faults = BatteryFaults()
        self.on_lights: Callable[[Leds], None] = lambda _: None

    def contact_pin(self, name: str) -> int:
        """Return the pin of BUTTON or IMPACT."""
        return int(self._board[f"PIN_{name}"])

    def contact_level(self, name: str, is_closed: bool) -> int:
        """Return what a contact does to its pin: its active level, or nothing (OPEN)."""
        active_level = 0 if self._board[f"{name}_ACTIVE_LOW"] else 1
        return active_level if is_closed else opcodes.OPEN

    def close_contact(self, name: str, is_closed: bool) -> tuple[int, int]:
        """Close or open BUTTON or IMPACT; return (pin, level driven) for the chip."""
        pin = self.contact_pin(name)
        self._driven[pin] = self.contact_level(name, is_closed)
        return pin, self._driven[pin]

    def sensor_registers(self, registers: bytes) -> None:
        """Keep the accelerometer's registers, for when the chip's program starts again."""
        if self.sensor is not None:
            self.sensor.registers = registers

    def chip_sleeps(self) -> None:
        """From now on the accelerometer's line is driven from here."""
        if self.sensor is not None:
            self._driven[self.contact_pin(IMPACT)] = self.sensor.levels_of([])[-1]

    def blow_asleep(self, profile: Profile) -> Iterator[int]:
        """Let the accelerometer feel `profile`; its line takes each level that is yielded."""
        assert self.sensor is not None
        for level in self.sensor.levels_of(profile):
            self._driven[self.contact_pin(IMPACT)] = level
            yield level

    def lose_power(self) -> None:
        """The battery is out: nothing on the board drives anything."""
        self.held.clear()
        self.release_outputs()
        if self.sensor is not None:
            self.sensor.lose_power()
            self._driven.pop(self.contact_pin(IMPACT), None)

    def board_facts(self) -> dict[str, object]:
        """Return what is soldered to the chip, as silicon/fitted.py reads it."""
        board = self._board
        sensor = None
        if self.sensor is not None:
            sensor = self.sensor.facts() | {
                "sda": board["PIN_ACCELEROMETER_SDA"],
                "scl": board["PIN_ACCELEROMETER_SCL"],
                "int1": board["PIN_IMPACT"],
            }
        return {
            "motor": [board["PIN_VIBRATION"], int(not board["VIBRATION_ACTIVE_LOW"])],
            "impact": [board["PIN_IMPACT"], int(not board["IMPACT_ACTIVE_LOW"])],
            "rattles": self.motor_shakes_switch and sensor is None,
            "sensor": sensor,
        }

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

    def adc_faults(self) -> bytes:
        """Return what is wrong with the battery, for the chip."""
        return self.battery_faults.packed(self._board["BATTERY_DIVIDER"])

    def set_output(self, pin: int, level: int) -> None:
        """The chip drives `pin` to `level`."""
        self.set_duty(pin, DUTY_FULL if level else 0)

    def set_duty(self, pin: int, duty: int) -> None:
        """The chip drives `pin` high for `duty` of 65535 parts of the time."""
        before = self.light_levels()
        self._duties[pin] = duty
        self._tell(before)

    def hold(self, pin: int, is_held: bool) -> None:
        """The chip keeps an output as it is, even in deep sleep, or lets it go."""
        before = self.light_levels()
        (self.held.add if is_held else self.held.discard)(pin)
        if not is_held:
            self._duties.pop(pin, None)
        self._tell(before)

    def release_outputs(self) -> None:
        """The chip drives nothing any more but what it holds."""
        before = self.light_levels()
        self._duties = {pin: duty for pin, duty in self._duties.items() if pin in self.held}
        self._tell(before)

    def lights(self) -> Leds:
        """Return (red, green, vibration): 1 on, however weakly, 0 off."""
        red, green, vibration = (int(level > 0) for level in self.light_levels())
        return red, green, vibration

    def light_levels(self) -> Leds:
        """Return (red, green, vibration) in per cent of the time that each is on."""
        red, green, vibration = (self._percent(name) for name in LIGHTS)
        return red, green, vibration

    def _percent(self, name: str) -> int:
        is_low = self._board[f"{name}_ACTIVE_LOW"]
        duty = self._duties.get(self._board[f"PIN_{name}"], DUTY_FULL if is_low else 0)
        return -(-100 * (DUTY_FULL - duty if is_low else duty) // DUTY_FULL)

    def _tell(self, before: Leds) -> None:
        if self.light_levels() != before:
            self.on_lights(self.lights())
