"""A virtual badge: its chip on its board, a flash image, a USB port, and the hands on it.

Guarantee: everything a person can do to a badge is a method here, and nothing else: no state of
the game is read or set. Times are of the field's clock, see redband.virtual.clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from redband.build.firmware import firmware_files
from redband.errors import RedbandUserError
from redband.virtual.battery import BatteryFaults
from redband.virtual.board_pins import BUTTON, CONTACTS, IMPACT, BoardPins, Leds
from redband.virtual.chip import Chip
from redband.virtual.console import Console
from redband.virtual.entropy import Entropy
from redband.virtual.flash_faults import FlashCounts, FlashFaults
from redband.virtual.image import BLOCK_COUNT, fill_image, write_blank_image, write_image
from redband.virtual.pulses import Edges
from redband.virtual.radio import BadgeRadio, Ether
from redband.virtual.sensor import MOTOR_MG, SENSOR_HEAP_KIB, Accelerometer, Profile, blow_profile
from redband.virtual.silicon import opcodes
from redband.virtual.spec import FIRMWARE_HEAP_KIB, BadgeSpec
from redband.virtual.usb_port import UsbPort

PRESS_MS = 80
HOLD_MS = 2000
SHAKE_MS = 15
"""How long an impact switch closes at a hit."""
SHAKE_MG = 9000
BLOW_MS = 12
"""Of a blow to an accelerometer: a foam weapon or a pellet on the arm."""
BOUNCE_MS = 1.0
BATTERY_MAX_MV = 5000


class VirtualBadge:
    """One badge of a field."""

    def __init__(
        self,
        spec: BadgeSpec,
        directory: Path,
        ether: Ether,
        entropy: Entropy,
    ) -> None:
        """Describe it; `directory` is its own. Nothing is made before `insert`."""
        self.spec = spec
        self.badge_id = spec.badge_id
        self.image_path = directory / "flash.img"
        self.usb_path = directory / "usb"
        self.on_leds: list[Callable[[float, Leds], None]] = []
        self.console = Console(self._to_usb)
        self._directory = directory
        self._random = entropy.generator(f"hands of badge {spec.badge_id}")
        self._usb: UsbPort | None = None
        self.sensor = Accelerometer() if spec.has_accelerometer else None
        """The accelerometer, where there is one in place of the impact switch."""
        self._pins = BoardPins(spec.battery_mv, self.sensor)
        self._pins.on_lights = self._tell_leds
        facts = {
            "image": str(self.image_path.absolute()),
            "rtc": str((directory / "rtc.mem").absolute()),
            "block_count": BLOCK_COUNT,
            "start_ticks_ms": spec.start_ticks_ms,
            "unique_id": spec.address.replace(":", ""),
        }
        self.chip = Chip(
            facts,
            FIRMWARE_HEAP_KIB + (SENSOR_HEAP_KIB if self.sensor is not None else 0),
            lambda starts: entropy.number(f"badge {spec.badge_id}, start {starts}"),
            self._pins,
            self.console,
            lambda send: BadgeRadio(ether, spec.address, send),
        )

    async def insert(self) -> None:
        """Make the flash image if there is none, and the USB port; no power yet."""
        self._directory.mkdir(parents=True, exist_ok=True)
        if not self.image_path.exists():
            await asyncio.to_thread(self._make_image)
        self._usb = UsbPort(
            self.usb_path, self.console.input, self.chip.output_full, self.chip.usb_host
        )

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

    def set_battery_faults(self, faults: BatteryFaults) -> None:
        """Let the cell sag or the converter err from now on, in this start and in later ones."""
        self._pins.battery_faults = faults
        self.chip.send(opcodes.ADC_FAULTS, self._pins.adc_faults())

    # The flash.

    def set_flash(self, faults: FlashFaults) -> None:
        """Let the flash fail or stall from now on, in this start and in later ones."""
        self.chip.flash_faults = faults
        self.chip.send(opcodes.FLASH_FAULTS, faults.packed())

    async def count_flash(self, timeout_s: float = 40.0) -> FlashCounts:
        """Return what the program has done to the flash since its start.

        timeout_s: until its next await or sleep. Raises TimeoutError.
        """
        async with asyncio.timeout(timeout_s):
            return await self.chip.count_flash()

    def fill_flash(self, free_blocks: int = 0) -> None:
        """Fill the flash with a file /filler but for so many blocks; for a badge without power."""
        if self.is_powered:
            raise RedbandUserError(f"Pull the battery of badge {self.badge_id} first.")
        fill_image(self.image_path, free_blocks)

    # Button and sensor. Each returns when the badge has played it, see redband.virtual.pulses.

    async def press(
        self, duration_ms: float = PRESS_MS, bounces: int = 0, rest_ms: float = 0
    ) -> bool:
        """Press the button, then leave it alone for `rest_ms`; False if the badge never looks.

        bounces: how often the contact opens again at each edge.
        """
        return await self._touch(BUTTON, duration_ms, bounces, rest_ms)

    async def hold(self, ms: float = HOLD_MS, rest_ms: float = 0) -> bool:
        """Hold the button."""
        return await self._touch(BUTTON, ms, 0, rest_ms)

    async def shake(self, mg: int = SHAKE_MG, rest_ms: float = 0) -> bool:
        """Hit the badge: a short pulse of the impact switch that bounces, or a blow of `mg`."""
        if self.sensor is not None:
            return await self.blow(mg)
        return await self._touch(IMPACT, SHAKE_MS, 2, rest_ms)

    async def play(self, contact: str, edges: Edges, rest_ms: float = 0) -> bool:
        """Play a recorded list of edges at BUTTON or IMPACT: (us to wait, is closed then) each.

        Raises RedbandUserError for what is no such list, or no such contact.
        """
        if contact not in CONTACTS:
            raise RedbandUserError(f"A contact is {' or '.join(CONTACTS)}, not {contact!r}.")
        if contact == IMPACT and self.sensor is not None:
            raise RedbandUserError(
                f"Badge {self.badge_id} has an accelerometer in place of the impact switch."
            )
        return await self.chip.player.play(contact, edges, round(rest_ms * 1000))

    async def blow(self, peak_mg: int = SHAKE_MG, duration_ms: float = BLOW_MS, axis="x") -> bool:
        """Hit the accelerometer: half a sine of `peak_mg` on one axis.

        Raises RedbandUserError when there is none, or for what no blow is.
        """
        return await self.move(blow_profile(peak_mg, duration_ms, axis))

    async def move(self, profile: Profile) -> bool:
        """Let the accelerometer feel [(offset_us, x_mg, y_mg, z_mg)]; the last point stays.

        In deep sleep the sensor feels it, too, and its line may wake the chip.
        """
        if self.sensor is None:
            raise RedbandUserError(f"Badge {self.badge_id} has no accelerometer.")
        if self.chip.is_running:
            return await self.chip.player.move(profile)
        if self.is_powered:
            for _level in self._pins.blow_asleep(profile):
                self.chip.inputs_changed()
        return self.is_powered

    @property
    def motor_shakes_sensor(self) -> bool:
        """Whether the vibration motor shakes accelerometer or impact switch; of later starts.

        At first the accelerometer is shaken, the switch is not.
        """
        if self.sensor is not None:
            return self.sensor.motor_mg > 0
        return self._pins.motor_shakes_switch

    @motor_shakes_sensor.setter
    def motor_shakes_sensor(self, does_shake: bool) -> None:
        if self.sensor is not None:
            self.sensor.motor_mg = MOTOR_MG if does_shake else 0
        else:
            self._pins.motor_shakes_switch = does_shake

    def break_sensor(self, fault: str | None = "ENODEV") -> None:
        """Let every transfer to the accelerometer fail with that errno; None mends it."""
        if self.sensor is None:
            raise RedbandUserError(f"Badge {self.badge_id} has no accelerometer.")
        self.sensor.fault = fault
        self.chip.send(opcodes.SENSOR_FAULT, bytes((self.sensor.fault_number,)))

    async def _touch(self, contact: str, duration_ms: float, bounces: int, rest_ms: float) -> bool:
        edges: Edges = []
        for is_closed, wait_ms in ((True, 0.0), (False, duration_ms)):
            edges.append((round(wait_ms * 1000), is_closed))
            for _ in range(bounces):
                for level in (not is_closed, is_closed):
                    bounce_ms = BOUNCE_MS * (0.2 + self._random.random())
                    edges.append((round(bounce_ms * 1000), level))
        return await self.play(contact, edges, rest_ms)

    async def pause(self, game_ms: float) -> None:
        """Wait so long."""
        await asyncio.sleep(game_ms / 1000)

    # Lights.

    @property
    def leds(self) -> Leds:
        """Levels of (red LED, green LED, vibration): 1 on, 0 off."""
        return self._pins.lights()

    @property
    def light_levels(self) -> Leds:
        """Per cent of the time that (red LED, green LED, vibration) are on."""
        return self._pins.light_levels()

    def _tell_leds(self, leds: Leds) -> None:
        now_s = asyncio.get_running_loop().time()
        for listener in tuple(self.on_leds):
            listener(now_s, leds)

    async def wait_led(self, predicate: Callable[[Leds], bool], timeout_s: float = 40.0) -> Leds:
        """Return the lights as soon as `predicate` holds for them.

        Raises TimeoutError.
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
