"""Runs in a heap of 192 kB, which is what 96 kB are on an ESP32: the whole app, hits, and syncs.

Started by test_heap.py with the compiled firmware on the path, the small stand-ins for the chip,
and a directory for the badge's files. Prints the least free heap it saw.
"""

import asyncio
import gc
import os

gc.threshold(4096)  # as main.py does

import machine

from redband_badge import limits
from redband_badge.app import App
from redband_badge.boot_record import BootRecord
from redband_badge.supervisor import attempt
from redband_core import frames, log_frames
from redband_hal import board, system

HITS = 300
SYNCS = 3


class Host:
    """The other end of the stand-in's radio: greets, fetches all, acknowledges each frame.

    It makes its bytes by hand: host_frames is not on a badge.
    """

    def __init__(self, app):
        self.ble = app.radios[0]._ble
        self.control = app.radios[0]._handles[1]
        self.log = app.radios[0]._handles[2]
        self.number = 0

    def write(self, message):
        self.number = frames.next_number(self.number)
        frame = frames.message_part(self.number, frames.seal(message), 0, 0, 180)
        self.ble.peer_writes(0, self.control, frame)

    async def sync(self):
        self.ble.notified.clear()
        self.ble.handler(1, (0, 0, b"123456"))
        self.ble.handler(21, (0, 185))
        self.write(bytes((frames.HELLO, frames.PROTOCOL_VERSION)))
        await asyncio.sleep_ms(30)
        self.write(bytes((frames.FETCH, 0, 0, 0, 0)))
        received = 0
        while True:
            await asyncio.sleep_ms(5)
            sent = self.ble.notified
            self.ble.notified = []
            for _connection, handle, data in sent:
                if handle != self.log:
                    continue
                received += len(data)
                if data[0] >> 6 == log_frames.END:
                    self.ble.handler(2, (0, 0, b"123456"))
                    return received
                stream = data[0] & log_frames.STREAM_MASK
                self.write(bytes((frames.ACK, stream, (data[1] + 1) & 0xFF, 0, 0, 0, 0)))


async def play(app):
    least = 1 << 30
    received = 0
    while not app.is_running:
        await asyncio.sleep_ms(10)
    host = Host(app)
    for number in range(HITS):
        machine.drive(board.PIN_BUTTON, 0)
        await asyncio.sleep_ms(15)
        machine.drive(board.PIN_BUTTON, 1)
        await asyncio.sleep_ms(35)
        if number % (HITS // SYNCS) == HITS // SYNCS - 1:
            received = await host.sync()
            gc.collect()
            least = min(least, gc.mem_free())
    print("HEAP least %d total %d" % (least, gc.mem_free() + gc.mem_alloc()))
    print("SYNC %d SEQ %d FED %d" % (received, app.badge.store.next_seq, machine.Chip.fed_count))


async def main(root):
    limits.FLASH_RESERVE_BYTES = 0
    cause = system.reset_cause()
    boot = BootRecord(root + "/boot.cnt")
    app = App(root, boot, cause, boot.begin(cause), system.Watchdog(8000))
    badge = asyncio.create_task(attempt(app.run()))
    await play(app)
    badge.cancel()


asyncio.run(main(os.getenv("REDBAND_ROOT")))
