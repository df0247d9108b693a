"""The board's LIS3DH on its wires, new for each test, with its interrupt at the impact's pin."""

import time

import fitted
import i2c
from world import the_world

from redband_hal import board

pass_us = time.sleep_us


def fit_sensor(address=0x19, motor_mg=0):
    """Solder one with power-on registers in the place of the last; return it."""
    unplug()
    facts = {
        "int1": board.PIN_IMPACT,
        "sda": board.PIN_ACCELEROMETER_SDA,
        "scl": board.PIN_ACCELEROMETER_SCL,
        "address": address,
        "motor_mg": motor_mg,
        "registers": "",
        "fault": "",
    }
    return fitted.fit_sensor(facts)


def unplug():
    """Take what is on the wires away."""
    i2c.wires.clear()
    the_world._sources[:] = [one for one in the_world._sources if not hasattr(one, "int1")]
    the_world.changed()


def plug(device, address=0x19):
    """Put another device on the wires."""
    i2c.attach(board.PIN_ACCELEROMETER_SDA, board.PIN_ACCELEROMETER_SCL, address, device)
