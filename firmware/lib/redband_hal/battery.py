"""The cell's voltage through the board's divider.

Guarantee: one wild sample changes nothing (the median of five is returned). Does not decide what
is low: redband_badge.power_task does, with hysteresis.
"""

import time

from machine import ADC, Pin

from redband_hal import board

SAMPLES = 5  # odd, so that the median is a sample
# A burst of the radio is shorter than this: it spoils one or two of the five.
GAP_MS = 2


class Battery:
    """The battery's ADC channel."""

    def __init__(self) -> None:
        """Claim the channel with the range that covers half of a full cell (2.1 V)."""
        self._adc = ADC(Pin(board.PIN_BATTERY_ADC), atten=ADC.ATTN_11DB)

    def read_mv(self) -> int:
        """Return the cell's voltage in mV, the median of five samples; takes 8 ms."""
        samples_uv = []
        for _ in range(SAMPLES):
            if samples_uv:
                time.sleep_ms(GAP_MS)
            samples_uv.append(self._adc.read_uv())
        samples_uv.sort()
        return samples_uv[SAMPLES >> 1] * board.BATTERY_DIVIDER // 1000
