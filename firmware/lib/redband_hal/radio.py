"""The Bluetooth controller as a peripheral: one service of ours, Battery, Device Information.

Guarantee: the interrupt handler only copies into bounded rings; what does not fit is counted in
`dropped_count` and `heard_dropped_count`, and a connect or disconnect always fits. Connection
handles come from events. It observes, too: of all adverts in range those are kept that begin as it
was told. It may be switched off and on without end: each start has handles of its own, and no
event of the one before is left. Does not know sessions or adverts: redband_badge.radio_task does.
"""

import bluetooth

EVENT_CONNECTED = 1
EVENT_DISCONNECTED = 2
EVENT_WRITTEN = 3
EVENT_MTU = 4

CHANNEL_CONTROL = 1
CHANNEL_LOG = 2

# Events of the MicroPython bluetooth documentation; the module has no names for them.
_IRQ_CENTRAL_CONNECT = 1
_IRQ_CENTRAL_DISCONNECT = 2
_IRQ_GATTS_WRITE = 3
_IRQ_SCAN_RESULT = 5
_IRQ_MTU_EXCHANGED = 21

_ENOMEM = 12

_UUID_BATTERY_SERVICE = 0x180F
_UUID_BATTERY_LEVEL = 0x2A19
_UUID_DEVICE_INFORMATION = 0x180A
_UUID_FIRMWARE_REVISION = 0x2A26
_UUID_MANUFACTURER = 0x2A29

# A central may do four connections at once at most, each with a connect and a disconnect that
# have to find a place even when writes have filled the ring.
RING_SIZE = 40
RING_KEPT_FOR_LINKS = 8

HEARD_SIZE = 8
HEAD_AT = 3  # in an advertisement, after its flags
HEAD_BYTES = 6

PREFERRED_MTU = 256
# The longest write a peer may send: the MTU less three bytes of ATT header. Without this call
# MicroPython keeps the first 20 bytes of each write and drops the rest in silence.
WRITE_BUFFER_BYTES = PREFERRED_MTU - 3


