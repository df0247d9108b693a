"""The product's silicon in one process with a test: `line.SocketLine` without an owner.

Guarantee: the modules are those that virtual badges run on; a rest leaps at once to its end or to
the world's next step, so a check sleeps for hours in no time and sees the same ticks each time.
A test moves the world by the silicon's own functions (`pins.drive`, `analog.set_voltage`) and
reads `sent` and `duties`. Does not start again: what ends a chip raises Ended; `new_board` gives
the test another chip.
"""

import io
import struct

import bus
import clock
import clock_modules
import opcodes

FULL = 65535  # duty of an output that is on
_ENDS = (opcodes.RESET, opcodes.DEEP_SLEEP)
_RTC_BYTES = 2050


class Ended(BaseException):
    """The chip has ended; args: the opcode (RESET, DEEP_SLEEP) and its payload."""


class Line:
    """Takes what the chip says; grants every rest."""

    def __init__(self) -> None:
        self.sent = []  # (opcode, payload)
        self.duties = {}  # of each output, 0 to FULL
        self.radio = None  # a LoneRadio
        self._coming = b""

    def say(self, opcode: int, payload: bytes) -> None:
        """Let the chip hear a frame of its owner."""
        self._coming += struct.pack("<HB", len(payload), opcode) + payload

    def write(self, frame: bytes) -> None:
        """Take a frame of the chip."""
        opcode, payload = frame[2], frame[3:]
        if opcode < bus.FIRST_SILICON_CALL:
            self.radio.take(opcode, payload)
            return
        self.sent.append((opcode, payload))
        if opcode == opcodes.PIN_OUT:
            self.duties[payload[0]] = FULL if payload[1] else 0
        elif opcode == opcodes.PIN_PWM:
            self.duties[payload[0]] = payload[1] | payload[2] << 8
        if opcode in _ENDS:
            raise Ended(opcode, payload)

    def readinto(self, view) -> "int | None":
        """Give the chip what has come."""
        count = min(len(self._coming), len(view))
        view[:count] = self._coming[:count]
        self._coming = self._coming[count:]
        return count or None

    def rest(self, until_us: int, _taken: int, _pending: int, _poller=None) -> None:
        """Leap to its end, unless there is something to hear."""
        if self._coming:
            return
        if until_us >= clock.NEVER_US:
            raise RuntimeError("every task waits for ever")
        self.say(opcodes.GO, struct.pack("<QH", until_us, 0))


def start() -> None:
    """Put the chip in place; before anything imports asyncio, time or machine."""
    bus.the_bus.line = Line()
    its_clock = clock.Clock(0, 0, bus.the_bus.wait_for_owner)
    clock_modules.install(its_clock, seed=1)
    import fitted  # noqa: F401 (the wires, and the world, which the bus asks)
    import machine

    machine._rtc_file[0] = io.BytesIO(bytes(_RTC_BYTES))


def now_us() -> int:
    """Return the owner's time; takes none."""
    return bus.the_bus.clock.peek_us()


def set_ticks(ticks_ms: int) -> None:
    """Let the chip's counter show this now."""
    bus.the_bus.clock._offset_us = ticks_ms * 1000 - now_us()


def stall_until(end_us: int) -> None:
    """Let the world go on while the program runs nothing, not even a handler."""
    while now_us() < end_us:
        bus.the_bus.rest(end_us)
        bus.receive()


def run_until(end_us: int) -> None:
    """Let time go on to then, handlers with it."""
    bus.dispatch()
    while now_us() < end_us:
        bus.the_bus.rest(end_us)
        bus.dispatch()


def new_board() -> None:
    """Forget what is soldered to the chip, what drives its pins, and how they are set."""
    import i2c
    import pins
    import pulses
    import sleep
    from world import the_world

    bus.dispatch()  # no handler of before is left
    pins._pins.clear()
    pins._driven.clear()
    pins.held.clear()
    pins.listeners.clear()
    i2c.wires.clear()
    sleep._wake[:] = [(), False]
    pulses.the_pulses._queues.clear()
    pulses.driven.clear()
    the_world._sources[:] = [pulses.the_pulses]
    the_world.changed()
    bus.the_bus.line.sent.clear()
    bus.the_bus.line.duties.clear()


def move(pin: int, moves) -> None:
    """Let a hand drive a pin: (us from now, 4294 s at most, level) each."""
    from pulses import the_pulses

    payload = struct.pack("<HB", 0, pin)
    last_us = 0
    for at_us, level in moves:
        payload += struct.pack("<IB", at_us - last_us, level)
        last_us = at_us
    the_pulses.add(payload + bytes(4))
    bus.receive()


def fit_accelerometer(address: int = 0x19, motor_mg: int = 0):
    """Solder a new LIS3DH to the wires in place of the one before; return it."""
    import fitted
    import i2c
    import pulses
    from world import the_world

    from redband_hal import board

    i2c.wires.clear()
    the_world._sources[:] = [pulses.the_pulses]
    facts = {"int1": board.PIN_IMPACT, "motor_mg": motor_mg, "address": address}
    facts.update({"sda": board.PIN_ACCELEROMETER_SDA, "scl": board.PIN_ACCELEROMETER_SCL})
    facts.update({"registers": "", "fault": ""})
    return fitted.fit_sensor(facts)
