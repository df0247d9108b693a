"""A whole badge in virtual time; soak_host.py says by lines on stdin what happens to it.

It is the shipped program on its own littlefs image and the small stand-ins for the chip. Time
stands still while the badge works or the test thinks; when every task waits it jumps to the next
deadline. In an `idle` it jumps further: nothing can be there to see, so all polls of three seconds
become one.
"""

import gc

gc.threshold(4096)  # as main.py does

import binascii
import os
import sys
import time

import micropython

PERIOD = 1 << 30
STRIDE_MS = 3000


class Clock:
    """The only clock: what `time`, `select` and asyncio's task queue see."""

    now_ms = 0
    idle_until_ms = 0

    @staticmethod
    def jump(ms):
        now_ms = Clock.now_ms
        further_ms = min(now_ms + STRIDE_MS, Clock.idle_until_ms)
        Clock.now_ms = max(now_ms + ms, further_ms)


def ticks_ms():
    return Clock.now_ms % PERIOD


def ring_diff(later, earlier):
    return (later - earlier + PERIOD // 2) % PERIOD - PERIOD // 2


def ring_add(ticks, delta):
    return (ticks + delta) % PERIOD


class Time:
    """Stands for the module. The port's own ticks_diff is quick, and wraps much later."""

    ticks_ms = ticks_ms
    ticks_diff = time.ticks_diff
    ticks_add = time.ticks_add

    @staticmethod
    def sleep_ms(ms):
        Clock.jump(ms)


class Poll:
    """Waits for nobody: whoever would be heard of is in this process, and sets a ring."""

    def __init__(self):
        self.rings = []

    def register(self, stream, _mask=0):
        if hasattr(stream, "any"):
            self.rings.append(stream)

    def modify(self, *_arguments):
        pass

    def unregister(self, stream):
        if stream in self.rings:
            self.rings.remove(stream)

    def ipoll(self, ms=-1, _flags=0):
        ready = [(ring, 1) for ring in self.rings if ring.any()]
        if ready:
            return ready
        if ms > 0:
            Clock.jump(ms)
        return ()

    poll = ipoll


class Select:
    """Stands for the module."""

    POLLIN, POLLOUT, POLLERR, POLLHUP = 1, 4, 8, 16
    poll = Poll


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
    ble = None

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
        end_ms = Clock.now_ms + ms
        while Clock.now_ms < end_ms:
            await asyncio.sleep_ms(end_ms - Clock.now_ms)

    async def press(self, ms, gap_ms, count, pin=None):
        pin = board.PIN_BUTTON if pin is None else pin
        for _ in range(count):
            machine.drive(pin, 0)
            await self.wait(ms)
            machine.drive(pin, 1)
            await self.wait(gap_ms)

    async def shake(self, ms, gap_ms, count):
        await self.press(ms, gap_ms, count, board.PIN_IMPACT)

    async def word(self, event_id, *arguments):
        """A medic or marshal says what happened to the player: see engine.step."""
        badge = self.badge
        badge.game_journal.apply(badge.clock.update(ticks_ms()), event_id, arguments)

    async def idle(self, ms):
        Clock.idle_until_ms = Clock.now_ms + ms
        await self.wait(ms)

    async def check(self):
        badge = self.badge
        now_ms = badge.clock.update(ticks_ms())
        print(Clock.now_ms, now_ms, badge.state.code, badge.state.last_seq, machine.Chip.fed_count)

    async def state(self):
        badge = self.badge
        now_ms = badge.clock.update(ticks_ms())
        badge.game_journal.tick(now_ms)
        print(now_ms, binascii.hexlify(badge.game_journal.snapshot()).decode())

    async def memory(self):
        gc.collect()
        gc.collect()
        print(gc.mem_alloc(), gc.mem_free())
        micropython.mem_info()

    async def connect(self):
        self.ble.notified.clear()
        self.ble.fire(1, (0, 0, b"123456"))
        self.ble.fire(21, (0, 185))

    async def frame(self):
        self.ble.peer_writes(0, self.ble.ours[1], binascii.unhexlify(sys.stdin.readline().strip()))

    async def listen(self, ms):
        await self.wait(ms)
        for _connection, handle, data in self.ble.notified:
            print(self.ble.ours.index(handle), binascii.hexlify(data).decode())
        self.ble.notified.clear()

    async def disconnect(self):
        if 0 in self.ble.connections:
            self.ble.fire(2, (0, 0, b"123456"))
        await self.wait(100)


def install(start_ms):
    """Put the clock in place; call before anything imports asyncio."""
    Clock.now_ms = start_ms
    if start_ms:  # a life that begins before the wrap
        Time.ticks_diff = ring_diff
        Time.ticks_add = ring_add
    sys.modules["time"] = Time
    sys.modules["select"] = Select
    import task_queue

    sys.modules["_asyncio"] = task_queue


def watch(player):
    """Let the player know its badge and its radio when they are made."""

    class Watched(bluetooth.BLE):
        def __init__(self):
            super().__init__()
            player.ble = self

        def gatts_register_services(self, services):
            handles = super().gatts_register_services(services)
            self.ours = handles[0]
            return handles

    bluetooth.BLE = Watched
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


install(int(os.getenv("SOAK_TICKS_MS")))
import bluetooth
import esp32  # noqa: F401 (what the badge imports has to be found before its flash is mounted)
import machine

machine.lightsleep = Clock.jump
mount(os.getenv("SOAK_IMAGE"))
sys.path[:] = ["", ".frozen", "/lib"]
import asyncio

from redband_hal import board

the_player = Player()
gc.collect()
print("share", gc.mem_alloc())
watch(the_player)
asyncio.create_task(the_player.run())
with open("/main.py") as main:
    text = main.read()
exec(text)
