"""A tiny `machine` for tests of single parts of the firmware; whole badges use redband.virtual.

The accelerometer and its I2C bus are the virtual badge's own model files, on `Chip.now_us`.
"""

import sys

_SILICON = __file__.rsplit("/", 4)[0] + "/host/redband/virtual/silicon"


def _model(name):
    """Return a model module, loaded when first asked for: most tests have no room for it."""
    sys.path.append(_SILICON)
    try:
        module = __import__(name)
    finally:
        sys.path.remove(_SILICON)
    if name == "i2c":
        module.number_of = lambda pin: pin if isinstance(pin, int) else pin.number
    return module


def __getattr__(name):
    if name in ("I2C", "SoftI2C"):
        return getattr(_model("i2c"), name)
    if name in ("i2c", "lis3dh", "motion"):
        return _model(name)
    raise AttributeError(name)


PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5
TIMER_WAKE = 4


class ResetError(BaseException):
    """Raised by reset(), which does not return on a chip."""


class SleepError(BaseException):
    """Raised by deepsleep(), which does not return on a chip. Its value: milliseconds, or None."""


class Chip:
    """What tests set and look at. `now_us`: the sensor's clock, see pass_us()."""

    cause = PWRON_RESET
    now_us = 0
    sensor = None
    duties = {}
    freq_hz = 160000000
    light_sleeps_ms = []
    levels = {}
    held = {}
    registers = {}
    handlers = {}
    adc_uv = 2_000_000
    fed_count = 0
    timeout_ms = 0
    rtc = b""
    wake_reason = 0


def reset_cause():
    return Chip.cause


def wake_reason():
    return Chip.wake_reason


def reset():
    raise ResetError()


def freq(hz=None):
    if hz is None:
        return Chip.freq_hz
    if hz not in (20000000, 40000000, 80000000, 160000000):
        raise ValueError("frequency must be 20MHz, 40MHz, 80Mhz or 160MHz")
    Chip.freq_hz = hz
    return None


def lightsleep(time_ms=None):
    Chip.light_sleeps_ms.append(time_ms)


def deepsleep(time_ms=None):
    raise SleepError(time_ms)


class Pin:
    IN = 1
    OUT = 3
    PULL_UP = 2
    PULL_DOWN = 1
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self, number, mode=-1, pull=-1, value=None, hold=None):
        self.number = number
        if hold is not None:
            Chip.held[number] = hold
        if value is not None:
            Chip.levels[number] = value
        elif number not in Chip.levels:
            Chip.levels[number] = 1 if pull == Pin.PULL_UP else 0

    def value(self, level=None):
        if level is None:
            return Chip.levels[self.number]
        Chip.levels[self.number] = level
        return None

    def irq(self, handler=None, trigger=3):
        Chip.handlers[self.number] = (handler, self)


def drive(number, level):
    """Set an input as the world outside does; an edge calls the interrupt handler."""
    if Chip.levels.get(number) == level:
        return
    Chip.levels[number] = level
    handler, pin = Chip.handlers.get(number, (None, None))
    if handler is not None:
        handler(pin)


def fit_accelerometer(int1_pin=5, sda=20, scl=21, address=0x19, motor_mg=0):
    """Solder a LIS3DH to the board and return it; its INT1 drives `int1_pin` from now on."""
    i2c = _model("i2c")
    motion = _model("motion").Motion(motor_mg)
    Chip.sensor = _model("lis3dh").Lis3dh(
        motion, lambda: Chip.now_us, lambda level: drive(int1_pin, level)
    )
    i2c.wires.clear()
    i2c.attach(sda, scl, address, Chip.sensor)
    Chip.levels[int1_pin] = 0  # push-pull, active high until the driver says otherwise
    return Chip.sensor


def pass_us(span_us):
    """Let the sensor live for `span_us`; its interrupts call the handlers as they come."""
    end_us = Chip.now_us + span_us
    while True:
        next_us = Chip.sensor.next_us()
        if next_us is None or next_us > end_us:
            break
        Chip.now_us = max(next_us, Chip.now_us)
        Chip.sensor.advance(Chip.now_us)
    Chip.now_us = end_us
    Chip.sensor.advance(end_us)


class ADC:
    ATTN_11DB = 3

    def __init__(self, pin, atten=0):
        pass

    def read_uv(self):
        return Chip.adc_uv


class RTC:
    def memory(self, data=None):
        if data is None:
            return Chip.rtc
        if len(data) > 2048:
            raise ValueError("buffer too long")
        Chip.rtc = bytes(data)
        return None


class PWM:
    def __init__(self, dest, freq=5000, duty_u16=32768):
        self.number = dest.number
        self.duty_u16(duty_u16)

    def duty_u16(self, value=None):
        if value is None:
            return Chip.duties[self.number]
        if not 0 <= value <= 65535:
            raise ValueError("duty_u16 must be from 0 to 65535")
        Chip.duties[self.number] = value
        return None

    def freq(self, value=None):
        """Accepted and forgotten."""

    def deinit(self):
        Chip.duties.pop(self.number, None)


class _Memory:
    """Registers: tests set them by address."""

    def __getitem__(self, address):
        return Chip.registers.get(address, 0)


mem32 = _Memory()


class WDT:
    def __init__(self, timeout):
        Chip.timeout_ms = timeout

    def feed(self):
        Chip.fed_count += 1
