"""`machine.ADC` and `machine.PWM` of an ESP32-C3, on the bus.

Guarantee: the converter reads the voltage now, clipped by its attenuation and with the few
millivolts of noise that a board shows, less what the motor takes; spikes when the owner says so;
pins without a channel raise.
"""

import struct

import bus
import opcodes
import pins

_ADC1_PINS = (0, 1, 2, 3, 4)
# Upper end of the calibrated range in mV for each attenuation (ESP32-C3 data sheet, table ADC).
_FULL_SCALE_MV = (750, 1050, 1300, 2500)
_NOISE_MV = (0, 3, -2, 5, -4, 1, -1, 4, -5, 2)

_voltages_mv = {}  # pin -> mV at the pin
_faults = [0, 1, 0]  # mV less while the motor runs, times the noise, every n-th sample is a spike
is_motor_on = [False]


class ADC:
    """One ADC1 channel."""

    ATTN_0DB = 0
    ATTN_2_5DB = 1
    ATTN_6DB = 2
    ATTN_11DB = 3
    WIDTH_12BIT = 12

    def __init__(self, pin, atten=ATTN_0DB):
        number = pins.number_of(pin)
        if number not in _ADC1_PINS:
            raise ValueError("invalid pin")
        self._number = number
        self._sample = 0
        self.atten(atten)

    def atten(self, atten):
        if atten not in (0, 1, 2, 3):
            raise ValueError("invalid atten")
        self._full_scale_mv = _FULL_SCALE_MV[atten]

    def _read_mv(self):
        bus.receive()
        sag_mv, noise_times, spike_each = _faults
        self._sample += 1
        if spike_each and self._sample % spike_each == 0:
            # A burst of the radio: one end of the range or the other.
            return self._full_scale_mv if self._sample // spike_each & 1 else 0
        millivolts = _voltages_mv.get(self._number, 0)
        millivolts += _NOISE_MV[self._sample % len(_NOISE_MV)] * noise_times
        if is_motor_on[0]:
            millivolts -= sag_mv
        return min(max(millivolts, 0), self._full_scale_mv)

    def read_uv(self):
        return self._read_mv() * 1000

    def read_u16(self):
        return self._read_mv() * 65535 // self._full_scale_mv

    def read(self):
        return self._read_mv() * 4095 // self._full_scale_mv


class PWM:
    """One LED-controller channel; the owner sees its duty."""

    def __init__(self, dest, freq=5000, duty_u16=32768):
        self._number = pins.number_of(dest)
        self._duty_u16 = 0
        self.init(freq=freq, duty_u16=duty_u16)

    def init(self, *, freq=None, duty_u16=None):
        if freq is not None:
            self.freq(freq)
        if duty_u16 is not None:
            self.duty_u16(duty_u16)

    def freq(self, value=None):
        if value is None:
            return self._freq_hz
        if not 1 <= value <= 40000000:
            raise ValueError("frequency must be from 1Hz to 40MHz")
        self._freq_hz = value
        return None

    def duty_u16(self, value=None):
        if value is None:
            return self._duty_u16
        if not 0 <= value <= 65535:
            raise ValueError("duty_u16 must be from 0 to 65535")
        self._duty_u16 = value
        if self._number not in pins.held:
            bus.send(opcodes.PIN_PWM, bytes((self._number, value & 0xFF, value >> 8)))
            pins.tell(self._number, 1 if value else 0)
        return None

    def deinit(self):
        self.duty_u16(0)


def set_voltage(number: int, millivolts: int) -> None:
    """Set the voltage at a pin, in mV."""
    _voltages_mv[number] = millivolts


def _on_voltage(_opcode: int, payload: bytes) -> None:
    set_voltage(payload[0], payload[1] | payload[2] << 8)


def set_faults(faults: bytes) -> None:
    """Take what `redband.virtual.battery` has packed."""
    _faults[:] = struct.unpack("<HHH", faults)


def _on_faults(_opcode: int, payload: bytes) -> None:
    set_faults(payload)


bus.register(opcodes.ADC_FAULTS, opcodes.ADC_FAULTS, _on_faults, at_once=True)
bus.register(opcodes.ADC_MV, opcodes.ADC_MV, _on_voltage, at_once=True)
