"""A tiny `machine` for tests of single parts of the firmware; whole badges use redband.virtual."""

PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5


class ResetError(BaseException):
    """Raised by reset(), which does not return on a chip."""


class Chip:
    """What tests set and look at."""

    cause = PWRON_RESET
    levels = {}
    handlers = {}
    adc_uv = 2_000_000
    fed_count = 0
    timeout_ms = 0


def reset_cause():
    return Chip.cause


def reset():
    raise ResetError()


class Pin:
    IN = 1
    OUT = 3
    PULL_UP = 2
    PULL_DOWN = 1
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self, number, mode=-1, pull=-1, value=None):
        self.number = number
        if value is not None:
            Chip.levels[number] = value
        elif number not in Chip.levels:
            Chip.levels[number] = 1 if pull == Pin.PULL_UP else 0

    def value(self, level=None):
        if level is None:
            return Chip.levels[self.number]
        Chip.levels[self.number] = level
        return None

    def irq(self, handler, trigger):
        Chip.handlers[self.number] = (handler, self)


def drive(number, level):
    """Set an input as the world outside does; an edge calls the interrupt handler."""
    if Chip.levels.get(number) == level:
        return
    Chip.levels[number] = level
    handler, pin = Chip.handlers[number]
    handler(pin)


class ADC:
    ATTN_11DB = 3

    def __init__(self, pin, atten=0):
        pass

    def read_uv(self):
        return Chip.adc_uv


class WDT:
    def __init__(self, timeout):
        Chip.timeout_ms = timeout

    def feed(self):
        Chip.fed_count += 1
