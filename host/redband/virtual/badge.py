"""A virtual badge: its chip on its board, a flash image, a USB port, and the hands on it.

Guarantee: everything a person can do to a badge is a method here, and nothing else: no state of
the game is read or set. Times are game time: `time_factor` of it pass per real second.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path

from redband.errors import RedbandUserError
from redband.fleet.firmware import firmware_files
from redband.virtual.board_pins import BUTTON, IMPACT, BoardPins, Leds
from redband.virtual.chip import Chip
from redband.virtual.console import Console
from redband.virtual.image import BLOCK_COUNT, write_blank_image, write_image
from redband.virtual.nvs import NvsFile
from redband.virtual.radio import BadgeRadio, Ether
from redband.virtual.silicon import opcodes
from redband.virtual.spec import FIRMWARE_HEAP_KIB, BadgeSpec
from redband.virtual.usb_port import UsbPort

PRESS_MS = 80
HOLD_MS = 2000
SHAKE_MS = 15
"""How long an impact switch closes at a hit."""
BOUNCE_MS = 1.0
BATTERY_MAX_MV = 5000


class VirtualBadge:
    """One badge of a field."""

    def __init__(
        self,
        spec: BadgeSpec,
        directory: Path,
        ether: Ether,
        time_factor: float = 1.0,
        seed: int = 1,
    ) -> None:
        """Describe it; `directory` is its own. Nothing is made before `insert`."""
        self.spec = spec
        self.badge_id = spec.badge_id
        self.image_path = directory / "flash.img"
        self.usb_path = directory / "usb"
        self.time_factor = time_factor
        self.on_leds: list[Callable[[float, Leds], None]] = []
        self.console = Console(self._to_usb)
        self._directory = directory
        self._random = random.Random(seed * 1000 + spec.badge_id)
        self._usb: UsbPort | None = None
        self._pins = BoardPins(spec.battery_mv)
        self._pins.on_lights = self._tell_leds
        facts = {
            "image": str(self.image_path.absolute()),
            "block_count": BLOCK_COUNT,
            "factor_milli": round(time_factor * 1000),
            "start_ticks_ms": spec.start_ticks_ms,
            "unique_id": spec.address.replace(":", ""),
        }
        self.chip = Chip(
            facts,
            FIRMWARE_HEAP_KIB,
            time_factor,
            self._pins,
            self.console,
            NvsFile(directory / "nvs.json"),
            lambda send: BadgeRadio(ether, spec.address, send),
        )

    async def insert(self) -> None:
        """Make the flash image if there is none, and the USB port; no power yet."""
        self._directory.mkdir(parents=True, exist_ok=True)
        if not self.image_path.exists():
            await asyncio.to_thread(self._make_image)
        self._usb = UsbPort(self.usb_path, self.console.input, self.chip.output_full)

    def _make_image(self) -> None:
        files = dict(self.spec.files)
        if self.spec.with_firmware:
            files = firmware_files() | self.spec.data_files() | files
        if files:
            write_image(self.image_path, files)
        else:
            write_blank_image(self.image_path)

    async def remove(self) -> None:
        """Cut the power and take the USB port away; the image stays."""
        await self.power_cut()
        if self._usb is not None:
            self._usb.close()
            self._usb = None

    def _to_usb(self, data: bytes) -> None:
        if self._usb is not None:
            self._usb.write(data)

    # The battery.

    @property
    def is_powered(self) -> bool:
        """The battery is in (the chip may sleep)."""
        return self.chip.is_powered

    @property
    def boots(self) -> int:
        """How often the program was started, for whatever cause."""
        return self.chip.boots

    async def power_on(self) -> None:
        """Put the battery in; nothing happens if it is in."""
        self.chip.power_on()

    async def power_cut(self) -> None:
        """Pull the battery, at whatever the badge is doing; nothing happens if it is out."""
        self.chip.power_cut()

    def set_battery_mv(self, millivolts: int) -> None:
        """Set the cell's voltage, 0 to 5000 mV. Raises RedbandUserError."""
        if not 0 <= millivolts <= BATTERY_MAX_MV:
            raise RedbandUserError(f"A battery has 0 to {BATTERY_MAX_MV} mV, not {millivolts}.")
        self._pins.battery_mv = millivolts
        pin, at_pin_mv = self._pins.battery_at_pin()
        self.chip.send(opcodes.ADC_MV, bytes((pin,)) + at_pin_mv.to_bytes(2, "little"))

    # Button and sensor.

    async def press(self, duration_ms: float = PRESS_MS, bounces: int = 0) -> None:
        """Press the button; `bounces`: how often the contact opens again at each edge."""
        await self._touch(BUTTON, duration_ms, bounces)

    async def hold(self, ms: float = HOLD_MS) -> None:
        """Hold the button."""
        await self._touch(BUTTON, ms, 0)

    async def shake(self) -> None:
        """Hit the impact sensor: a short pulse that bounces."""
        await self._touch(IMPACT, SHAKE_MS, 2)

    async def _touch(self, contact: str, duration_ms: float, bounces: int) -> None:
        try:
            await self._edge(contact, True, bounces)
            await self.pause(duration_ms)
        finally:
            self._set_contact(contact, False)
        await self._edge(contact, False, bounces)

    async def _edge(self, contact: str, is_closed: bool, bounces: int) -> None:
        self._set_contact(contact, is_closed)
        for _ in range(bounces):
            for level in (not is_closed, is_closed):
                await self.pause(BOUNCE_MS * (0.2 + self._random.random()))
                self._set_contact(contact, level)

    def _set_contact(self, contact: str, is_closed: bool) -> None:
        self.chip.send(opcodes.PIN_DRIVE, bytes(self._pins.close_contact(contact, is_closed)))
        self.chip.inputs_changed()

    async def pause(self, game_ms: float) -> None:
        """Wait `game_ms` of game time."""
        await asyncio.sleep(game_ms / 1000 / self.time_factor)

    # Lights.

    @property
    def leds(self) -> Leds:
        """Levels of (red LED, green LED, vibration): 1 on, 0 off."""
        return self._pins.lights()

    def _tell_leds(self, leds: Leds) -> None:
        now_s = time.monotonic()
        for listener in tuple(self.on_leds):
            listener(now_s, leds)

    async def wait_led(self, predicate: Callable[[Leds], bool], timeout_s: float = 10.0) -> Leds:
        """Return the lights as soon as `predicate` holds for them.

        timeout_s: real seconds. Raises TimeoutError.
        """
        done: asyncio.Future[Leds] = asyncio.get_running_loop().create_future()

        def look(_now_s: float, leds: Leds) -> None:
            if not done.done() and predicate(leds):
                done.set_result(leds)

        look(0.0, self.leds)
        self.on_leds.append(look)
        try:
            async with asyncio.timeout(timeout_s):
                return await done
        finally:
            self.on_leds.remove(look)
