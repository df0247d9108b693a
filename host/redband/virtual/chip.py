"""The chip of a virtual badge: power, resets, watchdog, deep sleep, around the interpreter.

Guarantee: a cut battery ends the process in the middle of an instruction and the image file stays
as it is; a watchdog, a reset and a soft reset start it again with their cause. Pins belong to
board_pins.py, the radio to redband.virtual.radio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from redband.virtual.board_pins import BoardPins
from redband.virtual.console import SOFT_REBOOT, Console
from redband.virtual.flash_faults import FlashCounts, FlashFaults
from redband.virtual.interpreter import Interpreter
from redband.virtual.pulses import Player
from redband.virtual.silicon import opcodes


class Radio(Protocol):
    """What the chip asks of a radio."""

    def frame(self, opcode: int, payload: bytes) -> None:
        """Take a frame of the firmware."""

    def light_sleep(self) -> None:
        """The chip's clocks stop."""

    def close(self) -> None:
        """Lose power."""


class Chip:
    """make_radio(send): a new radio; facts: of image and clock, as runner.py reads them.

    seed_of_start(n): of the random bytes after the n-th start.
    """

    def __init__(
        self,
        facts: dict[str, object],
        heap_kib: int,
        seed_of_start: Callable[[int], int],
        pins: BoardPins,
        console: Console,
        make_radio: Callable[[Callable[..., None]], Radio],
    ) -> None:
        """Describe it; nothing runs before `power_on`."""
        self.is_powered = False
        self.boots = 0
        self.watchdog_resets = 0
        self.flash_cut_after: int | None = None
        """Of starts from now on: flash operations until the battery is pulled; None: never."""
        self.has_usb_host = False
        """Somebody has the USB port open: the program can see that a host sends frames."""
        self.flash_faults = FlashFaults()
        self._flash_counts = FlashCounts()
        self._is_flash_counted = asyncio.Event()
        self.rtc_at_power_on = b""
        """What the RTC memory holds then; on a chip, anything."""
        self._facts = facts
        self._heap_kib = heap_kib
        self._seed_of_start = seed_of_start
        self._pins = pins
        self._console = console
        self._make_radio = make_radio
        self._radio: Radio | None = None
        self._interpreter: Interpreter | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._watchdog_ms = 0
        self._wake_pins: list[tuple[int, int]] = []
        self._asleep = asyncio.Event()
        self._flash_is_cut = asyncio.Event()
        self.player = Player(self, pins)
        self._frames = self._frame_calls()

    def _frame_calls(self) -> dict[int, Callable[[bytes], None]]:
        pins = self._pins
        return {
            opcodes.PIN_OUT: lambda payload: pins.set_output(payload[0], payload[1]),
            opcodes.PIN_PWM: lambda payload: pins.set_duty(
                payload[0], int.from_bytes(payload[1:3], "little")
            ),
            opcodes.PIN_HOLD: lambda payload: pins.hold(payload[0], bool(payload[1])),
            opcodes.LIGHT_SLEEP: lambda _: self._light_sleep(),
            opcodes.WATCHDOG: self._watchdog_set,
            opcodes.WATCHDOG_FEED: lambda _: self._watchdog_fed(),
            opcodes.RESET: lambda _: self._restart(opcodes.HARD_RESET),
            opcodes.DEEP_SLEEP: self._deep_sleep,
            opcodes.BREAK_TAKEN: lambda _: self._console.break_taken(),
            opcodes.FLASH_CUT: lambda _: self._flash_cut(),
            opcodes.FLASH_COUNTS: self._flash_counted,
            opcodes.PULSE_DONE: self.player.done,
            opcodes.SENSOR_REGISTERS: pins.sensor_registers,
        }

    @property
    def pid(self) -> int | None:
        """Process id of the interpreter, None while there is none (no power, deep sleep)."""
        return self._interpreter.pid if self._interpreter is not None else None

    @property
    def is_running(self) -> bool:
        """There is a process: power, and no deep sleep."""
        return self._interpreter is not None

    async def wait_asleep(self) -> None:
        """Return when the chip is in deep sleep. The caller sets the deadline."""
        await self._asleep.wait()

    async def wait_flash_cut(self) -> None:
        """Return when the battery was pulled at `flash_cut_after`; the caller has a deadline."""
        await self._flash_is_cut.wait()

    def power_on(self) -> None:
        """Put the battery in. Raises RedbandUserError when MicroPython is not installed."""
        if not self.is_powered:
            length = len(self.rtc_at_power_on).to_bytes(2, "little")
            Path(str(self._facts["rtc"])).write_bytes(length + self.rtc_at_power_on)
            self._start(opcodes.PWRON_RESET)
            self.is_powered = True

    def power_cut(self) -> None:
        """Pull the battery, at whatever the chip is doing."""
        self.is_powered = False
        self._stop()
        self._lose_state()
        self._pins.lose_power()
        Path(str(self._facts["rtc"])).unlink(missing_ok=True)

    def send(self, opcode: int, payload: bytes = b"", within_us: int = 0) -> None:
        """Send a frame to the program; lost when there is none. within_us: see Guest.send."""
        if self._interpreter is not None:
            self._interpreter.send(opcode, payload, within_us)

    def inputs_changed(self) -> None:
        """A pin has another level: it may be one that wakes the chip."""
        if self._interpreter is not None or not self.is_powered:
            return
        if any(self._pins.level(pin) == level for pin, level in self._wake_pins):
            self._wake(opcodes.GPIO_WAKE)

    def usb_host(self, is_there: bool) -> None:
        """Somebody has opened the USB port, or closed it."""
        self.has_usb_host = is_there
        self.send(opcodes.USB_HOST, bytes((is_there,)))

    def output_full(self, is_full: bool) -> None:
        """The USB port asks the program to wait with its output, or to go on."""
        if self._interpreter is None:
            return
        if is_full:
            self._interpreter.pause_output()
        else:
            self._interpreter.resume_output()

    def _start(self, cause: int, is_main_run: bool = True, wake_reason: int = 0) -> None:
        self.player.chip_starts()
        state = {
            "reset_cause": cause,
            "wake_reason": wake_reason,
            "is_main_run": is_main_run,
            "flash_cut_after": self.flash_cut_after,
            "flash_faults": self.flash_faults.packed().hex(),
            "levels": self._pins.driven_levels(),
            "voltages_mv": [self._pins.battery_at_pin()],
            "board": self._pins.board_facts(),
            "held": sorted(self._pins.held),
            "adc_faults": self._pins.adc_faults().hex(),
            "usb_host": self.has_usb_host,
            "random_seed": self._seed_of_start(self.boots),
        }
        self._interpreter = Interpreter(
            self._facts | state,
            self._heap_kib,
            on_frame=self._frame,
            on_output=self._console.output,
            on_end=self._ended,
            on_start=self._console.start_output,
        )
        self.boots += 1
        self._asleep.clear()
        self._flash_is_cut.clear()
        self._radio = self._make_radio(self.send)
        self._console.attach(self._interpreter, is_main_run)
        self.player.chip_started()

    def _stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._wake_pins = []
        if self._interpreter is not None:
            self._interpreter.kill()
            self._interpreter = None
            self.player.chip_stopped()
        self._console.detach()
        if self._radio is not None:
            self._radio.close()
            self._radio = None

    def _lose_state(self) -> None:
        self._watchdog_ms = 0
        self._pins.release_outputs()

    def _restart(self, cause: int) -> None:
        self._stop()
        self._lose_state()
        self._start(cause)

    def _ended(self, code: int) -> None:
        # Ctrl-D or SystemExit ends the unix port where a board starts again (a soft reset, which
        # the watchdog survives); anything else is a crash, which a board answers with a reset.
        was_starting = self._console.is_starting
        is_raw = self._console.is_raw
        self._stop()
        if was_starting:
            self.is_powered = False  # a badge that cannot start would start for ever
            self._lose_state()
        elif code == 0:
            self._console.note(SOFT_REBOOT)
            self._start(opcodes.SOFT_RESET, is_main_run=not is_raw)
            self._watchdog_fed()
        else:
            self._restart(opcodes.HARD_RESET)

    def _frame(self, opcode: int, payload: bytes) -> None:
        call = self._frames.get(opcode)
        if call is not None:
            call(payload)
        elif self._radio is not None:
            self._radio.frame(opcode, payload)

    def _after(self, name: str, game_ms: float, call: Callable[[], None]) -> None:
        if name in self._timers:
            self._timers[name].cancel()
        self._timers[name] = asyncio.get_running_loop().call_later(game_ms / 1000, call)

    def _watchdog_set(self, payload: bytes) -> None:
        self._watchdog_ms = int.from_bytes(payload, "little")
        self._watchdog_fed()

    def _watchdog_fed(self) -> None:
        if self._watchdog_ms:
            self._after("watchdog", self._watchdog_ms, self._watchdog_bites)

    def _watchdog_bites(self) -> None:
        self.watchdog_resets += 1
        self._restart(opcodes.WDT_RESET)

    def _deep_sleep(self, payload: bytes) -> None:
        sleep_ms = int.from_bytes(payload[:4], "little")
        self._stop()
        self._lose_state()
        self._wake_pins = list(zip(payload[4::2], payload[5::2], strict=True))
        self._pins.chip_sleeps()
        self._asleep.set()
        if sleep_ms:
            self._after("wake", sleep_ms, lambda: self._wake(opcodes.TIMER_WAKE))
        self.inputs_changed()

    def _wake(self, reason: int) -> None:
        self._stop()
        self._start(opcodes.DEEPSLEEP_RESET, wake_reason=reason)

    def _light_sleep(self) -> None:
        if self._radio is not None:
            self._radio.light_sleep()

    def _flash_cut(self) -> None:
        self.power_cut()
        self._flash_is_cut.set()

    def _flash_counted(self, payload: bytes) -> None:
        self._flash_counts = FlashCounts.unpacked(payload)
        self._is_flash_counted.set()

    async def count_flash(self) -> FlashCounts:
        """Ask the program what it has done to the flash since its start; see FlashCounts.

        Waits for its next await or sleep: the caller sets the deadline.
        """
        self._is_flash_counted.clear()
        self.send(opcodes.FLASH_ASK)
        await self._is_flash_counted.wait()
        return self._flash_counts
