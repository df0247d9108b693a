"""Small programs on a badge's `bluetooth`, and a host beside it."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice
from tests.support.ether import SECOND_UUID, SERVICE_UUID, VALUE_UUID
from tests.support.waiting import WAIT_S, until

from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.field import BadgeSpec, Field

# Event numbers and data as in the documentation's example. `trace` keeps what it is given.
PRELUDE = f"""
import asyncio, bluetooth, errno
ble = bluetooth.BLE()
READ, WRITE, NOTIFY = bluetooth.FLAG_READ, bluetooth.FLAG_WRITE, bluetooth.FLAG_NOTIFY
QUICK, INDICATE = bluetooth.FLAG_WRITE_NO_RESPONSE, bluetooth.FLAG_INDICATE
SERVICE = bluetooth.UUID("{SERVICE_UUID}")
FIRST, SECOND = bluetooth.UUID("{VALUE_UUID}"), bluetooth.UUID("{SECOND_UUID}")
ADVERT = b"\\x02\\x01\\x06\\x04\\xff\\xff\\xffR"

def say(*words):
    print("#", repr(words))

def trace(event, data):
    say(event, *[bytes(item) if isinstance(item, memoryview) else item for item in data])

def attempt(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except Exception as error:
        return (type(error).__name__, error.args[0] if error.args else None)

def start(*characteristics, irq=trace):
    ble.active(True)
    ble.irq(irq)
    ((handles),) = ble.gatts_register_services(((SERVICE, characteristics),))
    return handles

async def forever():
    while True:
        await asyncio.sleep(1)
"""


class RadioBench:
    """One badge with a program, and a host."""

    def __init__(self, field: Field, badge: VirtualBadge, radio: VirtualRadio) -> None:
        self.field, self.badge, self.radio = field, badge, radio
        self.ether = field.ether
        self.name = badge.spec.address

    @property
    def lines(self) -> list[tuple]:
        """What the program has said so far."""
        text = bytes(self.badge.console.log).decode(errors="replace")
        text = text[: text.rfind("\n") + 1]  # the last line may be half there
        return [
            ast.literal_eval(line[2:].strip()) for line in text.splitlines() if line[:2] == "# "
        ]

    def events(self, number: int) -> list[tuple]:
        return [line[1:] for line in self.lines if line[0] == number]

    async def said(self, *words) -> None:
        try:
            await until(lambda: words in self.lines)
        except TimeoutError:
            raise AssertionError(f"not said: {words}: {self.badge.console.log}") from None

    async def find(self) -> BLEDevice:
        async with asyncio.timeout(WAIT_S):
            device = await BleakScanner.find_device_by_address(
                self.name, timeout=WAIT_S, backend=self.radio.scanner
            )
        assert device is not None, self.badge.console.log
        return device

    async def client(self, **options) -> BleakClient:
        return BleakClient(await self.find(), backend=self.radio.client, **options)


Run = Callable[..., Awaitable[RadioBench]]


@pytest.fixture
async def run(field: Field) -> AsyncIterator[Run]:
    """Return run(program, interval_ms=5): a badge that runs PRELUDE and the program."""
    radios = []

    async def start(program: str, interval_ms: float = 5.0, badge_id: int = 1) -> RadioBench:
        field.ether.conn_interval_ms = interval_ms
        files = (("/main.py", (PRELUDE + program).encode()),)
        badge = await field.add_badge(BadgeSpec(badge_id, with_firmware=False, files=files))
        radios.append(backend(field.hci_path))
        return RadioBench(field, badge, radios[-1])

    yield start
    for radio in radios:
        await radio.close()
