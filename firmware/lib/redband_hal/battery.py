"""The cell's voltage through the board's divider.

Guarantee: one wild sample changes nothing (the median of five is returned). Does not decide what
is low: redband_badge.power_task does, with hysteresis.
"""

from machine import ADC, Pin

from redband_hal import board

SAMPLES = 5  # odd, so that the median is a sample; radio bursts spoil one or two at most


class Battery:
    """The battery's ADC channel."""

    def __init__(self) -> None:
        """Claim the channel with the range that covers half of a full cell (2.1 V)."""
        self._adc = ADC(Pin(board.PIN_BATTERY_ADC), atten=ADC.ATTN_11DB)

    def read_mv(self) -> int:
        """Return the cell's voltage in mV, the median of five samples."""
        samples_uv = sorted([self._adc.read_uv() for _ in range(SAMPLES)])
        return samples_uv[SAMPLES >> 1] * board.BATTERY_DIVIDER // 1000
