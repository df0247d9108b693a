"""A tiny `bluetooth` for tests of the radio's lowest layer: as strict as the real one."""

FLAG_READ = 0x02
FLAG_WRITE = 0x08
FLAG_NOTIFY = 0x10


class UUID:
    def __init__(self, value):
        self.value = value


class BLE:
    """One controller. `failures`: how many calls of active(True) raise."""

    failures = 0

    def __init__(self):
        self.is_active = False
        self.handler = None
        self.values = {}
        self.sizes = {}
        self.notified = []
        self.full_count = 0

    def active(self, is_on=None):
        if is_on and BLE.failures:
            BLE.failures -= 1
            raise OSError(19)
        if is_on is not None:
            self.is_active = is_on
        return self.is_active

    def config(self, **options):
        self.options = options

    def gap_advertise(self, interval_us, adv_data=None, resp_data=None):
        self.advert = bytes(adv_data)

    def gap_disconnect(self, connection):
        self.handler(2, (connection, 0, b"123456"))

    def irq(self, handler):
        self.handler = handler

    def gatts_register_services(self, services):
        handles = []
        number = 9
        for _uuid, characteristics in services:
            row = []
            for _characteristic in characteristics:
                number += 3
                row.append(number)
                self.sizes[number] = 20
            handles.append(tuple(row))
        return tuple(handles)

    def gatts_set_buffer(self, handle, size, append=False):
        self.sizes[handle] = size

    def gatts_write(self, handle, data, send_update=False):
        self.values[handle] = bytes(data)

    def gatts_read(self, handle):
        return self.values[handle]

    def gatts_notify(self, connection, handle, data):
        if self.full_count:
            self.full_count -= 1
            raise OSError(12)
        self.notified.append((connection, handle, bytes(data)))

    def peer_writes(self, connection, handle, data):
        """What a central does; the stack keeps only what the buffer holds."""
        self.values[handle] = data[: self.sizes[handle]]
        self.handler(3, (connection, handle))
