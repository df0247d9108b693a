"""The `esp32` module of MicroPython: wake sources, and what memory the system has.

Does not offer the non-volatile store, partitions, RMT, PCNT or the ULP: no badge uses them; nor
gpio_deep_sleep_hold, which chips that hold single pins in deep sleep do not have.
"""

import sleep

WAKEUP_ALL_LOW = False
WAKEUP_ANY_HIGH = True


def wake_on_gpio(pins=None, level=None):
    """Set what ends a sleep (MicroPython 1.27 and later); an ESP32-C3 has no ext0 and ext1."""
    sleep.wake_on_gpio(pins, level)


HEAP_DATA = 4
heap_regions = [(113840, 24576, 23552, 20480), (131072, 73728, 57344, 65536)]
"""(size, free, largest piece, least free ever) of each: as an ESP32-C3 with Bluetooth on."""


def idf_heap_info(capabilities):
    """Return the system's memory; tests set heap_regions."""
    return heap_regions
