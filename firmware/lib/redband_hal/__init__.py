"""The badge's hardware: the only package that imports machine, bluetooth and esp32.

Written for MicroPython 1.26 and later on ESP32; on the unix port the virtual badge's stand-ins
for those three modules take the place of the chip.
"""
