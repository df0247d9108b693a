"""What is soldered to the badge beside its chip: accelerometer, impact switch, motor.

Guarantee: the motor shakes what the board says it shakes; the accelerometer keeps its registers
over a reset of the chip. The modules of an accelerometer are loaded only where there is one.
"""

import binascii
import errno
import struct

import analog
import bus
import i2c
import opcodes
import pins
import sleep
from pulses import Rattle, the_pulses
from world import the_world

_POINT_BYTES = 10

i2c.number_of = pins.number_of


def _take_time(span_us: int) -> None:
    bus.the_bus.clock.spend(span_us)
    bus.receive()


i2c.take_time = _take_time


def fit(board: dict) -> None:
    """Solder what the owner's facts name: `motor`, `impact` (pin, level), `rattles`, `sensor`."""
    shaken = []
    if board["rattles"]:
        shaken.append(Rattle(*board["impact"]))
        the_world.add(shaken[0])
    if board["sensor"] is not None:
        shaken.append(fit_sensor(board["sensor"]))
    motor_pin, on_level = board["motor"]

    def turn(level: int) -> None:
        analog.is_motor_on[0] = level == on_level
        for part in shaken:
            part.set_motor(level == on_level)

    pins.listeners[motor_pin] = turn


def fit_sensor(facts: dict):
    """Solder the accelerometer that the owner's facts describe to its wires; return it."""
    import lis3dh
    import motion

    class Sensor(lis3dh.Lis3dh):
        """The model, on the bus to the owner."""

        def feed(self, profile) -> int:
            end_us = super().feed(profile)
            the_world.changed()
            return end_us

        def receive(self, data) -> None:
            super().receive(data)
            if len(data) > 1:
                self.tell()
            the_world.changed()

        def tell(self) -> None:
            bus.send(opcodes.SENSOR_REGISTERS, self.registers())

        def transmit(self, count: int) -> bytes:
            data = super().transmit(count)
            the_world.changed()
            return data

        def set_motor(self, is_on: bool) -> None:
            super().set_motor(is_on)
            the_world.changed()

    pin = facts["int1"]
    sensor = Sensor(
        motion.Motion(facts["motor_mg"]), the_world.now_us, lambda level: pins.drive(pin, level)
    )
    pins.drive(pin, sensor.int1)
    if facts["registers"]:
        sensor.restore(binascii.unhexlify(facts["registers"]))
    sensor.fault = facts["fault"] and getattr(errno, facts["fault"])
    i2c.attach(facts["sda"], facts["scl"], facts["address"], sensor)
    the_world.add(sensor)
    sleep.before_the_end.append(sensor.tell)
    _obey_owner(sensor)
    return sensor


def _obey_owner(sensor) -> None:
    def feed(_opcode: int, payload: bytes) -> None:
        profile = []
        for offset in range(2, len(payload), _POINT_BYTES):
            profile.append(struct.unpack_from("<Ihhh", payload, offset))
        the_pulses.finish_at(sensor.feed(profile), payload[0] | payload[1] << 8)

    def fail(_opcode: int, payload: bytes) -> None:
        sensor.fault = payload[0]

    bus.register(opcodes.MOTION, opcodes.MOTION, feed, at_once=True)
    bus.register(opcodes.SENSOR_FAULT, opcodes.SENSOR_FAULT, fail, at_once=True)
