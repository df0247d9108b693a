"""A tiny `esp32` for tests of single parts: what would wake the chip, what is held asleep."""

WAKEUP_ALL_LOW = False
WAKEUP_ANY_HIGH = True


HEAP_DATA = 4
heap_regions = [(113840, 24576, 23552, 20480), (131072, 73728, 57344, 65536)]
"""(size, free, largest piece, least free ever) of each: as an ESP32-C3 with Bluetooth on."""


def idf_heap_info(capabilities):
    """Return the system's memory; tests set heap_regions."""
    return heap_regions


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
