"""The `bluetooth` module of MicroPython on an ESP32 (NimBLE), peripheral and observer roles.

Guarantee: what a program sees is what the C module shows: values live here and are cut at 20
bytes until gatts_set_buffer; event data are views of one buffer that the next event overwrites, in
a tuple that is empty once the handler has returned (a list here: only that can be emptied); a
write is acknowledged to the peer after the handler has run, so order holds; a full stack gives
OSError(ENOMEM); advertising ends with a connection; a call on a switched-off radio gives
OSError(ENODEV); active(False) ends connections without an event and forgets the services.
Does not: central role (gap_connect, gattc_*), L2CAP, passkeys, bond storage; those names are
missing. On the chip a handler may run between any two bytecodes; here it runs when the program
awaits, sleeps or calls this module, so a race with the handler can stay hidden.
"""

import struct
import sys

import ble_codes as codes
import bus
import radio_frames as frames
from gatt_values import UUID, Value, as_bytes, handle_counts, table_of

# A program on the chip finds `bluetooth` only.
for _name in ("ble_codes", "radio_frames", "gatt_values"):
    del sys.modules[_name]

__all__ = ("BLE", "UUID")

FLAG_READ = 0x0002
FLAG_WRITE_NO_RESPONSE = 0x0004
FLAG_WRITE = 0x0008
FLAG_NOTIFY = 0x0010
FLAG_INDICATE = 0x0020


