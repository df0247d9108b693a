"""Time that leaps: a sleep of asyncio ends at once, and the tick counter goes on by its length.

Problem: hours of a whole badge in a second, the same at each run, from any tick value. Guarantee:
`install()` before anything imports asyncio, `time` or `select` puts a clock in place that moves
only when every task sleeps; nothing depends on how fast this computer is.
"""

import select
import sys
import time

TICKS_PERIOD = 1 << 30
_SILICON = __file__.rsplit("/", 4)[0] + "/host/redband/virtual/silicon"


class Leap:
    """`now_ms`: since install(). `on_leap()`: called before each leap."""

    now_ms = 0
    start_ticks_ms = 0
    on_leap = None


def ticks_ms():
    return (Leap.start_ticks_ms + Leap.now_ms) % TICKS_PERIOD


def ticks_add(ticks, delta):
    return (ticks + delta) % TICKS_PERIOD


def ticks_diff(later, earlier):
    half = TICKS_PERIOD >> 1
    return (later - earlier + half) % TICKS_PERIOD - half


def pass_ms(span_ms):
    """Let time pass; also what the program does that waits without asyncio."""
    if Leap.on_leap is not None:
        Leap.on_leap()
    Leap.now_ms += span_ms


class Poll:
    """select.poll of a badge at which nobody writes: of its streams, only rings become ready."""

    def __init__(self):
        self._rings = []

    def register(self, stream, mask=0):
        if hasattr(stream, "any"):
            self._rings.append(stream)

    def modify(self, stream, mask):
        pass

    def unregister(self, stream):
        if stream in self._rings:
            self._rings.remove(stream)

    def poll(self, timeout_ms=-1, flags=0):
        ready = [(ring, 1) for ring in self._rings if ring.any()]
        if ready:
            return ready
        if timeout_ms < 0:
            raise RuntimeError("every task waits for ever")
        if timeout_ms:
            pass_ms(timeout_ms)
        return []

    def ipoll(self, timeout_ms=-1, flags=0):
        return iter(self.poll(timeout_ms))


class _Module:
    """What `import` finds from now on."""


def _copy_of(module):
    copy = _Module()
    for name in dir(module):
        if not name.startswith("_"):
            setattr(copy, name, getattr(module, name))
    return copy


def install(start_ticks_ms):
    """Begin at this tick value, 0 to 2**30 - 1."""
    Leap.start_ticks_ms = start_ticks_ms
    clock = _copy_of(time)
    clock.ticks_ms = ticks_ms
    clock.ticks_us = lambda: ticks_ms() * 1000 % TICKS_PERIOD
    clock.ticks_cpu = clock.ticks_us
    clock.ticks_add = ticks_add
    clock.ticks_diff = ticks_diff
    clock.sleep_ms = pass_ms
    poller = _copy_of(select)
    poller.poll = Poll
    sys.modules["time"] = clock
    sys.modules["select"] = poller
    sys.path.append(_SILICON)
    sys.modules["_asyncio"] = __import__("task_queue")
    sys.path.remove(_SILICON)
