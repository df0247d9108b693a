"""The far end of the lone chip's radio: what its owner answers, and what peers do.

Guarantee: frames, errors and credits are those of redband.virtual.radio; what peers do is seen
by the program when it next runs its handlers. Does not time anything: whatever is asked is done.
"""

import struct

import bluetooth
import bus
import radio_frames as frames

CREDITS = 12
PEER = b"123456"
NO_HANDLE = 0xFFFF
REFUSED = {frames.POWER_ON: 110, frames.ADVERTISE: 12, frames.SCAN: 5, frames.POWER_OFF: 110}
_NOT_CONNECTED = 107


class LoneRadio:
    """A radio that is off, of a chip that nobody has connected to.

    `fail`: opcode -> how many more of its calls are refused. `notified`: (connection, handle,
    data). `has_room`: False keeps the credits back, so that the stack fills. `starts`, `stops`:
    so often it went on and off. `advert`, `scan`: what goes on, None for nothing.
    """

    def __init__(self):
        self.fail = {}
        self.notified = []
        self.connections = []
        self.advert = self.scan = None
        self.interval_ms = 0
        self.starts = self.stops = 0
        self.has_room = True
        self.is_active = False
        self._held_credits = 0
        self._first_handle = 9
        self._request = 0
        self._line = bus.the_bus.line
        self._line.radio = None
        self.ble = bluetooth.BLE()
        self.ble.irq(None)
        self.ble._reset()
        self._line.radio = self

    def take(self, opcode, payload):
        """Do and answer what the chip asks."""
        if opcode == frames.NOTIFY:
            connection, handle = struct.unpack_from("<HH", payload)
            self.notified.append((connection, handle, payload[4:]))
            self._held_credits += 1
            if self.has_room:
                self.make_room()
        elif opcode < frames.NOTIFY:
            error, answer = 0, b""
            if self.fail.get(opcode):
                self.fail[opcode] -= 1
                error = REFUSED[opcode]
            elif opcode == frames.DISCONNECT:
                error = self._end(struct.unpack("<H", payload)[0])
            elif opcode == frames.REGISTER:
                answer = self._register(payload)
            else:
                answer = self._do(opcode, payload)
            self._line.say(frames.REPLY, struct.pack("<h", error) + answer)

    def make_room(self, count=CREDITS):
        """Give back at most so many credits."""
        count = min(count, self._held_credits)
        self._held_credits -= count
        if count:
            self._line.say(frames.CREDIT, bytes((count,)))

    def _do(self, opcode, payload):
        if opcode == frames.POWER_ON:
            self.starts += 1
            self.is_active = True
            self._held_credits = 0
            return b"redbnd" + bytes((CREDITS,))
        if opcode == frames.POWER_OFF:
            self.stops += 1
            self.is_active = False
            self.connections.clear()
            self.advert = self.scan = None
        elif opcode == frames.ADVERTISE:
            interval_us, _is_connectable, length = struct.unpack_from("<IBB", payload)
            self.interval_ms = interval_us // 1000
            self.advert = payload[6 : 6 + length]
        elif opcode == frames.ADVERTISE_STOP:
            self.advert = None
        elif opcode == frames.SCAN:
            self.scan = struct.unpack("<IIIB", payload)
        elif opcode == frames.SCAN_STOP:
            self.scan = None
        return b""

    def _register(self, payload):
        """Return a handle for each characteristic; none is of the registration before."""
        count = 0
        at = 1
        for _service in range(payload[0]):
            at += 1 + payload[at]
            characteristics = payload[at]
            at += 1
            for _characteristic in range(characteristics):
                at += 1 + payload[at] + 3  # flags, and no descriptors
                count += 1
        self._first_handle = 9 + (self._first_handle + 1) % 50
        return b"".join(
            [struct.pack("<H", self._first_handle + 3 * number) for number in range(count)]
        )

    def _end(self, connection):
        if connection not in self.connections:
            return _NOT_CONNECTED
        self.leave(connection)
        return 0

    # Peers.

    def connect(self, connection, mtu=0):
        """A central connects, which ends the advertising; `mtu`: asked for at once."""
        self.connections.append(connection)
        self.advert = None
        self._line.say(frames.CONNECTED, struct.pack("<HB", connection, 0) + PEER)
        if mtu:
            self.set_mtu(connection, mtu)

    def set_mtu(self, connection, mtu):
        """A central and the chip agree on an MTU."""
        self._line.say(frames.MTU_CHANGED, struct.pack("<HH", connection, mtu))

    def leave(self, connection):
        """A connection is over; NO_HANDLE: one that failed half-way is."""
        if connection in self.connections:
            self.connections.remove(connection)
        self._line.say(frames.DISCONNECTED, struct.pack("<HB", connection, 0) + PEER)

    def write(self, connection, handle, data):
        """A central writes a value."""
        self._request += 1
        head = struct.pack("<HHH", self._request & 0xFFFF, connection, handle)
        self._line.say(frames.WRITTEN, head + data)

    def advertise(self, data, rssi_dbm):
        """Somebody's advertising data are in the air."""
        head = bytes(1) + PEER + struct.pack("<Bb", 0, rssi_dbm)
        self._line.say(frames.SCAN_RESULT, head + data)
