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

import micropython
import opcodes
from clock import LOOK_US, NEVER_US
from line import SocketLine

REPLY_TO_RADIO = 0x80
REPLY_TO_SILICON = 0xC0
FIRST_SILICON_CALL = 0x40
MAX_PAYLOAD_BYTES = 2048
MAX_PENDING = 256  # events received and not yet handled; more are dropped
_HEADER_BYTES = 3
_GO_COUNT_OFFSET = 8


class Bus:
    """The badge's end. One instance (`the_bus`) per interpreter; module functions use it."""

    def __init__(self) -> None:
        self.line = None  # set by attach
        self.clock = None  # set by clock_modules.py
        self.world = None  # set by world.py
        self._taken_count = 0
        self._whole_count = 0
        self._buffer = bytearray(2 * MAX_PAYLOAD_BYTES)
        self._view = memoryview(self._buffer)
        self._filled = 0
        self._handlers = []
        self._pending = []
        self._replies = {}
        self._is_running_handler = False
        self._is_break_wanted = False

    def attach(self, descriptor: int) -> None:
        """Use the non-blocking socket `descriptor`, inherited from the owner."""
        self.line = SocketLine(descriptor)

    def register(self, first: int, last: int, handler, at_once: bool = False) -> None:
        """Give frames with an opcode in `first`..`last` to `handler(opcode, payload: bytes)`.

        `at_once`: run it while the frame is being received, even in the middle of another call.
        Such a handler may only note a value and `post` something; it may not use the bus.
        """
        self._handlers.append((first, last, handler, at_once))

    def post(self, function, first, second) -> bool:
        """Queue `function(first, second)` for the next dispatch; False if the queue is full."""
        if len(self._pending) >= MAX_PENDING:
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
        self.line.write(bytes((length & 0xFF, length >> 8, opcode)) + b"".join(parts))

    def call(self, opcode: int, *parts) -> bytes:
        """Send one frame and wait for its reply's payload, in which whatever it needs happens."""
        reply = REPLY_TO_SILICON if opcode >= FIRST_SILICON_CALL else REPLY_TO_RADIO
        self._replies.pop(reply, None)
        self.send(opcode, *parts)
        while True:
            self._take_in()
            payload = self._replies.pop(reply, None)
            if payload is not None:
                return payload
            self.wait_for_owner(NEVER_US)

    def receive(self) -> None:
        """Take in what has happened so far; never waits, runs only `at_once` handlers."""
        self.clock.spend(LOOK_US)
        self._take_in()
        if self.world.is_active:
            self.world.advance()

    def rest(self, until_us: "int | None", poller=None) -> None:
        """Return when a frame has come or it is `until_us` (None: never); runs no handler.

        Returns at the next thing that the world does, too, and for the streams of `poller`.
        """
        if until_us is None:
            until_us = NEVER_US
        if self.world.is_active:
            until_us = min(until_us, self.world.next_us())
        self.line.rest(until_us, self._taken_count, len(self._pending), poller)
        self._take_in()

    def wait_for_owner(self, until_us: int) -> None:
        """Let the owner's clock come up to `until_us`, or let a frame come; the world stands."""
        self.line.rest(until_us, self._taken_count, len(self._pending))
        self._take_in()

    def _take_in(self) -> None:
        while True:
            count = self.line.readinto(self._view[self._filled :])
            if count is not None:
                self._filled += count
                self._take_frames()
            elif self._taken_count < self._whole_count:
                self.line.wait()  # the rest of what was sent with the last GO
            else:
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
        self._taken_count += 1
        if opcode == opcodes.GO:
            limit_us = self.world.next_us() if self.world.is_active else NEVER_US
            self.clock.granted(payload, limit_us)
            follow = payload[_GO_COUNT_OFFSET] | payload[_GO_COUNT_OFFSET + 1] << 8
            self._whole_count = self._taken_count + follow
            return
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
                else:
                    self.post(handler, opcode, payload)
                return

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
        while self._pending:
            # The scheduler prints an error of the handler and goes on, as on a board.
            micropython.schedule(self._run_next, None)
        return True


the_bus = Bus()
attach = the_bus.attach
register = the_bus.register
post = the_bus.post
send = the_bus.send
call = the_bus.call
receive = the_bus.receive
dispatch = the_bus.dispatch


class _Rings:
    """The streams that handlers and tasks fill, in this very loop: (RingIO, task that waits)."""

    def __init__(self) -> None:
        self.waiting = []

    def remove(self, task) -> None:
        """Let a task wait no more."""
        self.waiting = [one for one in self.waiting if one[1] is not task]

    def wake(self, core) -> bool:
        """Make the tasks ready whose ring has something; return whether there were any."""
        ready = [one for one in self.waiting if one[0].any()]
        for one in ready:
            self.waiting.remove(one)
            core._task_queue.push(one[1])
        return bool(ready)


def _wake(core, queue, stream, events: int) -> None:
    waiting = queue.map[id(stream)]
    reader, writer, _ = waiting
    if reader is not None and events & ~core.select.POLLOUT:
        core._task_queue.push(reader)
        waiting[0] = None
    if writer is not None and events & ~core.select.POLLIN:
        core._task_queue.push(writer)
        waiting[1] = None
    if waiting[0] is None and waiting[1] is None:
        queue._dequeue(stream)
    else:
        wanted = core.select.POLLOUT if waiting[0] is None else core.select.POLLIN
        queue.poller.modify(stream, wanted)


def install_in_asyncio() -> None:
    """Let asyncio's loop wake up and dispatch when a frame comes; needs no task of its own."""
    from asyncio import core

    class BusQueue(core.IOQueue):
        """asyncio's I/O queue with the bus as one more source."""

        def __init__(self) -> None:
            super().__init__()
            self.poller = self.poller.real
            self.rings = _Rings()

        def _enqueue(self, stream, index: int) -> None:
            if isinstance(stream, micropython.RingIO):
                self.rings.waiting.append((stream, core.cur_task))
                core.cur_task.data = self
            else:
                super()._enqueue(stream, index)

        def remove(self, task) -> None:
            self.rings.remove(task)
            super().remove(task)

        def wait_io_event(self, dt: int) -> None:
            if the_bus.dispatch() or self.rings.wake(core):
                return  # a handler may have made a task ready: the loop looks again
            until_us = None
            if core._task_queue.peek():  # else the loop asks each 3 ms, and nothing is due
                # To the millisecond at which the task is due, not a whole number of them from now.
                until_us = the_bus.clock.due_us(dt)
            if dt and (until_us is None or until_us > the_bus.clock.peek_us()):
                the_bus.rest(until_us, self.poller if self.map else None)
            if self.map:
                for stream, events in self.poller.poll(0):
                    if id(stream) in self.map:
                        _wake(core, self, stream, events)
            the_bus.dispatch()

    core.IOQueue = BusQueue
    core.new_event_loop()
