"""A whole badge in virtual time; soak_host.py says by lines on stdin what happens to it.

It is the shipped program on its own littlefs image and the chip of virtual badges. Time
stands still while the badge works or the test thinks; when every task waits it jumps to the next
deadline. In an `idle` it jumps further: nothing can be there to see, so all polls of three seconds
become one.
"""

import gc

gc.threshold(4096)  # as main.py does

import binascii
import os
import sys

import alone
import micropython

START_MS = int(os.getenv("SOAK_TICKS_MS"))
STRIDE_US = 3_000_000


class Line(alone.Line):
    """Keeps nothing of what the chip says; leaps further in an `idle`."""

    idle_until_us = 0
    fed_count = 0

    def write(self, frame):
        super().write(frame)
        self.fed_count += frame[2] == opcodes.WATCHDOG_FEED
        self.sent.clear()

    def rest(self, until_us, taken, pending, poller=None):
        further_us = min(bus.the_bus.clock.peek_us() + STRIDE_US, self.idle_until_us)
        super().rest(max(until_us, further_us), taken, pending)


class Image:
    """The flash of the badge in a file: a pull of the battery is the end of the process."""

    def __init__(self, path):
        self.file = open(path, "r+b", 0)  # noqa: SIM115 (for as long as the badge lives)
        self.blank = b"\xff" * 4096

    def readblocks(self, block, buffer, offset=0):
        self.file.seek(block * 4096 + offset)
        self.file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=0):
        self.file.seek(block * 4096 + offset)
        self.file.write(buffer)

    def ioctl(self, operation, argument):
        if operation == 4:
            return 512
        if operation == 5:
            return 4096
        if operation == 6:
            self.writeblocks(argument, self.blank)
        return 0


class Player:
    """What happens to the badge, and the far end of its radio."""

    badge = None

    def __init__(self):
        self.radio = LoneRadio()

    async def run(self):
        await self.wait(500)
        print("playing")
        while True:
            words = sys.stdin.readline().split()
            if not words:
                raise SystemExit
            await getattr(self, words[0])(*[int(word) for word in words[1:]])
            print(".")

    async def wait(self, ms):
        # A wait that ends in the middle of a jump would see the jump's end.
        end_ms = now_ms() + ms
        while now_ms() < end_ms:
            await asyncio.sleep_ms(end_ms - now_ms())

    async def press(self, ms, gap_ms, count, pin=None):
        pin = board.PIN_BUTTON if pin is None else pin
        for _ in range(count):
            pins.drive(pin, 0)
            await self.wait(ms)
            pins.drive(pin, 1)
            await self.wait(gap_ms)

    async def shake(self, ms, gap_ms, count):
        await self.press(ms, gap_ms, count, board.PIN_IMPACT)

    async def word(self, event_id, *arguments):
        """A medic or marshal says what happened to the player: see engine.step."""
        badge = self.badge
        badge.game_journal.apply(badge.clock.update(time.ticks_ms()), event_id, arguments)

    async def idle(self, ms):
        bus.the_bus.line.idle_until_us = bus.the_bus.clock.peek_us() + ms * 1000
        await self.wait(ms)

    async def check(self):
        badge = self.badge
        game_ms = badge.clock.update(time.ticks_ms())
        fed_count = bus.the_bus.line.fed_count
        print(now_ms(), game_ms, badge.state.code, badge.state.last_seq, fed_count)

    async def state(self):
        badge = self.badge
        game_ms = badge.clock.update(time.ticks_ms())
        badge.game_journal.tick(game_ms)
        print(game_ms, binascii.hexlify(badge.game_journal.snapshot()).decode())

    async def memory(self):
        gc.collect()
        gc.collect()
        print(gc.mem_alloc(), gc.mem_free())
        micropython.mem_info()

    async def connect(self):
        self.radio.notified.clear()
        self.radio.connect(0, 185)

    async def frame(self):
        self.radio.write(
            0, self.radio.handles[1], binascii.unhexlify(sys.stdin.readline().strip())
        )

    async def listen(self, ms):
        await self.wait(ms)
        for _connection, handle, data in self.radio.notified:
            print(self.radio.handles.index(handle), binascii.hexlify(data).decode())
        self.radio.notified.clear()

    async def disconnect(self):
        if 0 in self.radio.connections:
            self.radio.leave(0)
        await self.wait(100)


def now_ms():
    return START_MS + bus.the_bus.clock.peek_us() // 1000


def watch(player):
    """Let the player know its badge when it is made."""
    from redband_badge.badge import Badge

    original = Badge.__init__

    def init(self, *arguments):
        player.badge = self
        original(self, *arguments)

    Badge.__init__ = init


def mount(path):
    file_system = os.VfsLfs2(Image(path))
    os.umount("/")
    os.mount(file_system, "/")
    os.chdir("/")


import opcodes

alone.start(START_MS % (1 << 30), Line())
import time

import analog
import bluetooth  # noqa: F401 (what the badge imports is found before its flash is mounted)
import bus
import esp32  # noqa: F401
import machine  # noqa: F401
import pins
from lone_radio import LoneRadio

mount(os.getenv("SOAK_IMAGE"))
sys.path[:] = ["", ".frozen", "/lib"]
import asyncio

from redband_hal import board

analog.set_voltage(board.PIN_BATTERY_ADC, 2000)
the_player = Player()
gc.collect()
print("share", gc.mem_alloc())
watch(the_player)
asyncio.create_task(the_player.run())
with open("/main.py") as main:
    text = main.read()
exec(text)
