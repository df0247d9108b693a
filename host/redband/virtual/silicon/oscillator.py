"""The badge's clock: `time`, `select` and asyncio's task queue on game time.

Problem: a rehearsal wants hours in minutes, and a test wants the ticks to start just before they
wrap (2^30 ms, 12.4 days). asyncio's C core reads the real clock, so it cannot do either.
Guarantee: with `factor_milli` 1000 and start 0 the real clock and the C core stay in use, and only
the sleeps change: they let interrupt handlers run, as on the chip. Otherwise every tick, sleep,
poll and asyncio deadline is in game time, and tasks run in the order of their deadlines, those of
equal deadline in the order they were queued. Does not speed up the processor.
"""

import select
import sys
import time

import bus
from world import the_world

TICKS_PERIOD = 1 << 30
_REAL_TIME = 1000

_real_ticks_us = time.ticks_us
_real_ticks_diff = time.ticks_diff
_real_poll = select.poll


class Oscillator:
    """Real microseconds in, game microseconds out; keeps its own count over the real wrap."""

    def __init__(self, factor_milli: int, start_ticks_ms: int) -> None:
        self.factor_milli = factor_milli
        the_world.factor_milli = factor_milli
        self._last_us = _real_ticks_us()
        self._real_us = 0
        self._start_us = start_ticks_ms * 1000

    def now_us(self) -> int:
        """Return game microseconds since the start, plus the start; never wraps."""
        ticks_us = _real_ticks_us()
        self._real_us += _real_ticks_diff(ticks_us, self._last_us)
        self._last_us = ticks_us
        return self._start_us + self._real_us * self.factor_milli // 1000

    def ticks_ms(self) -> int:
        return self.now_us() // 1000 % TICKS_PERIOD

    def ticks_us(self) -> int:
        return self.now_us() % TICKS_PERIOD

    def real_ms(self, game_ms: int) -> int:
        """Return the wall milliseconds of a game span, rounded up: never early."""
        return -(-game_ms * 1000 // self.factor_milli)

    def sleep_ms(self, game_ms: int) -> None:
        """Block for `game_ms`; interrupt handlers run meanwhile, as they do on the chip."""
        end_us = self.now_us() + game_ms * 1000
        bus.dispatch()
        while True:
            left_us = end_us - self.now_us()
            if left_us <= 0:
                return
            bus.poll(self.real_ms(-(-left_us // 1000)))


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


def _time_module(oscillator: Oscillator):
    module = _Module()
    for name in dir(time):
        if not name.startswith("_"):
            setattr(module, name, getattr(time, name))
    module.sleep_ms = oscillator.sleep_ms
    module.sleep = lambda seconds: oscillator.sleep_ms(int(seconds * 1000))
    module.sleep_us = lambda game_us: oscillator.sleep_ms(-(-game_us // 1000))
    return module


def _game_time_module(oscillator: Oscillator):
    module = _time_module(oscillator)
    module.ticks_ms = oscillator.ticks_ms
    module.ticks_us = oscillator.ticks_us
    module.ticks_cpu = oscillator.ticks_us
    module.ticks_add = ticks_add
    module.ticks_diff = ticks_diff
    started_s = time.time()
    module.time = lambda: started_s + oscillator.now_us() // 1000000
    module.time_ns = lambda: started_s * 1000000000 + oscillator.now_us() * 1000
    return module


def _select_module(oscillator: Oscillator):
    class Poll:
        """select.poll with its time-outs in game time."""

        def __init__(self):
            self.real = _real_poll()
            self.register = self.real.register
            self.unregister = self.real.unregister
            self.modify = self.real.modify

        def poll(self, timeout=-1):
            return self.real.poll(self._real(timeout))

        def ipoll(self, timeout=-1, flags=0):
            return self.real.ipoll(self._real(timeout), flags)

        @staticmethod
        def _real(timeout):
            return oscillator.real_ms(timeout) if timeout > 0 else timeout

    module = _Module()
    for name in ("POLLIN", "POLLOUT", "POLLERR", "POLLHUP"):
        setattr(module, name, getattr(select, name))
    module.poll = Poll
    return module


def install(factor_milli: int = _REAL_TIME, start_ticks_ms: int = 0) -> None:
    """Put the badge's clock in place; call once, before anything imports asyncio.

    `factor_milli`: game time per wall time in thousandths (10000 is ten times as fast);
    `start_ticks_ms`: what ticks_ms() shows now, 0 to 2^30 - 1.
    """
    oscillator = Oscillator(factor_milli, start_ticks_ms)
    if factor_milli == _REAL_TIME and start_ticks_ms == 0:
        sys.modules["time"] = _time_module(oscillator)
        bus.install_in_asyncio(lambda game_ms: game_ms, lambda poller: poller)
    else:
        sys.modules["time"] = _game_time_module(oscillator)
        sys.modules["select"] = _select_module(oscillator)
        import task_queue  # it takes its clock from the module just put in place

        sys.modules["_asyncio"] = task_queue
        bus.install_in_asyncio(oscillator.real_ms, lambda poller: poller.real)
