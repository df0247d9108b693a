"""Between a badge's USB port and its interpreter: what a board does at its prompt.

Problem: the unix port shows its own start-up line, ends at Ctrl-D instead of starting again, and
takes Ctrl-C as a signal at any instant. Guarantee: the port sees what a board would show: no
start-up line, the raw prompt kept through a soft reset, Ctrl-C taken where no frame or file is
half written (by signal when the program does not await). Keys that come during a start wait.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from redband.virtual.interpreter import SILICON, Interpreter
from redband.virtual.silicon import opcodes

PROMPT = b">>> "
MARKER = b"\x1eredband\x1e"  # runner.py prints it
RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
SOFT_REBOOT = b"MPY: soft reboot\r\n"
LONE_NEWLINE = re.compile(rb"(?<!\r)\n")
CTRL_A = b"\x01"
CTRL_C = b"\x03"
START_LINE = (
    f"import sys;sys.path.insert(0,{str(SILICON)!r});import runner;runner.boot(globals())\r"
)

BREAK_LOOK_S = 0.005
BREAK_BY_SIGNAL_S = 0.25
"""A program that has not taken Ctrl-C at an await after this time is interrupted by signal."""
BREAK_GIVE_UP_S = 2.0
START_TIMEOUT_S = 60.0
HELD_INPUT_BYTES = 4096
LOG_BYTES = 65536
ERROR_BYTES = 1500

# A start in steps: wait for the end of some output, type the answer; is the output shown?
START_STEPS = [(PROMPT, START_LINE.encode(), False), (MARKER, b"", False)]
RAW_STEPS = [(MARKER, b"", True), (PROMPT, CTRL_A, False), (RAW_PROMPT, b"", False)]


class Console:
    """One terminal over all lives of a badge's interpreter."""

    def __init__(self, show: Callable[[bytes], None]) -> None:
        """show(data): towards the USB port."""
        self._show = show
        self._interpreter: Interpreter | None = None
        self._is_main_run = True
        self._steps: list[tuple[bytes, bytes, bool]] = []
        self._hidden = bytearray()
        self._held = bytearray()
        self._break_timer: asyncio.TimerHandle | None = None
        self._break_started_s = 0.0
        self._is_break_signalled = False
        self._start_timer: asyncio.TimerHandle | None = None
        self._tail = b""
        self._listeners: list[Callable[[], None]] = []
        self.is_raw = False
        self.log = bytearray()
        """The newest output, whether or not somebody read it."""

    def attach(self, interpreter: Interpreter, is_main_run: bool) -> None:
        """Take a new interpreter; `is_main_run`: the friendly prompt, main.py runs first."""
        self._interpreter = interpreter
        self._is_main_run = is_main_run
        self._steps = list(START_STEPS if is_main_run else START_STEPS + RAW_STEPS)
        self._hidden.clear()
        self._tail = b""
        loop = asyncio.get_running_loop()
        self._start_timer = loop.call_later(START_TIMEOUT_S, self._give_up_start)

    def detach(self) -> None:
        """The interpreter is gone."""
        self._interpreter = None
        if self._steps:
            self._give_up_start()
        self._end_start()
        self._end_break()
        self._held.clear()

    def note(self, text: bytes) -> None:
        """Show a line that the chip itself prints."""
        self._pass_on(text)

    def output(self, data: bytes) -> None:
        """Take output of the program."""
        self._pass_on(data)

    def start_output(self, data: bytes) -> bytes:
        """Take output at once, answer what a start asks, and return what is of the program."""
        if not self._steps:
            return data
        self._hidden += data
        shown = b""
        while self._steps:
            end, answer, is_shown = self._steps[0]
            before, found, after = bytes(self._hidden).partition(end)
            if not found:
                return shown
            self._steps.pop(0)
            self._hidden[:] = after
            if is_shown:
                shown += before
            self._type(answer)
        shown += (b"" if self._is_main_run else RAW_PROMPT) + bytes(self._hidden)
        self._hidden.clear()
        self._end_start()
        self._release_held()
        return shown

    def _end_start(self) -> None:
        if self._start_timer is not None:
            self._start_timer.cancel()
        self._start_timer = None

    @property
    def is_starting(self) -> bool:
        """The interpreter has not come to its own program (or prompt) yet."""
        return bool(self._steps)

    def _give_up_start(self) -> None:
        # Whatever went wrong is on the terminal: show it instead of hiding it for ever.
        self._steps.clear()
        self._pass_on(bytes(self._hidden))
        self._hidden.clear()

    def _pass_on(self, data: bytes) -> None:
        data = self._with_board_line_ends(data)
        seen = self._tail + data
        raw, friendly = seen.rfind(RAW_PROMPT), seen.rfind(b"\n" + PROMPT)
        if raw != friendly:
            self.is_raw = raw > friendly
        self._tail = seen[-len(RAW_PROMPT) :]
        self.log += data
        del self.log[:-LOG_BYTES]
        self._show(data)
        for listener in tuple(self._listeners):
            listener()

    def _with_board_line_ends(self, data: bytes) -> bytes:
        # A board's standard output turns \n into \r\n; the unix port leaves that to a terminal.
        is_split = self._tail.endswith(b"\r") and data.startswith(b"\n")
        cooked = LONE_NEWLINE.sub(b"\r\n", data)
        return cooked[1:] if is_split else cooked

    async def wait_output(self, text: bytes, timeout_s: float = 40.0) -> bytes:
        """Return the log from its start through `text`, as soon as that is in it.

        Raises TimeoutError with the newest output.
        """
        done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def look() -> None:
            index = self.log.find(text)
            if index >= 0 and not done.done():
                done.set_result(bytes(self.log[: index + len(text)]))

        look()
        self._listeners.append(look)
        try:
            return await asyncio.wait_for(done, timeout_s)
        except TimeoutError as error:
            newest = bytes(self.log[-ERROR_BYTES:]).decode(errors="replace")
            raise TimeoutError(
                f"no {text!r} after {timeout_s} s; newest output: {newest}"
            ) from error
        finally:
            self._listeners.remove(look)

    def _type(self, data: bytes) -> None:
        if self._interpreter is not None:
            self._interpreter.type(data)

    def input(self, data: bytes) -> None:
        """Take what came from the USB port."""
        if self._interpreter is None:
            return
        if self._steps or self._break_timer is not None:
            self._held += data[: HELD_INPUT_BYTES - len(self._held)]
            return
        before, found, after = data.partition(CTRL_C)
        if not found or not self._is_program_running():
            self._type(data)
            return
        self._type(before)
        self._held += after
        self._begin_break()

    def _release_held(self) -> None:
        held = bytes(self._held)
        self._held.clear()
        if held:
            self.input(held)

    def _is_program_running(self) -> bool:
        # A program that a host has pasted leaves the terminal raw: there only its end tells.
        interpreter = self._interpreter
        is_pasted = self.is_raw and not self._tail.endswith(b">")
        return interpreter is not None and (interpreter.is_program_running or is_pasted)

    def _begin_break(self) -> None:
        if self._interpreter is not None:
            self._interpreter.send(opcodes.BREAK)
        self._break_started_s = asyncio.get_running_loop().time()
        self._is_break_signalled = False
        self._watch_break()

    def _watch_break(self) -> None:
        loop = asyncio.get_running_loop()
        waited_s = loop.time() - self._break_started_s
        interpreter = self._interpreter
        is_over = waited_s > BREAK_GIVE_UP_S
        if interpreter is None or is_over or not self._is_program_running():
            self._end_break()
            self._release_held()
            return
        if waited_s > BREAK_BY_SIGNAL_S and not self._is_break_signalled:
            self._is_break_signalled = True
            interpreter.send(opcodes.BREAK_CANCEL)
            interpreter.type(CTRL_C)  # a signal now, or a key if the prompt came just now
        self._break_timer = loop.call_later(BREAK_LOOK_S, self._watch_break)

    def break_taken(self) -> None:
        """The program took the Ctrl-C at an await; what it does about it is its business."""
        self._is_break_signalled = True

    def _end_break(self) -> None:
        if self._break_timer is not None:
            self._break_timer.cancel()
        self._break_timer = None
        # More Ctrl-C typed while one was taken mean the same one.
        self._held[:] = self._held.replace(CTRL_C, b"")
