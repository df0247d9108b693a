"""The one wire between a virtual badge and its owner on the host.

Problem: pins, converter, watchdog, reset and radio of a virtual badge live in the owner process.
Guarantee: frames arrive whole and in order; a call waits for its reply, and events that come
meanwhile are delivered later, in order; a handler never runs inside another one, and an error in
it is printed and the program goes on, as the chip's scheduler does (`micropython.schedule`).
Does not: interpret payloads, or run handlers in a loop that never awaits or sleeps.

Frame: u16 length of the payload (little-endian), u8 opcode, payload. Opcodes: 0x01-0x3F badge to
owner, radio; 0x40-0x5F badge to owner, silicon; 0x80 reply to a radio call, 0x81-0xBF radio
events; 0xC0 reply to a silicon call, 0xC1-0xDF silicon events.
"""

import errno
import select
import time

import micropython
import opcodes

REPLY_TO_RADIO = 0x80
REPLY_TO_SILICON = 0xC0
FIRST_SILICON_CALL = 0x40
MAX_PAYLOAD_BYTES = 2048
CALL_TIMEOUT_MS = 5000  # wall time; a healthy owner answers in a few milliseconds
MAX_PENDING = 256  # events received and not yet handled
MAX_PENDING_BYTES = 8192  # then frames stay in the socket, and the owner feels it
_WRITE_STEP_MS = 1000
_HEADER_BYTES = 3

# The bus counts in wall time even when an oscillator replaces these modules for the firmware.
_ticks_ms = time.ticks_ms
_ticks_diff = time.ticks_diff
_poll = select.poll
_POLLIN = select.POLLIN
_POLLOUT = select.POLLOUT


class Bus:
    """The badge's end. One instance (`the_bus`) per interpreter; module functions use it."""

    def __init__(self) -> None:
        self.file = None
        self.world = None  # set by world.py
        self.dropped_count = 0
        self._buffer = bytearray(2 * MAX_PAYLOAD_BYTES)
        self._view = memoryview(self._buffer)
        self._filled = 0
        self._handlers = []
        self._pending = []
        self._pending_bytes = 0
        self._replies = {}
        self._is_running_handler = False
        self._is_break_wanted = False
        self._readable = _poll()
        self._writable = _poll()

    def attach(self, descriptor: int) -> None:
        """Use the non-blocking socket `descriptor`, inherited from the owner."""
        self.file = open(descriptor, "r+b", 0)
        self._readable.register(self.file, _POLLIN)
        self._writable.register(self.file, _POLLOUT)

    def register(self, first: int, last: int, handler, at_once: bool = False) -> None:
        """Give frames with an opcode in `first`..`last` to `handler(opcode, payload: bytes)`.

        `at_once`: run it while the frame is being received, even in the middle of another call.
        Such a handler may only note a value and `post` something; it may not use the bus.
        """
        self._handlers.append((first, last, handler, at_once))

    def post(self, function, first, second) -> bool:
        """Queue `function(first, second)` for the next dispatch; False if the queue is full."""
        if len(self._pending) >= MAX_PENDING:
            self.dropped_count += 1
            return False
        self._pending.append((function, first, second))
        return True

    def send(self, opcode: int, *parts) -> None:
        """Send one frame; `parts` are bytes-like. Raises OSError(EPIPE) if the owner is gone."""
        length = 0
        for part in parts:
            length += len(part)
        if length > MAX_PAYLOAD_BYTES:
            raise ValueError("frame too long")
        frame = bytes((length & 0xFF, length >> 8, opcode)) + b"".join(parts)
        while frame:
            count = self.file.write(frame)
            if count is None:  # the socket is full: the owner is busy
                self._writable.poll(_WRITE_STEP_MS)
            else:
                frame = frame[count:]

    def call(self, opcode: int, *parts) -> bytes:
        """Send one frame and wait for its reply's payload. Raises OSError(ETIMEDOUT)."""
        reply = REPLY_TO_SILICON if opcode >= FIRST_SILICON_CALL else REPLY_TO_RADIO
        self._replies.pop(reply, None)
        self.send(opcode, *parts)
        started_ms = _ticks_ms()
        while True:
            self._read_socket()
            payload = self._replies.pop(reply, None)
            if payload is not None:
                return payload
            left_ms = CALL_TIMEOUT_MS - _ticks_diff(_ticks_ms(), started_ms)
            if left_ms <= 0:
                raise OSError(errno.ETIMEDOUT)
            self._readable.poll(left_ms)

    def receive(self) -> None:
        """Take in what has happened so far; never waits, runs only `at_once` handlers."""
        if self._pending_bytes < MAX_PENDING_BYTES:
            self._read_socket()
        if self.world.is_active:
            self.world.advance()

    def _read_socket(self) -> None:
        while True:
            count = self.file.readinto(self._view[self._filled :])
            if count is None:
                return
            if count == 0:
                raise SystemExit  # the owner is gone, and the badge with it
            self._filled += count
            is_more = self._filled == len(self._buffer)
            self._take_frames()
            if not is_more or self._pending_bytes >= MAX_PENDING_BYTES:
                return

    def _take_frames(self) -> None:
        buffer = self._buffer
        start = 0
        while self._filled - start >= _HEADER_BYTES:
            length = buffer[start] | buffer[start + 1] << 8
            if length > MAX_PAYLOAD_BYTES:
                raise OSError(errno.EIO)
            end = start + _HEADER_BYTES + length
            if end > self._filled:
                break
            self._take(buffer[start + 2], bytes(self._view[start + _HEADER_BYTES : end]))
            start = end
        if start:
            left = self._filled - start
            buffer[:left] = bytes(self._view[start : self._filled])
            self._filled = left

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == REPLY_TO_RADIO or opcode == REPLY_TO_SILICON:
            self._replies[opcode] = payload
            return
        if opcode == opcodes.BREAK or opcode == opcodes.BREAK_CANCEL:
            self._is_break_wanted = opcode == opcodes.BREAK
            return
        for first, last, handler, at_once in self._handlers:
            if first <= opcode <= last:
                if at_once:
                    handler(opcode, payload)
                elif self.post(handler, opcode, payload):
                    self._pending_bytes += len(payload)
                return
        self.dropped_count += 1  # nobody of this firmware uses that device

    def _run_next(self, _) -> None:
        if self._pending and not self._is_running_handler:
            function, first, second = self._pending.pop(0)
            self._is_running_handler = True
            try:
                function(first, second)
            finally:
                self._is_running_handler = False

    def _take_break(self) -> None:
        self._is_break_wanted = False
        self.send(opcodes.BREAK_TAKEN)
        raise KeyboardInterrupt

    def dispatch(self) -> bool:
        """Receive, then run every queued handler; return True if any ran. Not re-entrant.

        Raises KeyboardInterrupt when the owner passes on a Ctrl-C: here no frame is half read
        and no file half written, which a signal could not promise.
        """
        self.receive()
        if self._is_running_handler:
            return False
        if self._is_break_wanted:
            self._take_break()
        if not self._pending:
            return False
        self._pending_bytes = 0
        while self._pending:
            # The scheduler prints an error of the handler and goes on, as on a board.
            micropython.schedule(self._run_next, None)
        return True

    def rest(self, timeout_ms: int) -> None:
        """Wait up to `timeout_ms` (wall time, -1: for ever) for something; runs no handler."""
        self._readable.poll(self.world.limit_ms(timeout_ms))
        self.world.rested()

    def wait(self, timeout_ms: int) -> None:
        """Wait up to `timeout_ms` (wall time) for a frame, and leave it where it is."""
        self._readable.poll(timeout_ms)

    def poll(self, timeout_ms: int = 0) -> bool:
        """Wait up to `timeout_ms` (wall time) for something, then dispatch; True if one ran."""
        if self.dispatch():
            return True
        if timeout_ms:
            self.rest(timeout_ms)
            return self.dispatch()
        return False