class BLE:
    """The one radio; `BLE()` always returns it."""

    _radio = None

    def __new__(cls):
        if cls._radio is None:
            cls._radio = object.__new__(cls)
            cls._radio._start()
        return cls._radio

    def _start(self):
        self._handler = None
        self._event_buffer = bytearray(codes.MAX_EVENT_BYTES)
        self._address_view = memoryview(self._event_buffer)[:6]
        self._security = {"bond": False, "mitm": False, "io": 3, "le_secure": False}
        self._reset()
        bus.register(frames.CONNECTED, frames.ENCRYPTED, self._on_frame)
        bus.register(frames.CREDIT, frames.CREDIT, self._on_credit, at_once=True)

    def _reset(self):
        self._is_active = False
        self._values = {}
        self._connections = []
        self._credits = 0
        self._address = b""
        self._advert = b""
        self._scan_response = b""
        self._name = b"MPY ESP32"
        self._mtu = codes.DEFAULT_MTU

    def _call(self, opcode, *parts):
        self._check_active()
        reply = bus.call(opcode, *parts)
        error = struct.unpack_from("<h", reply)[0]
        if error == codes.OWNER_NOT_CONNECTED:
            error = codes.NOT_CONNECTED
        if error:
            raise OSError(error)
        return reply[2:]

    def _check_active(self):
        if not self._is_active:
            raise OSError(codes.ENODEV)

    def active(self, active=None):
        if active is None:
            return self._is_active
        if active and not self._is_active:
            self._is_active = True
            try:
                reply = self._call(frames.POWER_ON, struct.pack("<H", self._mtu))
            except OSError:
                self._is_active = False
                raise
            self._address = reply[:6]
            self._credits = reply[6]
        elif not active and self._is_active:
            self._call(frames.POWER_OFF)
            self._reset()
        return self._is_active

    def config(self, *names, **settings):
        if not names:
            for name, value in settings.items():
                self._configure(name, value)
            return None
        if settings or len(names) > 1:
            raise TypeError("can't specify pos and kw args")
        if names[0] == "gap_name":
            return self._name
        if names[0] == "mac":
            self._check_active()
            return (0, self._address)
        if names[0] == "mtu":
            self._check_active()
            return self._mtu
        raise ValueError("unknown config param")

    def _configure(self, name, value):
        if name == "gap_name":
            data = value.encode() if isinstance(value, str) else bytes(value)
            if len(data) > codes.MAX_NAME_BYTES:
                raise OSError(codes.EINVAL)
            self._call(frames.SET_NAME, data)
            self._name = data
        elif name == "mtu":
            self._check_active()
            if not codes.MIN_MTU <= value <= codes.MAX_MTU:
                raise OSError(codes.EINVAL)
            self._call(frames.SET_MTU, struct.pack("<H", value))
            self._mtu = value
        elif name == "addr_mode":
            self._check_active()
            if value != 0:
                raise OSError(codes.EINVAL)  # not modelled: this radio has its public address only
        elif name in self._security:
            self._security[name] = value
        elif name != "rxbuf":  # accepted without effect where the stack calls synchronously
            raise ValueError("unknown config param")

    def irq(self, handler):
        if handler is not None and not callable(handler):
            raise ValueError("invalid handler")
        self._handler = handler

    def gap_advertise(
        self, interval_us=500000, adv_data=None, *, resp_data=None, connectable=True
    ):
        if interval_us is None:
            if self._is_active:
                self._call(frames.ADVERTISE_STOP)
            return
        self._check_active()
        advert = self._advert if adv_data is None else as_bytes(adv_data)
        scan_response = self._scan_response if resp_data is None else as_bytes(resp_data)
        self._call(frames.ADVERTISE_STOP)
        if len(advert) > codes.MAX_ADVERT_BYTES or len(scan_response) > codes.MAX_ADVERT_BYTES:
            raise OSError(codes.BAD_ADVERT_LENGTH)
        self._advert, self._scan_response = advert, scan_response
        if not codes.MIN_INTERVAL_US <= interval_us <= codes.MAX_INTERVAL_US:
            raise OSError(codes.BAD_ADVERT_INTERVAL)
        head = struct.pack("<IBB", interval_us, bool(connectable), len(advert))
        self._call(frames.ADVERTISE, head, advert, scan_response)

    def gap_scan(self, duration_ms=0, interval_us=1280000, window_us=11250, active=False):
        if duration_ms is None:
            self._call(frames.SCAN_STOP)
        else:
            parameters = (duration_ms, interval_us, window_us, bool(active))
            self._call(frames.SCAN, struct.pack("<IIIB", *parameters))

    def gap_disconnect(self, conn_handle):
        try:
            self._call(frames.DISCONNECT, struct.pack("<H", conn_handle))
        except OSError as error:
            if error.errno != codes.NOT_CONNECTED:
                raise
            return False
        return True

    def gap_pair(self, conn_handle):
        self._call(frames.PAIR, struct.pack("<H", conn_handle))

    def gatts_register_services(self, services_definition):
        table = table_of(services_definition)
        data = self._call(frames.REGISTER, table)
        handles = struct.unpack("<%dH" % (len(data) // 2), data)
        self._values = {handle: Value() for handle in handles}
        result = []
        start = 0
        for count in handle_counts(services_definition):
            result.append(handles[start : start + count])
            start += count
        return tuple(result)

    def gatts_read(self, value_handle):
        value = self._values.get(value_handle)
        return b"" if value is None else value.read()  # the C module ignores the error here

    def gatts_write(self, value_handle, data, send_update=False):
        value = self._value(value_handle)
        value.data = as_bytes(data)
        value.size_bytes = max(value.size_bytes, len(value.data))
        if send_update:
            bus.send(frames.UPDATE, struct.pack("<H", value_handle), value.data)
        return len(value.data)

    def gatts_set_buffer(self, value_handle, len, append=False):
        value = self._value(value_handle)
        value.data = b""
        value.size_bytes = len
        value.is_appended = bool(append)

    def gatts_notify(self, conn_handle, value_handle, data=None):
        self._send_value(frames.NOTIFY, conn_handle, value_handle, data)

    def gatts_indicate(self, conn_handle, value_handle, data=None):
        self._send_value(frames.INDICATE, conn_handle, value_handle, data)

    def _value(self, value_handle):
        self._check_active()
        value = self._values.get(value_handle)
        if value is None:
            raise OSError(codes.EINVAL)
        return value

    def _send_value(self, opcode, conn_handle, value_handle, data):
        value = self._value(value_handle)
        if conn_handle not in self._connections:
            raise OSError(codes.NOT_CONNECTED)
        if data is None:  # NimBLE reads the database as a peer would
            self._fire(codes.IRQ_GATTS_READ_REQUEST, (conn_handle, value_handle))
            data = value.data
        if not self._credits:
            bus.receive()  # what has come in already may carry credits
            if not self._credits:
                raise OSError(codes.ENOMEM)
        self._credits -= 1
        bus.send(opcode, struct.pack("<HH", conn_handle, value_handle), as_bytes(data))

    def _fire(self, event, data):
        if self._handler is None:
            return None
        dying = list(data)
        try:
            return self._handler(event, dying)
        finally:
            dying.clear()

    def _on_credit(self, _opcode, payload):
        self._credits += payload[0]

    def _view(self, data):
        self._event_buffer[6 : 6 + len(data)] = data
        return memoryview(self._event_buffer)[6 : 6 + len(data)]

    def _on_frame(self, opcode, payload):
        if not self._is_active:
            return  # sent before the owner knew
        if opcode == frames.WRITTEN:
            self._on_written(payload)
        elif opcode == frames.READ:
            self._on_read(payload)
        elif opcode == frames.CONNECTED or opcode == frames.DISCONNECTED:
            self._on_link(opcode == frames.CONNECTED, payload)
        elif opcode == frames.SCAN_RESULT:
            self._event_buffer[:6] = payload[1:7]
            kind, rssi_dbm = struct.unpack_from("<Bb", payload, 7)
            data = (payload[0], self._address_view, kind, rssi_dbm, self._view(payload[9:]))
            self._fire(codes.IRQ_SCAN_RESULT, data)
        elif opcode == frames.SCAN_DONE:
            self._fire(codes.IRQ_SCAN_DONE, ())
        elif opcode == frames.MTU_CHANGED:
            self._fire(codes.IRQ_MTU_EXCHANGED, struct.unpack("<HH", payload))
        elif opcode == frames.INDICATE_DONE:
            self._fire(codes.IRQ_GATTS_INDICATE_DONE, struct.unpack("<HHB", payload))
        elif opcode == frames.ENCRYPTED:
            handle, encrypted, authenticated, bonded, size = struct.unpack("<HBBBB", payload)
            data = (handle, bool(encrypted), bool(authenticated), bool(bonded), size)
            self._fire(codes.IRQ_ENCRYPTION_UPDATE, data)

    def _on_link(self, is_connected, payload):
        handle = struct.unpack_from("<H", payload)[0]
        if is_connected:
            self._connections.append(handle)
        elif handle in self._connections:
            self._connections.remove(handle)
        self._event_buffer[:6] = payload[3:9]
        event = codes.IRQ_CENTRAL_CONNECT if is_connected else codes.IRQ_CENTRAL_DISCONNECT
        self._fire(event, (handle, payload[2], self._address_view))

    def _on_written(self, payload):
        number, connection, handle = struct.unpack_from("<HHH", payload)
        value = self._values.get(handle)
        if value is not None:
            value.write_from_peer(payload[6:])
            try:
                self._fire(codes.IRQ_GATTS_WRITE, (connection, handle))
            finally:  # an error of the handler does not keep NimBLE from answering
                bus.send(frames.WRITE_DONE, struct.pack("<H", number))

    def _on_read(self, payload):
        number, connection, handle = struct.unpack_from("<HHH", payload)
        value = self._values.get(handle)
        error = 0
        if value is not None:
            try:
                error = self._fire(codes.IRQ_GATTS_READ_REQUEST, (connection, handle)) or 0
            finally:
                bus.send(frames.READ_DONE, struct.pack("<HB", number, error), value.data)
