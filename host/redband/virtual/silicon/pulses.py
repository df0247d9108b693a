"""Edges at the chip's pins that hands make: lists from the owner, and the motor's rattling switch.

Guarantee: pulses of one pin queue one after another, each with its rest, and never overlap; the
owner is told when one is over.
"""

import struct

import bus
import opcodes
import pins
from world import the_world

_FIRST_EDGE = 3
_EDGE_BYTES = 5
_REST_BYTES = 4

# A spring switch on a board that the motor shakes: short contacts, some turns of it apart.
_RATTLE_CLOSED_US = 400
_RATTLE_OPEN_US = (9800, 15200, 4700, 20400)


class Pulses:
    """Everything that is queued, as it came from the owner: memory is the firmware's."""

    def __init__(self) -> None:
        self._queues = {}  # pin -> [due_us, [PIN_PULSE payloads], offset of the next edge or rest]
        self._motions = []  # (end_us, pulse id)

    def add(self, payload: bytes) -> None:
        """Queue the payload of a PIN_PULSE."""
        queue = self._queues.get(payload[2])
        if queue is None:
            due_us = the_world.now_us() + _delay_us(payload, _FIRST_EDGE)
            self._queues[payload[2]] = [due_us, [payload], _FIRST_EDGE]
        else:
            queue[1].append(payload)
        the_world.changed()

    def finish_at(self, at_us: int, pulse_id: int) -> None:
        """Tell the owner of the end of a motion then."""
        self._motions.append((at_us, pulse_id))
        the_world.changed()

    def drop(self, pin: int) -> None:
        """Forget what is queued for `pin`."""
        self._queues.pop(pin, None)

    def next_us(self) -> "int | None":
        """Return when the next step is due."""
        first_us = self._motions[0][0] if self._motions else None
        for queue in self._queues.values():
            if first_us is None or queue[0] < first_us:
                first_us = queue[0]
        return first_us

    def advance(self, now_us: int) -> None:
        """Do the steps that are due."""
        for pin in list(self._queues):
            while pin in self._queues and self._queues[pin][0] <= now_us:
                self._step(pin, self._queues[pin])
        while self._motions and self._motions[0][0] <= now_us:
            _done(self._motions.pop(0)[1])

    def _step(self, pin: int, queue: list) -> None:
        payload = queue[1][0]
        if len(payload) - queue[2] > _REST_BYTES:
            drive_by_hand(pin, payload[queue[2] + _REST_BYTES])
            queue[2] += _EDGE_BYTES
        else:
            _done(payload[0] | payload[1] << 8)
            queue[1].pop(0)
            if not queue[1]:
                del self._queues[pin]
                return
            queue[2] = _FIRST_EDGE
        queue[0] += _delay_us(queue[1][0], queue[2])


def _delay_us(payload: bytes, offset: int) -> int:
    return struct.unpack_from("<I", payload, offset)[0]


def _done(pulse_id: int) -> None:
    bus.send(opcodes.PULSE_DONE, struct.pack("<H", pulse_id))


class Rattle:
    """The impact switch while the motor shakes it."""

    def __init__(self, pin: int, closed_level: int) -> None:
        self._pin = pin
        self._closed_level = closed_level
        self._due_us = None
        self._is_closed = False
        self._turn = 0

    def set_motor(self, is_on: bool) -> None:
        """The motor starts, or stops."""
        if is_on and self._due_us is None:
            self._due_us = the_world.now_us() + _RATTLE_OPEN_US[0]
        elif not is_on:
            self._due_us = None
            self._close(False)
        the_world.changed()

    def next_us(self) -> "int | None":
        """Return when the switch next opens or closes."""
        return self._due_us

    def advance(self, now_us: int) -> None:
        """Open and close as often as is due."""
        while self._due_us is not None and self._due_us <= now_us:
            self._close(not self._is_closed)
            self._turn = (self._turn + 1) % len(_RATTLE_OPEN_US)
            span_us = _RATTLE_CLOSED_US if self._is_closed else _RATTLE_OPEN_US[self._turn]
            self._due_us += span_us

    def _close(self, is_closed: bool) -> None:
        self._is_closed = is_closed
        if driven.get(self._pin, opcodes.OPEN) == opcodes.OPEN:
            pins.drive(self._pin, self._closed_level if is_closed else opcodes.OPEN)


driven = {}  # pin -> level that a hand drives, or OPEN
the_pulses = Pulses()
the_world.add(the_pulses)


def drive_by_hand(pin: int, level: int) -> None:
    """Set what a hand does to a pin: 0, 1 or `opcodes.OPEN`."""
    driven[pin] = level
    pins.drive(pin, level)


def _on_drive(_opcode: int, payload: bytes) -> None:
    the_pulses.drop(payload[0])
    drive_by_hand(payload[0], payload[1])
    the_world.changed()


def _on_pulse(_opcode: int, payload: bytes) -> None:
    the_pulses.add(payload)


bus.register(opcodes.PIN_DRIVE, opcodes.PIN_DRIVE, _on_drive, at_once=True)
bus.register(opcodes.PIN_PULSE, opcodes.PIN_PULSE, _on_pulse, at_once=True)
