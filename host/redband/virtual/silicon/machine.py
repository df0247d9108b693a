"""The `machine` module of MicroPython for ESP32 (1.26 and later), for a virtual badge.

Guarantee: what the firmware may call behaves as documented for the chip: the watchdog really ends
this process, a reset really starts it again. Never kinder than silicon. Does not offer what no
badge has (SPI, UART): importing those names fails here as a missing feature.
"""

import time

import bus
import opcodes
import umachine
from analog import ADC, PWM  # noqa: F401 (names of this module)
from i2c import I2C, SoftI2C  # noqa: F401
from pins import Pin  # noqa: F401
from sleep import deepsleep, lightsleep, reset  # noqa: F401

PWRON_RESET = opcodes.PWRON_RESET
HARD_RESET = opcodes.HARD_RESET
WDT_RESET = opcodes.WDT_RESET
DEEPSLEEP_RESET = opcodes.DEEPSLEEP_RESET
SOFT_RESET = opcodes.SOFT_RESET
TIMER_WAKE = opcodes.TIMER_WAKE
# Names of other chips' wake reasons; an ESP32-C3 reports a pin as 7, which has no name.
PIN_WAKE = EXT0_WAKE = 2
EXT1_WAKE = 3
TOUCHPAD_WAKE = 5
ULP_WAKE = 6

Signal = umachine.Signal
_RTC_BYTES = 2048
_FREQUENCIES_HZ = (20000000, 40000000, 80000000, 160000000)

_facts = {"reset_cause": PWRON_RESET, "wake_reason": 0, "unique_id": b"\0" * 6, "freq": 160000000}
_rtc_file = [None]  # lives in the owner's directory, and so through this process's end
_USB_FRAME = 0x60043024  # USB_SERIAL_JTAG_FRAM_NUM_REG
is_usb_host = [False]
_usb_frame = [0]


def set_facts(reset_cause: int, wake_reason: int, unique_id: bytes) -> None:
    """What the runner knows about this start."""
    _facts.update({"reset_cause": reset_cause, "wake_reason": wake_reason, "unique_id": unique_id})


def set_rtc(path: str) -> None:
    """What the RTC memory is kept in: a file of the host."""
    _rtc_file[0] = open(path, "r+b", 0)


def reset_cause():
    return _facts["reset_cause"]


def wake_reason():
    return _facts["wake_reason"]


def unique_id():
    return _facts["unique_id"]


def freq(hz=None):
    if hz is None:
        return _facts["freq"]
    if hz not in _FREQUENCIES_HZ:
        raise ValueError("frequency must be 20MHz, 40MHz, 80Mhz or 160MHz")
    _facts["freq"] = hz
    return None


def idle():
    bus.dispatch()


def disable_irq():
    return 0


def enable_irq(state):
    """Nothing to do: handlers run only where the program awaits or sleeps."""


def soft_reset():
    raise SystemExit


class _Registers:
    """The one register that a badge reads; it reads of nothing else.

    The number of the last frame from a USB host, 11 bits: it grows each millisecond while
    somebody has the badge's port open.
    """

    def __getitem__(self, address):
        if address != _USB_FRAME:
            raise ValueError("not modelled: register 0x%08x" % address)
        bus.receive()
        if is_usb_host[0]:
            _usb_frame[0] = time.ticks_ms() & 0x7FF
        return _usb_frame[0]


mem32 = _Registers()


class RTC:
    """The memory that all resets but a lost supply leave alone: length u16, then the bytes."""

    def memory(self, data=None):
        file = _rtc_file[0]
        file.seek(0)
        if data is None:
            return file.read(int.from_bytes(file.read(2), "little"))
        if len(data) > _RTC_BYTES:
            raise ValueError("buffer too long")
        file.write(len(data).to_bytes(2, "little") + bytes(data))
        return None


class WDT:
    """The task watchdog: cannot be stopped, survives a soft reset, may be given more time."""

    def __init__(self, id=0, timeout=5000):
        if id != 0:
            raise ValueError
        if timeout <= 0:
            raise ValueError("WDT timeout too short")
        payload = bytes((timeout >> shift) & 0xFF for shift in (0, 8, 16, 24))
        bus.send(opcodes.WATCHDOG, payload)

    def feed(self):
        bus.send(opcodes.WATCHDOG_FEED)


def _on_usb(_opcode: int, payload: bytes) -> None:
    is_usb_host[0] = bool(payload[0])


bus.register(opcodes.USB_HOST, opcodes.USB_HOST, _on_usb, at_once=True)
