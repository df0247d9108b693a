"""A Bluetooth controller and a central before it, by hand, at the badge's own `bluetooth` module.

Answers what the module asks its owner. Data are pushed as the owner would push them; the module's
interrupt handler has run when a call here returns.
"""

import errno
import struct

import alone
import bluetooth
import bus
import radio_frames as frames

PEER = b"123456"
CREDITS = 20
_ADVERTISE_HEAD = 6


class Controller:
    """The only one. `fail`: opcode to (number of calls that fail from now on, errno).

    `starts`, `stops`: so often it went on and off. `handles`: of the newest registration; each
    gives others. `notified`: (connection, handle, data).
    """

    def __init__(self):
        self.module = bluetooth.BLE()
        self.module._reset()
        self.module._handler = None
        self.notified = []
        self.scan = self.advert = None
        self.interval_ms = 0
        self.starts = self.stops = 0
        self.first_handle = 9
        self.handles = []
        self.fail = {}
        self._has_room = True
        alone.answer_radio(self._answer)

    # What the badge asks.

    def _answer(self, opcode, payload):
        if opcode == frames.NOTIFY:
            connection, handle = struct.unpack_from("<HH", payload)
            self.notified.append((connection, handle, payload[4:]))
            if self._has_room:
                alone.push(frames.CREDIT, b"\x01")  # it has left
        if opcode >= frames.NOTIFY:
            return None
        count, error = self.fail.get(opcode, (0, 0))
        if count:
            self.fail[opcode] = (count - 1, error)
            return struct.pack("<h", error)
        return b"\0\0" + self._done(opcode, payload)

    def _done(self, opcode, payload):
        if opcode == frames.POWER_ON:
            self.starts += 1
            return PEER + bytes((CREDITS,))
        if opcode == frames.POWER_OFF:
            self.stops += 1
            self.scan = self.advert = None
        elif opcode == frames.REGISTER:
            self.first_handle = 9 + (self.first_handle + 1) % 50
            numbers = [self.first_handle + 3 * index for index in range(_values_in(payload))]
            self.handles = numbers
            return struct.pack("<%dH" % len(numbers), *numbers)
        elif opcode == frames.ADVERTISE:
            interval_us, _is_connectable, count = struct.unpack_from("<IBB", payload)
            self.interval_ms = interval_us // 1000
            self.advert = payload[_ADVERTISE_HEAD : _ADVERTISE_HEAD + count]
        elif opcode == frames.SCAN:
            self.scan = struct.unpack("<IIIB", payload)
        elif opcode == frames.SCAN_STOP:
            self.scan = None
        elif opcode == frames.DISCONNECT:
            self.disconnect(payload[0])
        return b""

    # What the world does.

    @property
    def is_active(self):
        return self.module._is_active

    @property
    def connections(self):
        return self.module._connections

    def value(self, handle):
        """Return the module's value at a handle: `data`, `size_bytes`."""
        return self.module._values[handle]

    def push(self, opcode, payload):
        alone.push(opcode, payload)
        bus.dispatch()

    def connect(self, connection):
        self.advert = None
        self.push(frames.CONNECTED, struct.pack("<HB", connection, 0) + PEER)

    def disconnect(self, connection):
        self.push(frames.DISCONNECTED, struct.pack("<HB", connection, 0) + PEER)

    def change_mtu(self, connection, mtu):
        self.push(frames.MTU_CHANGED, struct.pack("<HH", connection, mtu))

    def peer_advertises(self, data, rssi_dbm):
        head = bytes((0,)) + PEER + struct.pack("<Bb", 0, rssi_dbm)
        self.push(frames.SCAN_RESULT, head + data)

    def peer_writes(self, connection, handle, data):
        self.push(frames.WRITTEN, struct.pack("<HHH", 0, connection, handle) + data)

    def take_credits(self):
        """Let no notification find room, until `give_credits`."""
        self.module._credits = 0
        self._has_room = False

    def give_credits(self):
        self._has_room = True
        self.push(frames.CREDIT, bytes((CREDITS,)))


def _values_in(table):
    """Return how many values a service table of the module has."""
    count = 0
    at = 1
    for _service in range(table[0]):
        at += 1 + table[at]
        characteristics = table[at]
        at += 1
        for _characteristic in range(characteristics):
            at += 1 + table[at] + 2
            descriptors = table[at]
            at += 1
            for _descriptor in range(descriptors):
                at += 1 + table[at] + 2
            count += 1 + descriptors
    return count


def no_device(count):
    """Return what fails so many calls with ENODEV."""
    return (count, errno.ENODEV)


def no_room(count):
    """Return what fails so many calls with ENOMEM."""
    return (count, errno.ENOMEM)
