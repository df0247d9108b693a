"""The accelerometer on the I2C bus: its interrupt pin becomes a contact that a blow closes.

Guarantee: nothing but read() raises; what is wrong has a number. The pin stays closed until
take(), so that no blow is missed during a flash write or a light sleep. A chip of the same class
needs only a table like LIS3DH below. The pin itself is a redband_hal.inputs.Contact. Not tried on
a real chip yet by us: register values are those of the data sheet (ST DocID17530) and AN3308.
"""

import errno
import time

from machine import I2C, Pin

from redband_core import numbers
from redband_hal import board

_TURN_ON_MS = 5  # until there is data
_JUDGED_MS = 5  # more samples than INT1_DURATION
_BUS_TIMEOUT_US = 10_000  # a stuck bus must not hold up the other tasks

LIS3DH = (
    (0x18, 0x19),  # I2C addresses, by the level of SA0
    (0x0F, 0x33),  # WHO_AM_I; the LIS2DH12 says the same and has these registers
    (0x32, 186, 127),  # INT1_THS: mg a step at 16 g, largest
    0x26,  # REFERENCE: reading it makes the high-pass filter take the present as its zero
    (0xA7, 12),  # STATUS and the three axes, read with auto-increment; mg a step of 12 bits
    (
        (0x25, 0x02),  # CTRL_REG6: interrupt active low; first, as an idle pin would be low else
        (0x22, 0x00),  # CTRL_REG3: no interrupt yet
        (0x20, 0x97),  # CTRL_REG1: 1344 Hz, normal mode (bandwidth 672 Hz), three axes
        (0x21, 0x29),  # CTRL_REG2: high-pass at 6.7 Hz for interrupt 1 and data (not for swings)
        (0x23, 0xB0),  # CTRL_REG4: 16 g, no half new data
        (0x24, 0x08),  # CTRL_REG5: interrupt 1 lasts until take(), however late that is
        (0x33, 0x02),  # INT1_DURATION: three samples (2.2 ms), so that a lone spike is none
        (0x30, 0x2A),  # INT1_CFG: any axis, either way
    ),
    (0x22, 0x40),  # CTRL_REG3: interrupt 1 to the pin; last, and what check() looks for
    (0x31, 0x40),  # INT1_SRC: IA says that it was interrupt 1; reading it frees the pin
)
_ADDRESSES, _IDENTITY, _THRESHOLD, _REFERENCE, DATA, _SETUP, _ENABLE, _SOURCE = range(8)


class Accelerometer:
    """One chip of the class."""

    def __init__(self, threshold_mg: int, part: tuple = LIS3DH) -> None:
        """`threshold_mg`: what counts as a blow, on any axis, without gravity; 200 to 16000."""
        self.part = part
        register, step_mg, most = part[_THRESHOLD]
        self._threshold = (register, max(1, min((threshold_mg + step_mg // 2) // step_mg, most)))
        self._bus: I2C = None  # pyright: ignore[reportAttributeAccessIssue] (until start())
        self._address = 0

    def start(self) -> int:
        """Find the chip and set it up; return OK or a FAULT_ number. Takes about 10 ms."""
        try:
            sda, scl = Pin(board.PIN_ACCELEROMETER_SDA), Pin(board.PIN_ACCELEROMETER_SCL)
            self._bus = I2C(0, scl=scl, sda=sda, freq=400_000, timeout=_BUS_TIMEOUT_US)
            fault = self._find()
            if not fault:
                self._set_up()
        except OSError as error:
            return _fault_of(error)
        return fault

    def check(self) -> int:
        """Return whether the chip is there and set up: OK or a FAULT_ number. After start()."""
        try:
            register, value = self.part[_ENABLE]
            return (
                numbers.SENSOR_GOOD if self.read(register, 1)[0] == value else numbers.SENSOR_RESET
            )
        except OSError as error:
            return _fault_of(error)

    def take(self) -> bool:
        """Free the pin; return whether a blow had closed it. After start().

        A chip that does not answer just now is believed: a blow shakes connectors, too.
        """
        try:
            register, mask = self.part[_SOURCE]
            return bool(self.read(register, 1)[0] & mask)
        except OSError:
            return True

    def read(self, register: int, count: int) -> bytes:
        """Return `count` bytes from a register on. Raises OSError."""
        return self._bus.readfrom_mem(self._address, register, count)

    def _find(self) -> int:
        register, identity = self.part[_IDENTITY]
        fault = numbers.SENSOR_MISSING
        for address in self.part[_ADDRESSES]:
            self._address = address
            try:
                if self.read(register, 1)[0] == identity:
                    return numbers.SENSOR_GOOD
                fault = numbers.SENSOR_WRONG_CHIP
            except OSError as error:
                if _fault_of(error) != numbers.SENSOR_MISSING:
                    raise
        return fault

    def _set_up(self) -> None:
        for register, value in self.part[_SETUP] + (self._threshold,):
            self._write(register, value)
        time.sleep_ms(_TURN_ON_MS)
        self.read(self.part[_REFERENCE], 1)
        time.sleep_ms(_JUDGED_MS)
        self.take()  # gravity, felt before, is no blow
        self._write(*self.part[_ENABLE])

    def _write(self, register: int, value: int) -> None:
        self._bus.writeto_mem(self._address, register, bytes((value,)))


def _fault_of(error: OSError) -> int:
    return numbers.SENSOR_MISSING if error.errno == errno.ENODEV else numbers.SENSOR_BUS
