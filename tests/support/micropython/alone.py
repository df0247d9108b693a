"""The product's silicon in one process with a test: `line.SocketLine` without an owner.

Guarantee: the modules are those that virtual badges run on; a rest leaps at once to its end or to
the world's next step, so a check sleeps for hours in no time and sees the same ticks each time.
A test moves the world by the silicon's own functions (`pins.drive`, `analog.set_voltage`) and
reads `sent`. Does not start again: what ends a chip raises Ended.
"""

import io
import struct

import bus
import clock
import clock_modules
import opcodes

_ENDS = (opcodes.RESET, opcodes.DEEP_SLEEP)
_RTC_BYTES = 2050
DUTY_FULL = 65535


class Ended(BaseException):
    """The chip has ended; args: the opcode (RESET, DEEP_SLEEP) and its payload."""


class Line:
    """Takes what the chip says; grants every rest."""

    def __init__(self) -> None:
        self.sent = []  # (opcode, payload)
        self.radio = None  # see answer_radio
        self._coming = b""

    def write(self, frame: bytes) -> None:
        """Take a frame of the chip."""
        opcode, payload = frame[2], frame[3:]
        if opcode < bus.FIRST_SILICON_CALL:
            answer = self.radio(opcode, payload)
            if answer is not None:
                self.push(bus.REPLY_TO_RADIO, answer)
            return
        self.sent.append((opcode, payload))
        if opcode in _ENDS:
            raise Ended(opcode, payload)

    def push(self, opcode: int, payload: bytes) -> None:
        """Let a frame come to the chip."""
        self._coming += struct.pack("<HB", len(payload), opcode) + payload

    def readinto(self, view) -> "int | None":
        """Give the chip what has come."""
        if not self._coming:
            return None
        count = min(len(self._coming), len(view))
        view[:count] = self._coming[:count]
        self._coming = self._coming[count:]
        return count

    def rest(self, until_us: int, _taken: int, _pending: int, _poller=None) -> None:
        """Leap to its end."""
        if until_us >= clock.NEVER_US:
            raise RuntimeError("every task waits for ever")
        self.push(opcodes.GO, struct.pack("<QH", until_us, 0))


def start(start_ticks_ms: int = 0, line: "Line | None" = None) -> None:
    """Put the chip in place; before anything imports asyncio, time or machine.

    The owner's time is 0 then, and ticks_ms() shows `start_ticks_ms`.
    """
    bus.the_bus.line = line or Line()
    its_clock = clock.Clock(0, start_ticks_ms, bus.the_bus.wait_for_owner)
    clock_modules.install(its_clock, seed=1)
    import pulses  # noqa: F401 (and the world, which the bus asks)

    power_on()


def power_on() -> None:
    """Let the memory that outlives resets be empty."""
    import machine

    machine._rtc_file[0] = io.BytesIO(bytes(_RTC_BYTES))


def push(opcode: int, payload: bytes) -> None:
    """Let a frame come to the chip; it is taken when the program next looks."""
    bus.the_bus.line.push(opcode, payload)


def answer_radio(answer) -> None:
    """Let `answer(opcode, payload)` give the radio's replies: bytes, or None where none is due."""
    bus.the_bus.line.radio = answer


def show_ticks(ticks_ms: int) -> int:
    """Let ticks_ms() show this from now on; return the owner's time, a whole millisecond."""
    its_clock = bus.the_bus.clock
    now_us = its_clock.peek_us() // 1000 * 1000 + 1000
    while its_clock.peek_us() < now_us:
        bus.the_bus.rest(now_us)
    its_clock._offset_us = ticks_ms * 1000 - now_us
    return now_us


def sent() -> list:
    """Return the (opcode, payload) that the chip has said, oldest first; may be cleared."""
    return bus.the_bus.line.sent


def duty(number: int) -> int:
    """Return how much of the time the output `number` is high: 0 to DUTY_FULL."""
    for opcode, payload in reversed(sent()):
        if payload and payload[0] == number:
            if opcode == opcodes.PIN_OUT:
                return payload[1] * DUTY_FULL
            if opcode == opcodes.PIN_PWM:
                return payload[1] | payload[2] << 8
    return 0