class Radio:
    """The controller. `start` may fail and be tried again; nothing else works before it.

    `is_started`: whether it has worked. `dropped_count`: events that found the ring full, and
    writes with nothing in them. `wakeup`: a Wakeup that is set for each event, or None.
    """

    def __init__(self, service_uuid: str, info_uuid: str, control_uuid: str, log_uuid: str):
        """Remember the UUIDs of our service; touch no hardware."""
        self._uuids = (service_uuid, info_uuid, control_uuid, log_uuid)
        self._ble = bluetooth.BLE()
        # The stubs call handles memoryviews; they are ints (bluetooth documentation).
        self._handles: "tuple" = (0,) * 6
        self._ring: "list" = [None] * RING_SIZE
        self.is_started = False
        # Two growing counts, each written by one side only: the handler may run between any two
        # bytecodes of the reader, and a shared count would lose an event then.
        self._put_count = 0
        self._taken_count = 0
        self.dropped_count = 0
        # What was observed, the same way: (advertisement, rssi in dBm).
        self._heads = ()
        self._heard: "list" = [None] * HEARD_SIZE
        self._heard_put_count = 0
        self._heard_taken_count = 0
        self.heard_dropped_count = 0
        self.wakeup = None

    def start(self, name: str, firmware_version: str) -> None:
        """Switch the controller on and register the services. Raises OSError when it cannot.

        `name`: GAP name, up to 20 bytes. May be called again after a failure.
        """
        ble = self._ble
        # A soft reset can leave the controller half alive: off first, then on.
        ble.active(False)
        self._forget_events()
        ble.active(True)
        ble.config(gap_name=name, mtu=PREFERRED_MTU)
        ble.irq(self._on_event)  # pyright: ignore[reportArgumentType]
        self._handles = self._register(ble)
        ble.gatts_set_buffer(self._handles[1], WRITE_BUFFER_BYTES)
        ble.gatts_write(self._handles[4], firmware_version.encode())
        ble.gatts_write(self._handles[5], b"Redband")
        self.is_started = True

    def _register(self, ble: bluetooth.BLE) -> tuple:
        uuid = bluetooth.UUID
        read, notify = bluetooth.FLAG_READ, bluetooth.FLAG_NOTIFY
        fast = bluetooth.FLAG_WRITE_NO_RESPONSE  # for uploads
        service, info, control, log = self._uuids
        services = (
            (
                uuid(service),
                (
                    (uuid(info), read),
                    (uuid(control), bluetooth.FLAG_WRITE | fast | notify),
                    (uuid(log), notify),
                ),
            ),
            (uuid(_UUID_BATTERY_SERVICE), ((uuid(_UUID_BATTERY_LEVEL), read | notify),)),
            (
                uuid(_UUID_DEVICE_INFORMATION),
                ((uuid(_UUID_FIRMWARE_REVISION), read), (uuid(_UUID_MANUFACTURER), read)),
            ),
        )
        ours, battery, device = ble.gatts_register_services(
            services  # pyright: ignore[reportArgumentType]
        )
        return tuple(ours) + tuple(battery) + tuple(device)

    def _on_event(self, event: int, data: tuple) -> None:
        # Copies and leaves. `data` holds views that die with this call. Adverts of others come by
        # the hundred each second, so most of them are left where they are.
        if event == _IRQ_SCAN_RESULT:
            if data[4][HEAD_AT : HEAD_AT + HEAD_BYTES] in self._heads:
                self._hear(bytes(data[4]), data[3])
        elif event == _IRQ_GATTS_WRITE:
            if self._put_count - self._taken_count >= RING_SIZE - RING_KEPT_FOR_LINKS:
                self.dropped_count += 1
            elif data[1] == self._handles[1]:
                value = self._ble.gatts_read(data[1])
                if value:
                    self._put((EVENT_WRITTEN, data[0], bytes(value)))
                else:
                    self.dropped_count += 1  # None or b"": PITFALLS A5
        elif event == _IRQ_CENTRAL_CONNECT:
            self._put((EVENT_CONNECTED, data[0], 0))
        elif event == _IRQ_CENTRAL_DISCONNECT:
            self._put((EVENT_DISCONNECTED, data[0], 0))
        elif event == _IRQ_MTU_EXCHANGED:
            self._put((EVENT_MTU, data[0], data[1]))

    def _put(self, event: tuple) -> None:
        if self._put_count - self._taken_count == RING_SIZE:
            self.dropped_count += 1
            return
        self._ring[self._put_count % RING_SIZE] = event
        self._put_count += 1
        if self.wakeup is not None:
            self.wakeup.set()

    def _hear(self, advertisement: bytes, rssi_dbm: int) -> None:
        if self._heard_put_count - self._heard_taken_count == HEARD_SIZE:
            self.heard_dropped_count += 1
            return
        self._heard[self._heard_put_count % HEARD_SIZE] = (advertisement, rssi_dbm)
        self._heard_put_count += 1
        if self.wakeup is not None:
            self.wakeup.set()

    def take_heard(self) -> "tuple[bytes, int] | None":
        """Return the oldest (advertisement, rssi in dBm) that was observed, and remove it."""
        if self._heard_put_count == self._heard_taken_count:
            return None
        heard = self._heard[self._heard_taken_count % HEARD_SIZE]
        self._heard_taken_count += 1
        return heard

    def take_event(self) -> "tuple | None":
        """Return the oldest (EVENT_ code, connection handle, data) and remove it, or None.

        Data: bytes for EVENT_WRITTEN, the MTU for EVENT_MTU, else 0.
        """
        if self._put_count == self._taken_count:
            return None
        event = self._ring[self._taken_count % RING_SIZE]
        self._taken_count += 1
        return event

    def set_info(self, data: bytes) -> None:
        """Set what a read of the INFO characteristic returns."""
        self._ble.gatts_write(self._handles[0], data)

    def set_battery_pct(self, battery_pct: int) -> None:
        """Set the standard Battery Level (0 to 100) and tell those who subscribed."""
        self._ble.gatts_write(self._handles[3], bytes((battery_pct,)), True)

    def advertise(self, interval_ms: int, advert: bytes, scan_response: bytes) -> None:
        """Advertise, connectable, with this data; replaces what was sent before.

        Raises OSError when the controller refuses, as it may while a connection is up.
        """
        self._ble.gap_advertise(interval_ms * 1000, advert, resp_data=scan_response)

    def observe(self, window_ms: int, interval_ms: int, heads: tuple) -> None:
        """Listen for adverts, `window_ms` of each `interval_ms`, until told otherwise.

        `heads`: what the advertisements to keep have in the HEAD_BYTES from HEAD_AT on. Replaces
        what was observed before; goes on through connections. Raises OSError when the controller
        refuses, as some do while they advertise (PITFALLS B11).
        """
        self._heads = heads
        self._ble.gap_scan(None)  # pyright: ignore[reportArgumentType]
        self._ble.gap_scan(0, interval_ms * 1000, window_ms * 1000, False)

    def stop_observing(self) -> None:
        """Listen no more. Raises OSError."""
        self._ble.gap_scan(None)  # pyright: ignore[reportArgumentType]

    def notify(self, connection: int, channel: int, data: bytes) -> bool:
        """Send one notification; return False when the stack has no room: the same again later.

        Raises OSError when the connection is gone.
        """
        handle = self._handles[channel]
        try:
            self._ble.gatts_notify(connection, handle, data)  # pyright: ignore
        except OSError as error:
            if error.errno == _ENOMEM:
                return False
            raise
        return True

    def disconnect(self, connection: int) -> None:
        """Ask the controller to end a connection; EVENT_DISCONNECTED follows."""
        try:
            self._ble.gap_disconnect(connection)  # pyright: ignore[reportArgumentType]
        except OSError:
            return  # it is gone already, or its event is on the way

    def stop(self) -> None:
        """Switch the controller off, so that a soft reset leaves nothing half alive.

        Connections end without an event. Raises OSError; start() tries it again.
        """
        self.is_started = False
        self._ble.active(False)
        self._forget_events()

    def _forget_events(self) -> None:
        # Of a controller that is off: connections and handles of its last life mean nothing now.
        self._taken_count = self._put_count
        self._heard_taken_count = self._heard_put_count
