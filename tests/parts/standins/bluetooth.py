"""A tiny `bluetooth` for tests of the radio's lowest layer: as strict as the real one."""

FLAG_READ = 0x02
FLAG_WRITE_NO_RESPONSE = 0x04
FLAG_WRITE = 0x08
FLAG_NOTIFY = 0x10


class UUID:
    def __init__(self, value):
        self.value = value


class BLE:
    """One controller. `failures`: how many calls of active(True) raise, by ENODEV.

    `starts`, `stops`: so often it went on and off. `first_handle`: of the next registration; each
    gives others. `fail`: name of a method to how many of its calls raise ENOMEM from now on.
    """

    failures = 0

    def __init__(self):
        self.is_active = False
        self.handler = None
        self.values = {}
        self.sizes = {}
        self.notified = []
        self.scan = None
        self.advert = None
        self.event_buffer = bytearray(64)
        self.full_count = 0
        self.connections = []
        self.starts = 0
        self.stops = 0
        self.first_handle = 9
        self.fail = {}

    def active(self, is_on=None):
        if is_on and BLE.failures:
            BLE.failures -= 1
            raise OSError(19)
        if is_on is not None:
            self.starts += is_on and not self.is_active
            self.stops += self.is_active and not is_on
            if not is_on:
                self.values.clear()
                self.sizes.clear()
                self.connections.clear()
                self.scan = self.advert = None
            self.is_active = is_on
        return self.is_active

    def _check(self, name):
        if not self.is_active:
            raise OSError(19)
        if self.fail.get(name):
            self.fail[name] -= 1
            raise OSError(12)

    def config(self, **options):
        self._check("config")
        self.options = options

    def gap_advertise(self, interval_us, adv_data=None, resp_data=None):
        self._check("advertise")
        self.advert = bytes(adv_data)
        self.interval_ms = interval_us // 1000

    def gap_scan(self, duration_ms, interval_us=1280000, window_us=11250, active=False):
        self._check("scan")
        self.scan = None if duration_ms is None else (duration_ms, interval_us, window_us, active)

    def peer_advertises(self, data, rssi_dbm):
        """What a scan reports: a view of the one buffer that the next event overwrites."""
        self.event_buffer[: len(data)] = data
        view = memoryview(self.event_buffer)
        self.fire(5, (0, view[:6], 0, rssi_dbm, view[: len(data)]))

    def fire(self, event, data):
        """Tell of an event; its data die with the handler."""
        if event == 1:
            self.connections.append(data[0])
            self.advert = None
        elif event == 2 and data[0] in self.connections:
            self.connections.remove(data[0])
        dying = list(data)
        self.handler(event, dying)
        dying.clear()

    def gap_disconnect(self, connection):
        self._check("disconnect")
        if connection not in self.connections:
            return False
        self.fire(2, (connection, 0, b"123456"))
        return True

    def irq(self, handler):
        self.handler = handler

    def gatts_register_services(self, services):
        self._check("register")
        handles = []
        self.sizes.clear()
        number = self.first_handle
        self.first_handle = 9 + (self.first_handle + 1) % 50
        for _uuid, characteristics in services:
            row = []
            for _characteristic in characteristics:
                number += 3
                row.append(number)
                self.sizes[number] = 20
            handles.append(tuple(row))
        return tuple(handles)

    def gatts_set_buffer(self, handle, size, append=False):
        self._check("set_buffer")
        if handle not in self.sizes:
            raise OSError(22)
        self.sizes[handle] = size

    def gatts_write(self, handle, data, send_update=False):
        self._check("write")
        if handle not in self.sizes:
            raise OSError(22)
        self.values[handle] = bytes(data)

    def gatts_read(self, handle):
        return self.values[handle]

    def gatts_notify(self, connection, handle, data):
        if connection not in self.connections:
            raise OSError(-128)
        self._check("notify")
        if self.full_count:
            self.full_count -= 1
            raise OSError(12)
        self.notified.append((connection, handle, bytes(data)))

    def peer_writes(self, connection, handle, data):
        """What a central does; the stack keeps only what the buffer holds."""
        self.values[handle] = data if data is None else data[: self.sizes[handle]]
        self.fire(3, (connection, handle))
