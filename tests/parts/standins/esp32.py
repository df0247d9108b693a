"""A tiny `esp32` for tests of single parts: what would wake the chip, what is held asleep."""

WAKEUP_ALL_LOW = False
WAKEUP_ANY_HIGH = True


class Chip:
    """What tests set and look at."""

    wake_pins = ()
    wake_level = None
    is_held_asleep = False


def wake_on_gpio(pins, level):
    Chip.wake_pins = tuple([pin.number for pin in pins])
    Chip.wake_level = level


def gpio_deep_sleep_hold(enable):
    Chip.is_held_asleep = enable
