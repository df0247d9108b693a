"""`time`, `select`, `os.urandom` and asyncio's task queue, on the badge's clock and seed.

Problem: asyncio's C core reads the real clock, and so do these modules of the unix port.
Guarantee: every tick, sleep, poll and deadline of asyncio is of the badge's clock, and random
bytes follow the seed; the program finds nothing else under these names.
"""

import os
import random
import select
import sys
import time

import bus
from clock import TICKS_PERIOD

_real_poll = select.poll


def ticks_add(ticks: int, delta: int) -> int:
    """Return `ticks` + `delta` on the ring of 2^30."""
    if not -TICKS_PERIOD // 2 < delta < TICKS_PERIOD // 2:
        raise OverflowError("ticks interval overflow")
    return (ticks + delta) % TICKS_PERIOD


def ticks_diff(later: int, earlier: int) -> int:
    """Return `later` - `earlier` on the ring, from -2^29 to 2^29 - 1."""
    return (later - earlier + TICKS_PERIOD // 2) % TICKS_PERIOD - TICKS_PERIOD // 2


class _Module:
    """A module made at run time: its attributes are what `import` finds."""


def _copy_of(module):
    copy = _Module()
    for name in dir(module):
        if not name.startswith("_"):
            setattr(copy, name, getattr(module, name))
    return copy


def _time_module(clock):
    def sleep_us(span_us: int) -> None:
        """Block; interrupt handlers run meanwhile, as they do on the chip."""
        end_us = clock.peek_us() + span_us
        bus.dispatch()
        while clock.peek_us() < end_us:
            bus.the_bus.rest(end_us)
            bus.dispatch()

    module = _copy_of(time)
    module.sleep_us = sleep_us
    module.sleep_ms = lambda span_ms: sleep_us(span_ms * 1000)
    module.sleep = lambda seconds: sleep_us(int(seconds * 1000000))
    module.ticks_ms = lambda: clock.ticks_us() // 1000 % TICKS_PERIOD
    module.ticks_us = module.ticks_cpu = lambda: clock.ticks_us() % TICKS_PERIOD
    module.ticks_add = ticks_add
    module.ticks_diff = ticks_diff
    module.time = lambda: clock.ticks_us() // 1000000
    module.time_ns = lambda: clock.ticks_us() * 1000
    return module


def _select_module(clock):
    class Poll:
        """select.poll with its time-outs on the badge's clock."""

        def __init__(self):
            self.real = _real_poll()
            self.register = self.real.register
            self.unregister = self.real.unregister
            self.modify = self.real.modify

        def poll(self, timeout=-1):
            end_us = clock.due_us(timeout) if timeout >= 0 else None
            ready = self.real.poll(0)
            while not ready and (end_us is None or clock.peek_us() < end_us):
                bus.the_bus.rest(end_us, self.real)
                bus.dispatch()
                ready = self.real.poll(0)
            return ready

        def ipoll(self, timeout=-1, flags=0):
            return iter(self.poll(timeout))

    module = _copy_of(select)
    module.poll = Poll
    return module


def _urandom(seed: int):
    state = [(seed * 2654435761 + 0x9E3779B9) & 0xFFFFFFFF or 1]

    def urandom(count: int) -> bytes:
        """Return bytes of an xorshift generator: for tests, no secrets."""
        out = bytearray(count)
        x = state[0]
        for index in range(count):
            x ^= x << 13 & 0xFFFFFFFF
            x ^= x >> 17
            x ^= x << 5 & 0xFFFFFFFF
            out[index] = x >> 11 & 0xFF
        state[0] = x
        return bytes(out)

    return urandom


def install(clock, seed: int) -> None:
    """Put the clock and the seed in place; call once, before anything imports asyncio."""
    bus.the_bus.clock = clock
    sys.modules["time"] = _time_module(clock)
    sys.modules["select"] = _select_module(clock)
    import task_queue  # it takes its clock from the module just put in place

    sys.modules["_asyncio"] = task_queue
    seeded = _copy_of(os)
    seeded.urandom = _urandom(seed)
    sys.modules["os"] = seeded
    random.seed(seed)
    bus.install_in_asyncio()
