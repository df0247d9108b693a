"""`machine.ADC` and `machine.PWM` of an ESP32-C3, on the bus.

Guarantee: the converter reads the voltage now, clipped by its attenuation and with the few
millivolts of noise that a board shows; pins without a channel raise. Does not model the radio's
large spikes (a test drives them from the owner's side).
"""

import bus
import opcodes
import pins

_ADC1_PINS = (0, 1, 2, 3, 4)
# Upper end of the calibrated range in mV for each attenuation (ESP32-C3 data sheet, table ADC).
_FULL_SCALE_MV = (750, 1050, 1300, 2500)
_NOISE_MV = (0, 3, -2, 5, -4, 1, -1, 4, -5, 2)

_voltages_mv = {}  # pin -> mV at the pin


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
        self._sample = (self._sample + 1) % len(_NOISE_MV)
        millivolts = _voltages_mv.get(self._number, 0) + _NOISE_MV[self._sample]
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
        payload = bytes((self._number, value & 0xFF, value >> 8))
        bus.send(opcodes.PIN_PWM, payload)
        return None

    def deinit(self):
        self.duty_u16(0)


def set_voltage(number: int, millivolts: int) -> None:
    """Set the voltage at a pin, in mV."""
    _voltages_mv[number] = millivolts


def _on_voltage(_opcode: int, payload: bytes) -> None:
    set_voltage(payload[0], payload[1] | payload[2] << 8)


bus.register(opcodes.ADC_MV, opcodes.ADC_MV, _on_voltage, at_once=True)
