"""MicroPython's `esp32`, which parts of the badge that run on CPython import and do not call."""
