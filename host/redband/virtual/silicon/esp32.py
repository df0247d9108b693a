"""The `esp32` module of MicroPython: wake sources and the non-volatile store (NVS).

Guarantee: NVS values are lost at a power cut unless commit() was called, and kept for ever after
it, as on the chip. Does not offer partitions, RMT, PCNT or the ULP: no badge uses them; nor
gpio_deep_sleep_hold, which chips that hold single pins in deep sleep do not have.
"""

import binascii
import json

import bus
import opcodes
import sleep

WAKEUP_ALL_LOW = False
WAKEUP_ANY_HIGH = True
_ESP_ERR_NVS_NOT_FOUND = 0x1102

_store = {}  # "namespace/type/key" -> int or hex text


def set_store(store: dict) -> None:
    """What the runner found in the owner's store."""
    _store.update(store)


def wake_on_gpio(pins=None, level=None):
    """Set what ends a sleep (MicroPython 1.27 and later); an ESP32-C3 has no ext0 and ext1."""
    sleep.wake_on_gpio(pins, level)


HEAP_DATA = 4
heap_regions = [(113840, 24576, 23552, 20480), (131072, 73728, 57344, 65536)]
"""(size, free, largest piece, least free ever) of each: as an ESP32-C3 with Bluetooth on."""


def idf_heap_info(capabilities):
    """Return the system's memory; tests set heap_regions."""
    return heap_regions


def mcu_temperature():
    return 25


class NVS:
    """One namespace; the ESP32 takes names and keys of up to 15 characters."""

    def __init__(self, namespace):
        self._prefix = self._checked(namespace) + "/"

    @staticmethod
    def _checked(name):
        if not 0 < len(name) <= 15:
            raise ValueError("name too long")
        return name

    def _get(self, kind, key):
        value = _store.get(self._prefix + kind + self._checked(key))
        if value is None:
            raise OSError(-_ESP_ERR_NVS_NOT_FOUND, "ESP_ERR_NVS_NOT_FOUND")
        return value

    def set_i32(self, key, value):
        if not -0x80000000 <= value <= 0x7FFFFFFF:
            raise OverflowError("overflow converting long int to machine word")
        _store[self._prefix + "i/" + self._checked(key)] = value

    def get_i32(self, key):
        return self._get("i/", key)

    def set_blob(self, key, value):
        _store[self._prefix + "b/" + self._checked(key)] = binascii.hexlify(value).decode()

    def get_blob(self, key, buffer):
        blob = binascii.unhexlify(self._get("b/", key))
        if len(blob) > len(buffer):
            raise OSError(-0x110C, "ESP_ERR_NVS_INVALID_LENGTH")
        buffer[: len(blob)] = blob
        return len(blob)

    def erase_key(self, key):
        found = False
        for kind in ("i/", "b/"):
            found = _store.pop(self._prefix + kind + self._checked(key), None) is not None or found
        if not found:
            raise OSError(-_ESP_ERR_NVS_NOT_FOUND, "ESP_ERR_NVS_NOT_FOUND")

    def commit(self):
        bus.call(opcodes.NVS_SAVE, json.dumps(_store).encode())
