"""`machine.Pin` of an ESP32-C3, on the bus.

Guarantee: a level read is the level now; an interrupt handler runs when the program next awaits
or sleeps, and at most 8 calls wait for that, as in the chip's scheduler queue; further edges are
lost. Wrong arguments raise as on a board. A held output keeps its level, whatever is written,
until it is let go. Does not model drive strength.
"""

import bus
import opcodes

SCHEDULER_DEPTH = 8
_PINS = tuple(range(11)) + (18, 19, 20, 21)  # GPIO11-17 belong to the flash of an ESP32-C3

_pins = {}  # number -> the one Pin object, as on the ESP32
_driven = {}  # number -> level driven from outside
listeners = {}  # number -> what to call with 1 or 0 when that output is set
held = set()  # numbers of outputs that keep their level
sleeping = [False]  # in light sleep: levels change and no edge is seen
_waiting_calls = 0


class Pin:
    """One GPIO. Two `Pin(n)` of the same number are one object."""

    IN = 1
    OUT = 3
    OPEN_DRAIN = 7
    PULL_DOWN = 1
    PULL_UP = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2
    WAKE_LOW = 4
    WAKE_HIGH = 5
    DRIVE_0 = 0
    DRIVE_1 = 1
    DRIVE_2 = 2
    DRIVE_3 = 3

    def __new__(cls, id, *args, **kwargs):
        if isinstance(id, Pin):
            return id
        if not isinstance(id, int) or id not in _PINS:
            raise ValueError("invalid pin")
        pin = _pins.get(id)
        if pin is None:
            pin = object.__new__(cls)
            pin._number = id
            pin._mode = -1
            pin._pull = None
            pin._output = 0
            pin._handler = None
            pin._trigger = 0
            pin._level = pin._outside_level()
            _pins[id] = pin
        return pin

    def __init__(self, id, mode=-1, pull=-1, *, value=None, drive=None, hold=None):
        self.init(mode, pull, value=value, drive=drive, hold=hold)

    def init(self, mode=-1, pull=-1, *, value=None, drive=None, hold=None):
        """Set mode, pull and output level; what is not given stays."""
        if mode not in (-1, None, Pin.IN, Pin.OUT, Pin.OPEN_DRAIN):
            raise ValueError("invalid mode")
        if value is not None:
            self._output = 1 if value else 0
        if pull != -1:
            self._pull = pull
        if mode is not None and mode != -1:
            self._mode = mode
        if self._mode == Pin.OUT and (value is not None or mode == Pin.OUT):
            self._send_output()
        if hold is not None:
            self._hold(bool(hold))
        self._level = self._outside_level()

    def value(self, x=None):
        """Return the level now, or set the output level."""
        if x is None:
            if self._mode == Pin.OUT:  # the pad is read: a short from outside wins
                level = _driven.get(self._number, opcodes.OPEN)
                return self._output if level == opcodes.OPEN else level
            bus.receive()
            return self._level
        level = 1 if x else 0
        changed = level != self._output
        self._output = level
        if changed and self._mode == Pin.OUT:
            self._send_output()
        return None

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    def toggle(self):
        self.value(1 - self._output)

    def irq(self, handler=None, trigger=IRQ_RISING | IRQ_FALLING, wake=None):
        """Call `handler(pin)` on edges; the ESP32 has no `hard` or `priority` argument."""
        if wake is not None:
            raise NotImplementedError("wake")
        if handler is not None and not callable(handler):
            raise TypeError("handler")
        bus.receive()  # edges of the past belong to the old handler
        self._handler = handler
        self._trigger = trigger
        return self

    def __repr__(self):
        return "Pin(%d)" % self._number

    def _hold(self, is_held):
        if is_held == (self._number in held):
            return
        (held.add if is_held else held.discard)(self._number)
        bus.send(opcodes.PIN_HOLD, bytes((self._number, is_held)))
        if not is_held and self._mode == Pin.OUT:
            self._send_output()

    def _send_output(self):
        if self._number in held:
            return
        bus.send(opcodes.PIN_OUT, bytes((self._number, self._output)))
        tell(self._number, self._output)

    def _outside_level(self):
        level = _driven.get(self._number, opcodes.OPEN)
        if level != opcodes.OPEN:
            return level
        return 1 if self._pull == Pin.PULL_UP else 0

    def _outside_changed(self):
        level = self._outside_level()
        if level == self._level:
            return
        self._level = level
        edge = Pin.IRQ_RISING if level else Pin.IRQ_FALLING
        if self._handler is not None and self._trigger & edge and not sleeping[0]:
            _schedule(self)


def _schedule(pin: Pin) -> None:
    global _waiting_calls
    if _waiting_calls < SCHEDULER_DEPTH and bus.post(_run_handler, pin, pin._handler):
        _waiting_calls += 1


def _run_handler(pin: Pin, handler) -> None:
    global _waiting_calls
    _waiting_calls -= 1
    handler(pin)


def drive(number: int, level: int) -> None:
    """Set what the world outside does to a pin: 0, 1 or `opcodes.OPEN`."""
    _driven[number] = level
    pin = _pins.get(number)
    if pin is not None:
        pin._outside_changed()


def number_of(pin) -> int:
    """Return the GPIO number of a Pin or int. Raises ValueError for no pin of this chip."""
    return Pin(pin)._number


def tell(number: int, level: int) -> None:
    """Say to who listens that an output has a level; a part of full duty counts as 1."""
    listener = listeners.get(number)
    if listener is not None:
        listener(level)