the_bus = Bus()
attach = the_bus.attach
register = the_bus.register
post = the_bus.post
send = the_bus.send
call = the_bus.call
receive = the_bus.receive
dispatch = the_bus.dispatch
poll = the_bus.poll


def install_in_asyncio(real_ms, real_poller) -> None:
    """Let asyncio's loop wake up and dispatch when a frame comes; needs no task of its own.

    real_ms(game ms): wall milliseconds; real_poller(poller): the one in wall time behind it.
    """
    from asyncio import core

    class BusQueue(core.IOQueue):
        """asyncio's I/O queue with the bus as one more source."""

        def __init__(self) -> None:
            super().__init__()
            self.poller = real_poller(self.poller)
            self.poller.register(the_bus.file, core.select.POLLIN)
            self.rings = []  # (ring, task): set by handlers and tasks, so in this loop

        def _enqueue(self, stream, index: int) -> None:
            if isinstance(stream, micropython.RingIO):
                self.rings.append((stream, core.cur_task))
                core.cur_task.data = self
            else:
                super()._enqueue(stream, index)

        def remove(self, task) -> None:
            self.rings = [one for one in self.rings if one[1] is not task]
            super().remove(task)

        def _wake_rings(self) -> bool:
            ready = [one for one in self.rings if one[0].any()]
            for one in ready:
                self.rings.remove(one)
                core._task_queue.push(one[1])
            return bool(ready)

        def wait_io_event(self, dt: int) -> None:
            if the_bus.dispatch() or self._wake_rings():
                return  # a handler may have made a task ready: the loop looks again
            timeout_ms = the_bus.world.limit_ms(real_ms(dt) if dt > 0 else dt)
            ready = self.poller.ipoll(timeout_ms)
            the_bus.world.rested()
            for stream, events in ready:
                waiting = self.map.get(id(stream))
                if waiting is not None:
                    self._wake(stream, waiting, events)
            the_bus.dispatch()

        def _wake(self, stream, waiting, events: int) -> None:
            reader, writer, _ = waiting
            if reader is not None and events & ~core.select.POLLOUT:
                core._task_queue.push(reader)
                waiting[0] = None
            if writer is not None and events & ~core.select.POLLIN:
                core._task_queue.push(writer)
                waiting[1] = None
            if waiting[0] is None and waiting[1] is None:
                self._dequeue(stream)
            else:
                wanted = core.select.POLLOUT if waiting[0] is None else core.select.POLLIN
                self.poller.modify(stream, wanted)

    core.IOQueue = BusQueue
    core.new_event_loop()
